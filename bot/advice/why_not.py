"""Why a card is not the pick: one reason per card, the first that a person would name."""

from __future__ import annotations

from bot.advice.candidates import Snapshot, released_by, unfit
from bot.advice.reasons import Reason, reason
from bot.advice.value import Frame, Scored, dominated, score
from bot.advice.world import World
from bot.hardware.gpu import Gpu
from bot.market.money import money_text as written
from bot.request import Money

MAKERS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "apple": "Apple"}


def money_text(usd: float, currency: str, world: World) -> str:
    """An amount of dollars in the asker's currency, rounded to whole units: "$990"."""
    if not world.rates.knows(currency):
        currency = "USD"
    amount = world.rates.convert(Money(usd, "USD"), currency).amount
    return written(Money(round(amount), currency))


def reason_against(gpu: Gpu, context: Frame, world: World, market: Snapshot, winner: Scored | None) -> Reason:
    """The reason against one card, given the pick."""
    needs, day = context.needs, context.day
    if gpu.name in needs.owned:
        return reason("owned_already")
    if not released_by(gpu, day):
        return reason("not_released", date=gpu.released)
    code = unfit(gpu, needs, world, context.cards)
    if code is not None:
        return _unfit_reason(code, gpu, context)
    memory = gpu.memory_gb * (context.cards if needs.shardable else 1)
    if context.required_gb and memory < context.required_gb:
        return reason("too_little_memory", memory=memory, need=context.required_gb)
    if gpu.memory_gb < world.engine.needs_on(day).minimum:
        return reason("cut_down")
    offers = market.by_gpu.get(gpu.name, ())
    if not offers:
        return _gone(gpu, context, world, winner)
    if needs.condition in ("new", "used"):
        wanted = tuple(o for o in offers if o.condition == needs.condition or o.point.condition == "any")
        if not wanted:
            return reason("condition_not_wanted", condition=offers[0].condition)
        offers = wanted
    cheapest = offers[0]
    total = cheapest.usd * context.cards
    most = context.most_for_more
    if most is not None and total > most:
        code = "over_budget" if context.limit is not None else "over_assumed"
        return reason(
            code,
            price=money_text(total, context.currency, world),
            budget=money_text(context.most or most, context.currency, world),
        )
    if not context.llm and cheapest.software in ("ending", "dropped"):
        return reason(f"software_{cheapest.software}", architecture=gpu.architecture.name)
    if context.at_home and gpu.cooler == "passive":
        return reason("passive_cooler")
    if winner is None:
        return reason("no_current_price")
    best = winner.candidate
    if dominated(cheapest, best):
        return reason("dominated", by=best.gpu.name)
    if cheapest.memory_gb < best.memory_gb and cheapest.memory_gb < context.target_gb:
        return reason("less_memory_than", by=best.gpu.name, memory=cheapest.memory_gb, other=best.memory_gb)
    if cheapest.speed < best.speed and cheapest.usd >= best.usd * 0.9:
        return reason("slower", by=best.gpu.name, percent=round(100 * (1 - cheapest.speed / best.speed)))
    if context.nvidia_first and gpu.vendor != "nvidia":
        return reason("vendor_default", vendor=MAKERS.get(gpu.vendor, gpu.vendor))
    if cheapest.condition == "used" and best.condition == "new" and needs.condition is None:
        return reason("only_used")
    mine = score(context, world, cheapest, context.cards)
    gap = max(1, round(100 * (1 - mine.score / winner.score)))
    return reason("slower_per_money", by=best.gpu.name, percent=gap)


def _gone(gpu: Gpu, context: Frame, world: World, winner: Scored | None) -> Reason:
    """Not sold any more; and, where known, how far behind it is."""
    needs = context.needs
    speed = world.speed_of(gpu, world.performance_class(needs.workload, needs.mode), needs.mode)
    if winner is not None and speed is not None and winner.candidate.speed > speed.value * 1.15:
        times = f"{winner.candidate.speed / speed.value:.1f}"
        return reason("outdated", by=winner.candidate.gpu.name, times=times, year=gpu.released[:4])
    return reason("no_current_price")


def _unfit_reason(code: str, gpu: Gpu, context: Frame) -> Reason:
    needs = context.needs
    match code:
        case "vendor_excluded" | "vendor_not_asked":
            return reason(code, vendor=gpu.vendor)
        case "has_fault":
            return reason(code, text=gpu.fault, text_zh=gpu.fault_zh or gpu.fault)
        case "too_long":
            return reason(code, slots=gpu.slots or 0, have=needs.slots or 0)
        case "too_hot":
            return reason(code, tdp=gpu.tdp_w or 0, watts=needs.psu_watts or 0)
        case _:
            return reason(code)
