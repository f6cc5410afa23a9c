"""The price desk: the refresh for those who work in threads (Discord's /admin, the command line).

Every method blocks and opens the database for itself: call it outside the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TypeVar

from bot.feeds.in_force import InForce, as_points, newest_rates
from bot.feeds.refresh import Refresher, Report, World, utc_today
from bot.feeds.source import Fetched, PriceSource, Progress, SourceError
from bot.feeds.web import Web
from bot.market.points import PricePoint
from bot.market.rates import Rates
from bot.market.validation import Checked
from bot.storage.engine import Database, StorageError
from bot.storage.prices import PriceStore, Run, Waiting

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refresh:
    """What one refresh did. `points` are all in force after it."""

    points: tuple[PricePoint, ...]
    by_source: tuple[Fetched, ...]
    failed: tuple[str, ...] = ()
    """A sentence for each source that gave nothing; the others count all the same."""
    doubtful: tuple[str, ...] = ()
    """Prices that wait for a person."""
    report: Report = field(default_factory=lambda: Report(()))


@dataclass(frozen=True, slots=True)
class Status:
    """What the desk holds."""

    at: datetime | None = None
    """When the prices in force were fetched; None while only those shipped with the bot count."""
    points: int = 0
    kept: tuple[str, ...] = ()
    """Runs that can be gone back to, newest first."""
    sources: tuple[str, ...] = ()
    last_error: str = ""
    runs: tuple[Run, ...] = ()
    waiting: int = 0


@dataclass
class PriceDesk:
    """`url` is the database's address. Methods raise SourceError, told for the operator."""

    url: str
    world: World
    sources: Sequence[PriceSource] = ()
    today: Callable[[], date] = utc_today
    web: Callable[[], Web] = Web

    def refresh(
        self, progress: Progress, *, only: str | None = None, dry_run: bool = False, force: bool = False,
        sources: Sequence[PriceSource] | None = None,
    ) -> Refresh:  # fmt: skip
        """Ask every source, keep what is good. Raises SourceError when nothing was taken over; the old prices stay.

        `sources` takes the place of those set up, for a file that someone attached.
        """

        async def work(prices: PriceStore) -> Refresh:
            chosen = self.sources if sources is None else sources
            refresher = Refresher(prices, chosen, self.world, self.today, self.web)
            report = await refresher.refresh(progress, only=only, dry_run=dry_run, force=force)
            rates = await refresher.rates()
            if not report.good:
                raise NothingTakenError(report)
            return _refresh(report, as_points(await prices.active(), rates), rates)

        return self._run(work)

    def current(self) -> tuple[PricePoint, ...]:
        """The refreshed prices in force, in US dollars; () where there are none or the database cannot be read."""

        async def work(prices: PriceStore) -> tuple[PricePoint, ...]:
            rates = newest_rates(self.world.rates, await prices.rates())
            return as_points(await prices.active(), rates)

        try:
            return self._run(work)
        except SourceError:
            return ()

    def in_force(self) -> InForce:
        """Prices, exchange rates and rental prices that were fetched and count now, and the history of the prices; none
        when the database cannot be read."""

        async def work(prices: PriceStore) -> InForce:
            rates = newest_rates(self.world.rates, await prices.rates())
            kept = as_points(await prices.kept(), rates)
            return InForce(as_points(await prices.active(), rates), rates, tuple(await prices.hourly()), kept)

        try:
            return self._run(work)
        except SourceError:
            return InForce()

    def rates(self) -> Rates:
        """Exchange rates: the newest of fetched and shipped."""

        async def work(prices: PriceStore) -> Rates:
            return newest_rates(self.world.rates, await prices.rates())

        return self._run(work)

    def rollback(self, provider: str | None = None) -> Status:
        """Put the run before the one in force back, of one source or of the last refreshed one."""

        async def work(prices: PriceStore) -> None:
            if not await prices.rollback(provider):
                raise SourceError("there is no refresh to roll back")

        self._run(work)
        return self.status()

    def history(self, gpu: str) -> list[Checked]:
        """Every price of a card in the runs kept, newest first."""
        return self._run(lambda prices: prices.history(gpu))

    def waiting(self) -> list[Waiting]:
        """Prices that wait for a person."""
        return self._run(lambda prices: prices.quarantine())

    def approve(self, ids: Sequence[int]) -> list[Checked]:
        """Believe prices that wait; those that now count."""
        return self._run(lambda prices: prices.approve(ids))

    def status(self) -> Status:
        """What is in force and what is kept."""

        async def work(prices: PriceStore) -> Status:
            runs = await prices.runs(30)
            active = [run for run in runs if run.active]
            names = tuple(source.name for source in self.sources)
            bad = [f"{run.provider}: {run.report.get('problem')}" for run in _last(runs) if run.status == "failed"
                   or run.status == "rejected"]  # fmt: skip
            at = max((run.finished or run.started for run in active), default=None)
            kept = tuple(f"{run.provider} {run.id}" for run in runs if run.status == "accepted")
            return Status(
                datetime.fromtimestamp(at, UTC) if at else None, len(await prices.active()), kept, names,
                "; ".join(bad), tuple(runs), len(await prices.quarantine()),
            )  # fmt: skip

        return self._run(work)

    def _run(self, work: Callable[[PriceStore], Awaitable[T]]) -> T:
        async def go() -> T:
            async with self._open() as prices:
                return await work(prices)

        return asyncio.run(go())

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[PriceStore]:
        try:
            database = await Database.open(self.url)
        except StorageError as error:
            raise SourceError(str(error)) from None
        try:
            yield PriceStore(database)
        finally:
            await database.close()


class NothingTakenError(SourceError):
    """No source gave anything that could be believed. `report` says why, source by source."""

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__("; ".join(f"{part.provider}: {part.problem}" for part in report.parts))


def _refresh(report: Report, points: tuple[PricePoint, ...], rates: Rates) -> Refresh:
    good = [part for part in report.parts if part.status == "accepted"]
    doubtful = tuple(f"{p.gpu} {p.condition}: {p.reason}" for part in good for p in part.quarantined)
    failed = tuple(f"{part.provider}: {part.problem}" for part in report.parts if part not in good)
    fetched = tuple(Fetched(part.provider, as_points(part.accepted, rates), part.rejected) for part in good)
    return Refresh(points, fetched, failed, doubtful, report)


def _last(runs: Sequence[Run]) -> list[Run]:
    """The last run of each source."""
    newest: dict[str, Run] = {}
    for run in runs:
        newest.setdefault(run.provider, run)
    return list(newest.values())
