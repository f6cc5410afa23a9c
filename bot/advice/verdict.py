"""Which of the compared cards, and why: memory, software, speed, price and value, in that order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.advice.reasons import Reason, reason
from bot.advice.side import Side, counted
from bot.advice.value import Frame
from bot.advice.world import World

CLEARLY_MORE = 1.3
"""So many times the memory decides, where the smaller is under the comfortable size for the work."""
TWICE = 1.8
"""For language models so much more memory opens the next class of models, comfortable or not."""
MUCH_MEMORY = 1.15
"""From so many times the memory on, size is worth a mention."""
CLOSE = 1.08
"""Speeds that differ by less are the same to a person."""
CHEAPER = 0.95
"""A price below this share of the other's is lower."""
SIMPLER = 1.25
"""Several cards must give so much more throughput than one with more memory."""
TOO_SLOW = 0.4
"""Memory does not decide for a card that is so much slower, unless the need is stated."""
MOST, MOST_OF_TWO = 4, 3
"""A title with more clauses is no title."""
UPGRADE = 1.4
"""A card must be so much faster than the one that is owned to replace it, unless it brings needed memory."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The winner (None: no difference that matters), the reason first, then clauses that belong in the same breath."""

    winner: Side | None
    reasons: tuple[Reason, ...]


def decide(sides: Sequence[Side], context: Frame, world: World) -> Verdict:
    """The verdict on at least two sides. A card that is owned is what the others are measured against."""
    bought = [side for side in sides if not side.owned]
    owned = [side for side in sides if side.owned]
    alive = any(side.software != "dropped" for side in sides)
    if owned and len(bought) == 1 and alive:
        return _upgrade(owned[0], bought[0], context, world)
    field = bought if len(bought) > 1 and alive else list(sides)
    winner, rival, reasons = _champion(field, context, world)
    found = list(reasons)
    if len(field) > 2:
        found += _others(winner, rival, field, context)
    if all(side.software == "dropped" for side in field):
        found.insert(1, reason("clause_dropped"))
    elif not context.llm and winner.gpu.vendor not in ("nvidia", "google") and _has_nvidia(field):
        found.insert(1, reason("clause_cuda"))
    return Verdict(winner, tuple(found[: MOST if len(field) > 2 else MOST_OF_TWO]))


def _has_nvidia(field: list[Side]) -> bool:
    return any(side.gpu.vendor == "nvidia" for side in field)


def _champion(field: list[Side], context: Frame, world: World) -> tuple[Side, Side, tuple[Reason, ...]]:
    """The side that no other beats, its strongest rival, and why it wins against that one."""
    order = sorted(field, key=lambda s: (-(s.holds is not False), -s.job_memory_gb, -(s.task_speed or 0), s.gpu.name))
    winner = order[0]
    for other in order[1:]:
        winner = _duel(winner, other, context, world)[0]
    rest = [side for side in order if side is not winner]
    rival = rest[0]
    for other in rest[1:]:
        rival = _duel(rival, other, context, world)[0]
    if len(field) > 2 and winner.holds and not any(side.holds for side in rest):
        return winner, rival, (reason("decides_memory", need=context.required_gb, winner=counted(winner)),)
    _, reasons = _duel(winner, rival, context, world)
    return winner, rival, reasons


def _others(winner: Side, rival: Side, field: list[Side], context: Frame) -> Iterable[Reason]:
    """What to say of more than two: who runs it as well, and who is faster or larger still."""
    rest = [side for side in field if side is not winner]
    small = [side for side in rest if side.holds is False]
    if context.required_gb and not small:
        yield reason("others_hold")
    others = [side for side in rest if side is not rival and side.holds is not False]
    fastest = max(others, key=lambda s: s.task_speed or 0.0, default=None)
    if fastest is not None and _times(fastest, winner) > CLOSE and _times(fastest, rival) > CLOSE:
        yield reason("clause_speed", gpu=counted(fastest), times=_said(_times(fastest, winner)))
    largest = max(others, key=lambda s: s.job_memory_gb, default=None)
    if largest is not None and largest.job_memory_gb > max(winner.job_memory_gb, rival.job_memory_gb) * MUCH_MEMORY:
        yield _memory_clause(largest, winner)


def _duel(one: Side, two: Side, context: Frame, world: World) -> tuple[Side, tuple[Reason, ...]]:
    """Which of two, with the reason and its clauses. Symmetric: the order of the two does not matter."""
    if one.gpu.name == two.gpu.name and one.holds == two.holds:
        return _count(one, two)
    for a, b in ((one, two), (two, one)):
        if a.holds and b.holds is False:
            return a, (reason("decides_memory", need=context.required_gb, winner=counted(a)), *_clauses(a, b, "memory"))
    for a, b in ((one, two), (two, one)):
        # Language models run on AMD cards through Vulkan whatever ROCm says.
        gone = b.software == "dropped" and not (context.llm and b.gpu.vendor == "amd")
        if a.software != "dropped" and gone:
            return a, (reason("decides_software", winner=counted(a), loser=b.gpu.name), *_clauses(a, b))
    for a, b in ((one, two), (two, one)):
        if _memory_decides(a, b, context):
            return a, (_memory_reason(a, b), *_clauses(a, b, "memory"))
    for a, b in ((one, two), (two, one)):
        if _easier(a, b, context):
            return a, (reason("decides_cuda", winner=counted(a), loser=b.gpu.name), *_clauses(a, b))
    for a, b in ((one, two), (two, one)):
        # Software that is running out counts against all but a much faster card.
        if a.software == "full" and b.software == "ending" and not context.llm and _times(b, a) < 1.5:
            if _times(a, b) > CLOSE:
                return a, (
                    _speed_reason(a, b, context),
                    *_clauses(a, b, "speed"),
                    reason("clause_ending", gpu=b.gpu.name),
                )
            return a, (reason("decides_ending", winner=counted(a), loser=b.gpu.name), *_clauses(a, b))
    return _for_the_money(one, two, context, world)


def _count(one: Side, two: Side) -> tuple[Side, tuple[Reason, ...]]:
    """One card or several of the same: what a second adds and what not."""
    few, many = sorted((one, two), key=lambda side: side.count)
    times = _times(many, few)
    if times > CLOSE:
        return few, (reason("decides_count", winner=counted(few), loser=counted(many), times=_said(times)),)
    if many.job_memory_gb > few.job_memory_gb:
        return few, (reason("decides_capacity", winner=counted(few), loser=counted(many), memory=many.job_memory_gb),)
    return few, (reason("about_equal", winner=counted(few), loser=counted(many)),)


def _memory_decides(a: Side, b: Side, context: Frame) -> bool:
    """Has `a` so much more memory that nothing else counts?"""
    more, other = _memory_for_work(a, context), _memory_for_work(b, context)
    if a.job_memory_gb <= b.job_memory_gb or (a.speed and b.speed and _times(a, b) < TOO_SLOW):
        return False
    if a.software == "ending" and b.software == "full" and not context.llm:
        return False
    if more >= other * CLEARLY_MORE and other < context.target_gb:
        return True
    models = context.llm or "llm" in context.needs.workloads
    return models and more >= other * TWICE and (not a.speed or not b.speed or _times(a, b) >= 0.7)


def _memory_reason(a: Side, b: Side) -> Reason:
    code = "decides_together" if a.count > 1 and a.job_memory_gb > a.gpu.memory_gb else "decides_more_memory"
    return reason(code, winner=counted(a), loser=counted(b), memory=a.job_memory_gb, other=b.job_memory_gb)


def _memory_for_work(side: Side, context: Frame) -> float:
    """Memory that one job sees; of a machine's shared memory three quarters."""
    return side.job_memory_gb * (0.75 if side.gpu.segment == "system" else 1.0)


def _easier(a: Side, b: Side, context: Frame) -> bool:
    """Does software speak for `a`: NVIDIA where the work expects CUDA, and memory is similar?"""
    if context.llm or a.gpu.vendor != "nvidia" or b.gpu.vendor in ("nvidia", "google"):
        return False
    if a.software != "full" or a.gpu.memory_gb * CLEARLY_MORE < b.gpu.memory_gb:
        return False
    return _times(b, a) < 2 or not a.speed


def _for_the_money(one: Side, two: Side, context: Frame, world: World) -> tuple[Side, tuple[Reason, ...]]:
    """Nothing rules either out: the faster, unless it costs more than it gives."""
    fast, slow = sorted((one, two), key=lambda s: (-(s.task_speed or 0.0), s.usd or 1e9, s.gpu.name))
    times = _times(fast, slow) if slow.task_speed and fast.task_speed else 1.0
    prices = _prices(fast, slow)
    if times <= CLOSE:
        for a, b in ((one, two), (two, one)):
            newer = a.gpu.supports("fp8") == "yes" != b.gpu.supports("fp8")
            least = MUCH_MEMORY if newer else UPGRADE
            if a.compute_speed and b.compute_speed and a.compute_speed > b.compute_speed * least:
                if a.job_memory_gb * MUCH_MEMORY < b.job_memory_gb or (prices and _dearer(a, b) > 1.5):
                    break
                more = _said(a.compute_speed / b.compute_speed)
                compute = reason("decides_compute", winner=counted(a), loser=counted(b), times=more)
                return a, (compute, *_clauses(a, b, "speed"))
        return _close(fast, slow, prices)
    if prices is None or context.needs.fastest:
        return fast, (_speed_reason(fast, slow, context), *_clauses(fast, slow, "speed"))
    dearer = prices[0] / prices[1]
    named = fast.asked_usd is not None and slow.asked_usd is not None
    simpler = fast.count > slow.count and times < SIMPLER and dearer > 1 / 1.5
    if simpler and slow.job_memory_gb >= fast.job_memory_gb * CLEARLY_MORE:
        return slow, (_memory_reason(slow, fast), *_clauses(slow, fast, "memory"))
    if dearer < CHEAPER:
        cheaper = reason("clause_price_too", percent=round(100 * (1 - dearer)))
        return fast, (_speed_reason(fast, slow, context), cheaper, *_clauses(fast, slow, "speed", "price"))
    if dearer <= 1 / CHEAPER:
        return fast, (_speed_reason(fast, slow, context), *_clauses(fast, slow, "speed"))
    gain = _comfort(fast, context, world) / _comfort(slow, context, world)
    price = _said(dearer)
    if gain >= dearer * 0.95:
        code = "decides_worth_asked" if named else "decides_worth"
        worth = reason(code, winner=counted(fast), loser=counted(slow), times=_said(times), price=price)
        return fast, (worth, *_clauses(fast, slow, "speed", "price"))
    code = "decides_value_asked" if named else "decides_value"
    split = reason(code, winner=counted(slow), fast=counted(fast), times=_said(times), price=price)
    return slow, (split, *_clauses(slow, fast, "speed", "price"))


def _close(fast: Side, slow: Side, prices: tuple[float, float] | None) -> tuple[Side, tuple[Reason, ...]]:
    """Speeds are the same to a person: memory, then price, then what they cost when they came out."""
    big, small = sorted((fast, slow), key=lambda s: -s.job_memory_gb)
    more = big.job_memory_gb >= small.job_memory_gb * MUCH_MEMORY
    cost = dict(zip((fast.gpu.name, slow.gpu.name), prices, strict=True)) if prices else {}
    if more and (not cost or cost[big.gpu.name] <= cost[small.gpu.name] * CLEARLY_MORE):
        return big, (_memory_reason(big, small), *_clauses(big, small, "memory"))
    if cost:
        cheap, dear = sorted((fast, slow), key=lambda s: cost[s.gpu.name])
        share = cost[cheap.gpu.name] / cost[dear.gpu.name]
        if share < CHEAPER:
            percent = round(100 * (1 - share))
            return cheap, (
                reason("decides_price", winner=counted(cheap), loser=counted(dear), percent=percent),
                *_clauses(cheap, dear, "price"),
            )
    first, second = fast.gpu.launch_price_usd, slow.gpu.launch_price_usd
    if not cost and first and second and first != second:
        cheap, dear = (fast, slow) if first < second else (slow, fast)
        low, high = f"${min(first, second):,.0f}", f"${max(first, second):,.0f}"
        return cheap, (reason("decides_launch", winner=counted(cheap), loser=counted(dear), price=low, other=high),)
    return big, (reason("about_equal", winner=counted(fast), loser=counted(slow)),)


def _upgrade(mine: Side, other: Side, context: Frame, world: World) -> Verdict:
    """Keep the card that is owned, or take the other?"""
    times = _times(other, mine)
    needed = other.holds and mine.holds is False
    roomier = other.job_memory_gb >= mine.job_memory_gb * CLEARLY_MORE and mine.job_memory_gb < context.target_gb
    faster = times >= UPGRADE and other.job_memory_gb >= min(mine.job_memory_gb * 0.9, context.target_gb)
    if times >= 0.7 and _easier(other, mine, context):
        cuda = reason("decides_cuda", winner=counted(other), loser=mine.gpu.name)
        return Verdict(other, (cuda, *_clauses(other, mine)))
    ending = mine.software == "ending" and other.software == "full" and not context.llm
    replaced = mine.software == "dropped" or (ending and times > CLOSE and other.job_memory_gb >= mine.job_memory_gb)
    usable = other.software != "dropped" and other.holds is not False
    params: dict[str, float | str] = {"memory": other.job_memory_gb, "other": mine.job_memory_gb, "times": _said(times)}
    if usable and (needed or replaced or faster or (roomier and times >= 0.8)):
        found = [reason("decides_upgrade", winner=counted(other), loser=counted(mine), **params)]
        if ending and not faster:
            found.append(reason("clause_ending", gpu=mine.gpu.name))
        if other.gpu.vendor not in ("nvidia", "google") and not context.llm:
            found.append(reason("clause_cuda"))
        return Verdict(other, tuple(found))
    return Verdict(mine, (reason("decides_keep", winner=counted(mine), loser=counted(other), **params),))


def _clauses(winner: Side, loser: Side, *said: str) -> Iterable[Reason]:
    """What else a person would say of the two: at most two of speed, memory, price, formats."""
    found: list[Reason] = []
    times = _times(winner, loser)
    if "speed" not in said and winner.speed and loser.speed:
        if times > CLOSE:
            found.append(reason("clause_speed_too", times=_said(times)))
        elif times < 1 / CLOSE:
            found.append(reason("clause_speed", gpu=counted(loser), times=_said(1 / times)))
    if "memory" not in said:
        big, small = (winner, loser) if winner.job_memory_gb >= loser.job_memory_gb else (loser, winner)
        if big.job_memory_gb >= small.job_memory_gb * MUCH_MEMORY:
            found.append(_memory_clause(big, small, big is winner))
    prices = _prices(winner, loser)
    if "price" not in said and prices and not (prices[0] * CHEAPER <= prices[1] <= prices[0] / CHEAPER):
        cheap = winner if prices[0] < prices[1] else loser
        percent = round(100 * (1 - min(prices) / max(prices)))
        if cheap is winner:
            found.append(reason("clause_price_too", percent=percent))
        else:
            found.append(reason("clause_price", gpu=counted(cheap), percent=percent))
    if len(found) < 2 and winner.gpu.supports("fp8") == "yes" != loser.gpu.supports("fp8"):
        found.append(reason("clause_format", gpu=winner.gpu.name, format="FP8"))
    found.sort(key=lambda one: not one.code.endswith("_too"))  # what goes on about the winner, first
    return found[:2]


def _memory_clause(big: Side, small: Side, wins: bool = False) -> Reason:
    pooled = big.count > 1 and big.job_memory_gb > big.gpu.memory_gb
    if wins and not pooled:
        return reason("clause_memory_too", memory=big.job_memory_gb, other=small.job_memory_gb)
    code = "clause_together" if pooled else "clause_memory"
    return reason(code, gpu=counted(big), memory=big.job_memory_gb, other=small.job_memory_gb)


def _speed_reason(fast: Side, slow: Side, context: Frame) -> Reason:
    """Faster: by one card, or by several that share training or take a job each."""
    code = "decides_speed" if context.llm or fast.count == slow.count == 1 else "decides_throughput"
    return reason(code, winner=counted(fast), loser=counted(slow), times=_said(_times(fast, slow)))


def _comfort(side: Side, context: Frame, world: World) -> float:
    """Speed that counts for the money: less where the software runs out or a server card needs its own fan."""
    factors = world.engine.software_llm if context.llm else world.engine.software
    worth = (side.task_speed or 0.0) * factors.get(side.software, 1.0)
    if context.at_home and side.gpu.cooler == "passive":
        worth *= world.engine.passive_at_home
    return worth or 1e-9


def _prices(a: Side, b: Side) -> tuple[float, float] | None:
    """What both cost in dollars: the prices that the question names, else those of the list; None unless both known."""
    if a.asked_usd is not None and b.asked_usd is not None:
        return a.asked_usd * a.count, b.asked_usd * b.count
    if a.usd is None or b.usd is None:
        return None
    return a.usd * a.count, b.usd * b.count


def _dearer(a: Side, b: Side) -> float:
    prices = _prices(a, b)
    return prices[0] / prices[1] if prices else 1.0


def _times(a: Side, b: Side) -> float:
    """How many times as fast `a` is for this work; 1 where a speed is unknown."""
    return a.task_speed / b.task_speed if a.task_speed and b.task_speed else 1.0


def _said(times: float) -> str:
    """ "1.1", "1.6", "2.5", "12"."""
    return f"{times:.0f}" if times >= 9.5 else f"{times:.1f}"
