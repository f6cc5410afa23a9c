"""Cards that can be bought on a given day, each with its price and speed, ready to be weighed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from bot.advice.needs import Needs
from bot.advice.world import World
from bot.hardware.gpu import Gpu
from bot.market.book import PriceBook
from bot.market.points import PricePoint, first_day
from bot.request import Mode

_SOFTWARE_STATE_HOLDS = timedelta(days=400)
"""How long before the day it was written down a statement on software support may be taken to hold."""
_ANNOUNCED = timedelta(days=62)
"""A card with a dated price may be ordered that long before the shops have it; without a price it is not there yet."""
SMALLEST_SUPPLY = 300
_CONDITIONS: tuple[Literal["new", "used"], ...] = ("new", "used")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One card in one condition. `usd` is the price of one; `low`..`high` the range it may have moved to."""

    gpu: Gpu
    condition: Literal["new", "used"]
    point: PricePoint
    usd: float
    low: float
    high: float
    speed: float
    speed_basis: str
    memory_gb: float
    counted_memory_gb: float
    """Memory as it counts for training: less where the card computes at 32 bit only."""
    worth: float
    """Speed to the power of the engine's exponent, times what software and mixed prices take off."""
    worth_llm: float
    """The same for plain language model inference."""
    software: str
    overtaken_by: PricePoint | None = None
    """A later used price above this new one: `usd` is then the used price, since a new card costs no less."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All candidates of one day for one performance class, cheapest first."""

    candidates: tuple[Candidate, ...]
    by_gpu: dict[str, tuple[Candidate, ...]]


def snapshot(world: World, day: date, workload_class: str, mode: Mode | None) -> Snapshot:
    """The candidates of that day, computed once and kept."""
    key = (day, workload_class, mode)
    found: Snapshot | None = world.cache.get(key)
    if found is None:
        if len(world.cache) > 512:
            world.cache.clear()
        found = world.cache[key] = _build(world, day, workload_class, mode)
    return found


def fast_sixteen_bit(gpu: Gpu) -> bool:
    """Does the card compute at 16 bit faster than at 32? (matrix units, or packed arithmetic as in P100 and AMD)"""
    return bool(gpu.fp16_tensor_tflops) or gpu.supports("fp16") == "yes"


def software_state(gpu: Gpu, day: date) -> str:
    """Software support as it stood on that day; "full" before the catalogue's statement can hold."""
    told = gpu.architecture.as_of
    if told and day < first_day(told) - _SOFTWARE_STATE_HOLDS:
        return "full"
    return gpu.architecture.software


def _build(world: World, day: date, workload_class: str, mode: Mode | None) -> Snapshot:
    engine = world.engine
    sixteen_bit = day >= engine.sixteen_bit_since
    found: list[Candidate] = []
    for gpu in world.catalogue.gpus:
        if gpu.segment in ("laptop", "cloud") or first_day(gpu.released) > day + _ANNOUNCED:
            continue
        offers = [(condition, world.book.best(gpu.name, condition, day)) for condition in _CONDITIONS]
        if not any(point for _, point in offers):
            continue
        speed = world.speed_of(gpu, workload_class, mode)
        if speed is None:
            continue
        state = software_state(gpu, day)
        counted = gpu.memory_gb
        if sixteen_bit and not fast_sixteen_bit(gpu):
            counted *= engine.no_sixteen_bit_memory
        worth = float(speed.value**engine.speed_exponent)
        for condition, point in offers:
            if point is None or (condition == "used" and point.condition == "any"):
                continue  # a mixed price stands once, as new
            low, high = PriceBook.uncertainty(point, day)
            usd, overtaken = point.money.amount, None
            later = offers[1][1]
            if condition == "new" and later is not None and _overtakes(later, point):
                usd, overtaken = later.money.amount, later
            mixed = engine.mixed_factor if point.condition == "any" else 1.0
            found.append(
                Candidate(
                    gpu, condition, point, usd, max(low.amount, usd) if overtaken else low.amount,
                    max(high.amount, usd), speed.value, str(speed.basis),
                    gpu.memory_gb, counted, worth * mixed * engine.software.get(state, 1.0),
                    worth * mixed * engine.software_llm.get(state, 1.0), state, overtaken,
                )
            )  # fmt: skip
    found.sort(key=lambda c: (c.usd, c.gpu.name, c.condition))
    by_gpu: dict[str, tuple[Candidate, ...]] = {}
    for candidate in found:
        by_gpu[candidate.gpu.name] = (*by_gpu.get(candidate.gpu.name, ()), candidate)
    return Snapshot(tuple(found), by_gpu)


def _overtakes(used: PricePoint, new: PricePoint) -> bool:
    """Did the used price, seen later, rise above the new one?"""
    later = first_day(used.as_of) > first_day(new.as_of)
    return later and used.condition == "used" and used.money.amount > new.money.amount


def unfit(gpu: Gpu, needs: Needs, world: World, cards: int) -> str | None:
    """Why a card is out whatever it costs: a reason code, or None. The order is the order people would say it in."""
    name = gpu.name
    if name in needs.excluded or gpu.group in needs.excluded:
        return "excluded_by_you"
    if gpu.vendor in needs.not_vendors:
        return "vendor_excluded"
    if needs.vendors and gpu.vendor not in needs.vendors:
        return "vendor_not_asked"
    segment = gpu.segment
    if segment == "system":
        if "apple" not in needs.vendors and needs.form_factor != "small":
            return "not_a_card"
    elif segment in ("mining", "laptop") or (segment == "datacenter" and gpu.cooler in ("module", "liquid")):
        return "not_a_card"
    if needs.deployment == "datacenter" and segment != "datacenter":
        return "licence"
    if name in world.engine.dead_ends:
        return "has_fault"
    if name in world.engine.only_for and (needs.budget is None or needs.budget.currency != world.engine.only_for[name]):
        return "not_sold_here"
    if needs.slots is not None and gpu.slots is not None and gpu.slots * cards > needs.slots:
        return "too_long"
    if gpu.tdp_w is not None:
        engine = world.engine
        if needs.psu_watts is not None:
            # No computer with a card runs on so small a supply: the limit is meant for the card.
            drawn = gpu.tdp_w * cards if needs.psu_watts <= SMALLEST_SUPPLY else engine.psu_watts(gpu.tdp_w, cards)
            if drawn > needs.psu_watts:
                return "too_hot"
        if needs.form_factor == "small" and gpu.tdp_w > engine.small_case_watts:
            return "too_hot"
    return None


def released_by(gpu: Gpu, day: date) -> bool:
    """Was the card out on that day?"""
    return first_day(gpu.released) <= day
