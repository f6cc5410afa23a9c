"""What /admin works on: prices and knowledge exchanged while the bot runs, and who may do so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import discord

from bot.assistant import Assistant
from bot.discord_app.brain import Brain
from bot.discord_app.shelf import Shelf
from bot.feeds.desk import PriceDesk, Refresh, Status
from bot.feeds.in_force import with_prices
from bot.feeds.source import PriceSource
from bot.market.book import PriceBook
from bot.market.validation import Checked

ADMIN_ROLES = ("admin", "developer")


def may_administer(application: discord.AppInfo | None, user_id: int, extra: tuple[int, ...] = ()) -> bool:
    """The application's owner; in a team its owner and accepted members who are admin or developer.

    The library's own check takes invited members too, and leaves out a team owner who is not listed with a role.
    """
    if user_id in extra:
        return True
    if application is None:
        return False
    team = application.team
    if team is None:
        return application.owner.id == user_id
    if team.owner_id == user_id:
        return True
    return any(
        member.id == user_id
        and member.membership_state is discord.TeamMembershipState.accepted
        and str(getattr(member.role, "value", member.role)) in ADMIN_ROLES
        for member in team.members
    )


@dataclass
class Admin:
    """One change at a time; heavy work runs in a thread, the exchange itself is one assignment."""

    brain: Brain
    desk: PriceDesk
    load: Callable[[], tuple[Assistant, PriceBook, Shelf]]
    """Reads data/ and knowledge/ anew; blocks."""
    shipped: PriceBook
    base: Assistant
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    kept: PriceBook = field(default_factory=lambda: PriceBook(()))
    """Prices of the refreshes kept, for a card's history."""

    async def start(self) -> None:
        """Put refreshed prices of an earlier run in force."""
        async with self.lock:
            await self._put()

    async def refresh(self, progress: Callable[[str], None], sources: Sequence[PriceSource] | None = None) -> Refresh:
        """Fetch prices and put them in force. Raises SourceError; then the old ones stay. `sources` take the place of
        those set up, once."""
        async with self.lock:
            if sources is None:
                done = await asyncio.to_thread(self.desk.refresh, progress)
            else:
                done = await asyncio.to_thread(self.desk.refresh, progress, sources=sources)
            await self._put()
            return done

    async def rollback(self) -> Status:
        """Back to the prices before the last refresh. Raises SourceError."""
        async with self.lock:
            status = await asyncio.to_thread(self.desk.rollback)
            await self._put()
            return status

    async def approve(self, ids: Sequence[int]) -> list[Checked]:
        """Believe prices that wait. Raises SourceError."""
        async with self.lock:
            done = await asyncio.to_thread(self.desk.approve, ids)
            await self._put()
            return done

    async def status(self) -> Status:
        """What is in force."""
        return await asyncio.to_thread(self.desk.status)

    async def reload(self) -> Shelf:
        """Read data/ and knowledge/ anew. Raises DataError; then what was read before stays in force."""
        async with self.lock:
            base, shipped, shelf = await asyncio.to_thread(self.load)
            self.base, self.shipped = base, shipped
            await self._put()
            return shelf

    async def _put(self) -> None:
        def made() -> tuple[Assistant, PriceBook]:
            found = self.desk.in_force()
            put = with_prices(self.base, self.shipped, found.points, found.rates, found.hourly)
            return put, PriceBook(found.kept)

        assistant, self.kept = await asyncio.to_thread(made)
        self.brain.put(assistant)
