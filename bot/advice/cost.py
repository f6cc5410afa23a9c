"""Rent or buy: after how many hours of use a card of one's own is cheaper, and what its electricity costs.

    hours = (price - resale) / (cloud per hour - kW x price per kWh x PUE)

All money in one call is in one currency. Rules: Dettmers 2020 and 2023, ai-infrastructure.net 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

WEEK_H = 168.0
YEAR_DAYS = 365.25
KEEP_YEARS = 3.0
"""How long a card is kept where nothing is said: break-even later than that says rent."""
DEFAULT_PER_KWH_USD = 0.17
"""United States, residential average 2025-2026 (EIA Electric Power Monthly, rounded)."""
DEFAULT_HOURS_PER_WEEK = 15.0
"""A person's own card: 5 to 10 % of the week's hours (Dettmers)."""
CPU_AND_REST_W = 150.0
"""What the rest of the machine draws while the card works, at the wall."""

Note = tuple[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class BreakEven:
    """`hours` of use and `days` by the calendar until buying is cheaper; None: never."""

    hours: float | None
    days: float | None
    verdict: Literal["buy", "rent"]
    price: float
    resale: float
    power_per_hour: float
    cloud_per_hour: float
    hours_per_week: float
    keep_days: float
    notes: tuple[Note, ...]


def break_even(
    price: float, cloud_per_h: float, kw: float, kwh_price: float, resale: float = 0.0, *,
    hours_per_week: float | None = None, utilisation: float | None = None, keep_years: float | None = None,
    pue: float = 1.0,
) -> BreakEven:  # fmt: skip
    """Break-even of buying at `price` against renting at `cloud_per_h`.

    `kw` is what the whole machine draws at the wall. `utilisation`: share of all hours, instead of `hours_per_week`.
    Raises ValueError for negative money or power, or hours outside the week.
    """
    if min(price, cloud_per_h, kw, kwh_price, resale) < 0 or pue < 1:
        raise ValueError("prices and power cannot be negative")
    notes: list[Note] = []
    if utilisation is not None:
        hours_per_week = utilisation * WEEK_H
    if hours_per_week is None:
        hours_per_week = DEFAULT_HOURS_PER_WEEK
        notes.append(("default_hours", {"hours": hours_per_week}))
    if not 0 < hours_per_week <= WEEK_H:
        raise ValueError("hours per week lie between 0 and 168")
    power = kw * kwh_price * pue
    saved = cloud_per_h - power
    spent = price - resale
    keep = (keep_years or KEEP_YEARS) * YEAR_DAYS
    if spent <= 0:
        return BreakEven(0.0, 0.0, "buy", price, resale, power, cloud_per_h, hours_per_week, keep,
                         (*notes, ("price_is_resale", {})))  # fmt: skip
    if saved <= 0:
        return BreakEven(None, None, "rent", price, resale, power, cloud_per_h, hours_per_week, keep,
                         (*notes, ("cloud_always_cheaper", {})))  # fmt: skip
    hours = spent / saved
    days = hours / (hours_per_week / 7.0)
    verdict: Literal["buy", "rent"] = "buy" if days <= keep else "rent"
    return BreakEven(hours, days, verdict, price, resale, power, cloud_per_h, hours_per_week, keep, tuple(notes))


def electricity_per_month(kw: float, kwh_price: float, hours_per_week: float, pue: float = 1.0) -> float:
    """Cost of a month (30.44 days) of use, in the currency of `kwh_price`."""
    if min(kw, kwh_price, hours_per_week) < 0 or hours_per_week > WEEK_H:
        raise ValueError("power, price and hours cannot be negative, and a week has 168 hours")
    return kw * kwh_price * pue * hours_per_week / 7.0 * 30.4375


def machine_kw(card_w: float | None, count: int = 1) -> float:
    """Wall draw in kW of a machine with these cards; 300 W a card where its power is unknown."""
    return ((card_w or 300.0) * count + CPU_AND_REST_W) / 1000.0


def owned_per_hour(price: float, resale: float, keep_years: float, power_per_hour: float, utilisation: float) -> float:
    """What an hour of use of a card of one's own costs over its life. Raises ValueError without use."""
    if utilisation <= 0 or keep_years <= 0:
        raise ValueError("utilisation and years must be above 0")
    return (price - resale) / (keep_years * YEAR_DAYS * 24 * utilisation) + power_per_hour
