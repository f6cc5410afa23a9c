"""Puts the bot together: commands on the tree, service, admin. Used by `run`, `sync`, the tests and the benchmark."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import discord

from bot import loading
from bot.assistant import Assistant
from bot.discord_app.admin import Admin
from bot.discord_app.admin_commands import admin
from bot.discord_app.brain import Brain, reload_files
from bot.discord_app.client import WhichGpuClient
from bot.discord_app.commands import PUBLIC
from bot.discord_app.locales import load_locales
from bot.discord_app.own_commands import OWN
from bot.discord_app.service import Service
from bot.discord_app.shelf import Shelf, load_shelf
from bot.feeds.desk import PriceDesk
from bot.feeds.local_file import LocalFile
from bot.market.book import PriceBook
from bot.settings import Settings
from bot.storage.querylog import QueryLog

KEY_FILE = "pseudonyms.key"


def add_commands(client: WhichGpuClient) -> None:
    """Public commands everywhere, /admin in the home server alone."""
    for command in (*PUBLIC, *OWN):
        client.tree.add_command(command)
    if client.service.settings.home_guild:
        client.tree.add_command(admin, guild=discord.Object(client.service.settings.home_guild))


def pseudonym_key(folder: Path) -> bytes:
    """The secret of this installation, made on first use; only its owner may read the file. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / KEY_FILE
    if not path.exists():
        part = path.with_suffix(f".{secrets.token_hex(4)}")
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(secrets.token_bytes(32))
        try:
            os.link(part, path)
        except FileExistsError:
            pass  # another process of the same installation was first
        finally:
            part.unlink()
    return path.read_bytes()


def price_desk(settings: Settings) -> PriceDesk:
    """The desk over the sources that are set up."""
    resolve = loading.load_name_resolver()
    sources = [LocalFile(settings.prices_file, resolve)] if settings.prices_file else []
    return PriceDesk(settings.state_dir / "prices", resolve, sources)


def read_anew() -> tuple[Assistant, PriceBook, Shelf]:
    """data/ and knowledge/ from disk. Raises DataError."""
    reload_files()
    return loading.load_assistant(), loading.load_prices(), load_shelf()


def build_client(settings: Settings, log: QueryLog, key: bytes, *, guild_ready_timeout: float = 2.0) -> WhichGpuClient:
    """The whole bot, not yet connected. Needs a running event loop. Raises DataError."""
    assistant, shipped = loading.load_assistant(), loading.load_prices()
    brain = Brain(assistant)
    service = Service(brain, log, load_locales(), settings, key)
    return WhichGpuClient(
        service,
        load_shelf(),
        admin=Admin(brain, price_desk(settings), read_anew, shipped, assistant),
        build=add_commands,
        shard_ids=list(settings.shard_ids) or None,
        shard_count=settings.shard_count,
        guild_ready_timeout=guild_ready_timeout,
    )
