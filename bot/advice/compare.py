"""Cards side by side: figures with their sources, prices with their age, and which one for these needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.advice.needs import Needs
from bot.advice.reasons import Reason, reason
from bot.advice.side import Side, counted, make_side
from bot.advice.value import frame
from bot.advice.verdict import Verdict, decide
from bot.advice.world import World, day_of

__all__ = ["Comparison", "Side", "compare", "counted"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sides in the order asked; `winner` is a canonical name, or None where one card stands alone."""

    sides: tuple[Side, ...]
    unknown: tuple[str, ...]
    winner: str | None
    winner_count: int
    reasons: tuple[Reason, ...]
    """The reason that decides, then clauses that belong in the same sentence."""
    notes: tuple[Reason, ...]
    """What to know beside it: what several cards do and do not add, what the card that is owned is against the pick."""
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
        sides.append(make_side(gpu, max(1, count), needs, world, day, workload_class, context.required_gb))
    best_value = max((s.perf_per_dollar or 0 for s in sides), default=0)
    if best_value:
        sides = [_scaled(side, best_value) for side in sides]
    verdict = decide(sides, context, world) if len(sides) > 1 else Verdict(None, ())
    winner = verdict.winner
    return Comparison(
        sides=tuple(sides), unknown=tuple(unknown), winner=winner.gpu.name if winner else None,
        winner_count=winner.count if winner else 0, reasons=verdict.reasons,
        notes=tuple(_notes(sides, winner, needs)), workload_class=workload_class,
        need_gb=context.required_gb or context.target_gb, day=day,
    )  # fmt: skip


def _scaled(side: Side, best: float) -> Side:
    value = side.perf_per_dollar
    return replace(side, perf_per_dollar=round(value / best, 3)) if value is not None else side


def _notes(sides: list[Side], winner: Side | None, needs: Needs) -> list[Reason]:
    found: list[Reason] = []
    for side in sides:
        if side.count > 1:
            split = side.job_memory_gb > side.gpu.memory_gb
            code = "per_card_memory" if not split else "split_needed" if needs.llm_inference else "split_training"
            memory = side.total_memory_gb if split else side.gpu.memory_gb
            found.append(reason(code, gpu=side.gpu.name, count=side.count, memory=memory))
    bought = [side for side in sides if not side.owned]
    for side in sides:
        if side.owned and winner is not None and winner is not side and len(bought) > 1 and side.task_speed:
            times = round((winner.task_speed or side.task_speed) / side.task_speed, 1)
            found.append(
                reason(
                    "upgrade_from",
                    gpu=side.gpu.name, speed=times, memory_from=side.job_memory_gb, memory_to=winner.job_memory_gb,
                )
            )  # fmt: skip
    return found
