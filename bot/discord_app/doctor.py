"""`whichgpu doctor`: looks at everything the bot needs and says what is missing and what to do."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

import discord

from bot.discord_app import exits
from bot.discord_app.limits import command_faults
from bot.discord_app.online import logged_in
from bot.discord_app.running import commands_differ, open_storage
from bot.feeds.source import SourceError
from bot.settings import PREFIX, Settings
from bot.storage.engine import StorageError
from bot.storage.secret import load_key
from bot.tables import DataError

LEAST_FREE = 200 << 20
OLD_PRICES = 60
"""Days after which the newest price is called old."""
WANTED = {
    "View Channels": discord.Permissions(view_channel=True),
    "Send Messages": discord.Permissions(send_messages=True),
    "Embed Links": discord.Permissions(embed_links=True),
    "Read Message History": discord.Permissions(read_message_history=True),
}
"""Rights without which answers to mentions fail or lose their look. Commands need none of them."""
Sign = Literal["ok", "note", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. "note": the bot works, but something is better known; "bad": mend it."""

    sign: Sign
    what: str
    text: str


def look_at_settings(settings: Settings, unknown: Iterable[str]) -> list[Finding]:
    """What is set, and what is likely forgotten."""
    found = [Finding("note", "settings", f"{name} is no setting; is it spelt right?") for name in unknown]
    token = settings.discord_token.value
    if not token:
        found.append(Finding("bad", "token", exits.SENTENCES[exits.NO_TOKEN]))
    elif token.count(".") != 2 or any(space in token for space in " \t"):
        found.append(Finding("bad", "token", "DISCORD_TOKEN is no bot token: it has three parts with dots between."))
    else:
        found.append(Finding("ok", "token", "set"))
    if settings.home_guild is None:
        found.append(Finding("note", "home server", f"{PREFIX}HOME_GUILD is empty: there are no /admin commands."))
    if not settings.privacy_url:
        found.append(
            Finding("note", "privacy", f"{PREFIX}PRIVACY_URL is empty; Discord wants your privacy policy published.")
        )
    if settings.prices_file and not settings.prices_file.is_file():
        found.append(Finding("bad", "prices file", f"{PREFIX}PRICES_FILE names a file that is not there."))
    return found


def look_at_program() -> list[Finding]:
    """Versions."""
    python = ".".join(map(str, sys.version_info[:3]))
    return [Finding("ok", "program", f"Python {python}, discord.py {discord.__version__}")]


def look_at_data(today: date) -> list[Finding]:
    """data/, knowledge/ and the texts of the shell."""
    from bot import loading
    from bot.discord_app.locales import load_locales
    from bot.request import Question

    start = time.perf_counter()
    try:
        load_locales()
        catalogue, prices = loading.load_catalogue(), loading.load_prices()
        answer = loading.load_assistant().answer(Question("How much VRAM does an RTX 3090 have?", today))
    except DataError as error:
        return [Finding("bad", "data", str(error))]
    took = time.perf_counter() - start
    found = [Finding("ok", "data", f"{len(catalogue.gpus)} GPUs, read in {took:.1f} s; a question is answered")]
    if answer.abstained:
        found = [Finding("bad", "data", "a simple question gets no answer; restore data/ and knowledge/")]
    dates = [point.as_of for gpu in prices.gpus for point in prices.history(gpu)]
    newest = max(map(str, dates), default="")
    # Dates may stop at the month: "2026-11".
    age = (today - date.fromisoformat((newest + "-01")[:10])).days if newest else None
    if age is None or age > OLD_PRICES:
        found.append(Finding("note", "prices", f"the newest shipped price is of {newest or 'no date'}; refresh them"))
    else:
        found.append(Finding("ok", "prices", f"newest shipped price of {newest}"))
    return found


def look_at_folder(folder: Path, disk: Callable[[Path], Any] = shutil.disk_usage) -> list[Finding]:
    """The state folder: may it be written, is there room, does anyone else read the secret."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".doctor-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        return [
            Finding("bad", "state folder", f"{folder} cannot be written ({error.strerror}); give the bot's user it")
        ]
    free = disk(folder).free
    if free < LEAST_FREE:
        return [Finding("bad", "state folder", f"only {free >> 20} MB are free on the disk of {folder}")]
    return [Finding("ok", "state folder", f"{folder} can be written, {free >> 30} GB free")]


def look_at_key(settings: Settings) -> list[Finding]:
    """The secret of the pseudonyms."""
    try:
        load_key(settings.state_dir, settings.pseudonym_key.value)
    except (OSError, ValueError) as error:
        return [Finding("bad", "pseudonyms", str(error))]
    key_file = settings.state_dir / "pseudonyms.key"
    if key_file.exists() and os.name == "posix" and key_file.stat().st_mode & 0o077:
        return [Finding("note", "pseudonyms", f"others may read {key_file.name}; chmod 600 it")]
    return [Finding("ok", "pseudonyms", "the secret is there")]


async def look_at_database(settings: Settings) -> list[Finding]:
    """The database: opens, is whole, can be read."""
    store = await open_storage(settings)
    try:
        if store.problem or store.database is None:
            return [Finding("bad", "database", store.problem)]
        await store.database.quick_check()
        stats = await store.stats(0)
    except StorageError as error:
        return [Finding("bad", "database", str(error))]
    finally:
        await store.close()
    return [Finding("ok", "database", f"whole; {stats.questions} questions kept, for {settings.log_days} days")]


async def look_at_discord(settings: Settings) -> list[Finding]:
    """What Discord says: the token, the application, the commands, the servers' rights."""
    try:
        async with logged_in(settings) as (client, store):
            found = [_application(client.application)]
            found += [Finding("bad", "commands", fault) for fault in await _command_faults(client)]
            warning = await commands_differ(client, store)
            found.append(Finding("note", "commands", warning) if warning else Finding("ok", "commands", "up to date"))
            found += _servers(await client.http.get_guilds(200, None, None, with_counts=False), settings)
    except (discord.DiscordException, OSError, TimeoutError, SourceError) as error:
        return [Finding("bad", "discord", exits.SENTENCES[exits.exit_code(error)])]
    return [one for one in found if one is not None]


async def _command_faults(client: Any) -> list[str]:
    payloads = await client.payloads(None)
    return [fault for command in payloads for fault in command_faults(command)]


def _application(application: discord.AppInfo | None) -> Finding:
    if application is None:
        return Finding("bad", "application", "Discord says nothing of the application.")
    if application.interactions_endpoint_url:
        return Finding(
            "bad", "application",
            "an Interactions Endpoint URL is set in the Developer Portal: commands never reach the bot; empty it.",
        )  # fmt: skip
    if application.user_integration_config is None:
        return Finding(
            "note", "application",
            f"{application.name}: User Install is off (page Installation), so people cannot take the bot along.",
        )  # fmt: skip
    return Finding("ok", "application", f"{application.name}, for servers and people")


def _servers(guilds: Iterable[Any], settings: Settings) -> list[Finding]:
    """Rights in each server, as the bot's roles give them there; single channels may still differ."""
    found, count, home = [], 0, False
    for guild in guilds:
        count += 1
        home = home or int(guild["id"]) == settings.home_guild
        rights = discord.Permissions(int(guild.get("permissions") or 0))
        if rights.administrator:
            continue
        missing = [name for name, right in WANTED.items() if not right <= rights]
        if missing:
            found.append(Finding("note", f"server {guild['id']}", f"lacks {', '.join(missing)}: mentions suffer."))
    if settings.home_guild and not home:
        found.append(Finding("bad", "home server", "the bot is not in it: /admin cannot be used. Invite it there."))
    return [Finding("ok", "servers", f"in {count}" if count < 200 else "in 200 or more; the first 200 seen"), *found]


async def examine(settings: Settings, unknown: Iterable[str], today: date, *, online: bool) -> list[Finding]:
    """Everything, in the order in which one mends it."""
    found = [*look_at_program(), *look_at_settings(settings, unknown), *look_at_folder(settings.state_dir)]
    writable = found[-1].sign == "ok"
    found += look_at_data(today)
    if writable:
        found += look_at_key(settings)
        found += await look_at_database(settings)
    whole = not any(finding.sign == "bad" for finding in found)
    if not online:
        found.append(Finding("note", "discord", "not asked (--offline)"))
    elif whole:
        found += await look_at_discord(settings)
    else:
        found.append(Finding("note", "discord", "not asked before the above is mended"))
    return found
