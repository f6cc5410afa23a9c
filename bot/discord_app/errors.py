"""One handler for whatever goes wrong: a person's sentence with a reference number; the log gets the rest."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from bot.discord_app.send import GONE, Outgoing, respond

if TYPE_CHECKING:
    from bot.discord_app.client import WhichGpuClient

log = logging.getLogger(__name__)


class Refused(app_commands.CheckFailure):
    """The asker may not do this; `key` names the sentence to say."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def sentence_for(error: BaseException) -> tuple[str, bool]:
    """(key of the sentence, whether it is unexpected and gets a reference number)."""
    if isinstance(error, app_commands.CommandInvokeError):
        error = error.original
    if isinstance(error, Refused):
        return error.key, False
    if isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
        return "error.stale", False
    if isinstance(error, app_commands.CheckFailure):
        return "error.rights", False
    if isinstance(error, app_commands.TransformerError):
        return "error.value", False
    if isinstance(error, discord.Forbidden):
        return "error.forbidden", False
    return "error.unexpected", True


async def report(interaction: discord.Interaction[WhichGpuClient], error: BaseException) -> None:
    """Tell the asker, log the fault. Never raises."""
    original = error.original if isinstance(error, app_commands.CommandInvokeError) else error
    if isinstance(original, discord.HTTPException) and original.code in GONE:
        log.info("interaction %s is gone (code %s)", interaction.id, original.code)
        return
    key, unexpected = sentence_for(error)
    reference = secrets.token_hex(4)
    if unexpected:
        log.error("fault %s in %s", reference, _where(interaction), exc_info=original)
    if interaction.type is discord.InteractionType.autocomplete:
        return
    client = interaction.client
    try:
        text = client.service.say(client.asker(interaction), key, reference=reference)
        await respond(interaction, Outgoing(content=text), private=True)
    except Exception as second:  # noqa: BLE001,RUF100 - whatever it is, there is nobody left to tell
        log.warning("fault %s could not be told: %s", reference, type(second).__name__)


def _where(interaction: discord.Interaction[Any]) -> str:
    command = interaction.command
    return f"/{command.qualified_name}" if command else interaction.type.name


class Tree(app_commands.CommandTree["WhichGpuClient"]):
    """The commands, with the one handler."""

    async def on_error(
        self, interaction: discord.Interaction[WhichGpuClient], error: app_commands.AppCommandError, /
    ) -> None:
        """Commands' faults."""
        await report(interaction, error)
