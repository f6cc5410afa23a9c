"""One column of a comparison: so many cards of one kind, with what they cost and do for this work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from bot.advice.candidates import software_state
from bot.advice.needs import Needs
from bot.advice.world import World
from bot.hardware.gpu import FORMATS, Gpu
from bot.market.book import MAX_AGE, Age, PriceBook
from bot.market.points import PricePoint
from bot.request import Money


@dataclass(frozen=True, slots=True)
class Side:
    """One column of a comparison: `count` cards of one kind."""

    gpu: Gpu
    count: int
    speed: float | None
    """Relative speed of one card."""
    speed_low: float | None
    speed_high: float | None
    speed_basis: str
    task_speed: float | None
    """Relative speed of all cards for this work: several add throughput in training and independent jobs, and none
    to one language model that is split by layers."""
    compute_speed: float | None
    """Speed in prompts and batches, where `speed` is that of one user's reply; else None."""
    point: PricePoint | None
    """The price of one, new before used; None where none is known."""
    age: Age | None
    used_point: PricePoint | None
    total: Money | None
    """What all cards cost, in the asker's currency."""
    total_memory_gb: float
    job_memory_gb: float
    """Memory that one job of these needs sees: all cards' where the work can be split, else one card's."""
    perf_per_dollar: float | None
    """Speed for this work per dollar, relative to the best of the table (1.0)."""
    formats: tuple[tuple[str, str], ...]
    """Number formats with "yes", "slow", "storage" or "no"."""
    software: Literal["full", "partial", "ending", "dropped", "other"] | str
    holds: bool | None
    """Does it hold the work? None where no need is known."""
    owned: bool = False
    """The asker has it: what the others are measured against."""
    asked_usd: float | None = None
    """What the question says one costs."""

    @property
    def usd(self) -> float | None:
        """The price of one in the list."""
        return self.point.money.amount if self.point is not None else None


def counted(side: Side) -> str:
    """ "2x RTX 3090", "RTX 4090"."""
    return f"{side.count}x {side.gpu.name}" if side.count > 1 else side.gpu.name


def make_side(
    gpu: Gpu, count: int, needs: Needs, world: World, day: date, workload_class: str, required: float
) -> Side:
    """The column of `count` cards for these needs; `required` GB or 0."""
    speed = world.speed_of(gpu, workload_class, needs.mode)
    modded = dict(needs.modded).get(gpu.name)
    if modded:
        gpu = replace(gpu, memory_gb=modded)
    new, used = (_current(world.book.best(gpu.name, condition, day), day) for condition in ("new", "used"))
    wanted = {"used": (used, new), "any": (min((p for p in (new, used) if p), key=_amount, default=None), None)}
    first, second = wanted.get(needs.condition or "new", (new, used))
    if new is not None and new.kind == "msrp" and used is not None and needs.condition is None:
        first, second = used, new
    point = first or second
    currency = (needs.budget.currency if needs.budget else None) or needs.currency or "USD"
    total = None
    if point is not None and world.rates.knows(currency):
        total = world.rates.convert(Money(point.money.amount * count, "USD"), currency)
    job = gpu.memory_gb * (count if needs.shardable or needs.llm_inference else 1)
    throughput = 1.0 if count == 1 or needs.llm_inference else count * world.engine.scaling_in_one_pc
    task_speed = speed.value * throughput if speed else None
    prefill = world.speed_of(gpu, "llm-prefill", needs.mode) if workload_class == "llm-decode" else None
    names = {gpu.name, gpu.group} - {""}
    asked = next((money for name, money in needs.asked_prices if name in names), None)
    asked_usd = world.rates.convert(asked, "USD").amount if asked and world.rates.knows(asked.currency) else None
    return Side(
        gpu=gpu, count=count, speed=speed.value if speed else None,
        speed_low=getattr(speed, "low", None), speed_high=getattr(speed, "high", None),
        speed_basis=str(speed.basis) if speed else "", task_speed=task_speed,
        compute_speed=prefill.value if prefill else None, point=point,
        age=PriceBook.age(point, day) if point else None, used_point=used if point is not used else None, total=total,
        total_memory_gb=gpu.memory_gb * count, job_memory_gb=job,
        perf_per_dollar=task_speed / (point.money.amount * count) if task_speed and point else None,
        formats=tuple((name, gpu.supports(name)) for name in FORMATS), software=software_state(gpu, day),
        holds=job >= required if required else None,
        owned=bool(names & set(needs.owned)) and not names & set(needs.considered), asked_usd=asked_usd,
    )  # fmt: skip


def _current(point: PricePoint | None, day: date) -> PricePoint | None:
    """The price, unless it is so old that it says nothing of that day (launch prices last longer in the book)."""
    return point if point is None or PriceBook.days_old(point, day) <= MAX_AGE.days else None


def _amount(point: PricePoint) -> float:
    return point.money.amount
