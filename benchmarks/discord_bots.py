"""The two bots that benchmarks/discord_load.py compares, each in a process of its own, led by lines on stdin."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import discord
import yarl
from discord import app_commands

ROOT = Path(__file__).parents[1]
CONSTANT = "RTX 3090: 24 GB, 936 GB/s."


class BareClient(discord.AutoShardedClient):
    """The least that answers /ask."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True), max_messages=None, guild_ready_timeout=0.05)
        self.tree = app_commands.CommandTree(self)

        @self.tree.command(description="Ask")
        async def ask(interaction: discord.Interaction[Any], question: str) -> None:
            await interaction.response.send_message(CONSTANT)


class Lag:
    """How late the event loop wakes a sleeper."""

    def __init__(self) -> None:
        self.late: list[float] = []

    async def watch(self) -> None:
        """Sleep 5 ms at a time."""
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            self.late.append((time.perf_counter() - before - 0.005) * 1000)


async def serve_bot(kind: str, base: str, folder: Path) -> None:
    """Connect a bot to the small Discord and obey stdin until it ends."""
    discord.http.Route.BASE = base + "/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(base.replace("http", "ws") + "/gateway/")
    folder.mkdir(parents=True, exist_ok=True)
    store = None
    client: Any
    if kind == "bare":
        client = BareClient()
    else:
        from bot.discord_app.build import build_client
        from bot.discord_app.running import open_storage
        from bot.settings import Settings

        settings = Settings(
            state_dir=folder,
            prices_file=ROOT / "data/prices.csv",
            user_limit=(1000, 0.001),
            channel_limit=(1000, 0.001),
        )
        store = await open_storage(settings)
        client = build_client(settings, store, b"k" * 32, guild_ready_timeout=0.05)
    async with client:
        connection = asyncio.create_task(client.start("a.token.of-benchmarks"))
        while client.application is None:
            await asyncio.sleep(0.01)
        await client.wait_until_ready()
        await _obey(client)
    await asyncio.gather(connection, return_exceptions=True)
    if store:
        await store.close()


async def _obey(client: Any) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    lag = Lag()
    working: list[asyncio.Task[None]] = []
    done = [0]
    async for raw in reader:
        command = raw.decode().strip()
        answer: dict[str, Any] = {command: True}
        if command == "memory":
            answer = {"mb": _resident_mb()}
        elif command == "cpu":
            answer = {"s": time.process_time()}
        elif command == "refresh":
            working = [asyncio.create_task(lag.watch()), asyncio.create_task(_refresh(client, done))]
        elif command == "refreshed":
            for task in working:
                task.cancel()
            results = await asyncio.gather(*working, return_exceptions=True)
            faults = [repr(one) for one in results if not isinstance(one, asyncio.CancelledError)]
            cuts = statistics.quantiles(lag.late, n=100)
            answer = {"lag_p50_ms": round(cuts[49], 2), "lag_p99_ms": round(cuts[98], 2),
                      "lag_max_ms": round(max(lag.late), 2), "refreshes": done[0], "faults": faults}  # fmt: skip
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


async def _refresh(client: Any, done: list[int]) -> None:
    """Refresh after refresh, with the shortest of pauses."""
    while True:
        await client.admin.refresh(lambda _line: None)
        done[0] += 1
        await asyncio.sleep(0.1)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
