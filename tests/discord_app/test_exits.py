"""Exit codes for every way Discord refuses, and the brake on restarts (fault #31)."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import create_autospec

import aiohttp
import discord
import pytest

from bot.discord_app import exits


def _closed(code: int) -> discord.ConnectionClosed:
    socket = create_autospec(aiohttp.ClientWebSocketResponse, instance=True)
    return discord.ConnectionClosed(socket, shard_id=0, code=code)


def _refused(status: int) -> discord.HTTPException:
    response = create_autospec(aiohttp.ClientResponse, instance=True)
    response.status, response.reason = status, "no"
    return discord.HTTPException(response, "no")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (discord.LoginFailure("401"), exits.TOKEN_REFUSED),
        (_closed(4004), exits.TOKEN_REFUSED),
        (discord.PrivilegedIntentsRequired(0), exits.INTENTS),
        (_closed(4013), exits.INTENTS),
        (_closed(4011), exits.SHARDS),
        (_closed(4009), exits.UNREACHABLE),
        (_refused(429), exits.SLOWED_DOWN),
        (_refused(502), exits.UNREACHABLE),
        (aiohttp.ClientConnectionError(), exits.UNREACHABLE),
        (TimeoutError(), exits.UNREACHABLE),
        (KeyError("x"), exits.UNEXPECTED),
    ],
)
def test_each_cause_has_a_code_and_a_sentence_of_its_own(error: Exception, code: int) -> None:
    assert exits.exit_code(error) == code
    assert len(exits.SENTENCES[code]) > 20


def test_codes_are_told_apart() -> None:
    assert len(set(exits.SENTENCES)) == len(set(exits.SENTENCES.values()))
    assert not {exits.STOPPED, 1, exits.SETTINGS, exits.DATA} & set(exits.SENTENCES)


def test_restarts_after_failures_wait_longer_each_time_and_never_make_a_thousand_a_day(tmp_path: Path) -> None:
    brake = exits.Brake(tmp_path / "state" / "failed.json", "token")
    now, starts = 0.0, 0
    while now < 86_400:
        now += brake.wait(now)
        brake.failed(now)
        starts += 1
    assert starts < 150
    assert brake.wait(now) == exits.LONGEST_WAIT
    assert brake.wait(now + exits.LONGEST_WAIT) == 0


def test_a_new_token_or_a_good_start_releases_the_brake(tmp_path: Path) -> None:
    path = tmp_path / "failed.json"
    brake = exits.Brake(path, "token")
    assert brake.wait(0) == 0
    brake.failed(0)
    assert brake.wait(0) == exits.FIRST_WAIT
    assert exits.Brake(path, "another").wait(0) == 0
    assert "token" not in path.read_text(encoding="utf-8").replace('"token":', "")
    brake.release()
    assert brake.wait(0) == 0


@pytest.mark.parametrize("text", ["", "[]", '{"token": 1}', "\x00"])
def test_a_damaged_record_brakes_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "failed.json"
    path.write_text(text, encoding="utf-8")
    assert exits.Brake(path, "token").wait(0) == 0
