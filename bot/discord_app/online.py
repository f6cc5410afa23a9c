"""The bot logged in for a moment, without the gateway: for `sync` and `doctor`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.discord_app.build import build_client
from bot.discord_app.client import WhichGpuClient
from bot.discord_app.running import open_storage
from bot.settings import Settings
from bot.storage.store import Store


@asynccontextmanager
async def logged_in(settings: Settings) -> AsyncIterator[tuple[WhichGpuClient, Store]]:
    """The client, logged in and translated, and the storage. Raises what discord.py raises at login."""
    store = await open_storage(settings)
    try:
        # No pseudonym is made here, so any key will do.
        client = build_client(settings, store, b"none")
        client.admin = None  # prices are of no use here
        async with client:
            await client.login(settings.discord_token.value)
            yield client, store
    finally:
        await store.close()
