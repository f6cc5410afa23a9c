"""Which prices of a refresh may be believed: row by row, then the run as a whole. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal

from bot.market.book import Launch
from bot.market.points import HIGHEST, LOWEST, PointKind, first_day
from bot.market.rates import Rates
from bot.request import Money

SoldAs = Literal["new", "used", "any"]
State = Literal["accepted", "quarantined"]
Key = tuple[str, str, str]
"""(gpu, condition, region): what two prices have in common when one replaces the other."""

BAND = (0.25, 4.0)
"""Against the price in force; what moved more waits for a person."""
NEW_BAND, USED_BAND = (0.5, 4.0), (0.02, 2.5)
"""Against the launch price, where no price is known: old professional cards are sold used for a fiftieth of it."""
LEAST_OFFERS = 5
"""A market place's price needs so many offers behind it."""
LEAST_BACK = 0.6
"""Share of a source's keys in force that must come back, else the run is not believed."""
MOVED, MOST_MOVED = 0.4, 0.3
"""A run in which more than this share of keys moved by more than MOVED is not believed."""
FUTURE = timedelta(days=1)
_PLAIN = re.compile(r"\d{1,9}(\.\d{1,4})?")
_DAY = re.compile(r"20\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")
_CONDITIONS: Mapping[str, SoldAs] = {
    "new": "new",
    "used": "used",
    "refurbished": "used",
    "open box": "used",
    "any": "any",
}
_REGION = re.compile(r"[A-Z]{2}|EU|")


@dataclass(frozen=True, slots=True)
class Offer:
    """One row as a source gives it, nothing checked. `place` says where it stands, for reports."""

    place: str
    gpu: str
    condition: str
    price: str
    currency: str
    as_of: str
    source: str
    region: str = ""
    typical: str = ""
    n: int | None = None
    kind: PointKind = "street"


@dataclass(frozen=True, slots=True)
class Checked:
    """A price that may count, or waits for a person (`quarantined`, with the reason). Amounts in hundredths."""

    gpu: str
    condition: SoldAs
    region: str
    currency: str
    low_minor: int
    as_of: str
    source: str
    typical_minor: int | None = None
    n: int | None = None
    kind: PointKind = "street"
    state: State = "accepted"
    reason: str = ""

    @property
    def key(self) -> Key:
        return self.gpu, self.condition, self.region

    @property
    def money(self) -> Money:
        """The price, in the currency it was observed in."""
        return Money(self.low_minor / 100, self.currency)


@dataclass(frozen=True, slots=True)
class Known:
    """What rows are held against."""

    resolve: Callable[[str], str | None]
    rates: Rates
    today: date
    active: Mapping[Key, Checked] = field(default_factory=dict)
    """The points in force of the same source."""
    usual: Callable[[str, SoldAs], float | None] = lambda gpu, condition: None
    """The last known price in US dollars from anywhere, or None."""
    launches: Mapping[str, Launch] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run is worth. `refusal` says why the run as a whole is not believed, or is ""."""

    accepted: tuple[Checked, ...]
    quarantined: tuple[Checked, ...]
    rejected: tuple[str, ...]
    refusal: str = ""
    forced: bool = False


class _RefusedError(Exception):
    """A row that cannot be a price. The message is the reason."""


def check(offers: Iterable[Offer], known: Known, *, market_place: bool = False, force: bool = False) -> Outcome:
    """Check every row and the whole. `force`: a person has looked, the checks of the whole do not refuse."""
    good: dict[Key, Checked] = {}
    doubtful: dict[Key, Checked] = {}
    rejected: list[str] = []
    for offer in offers:
        try:
            point = _row(offer, known, market_place)
        except _RefusedError as reason:
            rejected.append(f"{offer.place}: {offer.gpu[:60]!r} {reason}")
            continue
        if point.key in good or point.key in doubtful:
            other = good.get(point.key) or doubtful[point.key]
            newer = first_day(point.as_of) > first_day(other.as_of)
            rejected.append(f"{offer.place}: {point.gpu} {point.condition} stands twice; the newer one counts")
            if not newer:
                continue
            good.pop(point.key, None)
            doubtful.pop(point.key, None)
        (good if point.state == "accepted" else doubtful)[point.key] = point
    refusal = _whole({**good, **doubtful}, known)
    return Outcome(
        tuple(good.values()), tuple(doubtful.values()), tuple(rejected), "" if force else refusal,
        forced=force and bool(refusal),
    )  # fmt: skip


def _row(offer: Offer, known: Known, market_place: bool) -> Checked:
    gpu = known.resolve(offer.gpu) if 0 < len(offer.gpu) <= 200 else None
    if gpu is None:
        raise _RefusedError("is not in the catalogue")
    condition = _CONDITIONS.get(offer.condition.strip().lower())
    if condition is None:
        raise _RefusedError(f"condition {offer.condition[:20]!r} is neither new nor used")
    currency = offer.currency.strip()
    if not known.rates.knows(currency):
        raise _RefusedError(f"no exchange rate is known for {currency[:10]!r}")
    if not _REGION.fullmatch(offer.region):
        raise _RefusedError(f"region {offer.region[:10]!r} is not a country's two letters")
    if not _DAY.fullmatch(offer.as_of):
        raise _RefusedError(f"date {offer.as_of[:20]!r} is not YYYY-MM-DD or YYYY-MM")
    try:
        seen = first_day(offer.as_of)
    except ValueError:
        raise _RefusedError(f"date {offer.as_of} does not exist") from None
    if seen > known.today + FUTURE:
        raise _RefusedError(f"date {offer.as_of} is in the future")
    low = _minor(offer.price, "price")
    typical = _minor(offer.typical, "typical price") if offer.typical else None
    if typical is not None and typical < low:
        raise _RefusedError("the typical price is below the low one")
    usd = known.rates.convert(Money(low / 100, currency), "USD").amount
    if not LOWEST <= usd <= HIGHEST:
        raise _RefusedError(f"{low / 100:g} {currency} is no price of a card")
    if offer.n is not None and offer.n < 1:
        raise _RefusedError("no offer stands behind it")
    if market_place and (offer.n or 0) < LEAST_OFFERS:
        raise _RefusedError(f"only {offer.n or 0} offers, {LEAST_OFFERS} are needed")
    source = " ".join(offer.source.split())[:200]
    if not source:
        raise _RefusedError("no source is given")
    point = Checked(gpu, condition, offer.region, currency, low, offer.as_of, source, typical, offer.n, offer.kind)
    before = known.active.get(point.key)
    if before and seen < first_day(before.as_of):
        raise _RefusedError(f"{offer.as_of} is older than the price in force ({before.as_of})")
    reason = _doubt(point, usd, before, known)
    if reason:
        return Checked(gpu, condition, offer.region, currency, low, offer.as_of, source, typical, offer.n, offer.kind,
                       "quarantined", reason)  # fmt: skip
    return point


def _minor(text: str, what: str) -> int:
    """Hundredths. Only a plain number with a point counts: "1.015,00" or "1,015" could be either of two prices."""
    if not _PLAIN.fullmatch(text):
        raise _RefusedError(f"{what} {text[:20]!r} is not a plain number such as 990.00")
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise _RefusedError(f"{what} {text[:20]!r} is not a number") from None
    minor = int((value * 100).to_integral_value())
    if minor <= 0:
        raise _RefusedError(f"{what} is nought")
    return minor


def _doubt(point: Checked, usd: float, before: Checked | None, known: Known) -> str:
    """Why a person should look at it, or ""."""
    if before is not None and known.rates.knows(before.currency):
        last: float | None = known.rates.convert(before.money, "USD").amount
    else:
        last = known.usual(point.gpu, point.condition)
    if last:
        if not BAND[0] <= usd / last <= BAND[1]:
            return f"{usd:.0f} USD against {last:.0f} USD before"
        return ""
    launch = known.launches.get(point.gpu)
    if launch is None:
        return ""
    low, high = NEW_BAND if point.condition == "new" else USED_BAND
    if not low <= usd / launch.price_usd <= high:
        return f"{usd:.0f} USD against {launch.price_usd:.0f} USD at launch"
    return ""


def _whole(got: Mapping[Key, Checked], known: Known) -> str:
    """Why the run as a whole is not to be believed, or ""."""
    if not got:
        return "it gave no usable price"
    back = [key for key in known.active if key in got]
    if known.active and len(back) < LEAST_BACK * len(known.active):
        return f"only {len(back)} of {len(known.active)} prices in force came back"
    moved = 0
    for key in back:
        old = known.active[key]
        if old.currency != got[key].currency or abs(got[key].low_minor / old.low_minor - 1) > MOVED:
            moved += 1
    if len(back) >= 3 and moved > MOST_MOVED * len(back):
        return f"{moved} of {len(back)} prices moved by more than {MOVED:.0%}"
    return ""


def carried(outcome: Outcome, active: Mapping[Key, Checked]) -> tuple[Checked, ...]:
    """Points in force that the run did not replace: they stay, with their own dates."""
    replaced = {point.key for point in outcome.accepted}
    return tuple(point for key, point in active.items() if key not in replaced)
