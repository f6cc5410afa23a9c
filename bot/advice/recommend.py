"""What to buy: a deterministic function of needs, world and day. One engine for every year."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from bot.advice.candidates import Candidate, Snapshot, snapshot, unfit
from bot.advice.choice import Choice, PriceState, Recommendation
from bot.advice.laptops import laptop_picks
from bot.advice.needs import Needs
from bot.advice.none import keep_owned, nothing_fits, rent_choice, stretch
from bot.advice.reasons import Reason, reason
from bot.advice.roles import MOST_PICKS, alternatives, choice
from bot.advice.value import SOFT_EDGE, Frame, Scored, allowed, frame, score
from bot.advice.why_not import money_text, reason_against
from bot.advice.world import World, day_of
from bot.market.book import PriceBook
from bot.market.points import first_day

CEILING_STEP = 1.1
"""Where nothing meets the memory need below the assumed sum, it is raised to the cheapest that does, and a tenth."""
NEAR_MISSES = 3
NEAR = 1.6
"""So far above the budget a well-known card is still asked after."""
AWKWARD = 2


def recommend(needs: Needs, world: World, today: date) -> Recommendation:
    """The pick, up to four alternatives, and every assumption made on the way.

    Nothing is guessed: a card without a price on that day is no candidate, a price that may have crossed the budget
    is marked, and when nothing fits the answer says what would have to change.
    """
    day = day_of(needs.as_of, today)
    context = frame(needs, world, day)
    workload_class = world.performance_class(needs.workload, needs.mode)
    market = snapshot(world, day, workload_class, needs.mode)
    assumptions = list(_assumptions(needs, context, world))
    if needs.deployment != "cloud" and needs.form_factor == "laptop" and not _mac(needs):
        return laptop_picks(needs, context, world, workload_class, tuple(assumptions))
    if needs.deployment == "cloud":
        rent = rent_choice(needs, context, world, workload_class)
        if rent is not None:
            return Recommendation(
                (rent,), tuple(assumptions), day=day, workload_class=workload_class, target_gb=context.target_gb
            )
    pool = allowed(context, world, market.candidates)
    minimum = world.engine.needs_on(day).minimum
    fitting = [c for c in pool if c.memory_gb >= minimum and _meets(c, context.cards, context)]
    stated = max(minimum, needs.min_memory_gb or 0, needs.memory_need_gb or 0)
    if not fitting and context.required_gb > stated:
        # Large data or very large models ask for more than is sold: take the most there is.
        most = max((c.memory_gb for c in pool if c.memory_gb >= stated), default=0.0)
        fitting = [c for c in pool if c.memory_gb == most and most > 0]
    if _full_size_out_of_reach(fitting, context):
        # Pictures and videos: weights in 8 or 4 bit, and parts in system memory, make a smaller card do.
        smaller = replace(needs, memory_need_gb=None, model=None, mode=needs.mode or "inference")
        found = recommend(smaller, world, today)
        return replace(found, assumptions=(reason("assumed_quantised", need=context.required_gb), *found.assumptions))
    most_usd = context.most_for_pick
    if context.ceiling is not None and fitting:
        cheapest = min(c.usd for c in fitting) * context.cards
        if cheapest > context.ceiling * SOFT_EDGE:
            most_usd = cheapest * CEILING_STEP
            assumptions = [one for one in assumptions if one.code != "assumed_budget"]
            assumptions.append(
                reason(
                    "budget_raised",
                    **{"from": money_text(context.ceiling, context.currency, world)},
                    to=money_text(most_usd, context.currency, world),
                )
            )
    affordable = [c for c in fitting if most_usd is None or c.usd * context.cards <= most_usd]
    affordable = [c for c in affordable if c.gpu.name not in needs.owned or needs.multi_gpu or context.cards > 1]
    beyond = _beyond(fitting, most_usd, context)
    scored = [score(context, world, c, context.cards) for c in affordable]
    several = _several(pool, context, world, most_usd, minimum)
    if context.limit is not None and _many(needs):
        scored, several = scored + several, []
    if needs.cheapest:
        entry = min(context.target_gb, world.engine.needs_on(day).entry)
        enough = [s for s in scored if s.candidate.memory_gb >= entry] or scored
        enough.sort(key=lambda s: (s.usd, -s.score))
        rest = [s for s in scored if s not in enough]
        rest.sort(key=lambda s: -s.score)
        scored = enough + rest
    else:
        scored.sort(key=lambda s: (-s.score, s.usd, s.candidate.gpu.name))
        several.sort(key=lambda s: (-s.score, s.usd, s.candidate.gpu.name))
    scored.sort(key=lambda s: _second_choice(s, context))
    several.sort(key=lambda s: _second_choice(s, context))
    if scored and not context.required_gb and _second_choice(scored[0], context) >= AWKWARD:
        scored = []  # nobody who did not ask for it is sent to buy a fan and a duct
    if not scored and several:
        scored, several = several[:1], several[1:]
    if not scored and context.host and not needs.thrifty:
        found = recommend(replace(needs, thrifty=True), world, today)
        if found.best is not None and found.best.role != "rent":
            return found
    if not scored:
        return nothing_fits(needs, context, world, market, workload_class, tuple(assumptions))
    best = scored[0]
    dearer = [score(context, world, c, context.cards) for c in beyond]
    dearer.sort(key=lambda s: (_second_choice(s, context), -s.score, s.usd, s.candidate.gpu.name))
    picks = [choice("best", best, best, context, world, _only(scored, most_usd, context))]
    for role, option in alternatives(best, scored[1:], dearer, several, context, world, affordable):
        picks.append(choice(role, option, best, context, world, only=False))
    if len(picks) < MOST_PICKS and context.required_gb > world.engine.needs_on(day).large:
        rent = rent_choice(needs, context, world, workload_class)
        picks += [rent] if rent else []
    keep = keep_owned(needs, best, context, world, market)
    return Recommendation(
        picks=tuple(picks),
        assumptions=tuple(assumptions),
        rejected=_rejected(needs, context, world, market, best, picks),
        none_reason=keep,
        relaxation=None if keep else stretch(best, pool, context, world),
        ask_back=tuple(_ask_back(needs)),
        price_state=_price_state(picks, day, context, world),
        day=day,
        workload_class=workload_class,
        target_gb=context.target_gb,
    )


def why_not(gpu_name: str, needs: Needs, world: World, today: date) -> Reason | None:
    """Why that card is not what `recommend` picks first; None when it is the pick."""
    result = recommend(needs, world, today)
    gpu = world.catalogue.get(gpu_name)
    if gpu is None:
        return reason("not_in_catalogue")
    best = result.best
    if best is not None and best.gpu.name == gpu.name:
        return None
    day = day_of(needs.as_of, today)
    context = frame(needs, world, day)
    market = snapshot(world, day, world.performance_class(needs.workload, needs.mode), needs.mode)
    winner = None
    if best is not None:
        offers = [c for c in market.by_gpu.get(best.gpu.name, ()) if c.condition == best.condition]
        winner = score(context, world, offers[0], best.count) if offers else None
    return reason_against(gpu, context, world, market, winner)


def _full_size_out_of_reach(fitting: list[Candidate], context: Frame) -> bool:
    """Does a picture or video model at full size, as its makers publish it, cost more than there is?"""
    needs, most = context.needs, context.most_for_more
    if not needs.model or not needs.memory_need_gb or needs.min_memory_gb or most is None:
        return False
    if needs.workload not in ("image_gen", "video_gen") or needs.mode in ("training", "finetuning"):
        return False
    return not any(c.usd * context.cards <= most for c in fitting)


def _only(scored: list[Scored], most_usd: float | None, context: Frame) -> bool:
    """Is it the one card that meets the needs, not just the one below a sum that was raised to it?"""
    raised = context.limit is None and most_usd is not None and most_usd > (context.most_for_pick or most_usd)
    return len({s.candidate.gpu.name for s in scored}) == 1 and not raised


def _mac(needs: Needs) -> bool:
    """A MacBook for language models: answered with Apple's chips, which are the machine."""
    return needs.vendors == ("apple",) and needs.llm_inference


def _beyond(fitting: list[Candidate], most_usd: float | None, context: Frame) -> list[Candidate]:
    """Cards above a sum that was only assumed, within reach: for those to whom more speed or memory is worth it."""
    if context.limit is not None or most_usd is None or context.needs.cheapest:
        return []
    most = max(context.most_for_more or 0.0, most_usd)
    return [c for c in fitting if most_usd < c.usd * context.cards <= most and c.gpu.name not in context.needs.owned]


def _meets(candidate: Candidate, cards: int, context: Frame) -> bool:
    if not context.required_gb:
        return True
    return candidate.memory_gb * (cards if context.needs.shardable else 1) >= context.required_gb


def _many(needs: Needs) -> bool:
    """Are several cards what the person has in mind?"""
    server = needs.form_factor == "server" and needs.budget is not None
    return needs.count is None and (needs.multi_gpu or server)


def _second_choice(one: Scored, context: Frame) -> int:
    """0 for what may be the first pick; more for what is an alternative at most, whatever its score.

    Those are other makers' cards where none was asked for, and server cards without a fan in a desktop.
    """
    gpu = one.candidate.gpu
    awkward = context.at_home and gpu.cooler == "passive" and not context.literal
    return AWKWARD * awkward + (context.nvidia_first and gpu.vendor != "nvidia")


def _several(
    pool: list[Candidate], context: Frame, world: World, most_usd: float | None, minimum: float
) -> list[Scored]:
    """Purchases of two or four cards for work that can be split, where the number was left open."""
    needs, engine = context.needs, world.engine
    many = _many(needs)
    if needs.count is not None or not (needs.shardable or many) or (context.limit is None and not many):
        return []
    found: list[Scored] = []
    for cards in (2, 4):
        if cards > engine.cards_per_host or (cards > 2 and not many):
            continue
        most = most_usd
        if most is not None and context.host:  # a computer for more cards costs more
            most -= engine.grown(engine.host(cards) - engine.host(context.cards), context.day)
        for candidate in pool:
            if most is not None and candidate.usd * cards > most:
                break
            together = candidate.memory_gb * (cards if needs.shardable else 1)
            if candidate.memory_gb >= minimum and together >= context.required_gb:
                found.append(score(context, world, candidate, cards))
    return found


def _assumptions(needs: Needs, context: Frame, world: World) -> list[Reason]:
    found: list[Reason] = []
    if needs.as_of:
        found.append(reason("assumed_as_of", date=needs.as_of))
    if not needs.workloads:
        found.append(reason("assumed_workload", workload="general"))
    budget = needs.budget
    if budget is None or (budget.max is None and budget.min is None):
        if context.ceiling is not None:
            found.append(
                reason(
                    "assumed_budget",
                    budget=money_text(context.ceiling, context.currency, world), level=needs.level or "",
                )
            )  # fmt: skip
    elif context.limit is None:
        found.append(reason("unknown_currency", currency=context.currency))
    elif budget.currency is None and needs.currency is None:
        found.append(reason("assumed_usd"))
    elif context.currency != "USD":
        rate = world.rates.rate(context.currency)
        if rate is not None:
            found.append(reason("converted", **{"from": context.currency}, to="USD", as_of=rate.as_of))
    if context.host:
        found.append(reason("assumed_host", price=money_text(context.host, context.currency, world)))
    if needs.condition is None:
        found.append(reason("assumed_new_or_used"))
    if not needs.vendors and "nvidia" not in needs.not_vendors:
        found.append(reason("assumed_nvidia"))
    if not context.required_gb:
        found.append(reason("assumed_memory", memory=context.target_gb, workload=needs.workload))
    return found


def _ask_back(needs: Needs) -> list[Reason]:
    """Only questions whose answer would flip the pick: money and work, where neither is known."""
    unknown = needs.budget is None and needs.level is None and not needs.cheapest and not needs.fastest
    found: list[Reason] = []
    if unknown and not needs.min_memory_gb and not needs.memory_need_gb and needs.deployment is None:
        found.append(reason("ask_budget"))
        if not needs.workloads:
            found.append(reason("ask_workload"))
    return found


def _rejected(
    needs: Needs, context: Frame, world: World, market: Snapshot, best: Scored, picks: list[Choice]
) -> dict[str, Reason]:
    """Reasons against the cards asked about, and against well-known faster ones near a stated budget."""
    picked = {pick.gpu.name for pick in picks}
    found: dict[str, Reason] = {}
    for name in needs.considered:
        gpu = world.catalogue.get(name)
        if gpu is not None and gpu.name != best.candidate.gpu.name:
            listed = gpu.name in picked
            found[gpu.name] = reason("also_good") if listed else reason_against(gpu, context, world, market, best)
    if context.limit is not None:
        popular = [o[0] for name in world.engine.popular if (o := market.by_gpu.get(name)) and name not in picked]
        popular = [c for c in popular if c.memory_gb >= context.required_gb * 0.5]
        near = [c for c in popular if c.usd * context.cards <= context.limit * NEAR and c.speed > best.candidate.speed]
        near.sort(key=lambda c: abs(c.usd * context.cards - (context.limit or 0.0)))
        for candidate in near:
            name = candidate.gpu.name
            if len(found) >= NEAR_MISSES:
                break
            if name in found or name in needs.owned or unfit(candidate.gpu, needs, world, 1) is not None:
                continue
            against = reason_against(candidate.gpu, context, world, market, best)
            small = against.code == "too_little_memory"
            if not (small and (needs.min_memory_gb or any(one.code == against.code for one in found.values()))):
                found[name] = against
    return found


def _price_state(picks: list[Choice], day: date, context: Frame, world: World) -> PriceState:
    points = [pick.point for pick in picks if pick.point is not None]
    if not points:
        return PriceState()
    dated = sorted(points, key=lambda point: first_day(point.as_of))
    rate = world.rates.rate(context.currency) if context.currency != "USD" else None
    return PriceState(
        oldest=dated[0].as_of,
        newest=dated[-1].as_of,
        age=PriceBook.age(dated[0], day),
        launch_prices=any(point.kind == "msrp" for point in points),
        rates_as_of=rate.as_of if rate else "",
    )
