"""The bot against the small Discord, started for each test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import discord
import pytest
import yarl

from bot.discord_app.build import build_client
from bot.discord_app.client import WhichGpuClient
from bot.discord_app.running import open_storage
from bot.settings import Settings
from tests.loopback_discord.people import Person
from tests.loopback_discord.server import GUILD, Server, serving

TODAY = datetime(2026, 12, 1, 12, tzinfo=UTC)
Start = Callable[..., Awaitable[WhichGpuClient]]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Roomy limits: tests ask faster than people."""
    return Settings(state_dir=tmp_path / "state", home_guild=GUILD, user_limit=(1000, 10.0), channel_limit=(1000, 10.0))


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """Discord on 127.0.0.1; discord.py is pointed at it. Bodies that break a limit fail the test at its end."""
    async with serving(Server) as running:
        monkeypatch.setattr("discord.http.Route.BASE", running.base + "/api/v10")
        gateway = yarl.URL(running.base.replace("http", "ws") + "/gateway/")
        monkeypatch.setattr("discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY", gateway)
        yield running
        assert running.faults == []


@asynccontextmanager
async def running_client(settings: Settings, **changes: object) -> AsyncIterator[WhichGpuClient]:
    """The whole bot, connected and ready; closed as `run` closes it."""
    log = await open_storage(settings)
    client = build_client(replace(settings, **changes), log, b"k" * 32, guild_ready_timeout=0.02)  # type: ignore[arg-type]
    client.service.now = lambda: TODAY

    async def no_wait(_shard: int | None, *, initial: bool = False) -> None:
        """discord.py waits five seconds before it identifies again."""

    client.before_identify_hook = no_wait  # type: ignore[assignment]
    ready = asyncio.Event()

    async def on_ready() -> None:
        ready.set()

    client.on_ready = on_ready  # type: ignore[method-assign]
    task = asyncio.create_task(client.start("a.token.of-tests"))
    waiting = asyncio.create_task(ready.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=10)
        if task.done():
            task.result()
        assert ready.is_set()
        yield client
    finally:
        waiting.cancel()
        await client.close()
        await log.close()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def start(server: Server, settings: Settings) -> AsyncIterator[Start]:
    """Start a bot with changed settings; several in one test stand for restarts."""
    async with AsyncExitStack() as stack:

        async def begin(**changes: object) -> WhichGpuClient:
            return await stack.enter_async_context(running_client(settings, **changes))

        yield begin


@pytest.fixture
async def client(server: Server, settings: Settings) -> AsyncIterator[WhichGpuClient]:
    """A running bot."""
    async with running_client(settings) as running:
        yield running


@pytest.fixture
def asker(server: Server, client: WhichGpuClient) -> Person:
    """Someone in a server with the bot."""
    return Person(server)


__all__ = ["discord"]
