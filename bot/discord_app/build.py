"""Puts the bot together: commands on the tree, service, admin. Used by `run`, `sync`, the tests and the benchmark."""

from __future__ import annotations

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
from bot.feeds.setup import price_desk
from bot.market.book import PriceBook
from bot.settings import Settings
from bot.storage.querylog import QueryLog
from bot.storage.secret import load_key


def add_commands(client: WhichGpuClient) -> None:
    """Public commands everywhere, /admin in the home server alone."""
    for command in (*PUBLIC, *OWN):
        client.tree.add_command(command)
    if client.service.settings.home_guild:
        client.tree.add_command(admin, guild=discord.Object(client.service.settings.home_guild))


def pseudonym_key(folder: Path, setting: str = "") -> bytes:
    """The secret of this installation; made on first use unless it is set. Raises OSError or ValueError."""
    return load_key(folder, setting)


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
