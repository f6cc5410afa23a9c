"""Price points: one dated price of one card in one condition, and how rows are checked."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal

from bot.request import Money
from bot.tables import Row, read_rows

PointKind = Literal["street", "msrp", "guide"]
"""`street`: seen in shops or among offers; `msrp`: the maker's at launch; `guide`: as a published text gives it."""
PointCondition = Literal["new", "used", "any"]
"""`any`: the source mixes new and used offers, so that the price stands for both."""

COLUMNS = ("gpu", "condition", "price", "currency", "as_of", "n", "kind", "source")
EBAY_ASKING = "eBay asking prices"
"""How the source of a price from eBay's own interface begins. eBay's terms: such prices stand apart from others."""
LOWEST, HIGHEST = 10.0, 100_000.0
"""No card that can be bought alone costs less or more: a figure outside is a slip of the comma."""


@dataclass(frozen=True, slots=True)
class PricePoint:
    """What one card cost. `as_of` is when it was seen (YYYY, YYYY-MM or YYYY-MM-DD), never when it was read in."""

    gpu: str
    condition: PointCondition
    money: Money
    as_of: str
    source: str
    kind: PointKind = "street"
    n: int | None = None
    """How many offers stand behind it, where known."""

    @property
    def from_ebay(self) -> bool:
        """Whether it must be shown apart from other prices."""
        return self.source.startswith(EBAY_ASKING)


@lru_cache(maxsize=1024)
def first_day(as_of: str) -> date:
    """The earliest day that a date text can mean: ages count from it, so they are never too young."""
    parts = [int(part) for part in as_of.split("-")]
    return date(parts[0], parts[1] if len(parts) > 1 else 1, parts[2] if len(parts) > 2 else 1)


@lru_cache(maxsize=1024)
def last_day(as_of: str) -> date:
    """The latest day that a date text can mean: an answer "as of 2019-04" sees all of that April."""
    parts = [int(part) for part in as_of.split("-")]
    month = parts[1] if len(parts) > 1 else 12
    day = parts[2] if len(parts) > 2 else calendar.monthrange(parts[0], month)[1]
    return date(parts[0], month, day)


def parse_prices(text: str, where: str, resolve: Callable[[str], str | None]) -> tuple[PricePoint, ...]:
    """The rows of a price table with the columns COLUMNS.

    `resolve` turns a written name into the catalogue's name, or None. Raises DataError for an unknown card, a price
    outside LOWEST..HIGHEST, an unknown condition or kind, and for the same card, condition and date given twice.
    """
    points: list[PricePoint] = []
    seen: dict[tuple[str, str, str], int] = {}
    for row in read_rows(text, where, COLUMNS):
        point = _point(row, resolve)
        key = (point.gpu, point.condition, point.as_of)
        if key in seen:
            raise row.fail(
                "gpu", f"{point.gpu} {point.condition} of {point.as_of} stands in line {seen[key]} already",
                "Keep the better of the two",
            )  # fmt: skip
        seen[key] = row.line
        points.append(point)
    return tuple(points)


def _point(row: Row, resolve: Callable[[str], str | None]) -> PricePoint:
    written = row.required("gpu")
    gpu = resolve(written)
    if gpu is None:
        raise row.fail("gpu", f"{written!r} is not in the catalogue", "Use a name of data/gpus, or add the card there")
    condition: PointCondition = "new"
    match row.choice("condition", ("new", "used", "any", "refurbished")):
        case "used" | "refurbished":
            condition = "used"
        case "any":
            condition = "any"
    amount = row.number("price", LOWEST, HIGHEST)
    if amount is None:
        raise row.fail("price", "the cell is empty", "Write the price, or leave the row out")
    currency = row.required("currency")
    if currency != "USD":
        raise row.fail("currency", f"{currency!r} is not USD", "Convert it: this table keeps US dollars only")
    kind: PointKind = "street"
    match row.choice("kind", ("street", "msrp", "guide")):
        case "msrp":
            kind = "msrp"
        case "guide":
            kind = "guide"
    return PricePoint(
        gpu,
        condition,
        Money(amount, currency),
        row.year_month("as_of"),
        row.required("source"),
        kind,
        row.whole("n", 1),
    )
