"""What the engine hands back: choices with reasons as codes. The wording is done elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from bot.advice.reasons import Reason
from bot.hardware.gpu import Gpu
from bot.market.book import Age
from bot.market.points import PricePoint
from bot.request import Money

Role = Literal["best", "cheaper", "more_memory", "faster", "used", "several", "rent"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One purchase (or, with role "rent", one hour of it). Money is in the asker's currency; `point` as published."""

    gpu: Gpu
    role: Role
    count: int = 1
    condition: Literal["new", "used"] = "new"
    point: PricePoint | None = None
    unit: Money | None = None
    total: Money | None = None
    memory_gb: float = 0.0
    """Of all cards together, where the work can be split; else of one."""
    speed: float | None = None
    """Relative speed of one card in the performance class of the needs."""
    speed_basis: str = ""
    perf_per_dollar: float | None = None
    """Relative to the first pick (1.0)."""
    check_price_first: bool = False
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class PriceState:
    """How current the prices in the picks are."""

    oldest: str = ""
    newest: str = ""
    age: Age | None = None
    """Of the oldest price shown."""
    launch_prices: bool = False
    """At least one is only a launch price."""
    rates_as_of: str = ""
    """Date of the exchange rate used; "" when none was needed."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The first pick is the answer; up to four alternatives follow, each with its role."""

    picks: tuple[Choice, ...]
    assumptions: tuple[Reason, ...] = ()
    rejected: Mapping[str, Reason] = field(default_factory=dict)
    """Cards that people would expect, with the reason why they are not picked."""
    none_reason: Reason | None = None
    """Set when buying is not the answer: nothing fits, or the card that is owned does."""
    relaxation: Reason | None = None
    """The nearest change of the needs that would give a pick."""
    ask_back: tuple[Reason, ...] = ()
    """Only what would flip the answer."""
    price_state: PriceState = PriceState()
    day: date | None = None
    workload_class: str = ""
    target_gb: float = 0.0
    """Memory taken as comfortable for this work."""

    @property
    def best(self) -> Choice | None:
        return self.picks[0] if self.picks else None
