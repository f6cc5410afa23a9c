"""The price book: which price counts for a card on a given day, how old it is and how far it may be off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from bot.hardware.gpu import Gpu
from bot.market.points import PointCondition, PricePoint, first_day, last_day
from bot.request import Money

Age = Literal["fresh", "days", "old", "historic"]

AGE_LIMITS: tuple[tuple[int, Age], ...] = ((14, "fresh"), (45, "days"), (120, "old"))
"""Upper bound in days of each age; older is "historic"."""
OFF_BY: Mapping[Age, float] = {"fresh": 0.05, "days": 0.15, "old": 0.25, "historic": 0.35}
"""Share by which a price of that age may be off, both ways. Used cards moved up to half in two months of 2026."""
OFF_BY_AFTER_A_YEAR = 0.5
MSRP_RANGE = (0.95, 1.5)
"""Street prices of new cards against the launch price: seldom below, often far above."""
MAX_AGE = timedelta(days=730)
"""Older prices are history: they say nothing about today."""
MSRP_FOR = timedelta(days=913)
"""How long after its release a card can be expected on shelves near its launch price (two and a half years)."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A card's price at launch, as the stand-in where no offer is known."""

    price_usd: float
    released: str


class PriceBook:
    """All price points known, by card. Immutable: a refresh builds a new book."""

    def __init__(self, points: Iterable[PricePoint], launches: Mapping[str, Launch] | None = None) -> None:
        """`launches` lets `best` fall back to launch prices of recent cards, marked kind "msrp"."""
        by_gpu: dict[str, list[PricePoint]] = {}
        for point in points:
            by_gpu.setdefault(point.gpu, []).append(point)
        # Newest first; among points of one day the one with more offers behind it.
        self._points = {
            gpu: tuple(sorted(mine, key=lambda p: (first_day(p.as_of), p.n or 0), reverse=True))
            for gpu, mine in by_gpu.items()
        }
        self._launches = dict(launches or {})

    @property
    def gpus(self) -> tuple[str, ...]:
        """Cards with at least one price point, in the order of the table."""
        return tuple(self._points)

    def history(self, gpu: str) -> tuple[PricePoint, ...]:
        """Every point of a card, newest first."""
        return self._points.get(gpu, ())

    def best(
        self, gpu: str, condition: PointCondition, today: date, *, from_ebay: bool | None = None
    ) -> PricePoint | None:
        """The newest price of that card in that condition on `today`, or None.

        A used price never stands in for a new one, nor the reverse; a point whose source mixes both ("any") serves
        either. "any" asks for the lower of new and used. Without a point of the last two years a recent card is
        given its launch price (condition new, kind "msrp"). `from_ebay` looks at eBay's asking prices alone (True), or
        at all others (False).
        """
        if condition == "any":
            found = [p for p in (self.best(gpu, c, today, from_ebay=from_ebay) for c in ("new", "used")) if p]
            return min(found, key=lambda p: p.money.amount) if found else None
        mixed: PricePoint | None = None
        for point in self._points.get(gpu, ()):
            seen = first_day(point.as_of)
            if seen > today or (from_ebay is not None and point.from_ebay != from_ebay):
                continue
            if today - seen > MAX_AGE:
                break
            if point.condition == condition:
                return point
            if point.condition == "any" and mixed is None:
                mixed = point
        if mixed is not None:
            return mixed
        return self._launch(gpu, today) if condition == "new" and not from_ebay else None

    def _launch(self, gpu: str, today: date) -> PricePoint | None:
        launch = self._launches.get(gpu)
        if launch is None or first_day(launch.released) > today or today - last_day(launch.released) > MSRP_FOR:
            return None
        return PricePoint(gpu, "new", Money(launch.price_usd, "USD"), launch.released, "launch price", "msrp")

    @staticmethod
    def days_old(point: PricePoint, today: date) -> int:
        """Age in days; a month counts from its first day."""
        return max(0, (today - first_day(point.as_of)).days)

    @staticmethod
    def age(point: PricePoint, today: date) -> Age:
        """fresh (0-14 days), days (15-45), old (46-120: may be off by a quarter or more), historic (older)."""
        days = PriceBook.days_old(point, today)
        return next((age for limit, age in AGE_LIMITS if days <= limit), "historic")

    @staticmethod
    def uncertainty(point: PricePoint, today: date) -> tuple[Money, Money]:
        """The range in which today's price is to be expected, by the point's age and kind."""
        if point.kind == "msrp":
            low, high = MSRP_RANGE
        else:
            off = OFF_BY[PriceBook.age(point, today)]
            if PriceBook.days_old(point, today) > 365:
                off = OFF_BY_AFTER_A_YEAR
            low, high = 1 - off, 1 + off
        amount, currency = point.money.amount, point.money.currency
        return Money(amount * low, currency), Money(amount * high, currency)


def launches(gpus: Iterable[Gpu]) -> dict[str, Launch]:
    """Launch prices of the cards that are sold as cards, or as whole systems."""
    return {
        gpu.name: Launch(gpu.launch_price_usd, gpu.released)
        for gpu in gpus
        if gpu.launch_price_usd and gpu.segment in ("consumer", "workstation", "datacenter", "system")
    }
