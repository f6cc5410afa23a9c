"""The picks beside the first: cheaper, more memory, faster, used, several, rent; and what to say of each."""

from __future__ import annotations

from collections.abc import Iterable

from bot.advice.candidates import Candidate, fast_sixteen_bit
from bot.advice.choice import Choice, Role
from bot.advice.engine import psu_size
from bot.advice.reasons import Reason, reason
from bot.advice.value import Frame, Scored, dominated
from bot.advice.why_not import money_text
from bot.advice.world import World
from bot.market.book import PriceBook
from bot.request import Money

MOST_PICKS = 5
FAST_FP64 = frozenset(
    ("Kepler", "Pascal GP100", "Volta", "Ampere A100", "Hopper", "CDNA 1", "CDNA 2", "CDNA 3", "CDNA 4")
)
"""Architectures with double precision at a third of single precision or better, in their server cards."""


def alternatives(
    best: Scored, scored: list[Scored], several: list[Scored], context: Frame, world: World, pool: Iterable[Candidate]
) -> list[tuple[Role, Scored]]:
    """Up to four other purchases, each better than `best` in one respect, none that a better card makes pointless.

    `scored` is best first and within what may be spent; so is `several`, with more cards than were asked for.
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
    add("more_memory", (s for s in scored if s.memory_gb >= best.memory_gb * 1.25))
    add("faster", (s for s in scored if s.candidate.speed >= b.speed * 1.15 and s.memory_gb >= best.memory_gb * 0.6))
    if b.condition == "new":
        least = min(best.memory_gb, context.target_gb)
        add("used", (s for s in scored if s.candidate.condition == "used" and s.memory_gb >= least and _pays(s, best)))
    add("several", (s for s in several if s.memory_gb >= best.memory_gb * 1.4 or s.score > best.score))
    return found[: MOST_PICKS - 1]


def _pays(used: Scored, best: Scored) -> bool:
    """Is buying used worth it: a tenth cheaper, or much more memory?"""
    return used.usd <= best.usd * 0.9 or used.memory_gb >= best.memory_gb * 1.25


def choice(role: Role, one: Scored, best: Scored, context: Frame, world: World, only: bool) -> Choice:
    """A scored purchase with its money in the asker's currency, its reasons and its warnings."""
    candidate = one.candidate
    currency = context.currency if world.rates.knows(context.currency) else "USD"
    unit = world.rates.convert(Money(candidate.usd, "USD"), currency)
    limit = context.limit
    may_exceed = limit is not None and candidate.high * one.cards > limit
    msrp = candidate.point.kind == "msrp"
    warnings = list(_warnings(one, context, world))
    if may_exceed and limit is not None:
        warnings.append(
            reason(
                "price_may_exceed",
                budget=money_text(limit, currency, world), high=money_text(candidate.high * one.cards, currency, world),
            )
        )  # fmt: skip
    value = candidate.speed / candidate.usd / (best.candidate.speed / best.candidate.usd)
    return Choice(
        gpu=candidate.gpu, role=role, count=one.cards, condition=candidate.condition, point=candidate.point, unit=unit,
        total=Money(unit.amount * one.cards, currency), memory_gb=one.memory_gb, speed=candidate.speed,
        speed_basis=candidate.speed_basis, perf_per_dollar=round(value, 3), check_price_first=may_exceed or msrp,
        reasons=(*_reasons(role, one, best, context, only), *_upgrades(role, one, context, world)),
        warnings=tuple(warnings),
    )  # fmt: skip


def _reasons(role: Role, one: Scored, best: Scored, context: Frame, only: bool) -> Iterable[Reason]:
    c, b, needs = one.candidate, best.candidate, context.needs
    if one.cards > 1:
        if needs.shardable:
            yield reason("memory_adds_up", count=one.cards, memory=one.memory_gb, each=c.memory_gb)
        else:
            yield reason("several_cards", count=one.cards, memory=c.memory_gb)
    if role == "best":
        if context.required_gb:
            yield reason("memory_fits", memory=one.memory_gb, need=context.required_gb)
        elif one.memory_gb >= context.target_gb:
            yield reason("memory_comfortable", memory=one.memory_gb, need=context.target_gb)
        else:
            yield reason("memory_most_affordable", memory=one.memory_gb)
        if only:
            yield reason("only_card_that_fits")
        elif needs.cheapest:
            yield reason("cheapest_that_fits")
        elif context.limit is None or needs.value:
            yield reason("best_value", gpu=c.gpu.name)
        else:
            yield reason("best_within_budget")
        if context.needs.deployment == "datacenter":
            yield reason("datacenter_licence")
        if c.condition == "used" and needs.condition is None:
            yield reason("used_gets_more")
        if c.gpu.architecture.tensor_cores and context.day.year < 2022:  # later every card has them
            yield reason("tensor_cores")
        return
    if one.usd < best.usd * 0.98:
        code = "used_saves" if role == "used" else "cheaper_than_best"
        yield reason(code, percent=round(100 * (1 - one.usd / best.usd)))
    if one.memory_gb > best.memory_gb:
        yield reason("more_memory_than_best", memory=one.memory_gb, best=best.memory_gb)
    elif one.memory_gb < best.memory_gb:
        yield reason("less_memory_than_best", memory=one.memory_gb, best=best.memory_gb)
    if c.speed > b.speed * 1.05:
        yield reason("faster_than_best", percent=round(100 * (c.speed / b.speed - 1)))
    elif c.speed < b.speed * 0.95:
        yield reason("slower_than_best", percent=round(100 * (1 - c.speed / b.speed)))


def _upgrades(role: Role, one: Scored, context: Frame, world: World) -> Iterable[Reason]:
    """What the first pick gains over each card that is owned."""
    if one.candidate.gpu.segment == "system":
        yield reason("unified_memory", memory=one.memory_gb)
    workload_class = world.performance_class(context.needs.workload, context.needs.mode)
    for name in context.needs.owned if role == "best" else ():
        gpu = world.catalogue.get(name)
        speed = world.speed_of(gpu, workload_class, context.needs.mode) if gpu is not None else None
        if gpu is not None and speed is not None and gpu.name != one.candidate.gpu.name:
            yield reason(
                "upgrade_from", gpu=gpu.name, speed=round(one.candidate.speed / speed.value, 1),
                memory_from=gpu.memory_gb, memory_to=one.memory_gb,
            )  # fmt: skip


def _warnings(one: Scored, context: Frame, world: World) -> Iterable[Reason]:
    c, needs, gpu = one.candidate, context.needs, one.candidate.gpu
    training = needs.mode in ("training", "finetuning") or not context.llm
    if one.memory_gb < context.target_gb and not context.required_gb:
        yield reason("memory_tight", memory=one.memory_gb, need=context.target_gb)
    if needs.form_factor == "egpu":
        yield reason("egpu_enclosure")
    if c.condition == "used":
        yield reason("used_no_warranty")
    if c.point.condition == "any":
        yield reason("any_condition_price")
    if gpu.fault:
        yield reason("fault", text=gpu.fault, text_zh=gpu.fault_zh or gpu.fault)
    if gpu.cooler == "passive" and context.at_home:
        yield reason("passive_cooler")
    if gpu.segment == "datacenter" and context.at_home:
        yield reason("no_display")
    if c.software in ("ending", "dropped"):
        yield reason(f"software_{c.software}", architecture=gpu.architecture.name)
    if gpu.vendor == "amd":
        yield reason("rocm_needed")
    elif gpu.vendor == "intel":
        yield reason("xpu_needed")
    elif gpu.vendor == "apple":
        yield reason("metal_needed")
    elif training:
        if not fast_sixteen_bit(gpu):
            if context.day >= world.engine.sixteen_bit_since:
                yield reason("no_fast_fp16")
        elif context.day.year >= 2021 and gpu.supports("bf16") in ("no", "slow"):
            yield reason("no_bf16")
    if "simulation" in needs.workloads and gpu.architecture.name not in FAST_FP64:
        yield reason("weak_fp64")
    if context.day.year < 2021 and fast_sixteen_bit(gpu) and one.memory_gb < context.target_gb * 1.5:
        yield reason("sixteen_bit_needed", memory=one.memory_gb)
    if one.cards > 1 or needs.multi_gpu:
        if gpu.cooler != "blower" and gpu.segment == "consumer":
            yield reason("blower_for_several")
        if one.cards > 1:
            yield reason("memory_not_pooled")
            if not gpu.nvlink_gbs and training:
                yield reason("no_nvlink")
    if gpu.tdp_w and gpu.tdp_w >= 200 and context.at_home:
        watts = psu_size(world.engine.psu_watts(gpu.tdp_w, one.cards))
        yield reason("psu_needed", watts=watts, tdp=gpu.tdp_w)
    days = PriceBook.days_old(c.point, context.day)
    if c.point.kind == "msrp":
        yield reason("price_msrp")
    elif days > 45:
        yield reason("price_old", days=days)
