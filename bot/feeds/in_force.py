"""Prices in force: from the database to what answers are made with. Light: no database library, no network."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.assistant import Assistant
from bot.market.book import PriceBook, launches
from bot.market.cloud import CloudPrice, CloudPrices
from bot.market.points import PointCondition, PricePoint, first_day
from bot.market.rates import Rate, Rates
from bot.market.validation import Checked
from bot.request import Money


@dataclass(frozen=True, slots=True)
class InForce:
    """What was fetched and counts now. `points` are in US dollars."""

    points: tuple[PricePoint, ...] = ()
    rates: Rates | None = None
    """The newest of fetched and shipped exchange rates; None: the shipped ones."""
    hourly: tuple[CloudPrice, ...] = ()
    kept: tuple[PricePoint, ...] = ()
    """Prices of all the refreshes kept, for a card's history; () where it was not asked for."""


def newest_rates(shipped: Rates, fetched: Iterable[Rate]) -> Rates:
    """One table; a fetched rate counts only when it is as new as the shipped one."""
    best = {currency: shipped.rate(currency) for currency in shipped.currencies}
    for rate in fetched:
        old = best.get(rate.currency)
        if old is None or first_day(rate.as_of) >= first_day(old.as_of):
            best[rate.currency] = rate
    return Rates(rate for rate in best.values() if rate)


def as_points(checked: Iterable[Checked], rates: Rates) -> tuple[PricePoint, ...]:
    """Prices for the book, in US dollars; one that was observed in another currency says so."""
    points = []
    for point in checked:
        if not rates.knows(point.currency):
            continue
        amount, source = point.money.amount, point.source
        if point.currency != "USD":
            rate = rates.rate(point.currency)
            assert rate is not None  # noqa: S101 - `knows` said so
            source += f"; {point.currency} {amount:,.0f}, converted at the rate of {rate.as_of}"
            amount = round(rates.convert(point.money, "USD").amount, 2)
        condition: PointCondition = point.condition
        points.append(PricePoint(point.gpu, condition, Money(amount, "USD"), point.as_of, source, point.kind, point.n))
    return tuple(points)


def with_prices(
    assistant: Assistant, shipped: PriceBook, points: Sequence[PricePoint], rates: Rates | None = None,
    hourly: Sequence[CloudPrice] = (),
) -> Assistant:  # fmt: skip
    """The same assistant on the shipped prices and these; () puts the shipped prices back in force. `rates` takes the
    place of the shipped exchange rates, `hourly` of the rental prices of the same GPUs."""
    library = assistant.library
    world = library.world
    history = [point for gpu in shipped.gpus for point in shipped.history(gpu)]
    # A refreshed price of the same day replaces the shipped one: it stands first among equals.
    book = PriceBook([*points, *history], launches(world.catalogue.gpus))
    cloud = with_hourly(world.cloud, hourly) if hourly else world.cloud
    world = replace(world, book=book, rates=rates or world.rates, cloud=cloud, cache={})
    return Assistant(replace(library, world=world, engines=replace(library.engines, world=world)))


def with_hourly(shipped: CloudPrices | None, hourly: Sequence[CloudPrice]) -> CloudPrices:
    """The shipped rental prices, replaced where there are these."""
    before = [price for gpu in shipped.gpus for price in shipped.of(gpu)] if shipped else []
    return CloudPrices([*before, *hourly])


_POINTS = (
    "SELECT gpu, condition, region, currency, low_minor, p.as_of, source, typical_minor, n, kind FROM price_point p "
    "JOIN price_active a USING (run_id) WHERE state = 'accepted' ORDER BY p.id"
)
_RATES = "SELECT currency, per_usd, as_of, source FROM exchange_rate JOIN price_active USING (run_id) ORDER BY as_of"
_HOURLY = (
    "SELECT gpu, kind, usd_median, usd_low, usd_high, n, as_of, source FROM hourly_point "
    "JOIN price_active USING (run_id)"
)


def read_file(path: Path, shipped: Rates) -> InForce:
    """What is in force by the bot's SQLite file, which is only read; nothing where there is none or it cannot be
    read: then the shipped prices count."""
    if not path.is_file():
        return InForce()
    try:
        with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            points = [Checked(*row) for row in database.execute(_POINTS)]
            fetched = [Rate(*row) for row in database.execute(_RATES)]
            hourly = tuple(CloudPrice(*row) for row in database.execute(_HOURLY))
    except sqlite3.Error:
        return InForce()
    rates = newest_rates(shipped, fetched)
    return InForce(as_points(points, rates), rates, hourly)
