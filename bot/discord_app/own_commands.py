"""/privacy for everyone, /settings for a server's managers."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.app_commands import Choice, locale_str

from bot.discord_app.commands import CURRENCY
from bot.discord_app.errors import Refused
from bot.discord_app.send import Outgoing, respond
from bot.storage.querylog import GuildSettings

if TYPE_CHECKING:
    from bot.discord_app.client import WhichGpuClient

    Interaction = discord.Interaction[WhichGpuClient]
else:
    Interaction = discord.Interaction

AS_ASKED = "auto"
MOST_CHANNELS = 50

privacy = app_commands.Group(name="privacy", description="What is kept of you, and how to have it deleted")


async def _tell(interaction: Interaction, key: str, /, **values: object) -> None:
    client = interaction.client
    text = client.service.say(client.asker(interaction), key, **values)
    await respond(interaction, Outgoing(content=text), private=True)


@privacy.command(description="What is kept, for how long and why")
async def policy(interaction: Interaction) -> None:
    """The policy in short."""
    settings = interaction.client.service.settings
    client = interaction.client
    text = client.service.say(client.asker(interaction), "privacy.policy", days=settings.log_days)
    if settings.privacy_url:
        text += f"\n<{settings.privacy_url}>"
    await respond(interaction, Outgoing(content=text), private=True)


@privacy.command(description="Get everything that is kept of you as a file")
async def export(interaction: Interaction) -> None:
    """A JSON file, to the asker alone."""
    client = interaction.client
    service = client.service
    asker = client.asker(interaction)
    data = await service.log.export(service.pseudonym(asker.id))
    raw = json.dumps(data, ensure_ascii=False, indent=1).encode()
    file = discord.File(io.BytesIO(raw), filename="whichgpu-export.json")
    text = service.say(asker, "privacy.export", count=len(data["questions"]))
    await respond(interaction, Outgoing(content=text, file=file), private=True)


@privacy.command(description="Delete everything that is kept of you")
async def delete(interaction: Interaction) -> None:
    """Delete, at once."""
    service = interaction.client.service
    service.conversations.forget_person(interaction.user.id)
    count = await service.log.delete(service.pseudonym(interaction.user.id))
    await _tell(interaction, "privacy.deleted", count=count)


@privacy.command(name="opt-out", description="Keep nothing of you from now on, and delete what is kept")
async def opt_out(interaction: Interaction) -> None:
    """Keep nothing."""
    service = interaction.client.service
    await service.log.opt_out(service.pseudonym(interaction.user.id), True)
    await _tell(interaction, "privacy.opted_out")


@privacy.command(name="opt-in", description="Let the bot keep your questions again")
async def opt_in(interaction: Interaction) -> None:
    """Keep again."""
    service = interaction.client.service
    await service.log.opt_out(service.pseudonym(interaction.user.id), False)
    await _tell(interaction, "privacy.opted_in")


class Managers(app_commands.Group):
    """/settings: Discord hides it from others, and every call is checked here too."""

    async def interaction_check(self, interaction: discord.Interaction[discord.Client], /) -> bool:
        """Managers of a server that has the bot installed."""
        if interaction.guild_id is None or not interaction.is_guild_integration():
            raise Refused("error.server_only")
        if not interaction.permissions.manage_guild:
            raise Refused("error.managers_only")
        return True


settings = Managers(
    name="settings",
    description="How the bot answers in this server",
    default_permissions=discord.Permissions(manage_guild=True),
    allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
    allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
)


async def _change(interaction: Interaction, **values: object) -> None:
    log = interaction.client.service.log
    assert interaction.guild_id is not None  # noqa: S101 - interaction_check saw to it
    await log.set_guild(interaction.guild_id, replace(log.guild(interaction.guild_id), **values))  # type: ignore[arg-type]
    await _show(interaction, "settings.changed")


async def _show(interaction: Interaction, key: str) -> None:
    service = interaction.client.service
    asker = interaction.client.asker(interaction)
    now: GuildSettings = service.guild(interaction.guild_id)
    auto, everywhere = service.say(asker, "settings.auto"), service.say(asker, "settings.everywhere")
    await _tell(
        interaction,
        key,
        language=now.language or auto,
        currency=now.currency or auto,
        visibility=service.say(asker, "settings.private" if now.private else "settings.public"),
        channels=" ".join(f"<#{channel}>" for channel in now.channels) or everywhere,
    )


@settings.command(name="show", description="Show what is set")
async def show(interaction: Interaction) -> None:
    """What is set."""
    await _show(interaction, "settings.show")


@settings.command(name="language", description="Language the bot speaks in this server")
@app_commands.describe(language="The language")
@app_commands.choices(
    language=[
        Choice(name=locale_str("as the asker"), value=AS_ASKED),
        Choice(name="English", value="en"),
        Choice(name="简体中文", value="zh-CN"),
        Choice(name="繁體中文", value="zh-TW"),
    ]
)
async def set_language(interaction: Interaction, language: str) -> None:
    """Language."""
    await _change(interaction, language=None if language == AS_ASKED else language)


@settings.command(name="currency", description="Currency that prices are shown in")
@app_commands.describe(currency="The currency")
@app_commands.choices(currency=[Choice(name=locale_str("as the asker"), value=AS_ASKED), *CURRENCY])
async def set_currency(interaction: Interaction, currency: str) -> None:
    """Currency."""
    await _change(interaction, currency=None if currency == AS_ASKED else currency)


@settings.command(name="visibility", description="Whether answers are seen by all or by the asker alone")
@app_commands.describe(visibility="Who sees answers")
@app_commands.choices(
    visibility=[
        Choice(name=locale_str("everyone"), value="public"),
        Choice(name=locale_str("the asker alone"), value="private"),
    ]
)
async def set_visibility(interaction: Interaction, visibility: str) -> None:
    """Public or private."""
    await _change(interaction, private=visibility == "private")


@settings.command(name="channel", description="Allow a channel, or take the leave back; with none set, all are allowed")
@app_commands.describe(channel="The channel")
async def toggle_channel(interaction: Interaction, channel: discord.TextChannel | discord.ForumChannel) -> None:
    """Add or remove a channel."""
    now = interaction.client.service.guild(interaction.guild_id).channels
    channels = tuple(one for one in now if one != channel.id) if channel.id in now else (*now, channel.id)
    await _change(interaction, channels=channels[-MOST_CHANNELS:])


@settings.command(name="everywhere", description="Answer in all channels again")
async def everywhere(interaction: Interaction) -> None:
    """No channel list."""
    await _change(interaction, channels=())


OWN: tuple[app_commands.Group, ...] = (privacy, settings)
