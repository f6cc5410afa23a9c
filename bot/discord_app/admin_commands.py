"""/admin, registered in the home server only: prices, knowledge, counts. Who may is checked here, not by Discord."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

import discord
from discord import app_commands

from bot.discord_app.admin import Admin, may_administer
from bot.discord_app.errors import Refused
from bot.discord_app.escape import escape
from bot.discord_app.limits import clip
from bot.discord_app.send import Outgoing, edit_response, respond
from bot.feeds.desk import Status
from bot.feeds.files import TextSource
from bot.feeds.source import SourceError
from bot.feeds.web import MAX_BYTES
from bot.tables import DataError

if TYPE_CHECKING:
    from bot.discord_app.client import WhichGpuClient

    Interaction = discord.Interaction[WhichGpuClient]
else:
    Interaction = discord.Interaction

PROGRESS_EVERY = 1.5
"""Seconds between edits of the progress message: edits have a rate limit of their own."""
DAY = 86_400


class AdminGroup(app_commands.Group):
    """Every call is checked: owner or accepted team member, in the home server."""

    async def interaction_check(self, interaction: discord.Interaction[discord.Client], /) -> bool:
        """Refuse everyone else before anything is done."""
        client: WhichGpuClient = interaction.client  # type: ignore[assignment]
        settings = client.service.settings
        if settings.home_guild is None or interaction.guild_id != settings.home_guild or client.admin is None:
            raise Refused("error.home_only")
        if not may_administer(client.application, interaction.user.id, settings.owners):
            raise Refused("error.owners_only")
        return True


admin = AdminGroup(
    name="admin",
    description="For those who run the bot",
    default_permissions=discord.Permissions(administrator=True),
    allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
    allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
)
prices = AdminGroup(name="prices", description="Prices in force", parent=admin)
knowledge = AdminGroup(name="knowledge", description="Facts and data files", parent=admin)


def _admin(interaction: Interaction) -> Admin:
    found = interaction.client.admin
    assert found is not None  # noqa: S101 - interaction_check saw to it
    return found


async def _tell(interaction: Interaction, text: str) -> None:
    out = Outgoing(content=text)
    if interaction.response.is_done():
        await edit_response(interaction, out)
    else:
        await respond(interaction, out, private=True)


@prices.command(description="Fetch prices now, with live progress")
@app_commands.describe(file="Take prices from this CSV or JSON file instead of the sources")
async def refresh(interaction: Interaction, file: discord.Attachment | None = None) -> None:
    """Deferred: it may wait for files or networks."""
    if file is not None and file.size > MAX_BYTES:
        await _tell(interaction, f"✗ That file is larger than {MAX_BYTES // 1024} KiB. Nothing was changed.")
        return
    await interaction.response.defer(ephemeral=True, thinking=True)
    lines: deque[str] = deque(maxlen=12)
    loop = asyncio.get_running_loop()
    said = asyncio.Event()

    def progress(line: str) -> None:
        def add() -> None:
            lines.append(line)
            said.set()

        loop.call_soon_threadsafe(add)

    async def show() -> None:
        while True:
            await said.wait()
            said.clear()
            await _tell(interaction, "⏳ " + "\n".join(escape(line) for line in lines))
            await asyncio.sleep(PROGRESS_EVERY)

    showing = interaction.client.background(show(), "refresh progress")
    try:
        attached = [TextSource(await file.read(), file.filename)] if file is not None else None
        done = await _admin(interaction).refresh(progress, attached)
    except discord.HTTPException:
        result = "✗ Discord did not give me that file. The old prices stay in force."
    except SourceError as error:
        result = f"✗ No prices were taken over; the old ones stay in force.\n{escape(str(error))}"
    else:
        counts = (f"{escape(part.source)}: {len(part.points)} prices" for part in done.by_source)
        problems = [*done.failed, *(line for part in done.by_source for line in part.refused), *done.doubtful]
        result = "✓ Prices in force.\n" + "\n".join(counts)
        if problems:
            result += f"\n△ {len(problems)} rows or sources left out:\n" + "\n".join(
                escape(line) for line in problems[:8]
            )
    finally:
        showing.cancel()
    await _tell(interaction, result)


@prices.command(description="Which prices are in force and when they were fetched")
async def status(interaction: Interaction) -> None:
    """What is in force."""
    await _tell(interaction, _status_text(await _admin(interaction).status()))


def _status_text(now: Status) -> str:
    if now.at is None:
        lines = ["Only the prices shipped with the bot are in force."]
    else:
        lines = [f"{now.points} refreshed prices in force, fetched <t:{int(now.at.timestamp())}:R>."]
        lines.append(f"Kept for rolling back: {len(now.kept)}")
    lines.append("Sources: " + (escape(", ".join(now.sources)) or "none set up (WHICHGPU_PRICES_FILE)"))
    if now.last_error:
        lines.append("△ Last error: " + escape(now.last_error))
    return "\n".join(lines)


@prices.command(description="Put the prices before the last refresh in force again")
async def rollback(interaction: Interaction) -> None:
    """One step back."""
    try:
        now = await _admin(interaction).rollback()
    except SourceError as error:
        await _tell(interaction, f"✗ {escape(str(error))}.")
        return
    await _tell(interaction, "✓ Rolled back.\n" + _status_text(now))


@prices.command(description="Prices that wait for you, and believing them")
@app_commands.describe(approve="Numbers of the prices to believe, such as 12 13")
async def quarantine(interaction: Interaction, approve: app_commands.Range[str, 1, 200] | None = None) -> None:
    """What moved beyond belief waits here."""
    desk = _admin(interaction)
    try:
        if approve is not None:
            ids = [int(word) for word in approve.replace(",", " ").split() if word.isdecimal() and len(word) < 10]
            done = await desk.approve(ids)
            names = ", ".join(f"{point.gpu} {point.condition}" for point in done)
            await _tell(interaction, f"✓ In force now: {escape(names)}." if done else "✗ None of these waits.")
            return
        waiting = await asyncio.to_thread(desk.desk.waiting)
    except SourceError as error:
        await _tell(interaction, f"✗ {escape(str(error))}.")
        return
    lines = [
        f"`{one.id}` {escape(f'{one.point.gpu} {one.point.condition}: {one.point.reason} ({one.provider})')}"
        for one in waiting[:15]
    ]
    await _tell(interaction, "\n".join(lines) or "No price waits.")


@knowledge.command(description="Read data/ and knowledge/ anew")
async def reload(interaction: Interaction) -> None:
    """Deferred: reading takes about a second."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    try:
        interaction.client.shelf = await _admin(interaction).reload()
    except DataError as error:
        await _tell(interaction, f"✗ A file is broken; what was read before stays in force.\n{escape(str(error))}")
        return
    await _tell(interaction, "✓ Data and knowledge were read anew.")


@knowledge.command(description="Questions that the bot could not answer")
@app_commands.describe(most="How many to show")
async def unanswered(interaction: Interaction, most: app_commands.Range[int, 1, 50] = 15) -> None:
    """The gaps of the knowledge, most frequent first."""
    found = await interaction.client.service.log.unanswered(most)
    lines = [f"{one.times}× {escape(clip(' '.join(one.question.split()), 150))}" for one in found]
    await _tell(interaction, "\n".join(lines) or "Nothing is unanswered.")


@admin.command(description="Questions, people, thumbs and times of the last days")
@app_commands.describe(days="How many days back")
async def stats(interaction: Interaction, days: app_commands.Range[int, 1, 365] = 7) -> None:
    """Counts; nobody is named."""
    client = interaction.client
    now = int(client.service.now().timestamp())
    got = await client.service.log.stats(now - days * DAY)
    kinds = ", ".join(f"{kind} {count}" for kind, count in got.by_kind[:9])
    lag = client.latency * 1000
    lines = [
        f"Last {days} days: {got.questions} questions of {got.people} people, {got.abstained} declined or asked back",
        f"👍 {got.good} 👎 {got.bad}",
        f"Working out an answer: median {got.p50_ms:.2f} ms, p99 {got.p99_ms:.2f} ms",
        f"Servers {len(client.guilds)}, shards {len(client.shards)}, gateway {lag:.0f} ms"
        if lag == lag  # noqa: PLR0124,RUF100 - not a number before the first heartbeat
        else f"Servers {len(client.guilds)}, shards {len(client.shards)}",
    ]
    if kinds:
        lines.append(kinds)
    await _tell(interaction, "\n".join(lines))
