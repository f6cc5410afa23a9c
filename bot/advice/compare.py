"""Cards side by side: figures with their sources, prices with their age, and which one for these needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from bot.advice.candidates import snapshot, software_state
from bot.advice.needs import Needs
from bot.advice.reasons import Reason, reason
from bot.advice.value import frame, score
from bot.advice.world import World, day_of
from bot.hardware.gpu import FORMATS, Gpu
from bot.market.book import Age, PriceBook
from bot.market.points import PricePoint
from bot.request import Money

UNPRICED = 1e-3
"""A side without a price ranks below every side that has one."""
MUCH_MEMORY = 1.15
"""From so many times the memory on, size is a reason."""
CLOSE = 0.08
"""Speeds that differ by less are the same to a person."""


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
    """Speed of one card per dollar, relative to the best of the table (1.0)."""
    formats: tuple[tuple[str, str], ...]
    """Number formats with "yes", "slow", "storage" or "no"."""
    software: Literal["full", "partial", "ending", "dropped", "other"] | str
    holds: bool | None
    """Does it hold the work? None where no need is known."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sides in the order asked; `winner` is a canonical name, or None where the difference does not matter."""

    sides: tuple[Side, ...]
    unknown: tuple[str, ...]
    winner: str | None
    winner_count: int
    reasons: tuple[Reason, ...]
    workload_class: str
    need_gb: float
    """What the work asks for: the stated need, else the size that is comfortable for it."""
    day: date


def compare(names: Sequence[str | tuple[str, int]], needs: Needs, world: World, today: date) -> Comparison:
    """Cards (or (card, count)) side by side for these needs. Memory decides first: what does not hold the work loses.

    Groups stand for their default variant; unknown names are listed.
    """
    day = day_of(needs.as_of, today)
    context = frame(needs, world, day)
    workload_class = world.performance_class(needs.workload, needs.mode)
    sides: list[Side] = []
    unknown: list[str] = []
    for item in names:
        name, count = item if isinstance(item, tuple) else (item, 1)
        gpu = world.catalogue.get(name)
        if gpu is None:
            unknown.append(name)
            continue
        sides.append(_side(gpu, max(1, count), needs, world, day, workload_class, context.required_gb))
    best_value = max((s.perf_per_dollar or 0 for s in sides), default=0)
    if best_value:
        sides = [_scaled(side, best_value) for side in sides]
    winner, reasons = _decide(sides, needs, world, day, workload_class)
    return Comparison(
        sides=tuple(sides), unknown=tuple(unknown), winner=winner.gpu.name if winner else None,
        winner_count=winner.count if winner else 0, reasons=tuple(reasons), workload_class=workload_class,
        need_gb=context.required_gb or context.target_gb, day=day,
    )  # fmt: skip


def _side(gpu: Gpu, count: int, needs: Needs, world: World, day: date, workload_class: str, required: float) -> Side:
    speed = world.speed_of(gpu, workload_class, needs.mode)
    new, used = (world.book.best(gpu.name, condition, day) for condition in ("new", "used"))
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
    return Side(
        gpu=gpu, count=count, speed=speed.value if speed else None,
        speed_low=getattr(speed, "low", None), speed_high=getattr(speed, "high", None),
        speed_basis=str(speed.basis) if speed else "", point=point,
        age=PriceBook.age(point, day) if point else None, used_point=used if point is not used else None, total=total,
        total_memory_gb=gpu.memory_gb * count, job_memory_gb=job,
        perf_per_dollar=speed.value / point.money.amount if speed and point else None,
        formats=tuple((name, gpu.supports(name)) for name in FORMATS), software=software_state(gpu, day),
        holds=job >= required if required else None,
    )  # fmt: skip


def _amount(point: PricePoint) -> float:
    return point.money.amount


def _scaled(side: Side, best: float) -> Side:
    value = side.perf_per_dollar
    return replace(side, perf_per_dollar=round(value / best, 3)) if value is not None else side


def _decide(
    sides: list[Side], needs: Needs, world: World, day: date, workload_class: str
) -> tuple[Side | None, list[Reason]]:
    reasons: list[Reason] = []
    for side in sides:
        if side.count > 1:
            code = "split_needed" if side.job_memory_gb > side.gpu.memory_gb else "per_card_memory"
            memory = side.total_memory_gb if code == "split_needed" else side.gpu.memory_gb
            reasons.append(reason(code, gpu=side.gpu.name, count=side.count, memory=memory))
    if len(sides) < 2:
        return None, reasons
    context = frame(needs, world, day)
    field = [side for side in sides if side.holds is not False]
    if context.required_gb and len(field) == 1:
        return field[0], [reason("decides_memory", need=context.required_gb, winner=field[0].gpu.name), *reasons]
    field = field or sides
    alive = [side for side in field if side.software != "dropped"]
    if alive and len(alive) < len(field):
        gone = next(side for side in field if side not in alive)
        if len(alive) == 1:
            return alive[0], [reason("decides_software", winner=alive[0].gpu.name, loser=gone.gpu.name), *reasons]
        field = alive
    ranked = sorted(field, key=lambda side: -_worth(side, needs, world, day, workload_class))
    first, second = ranked[0], ranked[1]
    why = _why(first, second, needs, context.target_gb)
    return (None if why.code == "about_equal" else first), [why, *reasons]


def _worth(side: Side, needs: Needs, world: World, day: date, workload_class: str) -> float:
    """The engine's own score at the side's price; without a price, at that of speed and memory alone."""
    context = replace(frame(needs, world, day), cards=side.count)
    market = snapshot(world, day, workload_class, needs.mode)
    offers = market.by_gpu.get(side.gpu.name, ())
    priced = [offer for offer in offers if side.point is not None and offer.point is side.point]
    if priced and not needs.fastest:
        return score(context, world, priced[0], side.count).score
    worth = float((side.speed or 0.0) ** world.engine.speed_exponent)
    share = side.job_memory_gb / context.target_gb
    exponent = world.engine.shortfall_exponent if share < 1 else world.engine.surplus_exponent
    return worth * float(share**exponent) * UNPRICED


def _why(first: Side, second: Side, needs: Needs, target: float) -> Reason:
    name = first.gpu.name
    if first.point is not None and second.point is None:
        return reason("decides_availability", winner=name)
    more_memory = first.job_memory_gb >= second.job_memory_gb * MUCH_MEMORY
    if more_memory and (second.job_memory_gb < target or (needs.shardable and first.count != second.count)):
        return reason("less_memory_than", by=name, memory=second.job_memory_gb, other=first.job_memory_gb)
    gap = 0.0
    if first.gpu.vendor == "nvidia" != second.gpu.vendor and (first.speed or 0) <= (second.speed or 0):
        return reason("decides_software", winner=name, loser=second.gpu.name)
    if first.speed and second.speed:
        gap = first.speed * first.count / (second.speed * second.count) - 1
    if gap > CLOSE and not needs.value:
        return reason("decides_speed", winner=name, percent=round(100 * gap))
    if first.total is not None and second.total is not None and first.total.amount < second.total.amount * 0.95:
        if abs(gap) <= CLOSE:
            percent = round(100 * (1 - first.total.amount / second.total.amount))
            return reason("decides_price", winner=name, percent=percent)
        if first.perf_per_dollar and second.perf_per_dollar and first.perf_per_dollar > second.perf_per_dollar:
            more = first.perf_per_dollar / second.perf_per_dollar - 1
            return reason("decides_value", winner=name, percent=max(1, round(100 * more)))
    if gap > CLOSE:
        return reason("decides_speed", winner=name, percent=round(100 * gap))
    if more_memory:
        return reason("less_memory_than", by=name, memory=second.job_memory_gb, other=first.job_memory_gb)
    return reason("about_equal")
