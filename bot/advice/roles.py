"""The picks beside the first: cheaper, more memory, faster, used, several, rent; and what to say of each."""

from __future__ import annotations

from collections.abc import Iterable

from bot.advice.candidates import Candidate
from bot.advice.choice import Choice, Role
from bot.advice.reasons import Reason, reason
from bot.advice.remarks import most_useful, warnings_of
from bot.advice.value import Frame, Scored, dominated
from bot.advice.world import World
from bot.request import Money

MOST_PICKS = 5
AMPLE = 1.6
"""From so many times the need on, memory is ample."""


def alternatives(
    best: Scored, scored: list[Scored], dearer: list[Scored], several: list[Scored], context: Frame, world: World,
    pool: Iterable[Candidate],
) -> list[tuple[Role, Scored]]:  # fmt: skip
    """Up to four other purchases, each better than `best` in one respect, none that a better card makes pointless.

    `scored` is best first and within what may be spent; so is `several`, with more cards than were asked for.
    `dearer` is above a sum that was only assumed: fine for what is faster or larger.
    """
    b = best.candidate
    field = list(pool)
    taken = {b.gpu.name}
    found: list[tuple[Role, Scored]] = []

    def add(role: Role, options: Iterable[Scored]) -> None:
        for option in options:
            one = option.candidate
            if one.gpu.name in taken and not (role in ("used", "several") and one.gpu.name == b.gpu.name):
                continue
            if any(dominated(one, other) for other in field):
                continue
            taken.add(one.gpu.name)
            found.append((role, option))
            return

    floor = world.engine.needs_on(context.day)
    entry = max(context.required_gb, min(floor.entry, context.target_gb) if context.tier != "entry" else floor.minimum)
    add("cheaper", (s for s in scored if s.usd <= best.usd * 0.8 and s.memory_gb >= entry))
    add("more_memory", (s for s in (*scored, *dearer) if s.memory_gb >= best.memory_gb * 1.25))
    usable = [s for s in (*scored, *dearer) if s.memory_gb >= best.memory_gb * 0.6]
    add("faster", (s for s in usable if s.candidate.speed >= b.speed * 1.15))
    if b.condition == "new":
        least = min(best.memory_gb, context.target_gb)
        used = [s for s in scored if s.candidate.condition == "used" and s.candidate.gpu.vendor == b.gpu.vendor]
        add("used", (s for s in used if s.memory_gb >= least and _pays(s, best)))
    # Several cards add room to one language model, and no speed.
    more = _throughput(context)
    several = [s for s in several if s.candidate.gpu.vendor == b.gpu.vendor]
    add("several", (s for s in several if s.memory_gb >= best.memory_gb * 1.4 or (more and s.score > best.score)))
    return found[: MOST_PICKS - 1]


def _pays(used: Scored, best: Scored) -> bool:
    """Is buying used worth it: a tenth cheaper, or much more memory?"""
    return used.usd <= best.usd * 0.9 or used.memory_gb >= best.memory_gb * 1.25


def choice(role: Role, one: Scored, best: Scored, context: Frame, world: World, only: bool) -> Choice:
    """A scored purchase with its money in the asker's currency, its reasons and its warnings."""
    candidate = one.candidate
    currency = context.currency if world.rates.knows(context.currency) else "USD"
    unit = world.rates.convert(candidate.point.money, currency)
    limit = context.limit
    may_exceed = limit is not None and candidate.high * one.cards > limit
    doubtful = candidate.point.kind == "msrp" or candidate.overtaken_by is not None
    value = _per_dollar(one, context, world) / _per_dollar(best, context, world)
    return Choice(
        gpu=candidate.gpu, role=role, count=one.cards, condition=candidate.condition, point=candidate.point, unit=unit,
        total=Money(unit.amount * one.cards, currency), memory_gb=one.memory_gb, speed=candidate.speed,
        speed_basis=candidate.speed_basis, perf_per_dollar=round(value, 3), check_price_first=may_exceed or doubtful,
        reasons=most_useful((*_reasons(role, one, best, context, only), *_upgrades(role, one, context, world))),
        warnings=most_useful(warnings_of(one, best if role != "best" else None, context, world)),
    )  # fmt: skip


def _throughput(context: Frame) -> bool:
    """Do several cards do more work together? One language model that is used is only spread over them."""
    return not context.llm


def _per_dollar(one: Scored, context: Frame, world: World) -> float:
    """Speed of the whole purchase per dollar, the share of the computer around it counted."""
    speed = one.candidate.speed
    if one.cards > 1 and _throughput(context):
        speed *= one.cards * world.engine.scaling_in_one_pc
    return speed / (one.usd + context.beside)


def _reasons(role: Role, one: Scored, best: Scored, context: Frame, only: bool) -> Iterable[Reason]:
    c, b, needs = one.candidate, best.candidate, context.needs
    if one.cards > 1:
        if needs.shardable:
            yield reason("memory_adds_up", count=one.cards, memory=one.memory_gb, each=c.memory_gb)
        else:
            yield reason("several_cards", count=one.cards, memory=c.memory_gb)
    if role == "best":
        if context.required_gb and not context.by_size:
            wished = needs.min_memory_gb == one.memory_gb
            ample = one.memory_gb >= context.required_gb * AMPLE
            code = "memory_as_asked" if wished else "memory_ample" if ample else "memory_fits"
            yield reason(code, memory=one.memory_gb, need=context.required_gb)
        elif one.memory_gb >= context.target_gb:
            yield reason("memory_comfortable", memory=one.memory_gb, need=context.target_gb)
        else:
            yield reason("memory_most_affordable", memory=one.memory_gb)
        if only:
            yield reason("only_card_that_fits")
        elif needs.cheapest:
            yield reason("cheapest_that_fits" if context.literal or not context.at_home else "cheapest_for_pc")
        elif needs.fastest and not needs.value:
            yield reason("fastest_known")
        elif context.limit is None or needs.value:
            yield reason("best_value", gpu=c.gpu.name)
        else:
            yield reason("best_within_budget")
        if context.needs.deployment == "datacenter":
            yield reason("datacenter_licence")
        if c.condition == "used" and needs.condition is None and not needs.cheapest and not only:
            yield reason("used_gets_more")
        if c.gpu.architecture.tensor_cores and context.day.year < 2022:  # later every card has them
            yield reason("tensor_cores")
        return
    if one.usd < best.usd * 0.98:
        code = "used_saves" if role == "used" else "cheaper_than_best"
        yield reason(code, percent=round(100 * (1 - one.usd / best.usd)))
    if one.memory_gb > best.memory_gb:
        yield reason("more_memory_than_best", memory=one.memory_gb, best=best.memory_gb)
    if c.speed >= b.speed * 2:
        yield reason("times_as_fast", times=f"{c.speed / b.speed:.1f}")
    elif c.speed > b.speed * 1.05:
        yield reason("faster_than_best", percent=round(100 * (c.speed / b.speed - 1)))


def _upgrades(role: Role, one: Scored, context: Frame, world: World) -> Iterable[Reason]:
    """What the first pick gains over each card that is owned."""
    if one.candidate.gpu.segment == "system":
        yield reason("unified_memory", memory=one.memory_gb)
    workload_class = world.performance_class(context.needs.workload, context.needs.mode)
    for name in context.needs.owned if role == "best" else ():
        gpu = world.catalogue.get(name)
        speed = world.speed_of(gpu, workload_class, context.needs.mode) if gpu is not None else None
        if gpu is None or speed is None or gpu.name == one.candidate.gpu.name:
            continue
        if one.candidate.speed > speed.value * 1.05 or one.memory_gb > gpu.memory_gb:
            yield reason(
                "upgrade_from", gpu=gpu.name, speed=round(one.candidate.speed / speed.value, 1),
                memory_from=gpu.memory_gb, memory_to=one.memory_gb,
            )  # fmt: skip
