"""`doctor`: each thing that can be wrong is found and told with its mend."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.cli.main import main
from bot.discord_app.doctor import Finding, examine, look_at_data, look_at_folder, look_at_settings
from bot.discord_app.online import logged_in
from bot.discord_app.syncing import sync
from bot.settings import Secret, Settings
from tests.loopback_discord.server import GUILD, OTHER_GUILD, Server

TODAY = date(2026, 12, 1)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """With a token."""
    return replace(settings, discord_token=Secret("a.token.of-tests"))


async def _found(settings: Settings, *, online: bool = True) -> dict[str, Finding]:
    return {finding.what: finding for finding in await examine(settings, (), TODAY, online=online)}


async def test_a_bot_that_is_set_up_has_nothing_to_mend(server: Server, settings: Settings) -> None:
    async with logged_in(settings) as (client, store):
        await sync(client, store)
    found = await _found(settings)
    assert [finding for finding in found.values() if finding.sign == "bad"] == []
    assert found["commands"].sign == "ok"
    assert found["database"].sign == "ok"
    assert found["servers"].text == "in 1"


async def test_commands_never_sent_are_noted(server: Server, settings: Settings) -> None:
    assert "whichgpu sync" in (await _found(settings))["commands"].text


async def test_missing_rights_are_named_server_by_server(server: Server, settings: Settings) -> None:
    server.guilds_listed = [{"id": str(GUILD), "permissions": "0"}, {"id": str(OTHER_GUILD), "permissions": "8"}]
    found = await _found(settings)
    assert "Embed Links" in found[f"server {GUILD}"].text
    assert f"server {OTHER_GUILD}" not in found


async def test_a_home_server_without_the_bot(server: Server, settings: Settings) -> None:
    found = await _found(replace(settings, home_guild=OTHER_GUILD))
    assert found["home server"].sign == "bad"


async def test_an_endpoint_that_swallows_the_commands(server: Server, settings: Settings) -> None:
    server.application = {"interactions_endpoint_url": "https://example.org/x"}
    assert "Endpoint" in (await _found(settings))["application"].text


async def test_a_refused_token_is_told(server: Server, settings: Settings) -> None:
    server.fail("GET", "/users/@me", 401, {"message": "401: Unauthorized", "code": 0})
    assert "refused the token" in (await _found(settings))["discord"].text


async def test_a_damaged_database_is_told_and_discord_not_asked(server: Server, settings: Settings) -> None:
    settings.state_dir.mkdir()
    (settings.state_dir / "whichgpu.sqlite").write_bytes(b"no database at all, " * 400)
    found = await _found(settings)
    assert found["database"].sign == "bad"
    assert "backup" in found["database"].text
    assert server.calls == []


@pytest.mark.parametrize(
    ("changes", "what", "word"),
    [
        ({"discord_token": Secret("")}, "token", "DISCORD_TOKEN"),
        ({"discord_token": Secret("just-a-word")}, "token", "three parts"),
        ({"home_guild": None}, "home server", "/admin"),
        ({"prices_file": Path("not-there.csv")}, "prices file", "not there"),
    ],
)
def test_settings_that_are_missing(settings: Settings, changes: dict[str, Any], what: str, word: str) -> None:
    found = look_at_settings(replace(settings, **changes), ["WHICHGPU_LOGDAYS"])
    assert word in next(finding.text for finding in found if finding.what == what)
    assert "WHICHGPU_LOGDAYS" in found[0].text


def test_a_folder_that_is_full_or_in_the_way(tmp_path: Path) -> None:
    assert look_at_folder(tmp_path)[0].sign == "ok"
    assert "free" in look_at_folder(tmp_path, lambda _: SimpleNamespace(free=1 << 20))[0].text
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert look_at_folder(tmp_path / "file")[0].sign == "bad"


def test_old_prices_are_noted() -> None:
    assert [finding.sign for finding in look_at_data(date(2030, 1, 1)) if finding.what == "prices"] == ["note"]


def test_the_command_prints_and_exits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    monkeypatch.setenv("WHICHGPU_STATE_DIR", str(tmp_path))
    assert main(["doctor", "--offline", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert {"sign": "bad", "what": "token"}.items() <= next(one for one in found if one["what"] == "token").items()
    assert main(["run"]) == 10
    assert main(["sync"]) == 10
    assert "DISCORD_TOKEN" in capsys.readouterr().err
