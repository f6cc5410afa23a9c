"""`whichgpu sync`: sends the commands to Discord. The only place that does; the bot's start never does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.discord_app.client import WhichGpuClient
from bot.discord_app.limits import command_faults
from bot.discord_app.running import COMMANDS
from bot.storage.engine import StorageError
from bot.storage.store import Store

TRIAL = "commands-trial-server"
"""Name under which the storage remembers the server that holds copies for trying out."""


class SyncError(Exception):
    """The commands were not sent; the message says why."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One set of commands at Discord, and what it is to hold."""

    guild: int | None
    """None: everywhere."""
    commands: Sequence[dict[str, Any]]

    @property
    def name(self) -> str:
        """The scope as a person reads it."""
        return "everywhere" if self.guild is None else f"server {self.guild}"


async def wanted(client: WhichGpuClient, trial: int | None, old_trial: int | None) -> list[Scope]:
    """What each scope is to hold. With a trial server everything goes there and nothing stands everywhere: the same
    command in both would show twice. A server that held copies before is emptied of them."""
    home = client.service.settings.home_guild
    public = await client.payloads(None)
    admin = await client.payloads(discord.Object(home)) if home else []
    scopes = [Scope(None, [] if trial else public)]
    for guild in dict.fromkeys(one for one in (trial, home, old_trial) if one):
        holds = [*(public if guild == trial else []), *(admin if guild == home else [])]
        scopes.append(Scope(guild, holds))
    return scopes


async def sync(
    client: WhichGpuClient, store: Store, *, trial: int | None = None, move: bool = False, dry_run: bool = False
) -> list[str]:
    """Send the commands; a line for each scope. The client is logged in. Raises SyncError and discord.HTTPException."""
    application = client.application_id
    if application is None:
        raise SyncError("the client is not logged in")
    try:
        remembered = await store.state(TRIAL)
    except StorageError as error:
        raise SyncError(str(error)) from None
    scopes = await wanted(client, trial, int(remembered) if remembered.isdigit() else None)
    faults = [fault for scope in scopes for command in scope.commands for fault in command_faults(command)]
    if faults:
        raise SyncError("Discord would refuse the commands: " + "; ".join(faults))
    before = {scope.guild: await _registered(client, application, scope.guild) for scope in scopes}
    if trial and before[None] and not move and not dry_run:
        raise SyncError(
            f"{len(before[None])} commands stand everywhere and would vanish for everyone else; add --move if you "
            "mean it, or use an application of its own for trying out"
        )
    lines = []
    for scope in scopes:
        lines.append(f"{scope.name}: {_change(before[scope.guild], scope.commands)}")
        if dry_run:
            continue
        payload: Any = list(scope.commands)
        try:
            if scope.guild is None:
                await client.http.bulk_upsert_global_commands(application, payload)
            else:
                await client.http.bulk_upsert_guild_commands(application, scope.guild, payload)
        except discord.Forbidden:
            raise SyncError(
                f"Discord refuses commands for {scope.name}: is the bot in it, invited with applications.commands?"
            ) from None
    if not dry_run:
        await store.set_state(COMMANDS, await client.commands_hash())
        await store.set_state(TRIAL, str(trial or ""))
    return lines


async def _registered(client: WhichGpuClient, application: int, guild: int | None) -> list[str]:
    """Names that Discord has for a scope; none for a server that the bot is not in."""
    try:
        if guild is None:
            found = await client.http.get_global_commands(application)
        else:
            found = await client.http.get_guild_commands(application, guild)
    except (discord.Forbidden, discord.NotFound):
        return []
    return [command["name"] for command in found]


def _change(before: Sequence[str], commands: Sequence[dict[str, Any]]) -> str:
    after = [command["name"] for command in commands]
    parts = [f"{len(after)} commands" + (f" ({', '.join(after)})" if after else "")]
    for word, names in (("new", set(after) - set(before)), ("gone", set(before) - set(after))):
        if names:
            parts.append(f"{word}: {', '.join(sorted(names))}")
    return "; ".join(parts)
