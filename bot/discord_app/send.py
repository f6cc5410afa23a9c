"""The one place messages leave: fitted to the limits, mentioning nobody, kind about what Discord refuses."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import discord

from bot.discord_app.components import SentView
from bot.discord_app.limits import BLANK, component_faults, faults, fit_content, fit_embed

log = logging.getLogger(__name__)

NOBODY = discord.AllowedMentions.none()
GONE = frozenset({10003, 10004, 10008, 10015, 10062, 40060})
"""The place or the interaction is gone, or it was answered already: nothing more can be said there."""
MAY_NOT = frozenset({50001, 50007, 50013, 200000})
"""No access, no direct messages, no permission, blocked by the server's AutoMod."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """An embed inside every limit, made once for an answer that may be sent often; nobody changes it."""

    embed: discord.Embed
    faults: tuple[str, ...]

    @classmethod
    def of(cls, embed: dict[str, Any]) -> Fitted:
        """Fitted and checked."""
        fitted = fit_embed(embed)
        return cls(discord.Embed.from_dict(fitted), tuple(faults({"embeds": [fitted]})))


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG shown by the embed, and the line that says what its colours mean."""

    png: bytes
    legend: str
    name: str = "prices.png"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to send. `content`, or what makes it, also stands in for the embed where embeds may not be sent."""

    embed: dict[str, Any] | Fitted | None = None
    content: str | Callable[[], str] = ""
    view: SentView | None = None
    file: discord.File | None = None
    picture: Picture | None = None
    """Left out without a word where it does not fit or may not be sent."""


def _parts(out: Outgoing, embeds: bool = True) -> dict[str, Any]:
    parts: dict[str, Any] = {"allowed_mentions": NOBODY}
    broken: list[str] = []
    if out.embed is not None and embeds:
        fitted = out.embed if isinstance(out.embed, Fitted) else Fitted.of(out.embed)
        parts["embed"] = fitted.embed
        broken += fitted.faults
    elif out.content or out.file is None:
        text = out.content if isinstance(out.content, str) else out.content()
        parts["content"] = fit_content(text)
    if out.view is not None:
        parts["view"] = out.view
        broken += component_faults(out.view.to_components(), v2=False)
    if out.file is not None:
        parts["file"] = out.file
    if out.picture is not None and "embed" in parts and "file" not in parts:
        _show(parts, out.picture)
    if broken:
        # Never lose an answer to a slip of the renderer: send what is surely inside the limits.
        log.error("a message breaks Discord's limits: %s", "; ".join(broken))
        parts.pop("view", None)
    return parts


def _show(parts: dict[str, Any], picture: Picture) -> None:
    """The picture under the embed, on a copy of it: the embed itself may be sent again."""
    embed = discord.Embed.from_dict(deepcopy(parts["embed"].to_dict()))  # Embed.copy() shares the list of fields
    embed.add_field(name=BLANK, value=f"-# {picture.legend}", inline=False)
    embed.set_image(url=f"attachment://{picture.name}")
    if not faults({"embeds": [embed.to_dict()]}):
        parts["embed"] = embed
        parts["file"] = discord.File(io.BytesIO(picture.png), picture.name, description=picture.legend)


async def respond(interaction: discord.Interaction[Any], out: Outgoing, *, private: bool = False) -> None:
    """Answer an interaction, as a follow-up when it was answered or deferred already. What cannot be said any more is
    logged, not raised; other refusals raise."""
    try:
        if interaction.response.is_done():
            await interaction.followup.send(**_parts(out), ephemeral=private)
        else:
            await interaction.response.send_message(**_parts(out), ephemeral=private)
    except discord.InteractionResponded:
        await interaction.followup.send(**_parts(out), ephemeral=private)
    except discord.HTTPException as error:
        if error.code in GONE:
            log.info("interaction %s is gone (code %s)", interaction.id, error.code)
        elif out.picture is not None:
            log.info("interaction %s takes no picture (code %s)", interaction.id, error.code)
            await respond(interaction, replace(out, picture=None), private=private)
        else:
            raise


async def edit_response(interaction: discord.Interaction[Any], out: Outgoing) -> None:
    """Change the answer of a deferred interaction."""
    try:
        await interaction.edit_original_response(**_parts(out))
    except discord.HTTPException as error:
        if error.code not in GONE:
            raise
        log.info("interaction %s is gone (code %s)", interaction.id, error.code)


async def reply(message: discord.Message, out: Outgoing) -> bool:
    """Answer a message where it stands. False when Discord does not let us; falls back to text without Embed Links."""
    embeds, may_send = _may(message)
    if not may_send:
        log.info("no permission to send in channel %s", message.channel.id)
        return False
    reference = message.to_reference(fail_if_not_exists=False)
    try:
        await message.channel.send(**_parts(out, embeds), reference=reference, mention_author=False)
    except discord.HTTPException as error:
        if error.code in GONE or error.code in MAY_NOT or error.status == 403:
            log.info("channel %s refuses messages (code %s)", message.channel.id, error.code)
            return False
        raise
    return True


def _may(message: discord.Message) -> tuple[bool, bool]:
    """(embeds, messages at all) that we may send where the message stands."""
    guild = message.guild
    if guild is None or guild.me is None:
        return True, True
    rights = message.channel.permissions_for(guild.me)
    in_thread = isinstance(message.channel, discord.Thread)
    return rights.embed_links, rights.send_messages_in_threads if in_thread else rights.send_messages
