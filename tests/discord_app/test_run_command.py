"""`whichgpu run` and `sync` as a person calls them, with the connection itself left out."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cli.main import main
from bot.discord_app import exits
from bot.discord_app.logs import QUIET
from bot.discord_app.running import Life


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No settings but those of the test; the log is put back as it was."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("WHICHGPU_") and name != "WHICHGPU_CACHE"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DISCORD_TOKEN", "a.token.of-tests")
    loggers = [logging.getLogger(), *map(logging.getLogger, QUIET)]
    levels, handlers = [logger.level for logger in loggers], list(loggers[0].handlers)
    yield
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)
    loggers[0].handlers = handlers


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_bot_kindly(number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(life: Life) -> int:
        os.kill(os.getpid(), number)
        async with asyncio.timeout(5):
            await life.stop.wait()
        return exits.STOPPED

    monkeypatch.setattr(Life, "run", run)
    assert main(["run"]) == 0


def test_the_options_win_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Life] = []

    async def run(life: Life) -> int:
        seen.append(life)
        return exits.TOKEN_REFUSED

    monkeypatch.setattr(Life, "run", run)
    monkeypatch.setenv("WHICHGPU_SHARD_COUNT", "2")
    assert main(["run", "--shard-count", "4", "--shard-ids", "2,3"]) == exits.TOKEN_REFUSED
    assert (seen[0].settings.shard_count, seen[0].settings.shard_ids) == (4, (2, 3))
    assert seen[0].settings.state_dir.is_absolute()


@pytest.mark.parametrize("command", ["run", "sync", "doctor"])
def test_a_setting_that_cannot_be_read_ends_with_its_name(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHICHGPU_HOME_GUILD", "my server")
    assert main([command]) == exits.SETTINGS
    shown = capsys.readouterr().err
    assert "WHICHGPU_HOME_GUILD" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("command", ["run", "sync"])
def test_without_a_token_there_is_a_code_of_its_own(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", " ")
    assert main([command]) == exits.NO_TOKEN
    assert "docs/discord.md" in capsys.readouterr().err


def test_the_token_may_stand_in_the_env_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[str] = []

    async def run(life: Life) -> int:
        seen.append(life.settings.discord_token.value)
        return exits.STOPPED

    monkeypatch.setattr(Life, "run", run)
    monkeypatch.delenv("DISCORD_TOKEN")
    (tmp_path / ".env").write_text("DISCORD_TOKEN=from.the.file\nWHICHGPU_LOGDAYS=3\n", encoding="utf-8")
    assert main(["run"]) == 0
    assert seen == ["from.the.file"]


def test_a_server_id_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sync", "--guild", "lab"]) == exits.SETTINGS
    assert "15 to 20 digits" in capsys.readouterr().err
