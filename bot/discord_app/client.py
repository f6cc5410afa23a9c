"""The client: which events the bot takes up, and the way from each to an answer.

It takes up interactions, direct messages, mentions and replies to its answers; never anything else. No privileged
intent: Discord hands over the content of exactly those messages without one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from bot.discord_app.components import BUTTON_ID, MODAL_ID, Action, Menu, TopicMenu, controls, payload
from bot.discord_app.errors import Tree, report
from bot.discord_app.locales import Translator
from bot.discord_app.presses import modal_sent
from bot.discord_app.price_picture import price_picture
from bot.discord_app.render import as_content
from bot.discord_app.send import NOBODY, Outgoing, reply, respond
from bot.discord_app.service import Asker, Service, Told
from bot.storage.querylog import Exchange

if TYPE_CHECKING:
    from bot.discord_app.admin import Admin
    from bot.discord_app.shelf import Shelf

log = logging.getLogger(__name__)

# The bot does not speak: the library need not warn that it cannot.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False

MENTION = re.compile(r"<(?:@[!&]?|#)\d+>|<a?:(\w+):\d+>")
MESSAGE_TYPES = (discord.MessageType.default, discord.MessageType.reply)
ANSWERED = 2000
"""Messages remembered as answered, so that an event that comes twice is answered once."""


def intents() -> discord.Intents:
    """Guilds, and messages in servers and direct messages: what the bot is allowed without asking for more."""
    chosen = discord.Intents.none()
    chosen.guilds = chosen.guild_messages = chosen.dm_messages = True
    return chosen


class WhichGpuClient(discord.AutoShardedClient):
    """The bot. One process may hold all shards or some of them."""

    def __init__(
        self,
        service: Service,
        shelf: Shelf,
        *,
        admin: Admin | None = None,
        build: Callable[[WhichGpuClient], None],
        shard_ids: list[int] | None = None,
        shard_count: int | None = None,
        guild_ready_timeout: float = 2.0,
    ) -> None:
        """`build` adds the commands to the tree; `admin` holds what the /admin commands work on."""
        super().__init__(
            intents=intents(),
            allowed_mentions=NOBODY,
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            shard_ids=shard_ids,  # type: ignore[arg-type]  # None means all
            shard_count=shard_count,
            guild_ready_timeout=guild_ready_timeout,
            enable_raw_presences=False,
        )
        self.service, self.shelf = service, shelf
        self.admin = admin
        self.tree = Tree(
            self,
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
        )
        build(self)
        self._answered: dict[int, None] = {}
        self._hinted: dict[int, None] = {}
        self.answers_sent = 0

    async def setup_hook(self) -> None:
        """Before the gateway: buttons of answers sent earlier, translations. Commands are never synced here."""
        self.add_dynamic_items(Action, Menu, TopicMenu)
        await self.tree.set_translator(Translator(self.service.locales))
        if self.admin:
            await self.admin.start()

    # --- interactions ---

    def asker(self, interaction: discord.Interaction[Any]) -> Asker:
        """Who is behind an interaction. The server may be one that the bot is not in."""
        return Asker(
            interaction.user.id, interaction.channel_id or interaction.user.id, str(interaction.locale),
            interaction.guild_id,
        )  # fmt: skip

    async def guarded(self, interaction: discord.Interaction[Any], work: Awaitable[None]) -> None:
        """Run the work of a button, menu or modal; a fault becomes a sentence with a reference number."""
        try:
            await work
        except Exception as error:  # noqa: BLE001,RUF100 - the one handler for components
            await report(interaction, error)

    async def answer_interaction(
        self,
        interaction: discord.Interaction[Any],
        text: str,
        surface: str,
        turns_before: tuple[str, ...] = (),
        *,
        private: bool | None = None,
        currency: str | None = None,
        chart: bool = False,
    ) -> None:
        """Answer at once, unless the asker has to wait. `chart` adds a picture of the card's prices, where there are
        enough of them and files may be sent."""
        asker = self.asker(interaction)
        if wait := self.service.wait(asker):
            message = Outgoing(content=self.service.say(asker, "wait", seconds=wait))
            await respond(interaction, message, private=True)
            return
        if surface != "button" and asker.guild_id is None and not turns_before:
            turns_before = self.service.conversations.turns((asker.channel_id, asker.id))
        server = self.service.guild(asker.guild_id)
        elsewhere = bool(server.channels) and not _in_channels(interaction.channel, asker.channel_id, server.channels)
        told = self.service.tell(text, asker, surface, turns_before, currency)
        if asker.guild_id is None:
            self.service.conversations.add((asker.channel_id, asker.id), text)
        out = self._outgoing(told, asker)
        if chart and interaction.app_permissions.attach_files:
            kept = self.admin.kept if self.admin else None
            out = replace(out, picture=await price_picture(told, self.service, kept))
        await respond(interaction, out, private=elsewhere or bool(server.private or private))
        self.answers_sent += 1

    def _outgoing(self, told: Told, asker: Asker) -> Outgoing:
        service = self.service
        view = controls(told.answer, told.exchange.id, asker.id, service.locales, told.answer.language)
        return Outgoing(told.prepared.embed(), lambda: as_content(told.answer), view)

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Modals are answered by their custom_id, so that a restart in between loses none."""
        if interaction.type is not discord.InteractionType.modal_submit:
            return
        match = MODAL_ID.fullmatch(str(payload(interaction).get("custom_id", "")))
        if match:
            await self.guarded(interaction, modal_sent(interaction, match["answer"], int(match["asker"])))

    # --- messages ---

    async def on_message(self, message: discord.Message) -> None:
        """Direct messages, mentions, and replies to the bot's answers."""
        if message.author.bot or message.webhook_id or message.type not in MESSAGE_TYPES or self.user is None:
            return
        ours = self._ours(message)
        mentioned = re.search(rf"<@!?{self.user.id}>", message.content) is not None
        if message.guild is not None and not mentioned and ours is None:
            return
        if message.id in self._answered:
            return
        _remember(self._answered, message.id)
        try:
            await self._answer_message(message, ours)
        except Exception:
            log.exception("message %s could not be answered", message.id)

    def _ours(self, message: discord.Message) -> discord.Message | None:
        """The message of the bot that this one replies to."""
        reference = message.reference
        replied = reference.resolved if reference else None
        if isinstance(replied, discord.Message) and self.user and replied.author.id == self.user.id:
            return replied
        return None

    async def _answer_message(self, message: discord.Message, ours: discord.Message | None) -> None:
        service = self.service
        guild_id = message.guild.id if message.guild else None
        asker = Asker(message.author.id, message.channel.id, None, guild_id)
        server = service.guild(guild_id)
        if server.channels and not _in_channels(message.channel, message.channel.id, server.channels):
            if message.channel.id not in self._hinted:
                _remember(self._hinted, message.channel.id)
                where = " ".join(f"<#{channel}>" for channel in server.channels[:5])
                await reply(message, Outgoing(content=service.say(asker, "elsewhere", channels=where)))
            return
        if wait := service.wait(asker):
            await reply(message, Outgoing(content=service.say(asker, "wait", seconds=wait)))
            return
        text = self.plain_question(message)
        if not text:
            await reply(message, self.help(asker, empty=True))
            return
        key = (asker.channel_id, asker.id)
        turns = await self._turns_of(ours) if ours else ()
        if not turns and message.guild is None:
            turns = service.conversations.turns(key)
        surface = "dm" if message.guild is None else "reply" if ours else "mention"
        told = service.tell(text, asker, surface, turns)
        if message.guild is None:
            service.conversations.add(key, text)
        if await reply(message, self._outgoing(told, asker)):
            self.answers_sent += 1

    async def _turns_of(self, ours: discord.Message) -> tuple[str, ...]:
        """The turns that led to an answer of the bot, read from its buttons' custom_id."""
        exchange = await self.exchange_of(ours)
        return (*exchange.turns_before, exchange.question) if exchange else ()

    async def exchange_of(self, ours: discord.Message) -> Exchange | None:
        """The exchange behind an answer of the bot."""
        for row in ours.components:
            for part in getattr(row, "children", ()):
                match = BUTTON_ID.fullmatch(getattr(part, "custom_id", None) or "")
                if match:
                    return await self.service.log.exchange(match["answer"])
        return None

    def plain_question(self, message: discord.Message) -> str:
        """The text of a message as a question, without mentions."""
        return MENTION.sub(lambda found: found[1] or " ", message.content).strip()

    def help(self, asker: Asker, *, empty: bool = False) -> Outgoing:
        """What the bot can do, with examples."""
        service = self.service
        title = service.say(asker, "help.empty" if empty else "help.title")
        embed = {"type": "rich", "title": title, "description": service.say(asker, "help.text"), "color": 0x2E9E6B}
        return Outgoing(embed, f"{title}\n\n{embed['description']}")

    # --- life ---

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """A server that removed the bot leaves nothing behind."""
        await self.service.log.forget_guild(guild.id)

    async def on_ready(self) -> None:
        """Say so in the log; this comes again after reconnects."""
        log.info("ready: %s servers, %s shards", len(self.guilds), len(self.shards))

    async def on_error(self, event_method: str, /, *_args: Any, **_kwargs: Any) -> None:
        """A fault in an event, without the event's content."""
        log.exception("fault in %s", event_method)

    async def commands_hash(self) -> str:
        """A fingerprint of the commands as they would be uploaded."""
        payloads = {"global": await self.payloads(None)}
        if self.service.settings.home_guild:
            payloads["home"] = await self.payloads(discord.Object(self.service.settings.home_guild))
        return hashlib.sha256(json.dumps(payloads, sort_keys=True).encode()).hexdigest()[:16]

    async def payloads(self, guild: discord.abc.Snowflake | None) -> list[dict[str, Any]]:
        """The commands of one scope as Discord gets them, translated."""
        translator = self.tree.translator
        found = []
        for command in self.tree._get_all_commands(guild=guild):
            data = (
                await command.get_translated_payload(self.tree, translator)
                if translator
                else command.to_dict(self.tree)
            )
            found.append(dict(data))
        return sorted(found, key=lambda data: (data.get("type", 1), data["name"]))

    def background(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Start something that lives as long as the bot; its fault is logged."""
        task = asyncio.create_task(work, name=name)
        task.add_done_callback(_log_fault)
        return task


def _log_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("fault in %s", task.get_name(), exc_info=error)


def _remember(kept: dict[int, None], key: int) -> None:
    kept[key] = None
    while len(kept) > ANSWERED:
        del kept[next(iter(kept))]


def _in_channels(channel: object, channel_id: int, allowed: tuple[int, ...]) -> bool:
    """Whether a channel, or the one that a thread hangs on, is among the allowed."""
    return channel_id in allowed or getattr(channel, "parent_id", None) in allowed
