"""`whichgpu prices` from end to end, without a network."""

import json
from pathlib import Path

import pytest

from bot.cli.main import main

HEADER = "gpu,condition,price,currency,as_of\n"


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHICHGPU_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("WHICHGPU_PRICES_FILE", raising=False)


def _file(tmp_path: Path, *rows: str) -> str:
    path = tmp_path / "mine.csv"
    path.write_text(HEADER + "".join(row + "\n" for row in rows))
    return str(path)


GOOD = (
    "RTX 3090,used,960,USD,2026-11",
    "P40,used,3,USD,2026-11",
    "P40,used,20,USD,2026-10",
    "RTX 4090,new,2500,USD,2026-11",
)


def test_refresh_look_approve_and_go_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, *GOOD)
    assert main(["prices", "refresh", "--file", path, "--dry-run"]) == 0
    assert "Nothing was changed" in capsys.readouterr().out
    assert main(["prices", "refresh", "--file", path]) == 0
    shown = capsys.readouterr()
    assert "accepted 2, to be looked at 1, left out 1" in shown.out
    assert "row 2: 'P40' 3 USD is no price of a card" in shown.out
    assert "file: reading mine.csv" in shown.err
    assert main(["prices", "status", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["points"], status["waiting"], status["runs"][0]["active"]) == (2, 1, True)
    assert main(["prices", "quarantine", "--json"]) == 0
    (waiting,) = json.loads(capsys.readouterr().out)["waiting"]
    assert (waiting["gpu"], waiting["amount"], waiting["as_of"]) == ("P40", 20.0, "2026-10")
    assert main(["prices", "quarantine", "--approve", str(waiting["id"])]) == 0
    assert main(["prices", "quarantine", "--approve", str(waiting["id"])]) == 1
    capsys.readouterr()
    assert main(["prices", "history", "P40", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["points"][0]["amount"] == 20.0
    assert main(["prices", "history", "RTX", "3090"]) == 0
    assert "█" in capsys.readouterr().out
    assert main(["prices", "rollback"]) == 0
    assert "Only the prices shipped" in capsys.readouterr().out
    assert main(["prices", "rollback"]) == 1


def test_refresh_in_json_says_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prices", "refresh", "--file", _file(tmp_path, *GOOD), "--json"]) == 0
    (part,) = json.loads(capsys.readouterr().out)["sources"]
    assert [point["gpu"] for point in part["accepted"]] == ["RTX 3090", "RTX 4090"]
    assert part["quarantined"][0]["reason"]


def test_wrong_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prices", "refresh"]) == 1
    assert "no price source is set up" in capsys.readouterr().err
    assert main(["prices", "refresh", "--file", "nowhere.csv"]) == 1
    assert "cannot be read" in capsys.readouterr().out
    assert main(["prices", "history", "no card"]) == 2
    assert main(["prices", "history", "A2"]) == 1
    monkeypatch.setenv("WHICHGPU_FEED_URL", "http://insecure.example/")
    assert main(["prices", "status"]) == 2
    assert "https://" in capsys.readouterr().err
