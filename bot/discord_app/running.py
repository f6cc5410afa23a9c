"""The bot's life: open what it needs, connect, keep house, stop without losing anything."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field

import discord

from bot.discord_app import exits
from bot.discord_app.build import build_client
from bot.discord_app.client import WhichGpuClient
from bot.discord_app.health import EVERY, Health, health_file, write_health
from bot.feeds.source import SourceError
from bot.settings import Settings
from bot.storage.engine import StorageError, database_url
from bot.storage.secret import load_key
from bot.storage.store import Store

log = logging.getLogger(__name__)

DAY = 86_400.0
DRAIN = 8.0
"""Seconds that answers in the making get when the bot stops; Docker kills after ten."""
COMMANDS = "commands"
"""Name under which the storage remembers the fingerprint of the commands last sent to Discord."""
HANDLERS = ("discord.py: on_", "CommandTree-invoker", "discord-ui-")
"""How the library names the tasks in which answers are made."""


async def open_storage(settings: Settings) -> Store:
    """The query log. It opens whatever is wrong with the disk; `problem` tells."""
    return await Store.open(database_url(settings.database_url.value, settings.state_dir))


@dataclass
class Life:
    """One run of the bot. `stop` ends it."""

    settings: Settings
    guild_ready_timeout: float = 2.0
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    client: WhichGpuClient | None = None
    """Set while the bot runs."""

    async def run(self) -> int:
        """Run until `stop` is set or Discord refuses; the exit code. Raises DataError before anything is connected."""
        settings = self.settings
        brake = exits.Brake(settings.state_dir / "failed-starts.json", settings.discord_token.value)
        try:
            key = load_key(settings.state_dir, settings.pseudonym_key.value)
        except OSError as error:
            log.error("%s (%s)", exits.SENTENCES[exits.FOLDER], error.strerror)
            return exits.FOLDER
        except ValueError as error:
            log.error("%s", error)
            return exits.SETTINGS
        if await self._braked(brake.wait(time.time())):
            return exits.STOPPED
        # The library warns that voice is not there; we have no use for it.
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
        store = await open_storage(settings)
        try:
            client = self.client = build_client(settings, store, key, guild_ready_timeout=self.guild_ready_timeout)
            store.on_change(lambda what: _changed(client, what))
            return await self._connected(client, store, brake)
        finally:
            self.client = None
            await store.close()
            log.info("stopped; the query log is on disk")

    async def _braked(self, wait: float) -> bool:
        """Wait after failed starts; True when the bot is to stop meanwhile."""
        if wait <= 0:
            return False
        log.warning("the last start with this token failed; waiting %.0f s before the next", wait)
        try:
            async with asyncio.timeout(wait):
                await self.stop.wait()
        except TimeoutError:
            return False
        return True

    async def _connected(self, client: WhichGpuClient, store: Store, brake: exits.Brake) -> int:
        connection = asyncio.create_task(client.start(self.settings.discord_token.value), name="connection")
        stopping = asyncio.create_task(self.stop.wait(), name="stop")
        chores = [
            asyncio.create_task(chore, name=name)
            for name, chore in (
                ("health", self._report_health(client, store)),
                ("first ready", _when_ready(client, store, brake)),
                ("retention", _keep_house(store, self.settings.log_days)),
                ("price refresh", _refresh_prices(client, self.settings.refresh_hours)),
            )
        ]
        try:
            await asyncio.wait({connection, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if connection.done() and not self.stop.is_set():
                return _ended(connection, brake)
            log.info("stopping: answers in the making are finished first")
            await drain(client)
            return exits.STOPPED
        finally:
            for task in (stopping, *chores):
                task.cancel()
            await client.close()
            if not connection.done():
                connection.cancel()
            await asyncio.gather(connection, stopping, *chores, return_exceptions=True)

    async def _report_health(self, client: WhichGpuClient, store: Store) -> None:
        path = health_file(self.settings.state_dir, self.settings.shard_ids)
        connected_at = time.time()
        told = ""
        while True:
            now = time.time()
            shards = client.shards
            if client.is_ready() and shards and not any(shard.is_closed() for shard in shards.values()):
                connected_at = now
            health = Health(now, connected_at, len(shards), len(client.guilds), store.problem)
            try:
                await asyncio.to_thread(write_health, path, health)
                told = ""
            except OSError as error:
                if str(error) != told:
                    log.warning("the health file cannot be written: %s", error.strerror)
                told = str(error)
            await asyncio.sleep(EVERY)


def _ended(connection: asyncio.Task[None], brake: exits.Brake) -> int:
    """The exit code of a connection that ended by itself."""
    error = connection.exception() if not connection.cancelled() else None
    if error is None:
        return exits.STOPPED
    code = exits.exit_code(error)
    brake.failed(time.time())
    if code == exits.UNEXPECTED:
        log.error("the bot ended on a fault", exc_info=error)
    else:
        log.error("%s (%s)", exits.SENTENCES[code], type(error).__name__)
    return code


async def _when_ready(client: WhichGpuClient, store: Store, brake: exits.Brake) -> None:
    """Once Discord is ready: release the brake, and warn when its commands are not ours."""
    while client.application is None:
        await asyncio.sleep(0.01)  # wait_until_ready may not be called before the login
    await client.wait_until_ready()
    brake.release()
    warning = await commands_differ(client, store)
    if warning:
        log.warning("%s", warning)


async def commands_differ(client: WhichGpuClient, store: Store) -> str:
    """A sentence when the commands were not sent to Discord, or others were."""
    try:
        sent = await store.state(COMMANDS)
    except StorageError:
        return ""
    if not sent:
        return "The commands were never sent to Discord from this installation: run `whichgpu sync` once."
    if sent != await client.commands_hash():
        return "The commands have changed since they were sent to Discord: run `whichgpu sync`."
    return ""


async def _keep_house(store: Store, days: int) -> None:
    """Delete what is older than people were promised, at start and daily."""
    while True:
        try:
            gone = await store.prune(int(time.time() - days * DAY))
        except Exception as error:  # noqa: BLE001,RUF100 - tried again tomorrow; the bot goes on
            log.warning("old questions could not be deleted: %s", type(error).__name__)
        else:
            if gone:
                log.info("%d questions older than %d days deleted", gone, days)
        await asyncio.sleep(DAY)


def _changed(client: WhichGpuClient, what: str) -> None:
    """Prices that another process, or the command line, has put in force are taken over."""
    if what == "prices" and client.admin is not None:
        client.background(client.admin.start(), "prices changed elsewhere")


async def _refresh_prices(client: WhichGpuClient, hours: int) -> None:
    """Refresh by itself, every so many hours; 0 never. What goes wrong is told, and tried again the next time."""
    while hours:
        await asyncio.sleep(hours * 3600)
        if client.admin is None:
            continue
        try:
            done = await client.admin.refresh(log.info)
        except Exception as error:  # noqa: BLE001,RUF100 - the old prices stay in force
            log.warning(
                "the price refresh failed: %s", error if isinstance(error, SourceError) else type(error).__name__
            )
        else:
            log.info("prices refreshed: %d in force", len(done.points))


async def drain(client: discord.AutoShardedClient, most: float = DRAIN) -> None:
    """Take no new events, let the answers in the making go out."""
    shards = client.shards.values()
    await asyncio.gather(*(shard.disconnect() for shard in shards), return_exceptions=True)
    me = asyncio.current_task()
    making = {task for task in asyncio.all_tasks() if task is not me and task.get_name().startswith(HANDLERS)}
    if making:
        _, late = await asyncio.wait(making, timeout=most)
        if late:
            log.warning("%d answers did not go out in time", len(late))
