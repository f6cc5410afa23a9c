"""`whichgpu knowledge` as a person and a script use it."""

from __future__ import annotations

import io
import json
import sys

import pytest

from bot.cli.main import main


def test_search_prints_the_entries(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "search", "does memory bandwidth matter more than CUDA cores"]) == 0
    assert "guide-bandwidth-2017" in capsys.readouterr().out.splitlines()[0]


def test_search_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "search", "--json", "--limit", "2", "显存带宽和CUDA核心数哪个更重要"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["language"] == "zh-CN"
    assert found["abstained"] is False
    assert found["hits"][0]["entry"] == "guide-bandwidth-2017"
    assert len(found["hits"]) == 2
    assert found["sources"][0]["as_of"]


def test_search_declines_what_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    main(["knowledge", "search", "how long do I boil eggs"])
    assert capsys.readouterr().out.startswith("No entry answers this surely")


def test_search_reads_json_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = '{"id": 1, "text": "is ECC needed", "limit": 1}\n\n[]\n{"text": null}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert main(["knowledge", "search", "--jsonl"]) == 1
    first, broken, empty = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["id"] == 1
    assert len(first["hits"]) == 1
    assert "line 3" in broken["error"]
    assert empty["abstained"] is True


@pytest.mark.parametrize("arguments", [["search"], ["search", "--limit", "0", "ecc"]])
def test_wrong_use_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", *arguments]) == 2
    assert "Example" in capsys.readouterr().err


def test_show_gives_an_entry_in_the_language_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "show", "guide-bandwidth-2017", "--language", "zh-TW"]) == 0
    assert "頻寬" in capsys.readouterr().out
    assert main(["knowledge", "show", "guide-bandwidth-2017", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["facts"] == ["f17-001"]
    assert shown["guides"] == ["dettmers-2017-03", "dettmers-2017-04"]


def test_show_of_an_unknown_id_offers_near_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "show", "guide-bandwith-2017"]) == 1
    assert "guide-bandwidth-2017" in capsys.readouterr().err


def test_lint_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["knowledge", "lint", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert code == int(report["errors"] > 0)
    assert report["entries"] > 100
