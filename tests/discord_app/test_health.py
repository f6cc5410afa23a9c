"""The health file and its check."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bot.cli.main import main
from bot.discord_app.health import STALE, UNCONNECTED, Health, health_file, ill, write_health


def test_a_bot_that_reports_and_is_connected_is_well(tmp_path: Path) -> None:
    path = health_file(tmp_path, ())
    write_health(path, Health(1000.0, 990.0, shards=1))
    assert ill(path, lambda: 1000.0 + STALE) == ""


@pytest.mark.parametrize(
    ("at", "connected_at", "word"),
    [(1000.0 - STALE - 1, 1000.0, "reported"), (1000.0, 1000.0 - UNCONNECTED - 1, "connected")],
)
def test_a_hung_or_unconnected_bot_is_ill(tmp_path: Path, at: float, connected_at: float, word: str) -> None:
    path = health_file(tmp_path, ())
    write_health(path, Health(at, connected_at))
    assert word in ill(path, lambda: 1000.0)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"at": 1, "later": 2}'])
def test_a_file_that_makes_no_sense_is_ill(tmp_path: Path, text: str) -> None:
    path = tmp_path / "health.json"
    path.write_text(text, encoding="utf-8")
    assert "cannot be read" in ill(path)
    assert "does not run" in ill(tmp_path / "other.json")


def test_processes_of_one_bot_have_files_of_their_own(tmp_path: Path) -> None:
    assert health_file(tmp_path, (0, 1)) != health_file(tmp_path, (2, 3))


def test_the_command_exits_with_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHICHGPU_STATE_DIR", str(tmp_path))
    assert main(["healthcheck"]) == 1
    write_health(health_file(tmp_path, ()), Health(time.time(), time.time(), 2, 7, problem="the disk is full"))
    capsys.readouterr()
    assert main(["healthcheck"]) == 0
    assert capsys.readouterr().out == "connected, 2 shards, 7 servers; the disk is full\n"
    monkeypatch.setenv("WHICHGPU_LOG_DAYS", "many")
    assert main(["healthcheck"]) == 2
    assert "WHICHGPU_LOG_DAYS" in capsys.readouterr().err
