"""A refresh: ask each source, check what it brought, put it in force; one at a time over all processes."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from bot.feeds.in_force import newest_rates
from bot.feeds.source import Haul, PriceSource, Progress, SourceError
from bot.feeds.web import Web
from bot.market.book import Launch, PriceBook
from bot.market.cloud import CloudPrice
from bot.market.points import first_day
from bot.market.rates import Rate, Rates
from bot.market.validation import FUTURE, LEAST_BACK, Checked, Known, Outcome, SoldAs, carried, check
from bot.storage.prices import LeaseLostError, PriceStore, Result

LEASE_SECONDS, RENEW_SECONDS = 90, 20.0
RATE_MOVED = 0.3
"""An exchange rate that moved more since the last known one is not believed."""
HOURLY_MOVED = 5.0
MAX_REASONS = 200
"""Reasons kept in a run's report."""


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What became of one source. status: accepted, rejected (not believed), failed (nothing came), resting."""

    provider: str
    status: str
    accepted: tuple[Checked, ...] = ()
    quarantined: tuple[Checked, ...] = ()
    rejected: tuple[str, ...] = ()
    carried: int = 0
    """Prices in force that it did not bring again: they stay, with their dates."""
    hourly: int = 0
    rates: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A whole refresh."""

    parts: tuple[SourceReport, ...]
    dry_run: bool = False

    @property
    def good(self) -> bool:
        """Whether anything was, or would be, put in force."""
        return any(part.status == "accepted" for part in self.parts)


@dataclass(frozen=True)
class World:
    """What prices are read with, shipped with the bot."""

    resolve: Callable[[str], str | None]
    rates: Rates
    book: PriceBook
    launches: Mapping[str, Launch]


def utc_today() -> date:
    """The day in UTC."""
    return datetime.now(UTC).date()


@dataclass
class Refresher:
    """`web` makes the fetcher of one refresh; tests give one that may ask their own server."""

    prices: PriceStore
    sources: Sequence[PriceSource]
    world: World
    today: Callable[[], date] = utc_today
    web: Callable[[], Web] = Web
    holder: str = field(default_factory=lambda: secrets.token_hex(8))

    async def refresh(
        self, progress: Progress, *, only: str | None = None, dry_run: bool = False, force: bool = False
    ) -> Report:
        """Ask the sources, or the one named `only`. Raises SourceError when none is set up, the name is unknown, or
        another refresh is under way; what goes wrong with a source is in its part of the report."""
        chosen = [source for source in self.sources if only in (None, source.name)]
        if not self.sources:
            raise SourceError("no price source is set up; set WHICHGPU_PRICES_FILE or WHICHGPU_FEED_URL")
        if not chosen:
            known = ", ".join(source.name for source in self.sources)
            raise SourceError(f"no source is called {only!r}; set up are: {known}")
        if not await self.prices.take(self.holder, LEASE_SECONDS):
            raise SourceError("another refresh is under way; wait for it to end")
        renewing = asyncio.create_task(self._renew())
        web = self.web()
        parts = []
        try:
            # Exchange rates first: the others are checked with them.
            for source in sorted(chosen, key=lambda source: source.name != "fx"):
                part = await self._one(source, web, progress, dry_run, force)
                progress(_told(part))
                parts.append(part)
        finally:
            renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewing
            await asyncio.shield(web.close())
            await asyncio.shield(self.prices.give_back(self.holder))
        return Report(tuple(parts), dry_run)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            with contextlib.suppress(Exception):
                await self.prices.take(self.holder, LEASE_SECONDS)

    async def _one(self, source: PriceSource, web: Web, progress: Progress, dry_run: bool, force: bool) -> SourceReport:
        started = int(datetime.now(UTC).timestamp())
        if not force and (rest := await self._rests(source, started)):
            return SourceReport(
                source.name, "resting", problem=f"was asked not long ago; again in {rest // 60 + 1} min"
            )
        try:
            haul = await source.fetch(web, progress)
        except SourceError as error:
            part, result = SourceReport(source.name, "failed", problem=str(error)), None
        except Exception as error:  # noqa: BLE001,RUF100 - one broken source must not take the others down
            problem = f"{source.name}: cannot be read ({type(error).__name__})"
            part, result = SourceReport(source.name, "failed", problem=problem), None
        else:
            part, result = await self._judge(source, haul, started, force)
        if result is None:
            result = Result(source.name, started, part.status, 0, {"problem": part.problem})
        if not dry_run:
            try:
                await self.prices.put(result, self.holder)
            except LeaseLostError:
                return SourceReport(source.name, "failed", problem="another refresh took over; nothing was changed")
        return part

    async def _rests(self, source: PriceSource, now: int) -> int:
        if not source.cooldown_seconds:
            return 0
        runs = [run for run in await self.prices.runs(20, source.name) if run.status == "accepted"]
        return max(0, runs[0].started + source.cooldown_seconds - now) if runs else 0

    async def rates(self) -> Rates:
        """The newest rate of each currency: fetched or shipped."""
        return newest_rates(self.world.rates, await self.prices.rates())

    async def _judge(self, source: PriceSource, haul: Haul, started: int, force: bool) -> tuple[SourceReport, Result]:
        rates = await self.rates()
        active = {point.key: point for point in await self.prices.active(source.name)}
        known = Known(self.world.resolve, rates, self.today(), active, self._usual, self.world.launches)
        outcome = Outcome((), (), ())
        problems = []
        if haul.offers or not (haul.hourly or haul.rates):
            outcome = check(haul.offers, known, market_place=source.market_place, force=force)
            problems.append(outcome.refusal)
        good_rates, rate_problem = _rates_checked(haul.rates, rates, self.today())
        hourly, hourly_rejected, hourly_problem = _hourly_checked(haul.hourly, await self.prices.hourly())
        problems += [] if force else [rate_problem, hourly_problem]
        rejected = (*haul.refused, *outcome.rejected, *hourly_rejected)
        problem = "; ".join(filter(None, problems))
        status = "rejected" if problem else "accepted"
        stay = carried(outcome, active)
        rows_in = len(haul.offers) + len(haul.hourly) + len(haul.rates) + len(haul.refused)
        part = SourceReport(
            source.name, status, outcome.accepted, outcome.quarantined, rejected, len(stay), len(hourly),
            len(good_rates), problem,
        )  # fmt: skip
        report = {
            "problem": problem, "rejected": list(rejected[:MAX_REASONS]), "rejected_count": len(rejected),
            "quarantined": len(outcome.quarantined), "carried": len(stay), "forced": outcome.forced,
        }  # fmt: skip
        if problem:
            return part, Result(source.name, started, status, rows_in, report)
        points = (*outcome.accepted, *stay, *outcome.quarantined)
        return part, Result(source.name, started, status, rows_in, report, points, hourly, good_rates)

    def _usual(self, gpu: str, condition: SoldAs) -> float | None:
        point = self.world.book.best(gpu, condition, self.today())
        return None if point is None or point.kind == "msrp" else point.money.amount


def _rates_checked(rates: Sequence[Rate], known: Rates, today: date) -> tuple[tuple[Rate, ...], str]:
    for rate in rates:
        before = known.rate(rate.currency)
        if first_day(rate.as_of) > today + FUTURE:
            return (), f"the rate of {rate.currency} is of a day to come ({rate.as_of})"
        if before and abs(rate.per_usd / before.per_usd - 1) > RATE_MOVED:
            return (), f"the rate of {rate.currency} moved from {before.per_usd:.4g} to {rate.per_usd:.4g}"
    return tuple(rates), ""


def _hourly_checked(
    prices: Sequence[CloudPrice], active: Sequence[CloudPrice]
) -> tuple[tuple[CloudPrice, ...], list[str], str]:
    """Good ones, reasons for the others, and why the whole is not believed."""
    before = {(price.gpu, price.kind): price.usd_per_hour for price in active}
    good, rejected = [], []
    for price in prices:
        old = before.get((price.gpu, price.kind))
        if old and not 1 / HOURLY_MOVED <= price.usd_per_hour / old <= HOURLY_MOVED:
            rejected.append(f"{price.gpu} by the hour: {old:g} -> {price.usd_per_hour:g} USD")
        else:
            good.append(price)
    back = sum((price.gpu, price.kind) in before for price in prices)
    if prices and before and back < LEAST_BACK * len(before):
        return (), rejected, f"only {back} of {len(before)} hourly prices came back"
    return tuple(good), rejected, ""


def _told(part: SourceReport) -> str:
    if part.status != "accepted":
        return f"{part.provider}: {part.status}: {part.problem}"
    brought = [
        f"{len(part.accepted)} prices" if part.accepted or part.carried else "",
        f"{part.hourly} hourly prices" if part.hourly else "",
        f"{part.rates} exchange rates" if part.rates else "",
    ]
    left = f", {len(part.quarantined)} to be looked at, {len(part.rejected)} left out"
    return f"{part.provider}: {', '.join(filter(None, brought)) or 'nothing new'}{left}"
