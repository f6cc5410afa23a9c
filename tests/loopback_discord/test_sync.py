"""`sync`: what is sent to which scope, and that nothing shows twice (fault #26)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.discord_app.online import logged_in
from bot.discord_app.running import commands_differ
from bot.discord_app.syncing import SyncError, sync
from bot.settings import Secret, Settings
from tests.loopback_discord.server import APP, GUILD, OTHER_GUILD, Server

pytestmark = pytest.mark.usefixtures("server")
EVERYWHERE = f"/applications/{APP}/commands"


def _in(guild: int) -> str:
    return f"/applications/{APP}/guilds/{guild}/commands"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """With a token."""
    return replace(settings, discord_token=Secret("a.token.of-tests"))


async def _sync(settings: Settings, **options: object) -> list[str]:
    async with logged_in(settings) as (client, store):
        return await sync(client, store, **options)  # type: ignore[arg-type]


def _names(server: Server, path: str) -> set[str]:
    return {command["name"] for command in server.registered.get(path, [])}


async def test_public_commands_everywhere_and_admin_at_home_only(server: Server, settings: Settings) -> None:
    lines = await _sync(settings)
    public = _names(server, EVERYWHERE)
    assert {"ask", "recommend", "gpu", "compare", "fit", "price", "topics", "help", "privacy", "settings"} <= public
    assert "admin" not in public
    assert _names(server, _in(GUILD)) == {"admin"}
    assert lines[0].startswith("everywhere: ")


async def test_commands_are_translated_and_name_where_they_may_be_used(server: Server, settings: Settings) -> None:
    await _sync(settings)
    ask = next(one for one in server.registered[EVERYWHERE] if one["name"] == "ask")
    assert set(ask["description_localizations"]) >= {"zh-CN", "zh-TW"}
    assert ask["integration_types"] == [0, 1]
    assert ask["contexts"] == [0, 1, 2]


async def test_a_trial_in_one_server_and_back_leaves_no_command_twice(server: Server, settings: Settings) -> None:
    await _sync(settings, trial=OTHER_GUILD)
    assert _names(server, EVERYWHERE) == set()
    assert "ask" in _names(server, _in(OTHER_GUILD))
    await _sync(settings)
    assert "ask" in _names(server, EVERYWHERE)
    assert _names(server, _in(OTHER_GUILD)) == set()


async def test_a_trial_takes_nothing_away_from_others_unasked(server: Server, settings: Settings) -> None:
    await _sync(settings)
    with pytest.raises(SyncError, match="--move"):
        await _sync(settings, trial=OTHER_GUILD)
    assert "ask" in _names(server, EVERYWHERE)
    await _sync(settings, trial=OTHER_GUILD, move=True)
    assert _names(server, EVERYWHERE) == set()


async def test_a_dry_run_sends_nothing_and_says_what_is_new(server: Server, settings: Settings) -> None:
    lines = await _sync(settings, dry_run=True)
    assert not [call for call in server.calls if call.method == "PUT"]
    assert "new: " in lines[0]


async def test_a_start_after_the_sync_warns_only_when_commands_have_changed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _sync(settings)
    async with logged_in(settings) as (client, store):
        assert await commands_differ(client, store) == ""
        client.tree.remove_command("topics")
        assert "run `whichgpu sync`" in await commands_differ(client, store)


async def test_a_server_without_the_bot_is_told(server: Server, settings: Settings) -> None:
    server.fail("PUT", f"/guilds/{OTHER_GUILD}/commands", 403, {"message": "Missing Access", "code": 50001})
    with pytest.raises(SyncError, match=r"applications\.commands"):
        await _sync(settings, trial=OTHER_GUILD)
