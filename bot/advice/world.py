"""All that the advice looks at beside the needs: catalogue, prices, rates, speeds, constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from bot.advice.engine import Engine
from bot.hardware.gpu import Gpu
from bot.market.book import PriceBook
from bot.market.cloud import CloudPrices
from bot.market.points import last_day
from bot.market.rates import Rates
from bot.request import Mode


class Cards(Protocol):
    """What is used of the catalogue."""

    @property
    def gpus(self) -> Iterable[Gpu]: ...

    def get(self, name: str) -> Gpu | None: ...


class Speed(Protocol):
    """What is used of an estimate of the performance model: relative speed with its range."""

    @property
    def value(self) -> float: ...

    @property
    def basis(self) -> str: ...


SpeedOf = Callable[[Gpu, str, Mode | None], Speed | None]
"""(card, performance class, mode) -> relative speed, or None where nothing is known."""


@dataclass(frozen=True, eq=False)
class World:
    """The state of the world that advice is given in. Immutable; `cache` holds what can be computed from it."""

    catalogue: Cards
    book: PriceBook
    rates: Rates
    speed_of: SpeedOf
    engine: Engine
    workload_classes: Mapping[str, str] = field(default_factory=dict)
    """Performance class by workload id; falls back to the engine's own table."""
    cloud: CloudPrices | None = None
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    def performance_class(self, workload: str, mode: str | None) -> str:
        """The performance class of a workload in a mode."""
        if workload == "llm":
            return "transformer" if mode in ("training", "finetuning") else "llm-decode"
        return self.workload_classes.get(workload) or self.engine.classes.get(workload, "cnn")


def day_of(as_of: str | None, today: date) -> date:
    """The day an answer is for: the end of the period asked about, or today."""
    return min(last_day(as_of), today) if as_of else today
