"""Laptops: tiers by chip, since the price list knows no laptops."""

from __future__ import annotations

import re
from datetime import date, timedelta

from bot.advice.choice import Choice, Recommendation
from bot.advice.needs import Needs
from bot.advice.none import rent_choice
from bot.advice.reasons import Reason, reason
from bot.advice.value import Frame
from bot.advice.world import World
from bot.hardware.gpu import Gpu
from bot.market.points import first_day, last_day

ON_SALE = timedelta(days=1460)
"""Machines with a chip are sold for about four years."""
_RANK = re.compile(r"\b\d{1,2}(\d0)\b")


def rank_of(gpu: Gpu) -> int:
    """60 for an RTX 4060 Laptop, 70 for a 4070; 0 when the name holds none."""
    found = _RANK.search(gpu.name)
    return int(found.group(1)) if found else 0


def _on_sale(gpu: Gpu, day: date) -> bool:
    return first_day(gpu.released) <= day <= last_day(gpu.released) + ON_SALE


def laptop_picks(
    needs: Needs, context: Frame, world: World, workload_class: str, assumptions: tuple[Reason, ...]
) -> Recommendation:
    """The laptop chip to look for: the newest of the rank that machines of the budget carry, with one above and below.

    No price is given. Without a budget: the lowest rank that holds the work
    comfortably, or the highest where money does not matter.
    """
    makers = needs.vendors or ("nvidia",)
    chips = [
        gpu
        for gpu in world.catalogue.gpus
        if gpu.segment == "laptop" and _on_sale(gpu, context.day) and gpu.name not in needs.excluded
        and gpu.vendor not in needs.not_vendors and gpu.vendor in makers and rank_of(gpu)
    ]  # fmt: skip
    holding = [g for g in chips if g.memory_gb >= context.required_gb]
    if not holding:
        rent = rent_choice(needs, context, world, workload_class)
        too_small = (
            reason("none_fits_memory", memory=context.required_gb) if context.required_gb else reason("none_known")
        )
        return Recommendation(
            (rent,) if rent else (), assumptions, none_reason=too_small if chips else reason("none_known"),
            day=context.day, workload_class=workload_class, target_gb=context.target_gb,
        )  # fmt: skip
    if context.limit is not None:
        rank = max((r for least, r in world.engine.laptop_ranks if least <= context.limit), default=0)
        within = [g for g in holding if rank_of(g) <= rank] or [min(holding, key=rank_of)]
    elif needs.fastest:
        within = holding
    else:
        enough = min(context.target_gb, world.engine.needs_on(context.day).entry)
        rank = min((rank_of(g) for g in holding if g.memory_gb >= enough), default=max(map(rank_of, holding)))
        within = [g for g in holding if rank_of(g) <= rank]
    within.sort(key=lambda g: (rank_of(g), g.memory_gb, g.released), reverse=True)
    first = within[0]
    others = [g for g in within[1:] if g.memory_gb >= first.memory_gb or rank_of(g) < rank_of(first)][:1]
    stronger = [g for g in holding if g.memory_gb > first.memory_gb]
    picks = [_chip(first, "best", context, world, workload_class, needs)]
    picks += [_chip(g, "cheaper", context, world, workload_class, needs) for g in others]
    if stronger:
        above = min(stronger, key=lambda g: (g.memory_gb, -first_day(g.released).toordinal()))
        picks.append(_chip(above, "more_memory", context, world, workload_class, needs))
    return Recommendation(
        tuple(picks), assumptions, day=context.day, workload_class=workload_class, target_gb=context.target_gb
    )


def _chip(gpu: Gpu, role: str, context: Frame, world: World, workload_class: str, needs: Needs) -> Choice:
    speed = world.speed_of(gpu, workload_class, needs.mode)
    reasons = [reason("laptop_rank")] if role == "best" and context.limit is not None else []
    if gpu.memory_gb >= context.target_gb:
        reasons.append(reason("memory_comfortable", memory=gpu.memory_gb, need=context.target_gb))
    warnings = [reason("laptop_chip_weaker"), reason("laptop_no_price")]
    if gpu.memory_gb < context.target_gb:
        warnings.insert(0, reason("memory_tight", memory=gpu.memory_gb, need=context.target_gb))
    return Choice(
        gpu, "best" if role == "best" else "cheaper" if role == "cheaper" else "more_memory",
        memory_gb=gpu.memory_gb, speed=speed.value if speed else None, speed_basis=str(speed.basis) if speed else "",
        check_price_first=True, reasons=tuple(reasons), warnings=tuple(warnings),
    )  # fmt: skip
