"""What speaks against a purchase, and which few remarks are worth a reader's time."""

from __future__ import annotations

from collections.abc import Iterable

from bot.advice.candidates import fast_sixteen_bit
from bot.advice.engine import psu_size
from bot.advice.reasons import Reason, reason
from bot.advice.value import Frame, Scored
from bot.advice.why_not import money_text
from bot.advice.world import World
from bot.market.book import PriceBook

MOST = 3
"""Reasons, and warnings, of one pick."""
HOT = 250
"""From so many watts on, the power supply is worth a remark."""
FAST_FP64 = frozenset(
    ("Kepler", "Pascal GP100", "Volta", "Ampere A100", "Hopper", "CDNA 1", "CDNA 2", "CDNA 3", "CDNA 4")
)
"""Architectures with double precision at a third of single precision or better, in their server cards."""
_ORDER = (
    # reasons
    "memory_adds_up", "several_cards", "memory_fits", "memory_ample", "memory_as_asked", "memory_comfortable",
    "memory_most_affordable", "unified_memory", "upgrade_from", "datacenter_licence", "only_card_that_fits",
    "fastest_known", "best_within_budget", "cheapest_that_fits", "cheapest_for_pc", "best_value",
    "used_saves", "cheaper_than_best",
    "more_memory_than_best", "times_as_fast", "faster_than_best", "used_gets_more", "tensor_cores",
    # warnings
    "less_memory_than_best", "slower_than_best", "price_smallest", "price_may_exceed", "price_overtaken", "weak_fp64",
    "passive_cooler", "fault",
    "software_dropped", "software_ending", "egpu_enclosure", "rocm_needed", "xpu_needed", "metal_needed",
    "memory_tight", "memory_not_pooled", "no_fast_fp16", "used_no_warranty", "psu_needed", "no_bf16",
    "sixteen_bit_needed", "price_msrp", "blower_for_several", "no_nvlink", "no_display",
    "any_condition_price", "price_old",
)  # fmt: skip
_RANK = {code: rank for rank, code in enumerate(_ORDER)}


def most_useful(remarks: Iterable[Reason]) -> tuple[Reason, ...]:
    """The few that matter most, the most useful first."""
    return tuple(sorted(remarks, key=lambda one: _RANK.get(one.code, len(_RANK))))[:MOST]


def warnings_of(one: Scored, best: Scored | None, context: Frame, world: World) -> Iterable[Reason]:
    """All that speaks against a purchase: by itself, and against the first pick where it is an alternative."""
    if best is not None:
        if one.memory_gb < best.memory_gb:
            yield reason("less_memory_than_best", memory=one.memory_gb, best=best.memory_gb)
        if one.candidate.speed < best.candidate.speed * 0.95:
            slower = round(100 * (1 - one.candidate.speed / best.candidate.speed))
            yield reason("slower_than_best", percent=slower)
    yield from _price(one, context, world)
    yield from _card(one, context, world)
    yield from _software(one, context, world)
    if one.cards > 1 or context.needs.multi_gpu:
        gpu = one.candidate.gpu
        if gpu.cooler != "blower" and gpu.segment == "consumer":
            yield reason("blower_for_several")
        if one.cards > 1:
            if context.needs.shardable:
                yield reason("memory_not_pooled")
            if not gpu.nvlink_gbs and not context.llm:
                yield reason("no_nvlink")


def _price(one: Scored, context: Frame, world: World) -> Iterable[Reason]:
    c, limit = one.candidate, context.limit
    currency = context.currency if world.rates.knows(context.currency) else "USD"
    if limit is not None and c.high * one.cards > limit:
        high = money_text(c.high * one.cards, currency, world)
        yield reason("price_may_exceed", budget=money_text(limit, currency, world), high=high)
    if c.overtaken_by is not None:
        later = c.overtaken_by
        yield reason("price_overtaken", price=money_text(later.money.amount, currency, world), as_of=later.as_of)
    if c.condition == "used":
        yield reason("used_no_warranty")
    if c.point.condition == "any":
        yield reason("any_condition_price")
    days = PriceBook.days_old(c.point, context.day)
    if c.gpu.vendor == "apple":
        yield reason("price_smallest", memory=c.memory_gb)
    elif c.point.kind == "msrp":
        yield reason("price_msrp")
    elif days > 45:
        yield reason("price_old", days=days)


def _card(one: Scored, context: Frame, world: World) -> Iterable[Reason]:
    gpu = one.candidate.gpu
    if one.memory_gb < context.target_gb and not context.required_gb:
        yield reason("memory_tight", memory=one.memory_gb, need=context.target_gb)
    if context.needs.form_factor == "egpu":
        yield reason("egpu_enclosure")
    fanless = gpu.cooler == "passive" and context.at_home
    grave = gpu.name in world.engine.dead_ends or gpu.name in world.engine.only_for
    if gpu.fault and (fanless or grave):  # of server cards it tells fan and cable
        yield reason("fault", text=gpu.fault, text_zh=gpu.fault_zh or gpu.fault)
    elif fanless:
        yield reason("passive_cooler")
    if gpu.segment == "datacenter" and context.at_home:
        yield reason("no_display")
    if gpu.tdp_w and gpu.tdp_w * one.cards >= HOT and context.at_home:
        watts = psu_size(world.engine.psu_watts(gpu.tdp_w, one.cards))
        yield reason("psu_needed", watts=watts, tdp=gpu.tdp_w)


def _software(one: Scored, context: Frame, world: World) -> Iterable[Reason]:
    c, needs, gpu = one.candidate, context.needs, one.candidate.gpu
    training = needs.mode in ("training", "finetuning") or not context.llm
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
