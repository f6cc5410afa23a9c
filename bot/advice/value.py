"""Weighing: what a card is worth to these needs, and what it costs with its share of the computer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from bot.advice.candidates import Candidate, unfit
from bot.advice.needs import Needs
from bot.advice.world import World
from bot.request import Money

SOFT_EDGE = 1.1
"""A budget that was only assumed may be passed by a tenth by the first pick ..."""
ASSUMED_REACH = 1.5
"""... and by half by what is faster or larger."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The needs turned into figures of that day. Money in US dollars; `limit` is for all cards together."""

    needs: Needs
    day: date
    cards: int
    target_gb: float
    """Memory that is comfortable for this work on that day."""
    required_gb: float
    """Memory below which a card is out; 0: none."""
    by_size: bool
    """The requirement stems from large data or models, not from a stated size."""
    tier: str
    limit: float | None
    """The budget. One said roughly ("about 800") is kept as well; `stretch` says what a little more buys."""
    ceiling: float | None
    """The sensible sum taken where no budget is stated."""
    beside: float
    weight: float
    host: float
    currency: str
    llm: bool
    at_home: bool
    nvidia_first: bool
    """No maker was asked for: others are alternatives at most."""
    other_vendors: bool
    """Cards of other makers may be shown at all."""

    @property
    def literal(self) -> bool:
        """The lowest price for so much memory is asked for, and nothing else: then server cards count as well."""
        return self.needs.cheapest and self.required_gb > 0 and not self.needs.workloads

    @property
    def most(self) -> float | None:
        return self.limit if self.limit is not None else self.ceiling

    @property
    def most_for_pick(self) -> float | None:
        """What the first pick may cost: a stated budget is kept, an assumed one is no sharp edge."""
        return self.limit if self.limit is not None else self.ceiling and self.ceiling * SOFT_EDGE

    @property
    def most_for_more(self) -> float | None:
        """What an alternative that is faster or larger may cost."""
        return self.limit if self.limit is not None else self.ceiling and self.ceiling * ASSUMED_REACH


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate bought `cards` times, with its score; higher is better."""

    score: float
    candidate: Candidate
    cards: int
    memory_gb: float
    """Memory that counts for one job."""

    @property
    def usd(self) -> float:
        return self.candidate.usd * self.cards


def frame(needs: Needs, world: World, day: date) -> Frame:
    """The needs as figures: memory target and requirement, what may be spent, how strongly price counts."""
    engine = world.engine
    era = engine.needs_on(day)
    tier = engine.tier_of(needs.workloads, needs.mode, needs.level)
    hard = 0.0
    if needs.model_size == "very_large":
        tier, hard = "huge", era.huge
    elif needs.large_data and (not needs.workloads or set(needs.workloads) & engine.hungry):
        tier, hard = "large", era.large
    required = max(needs.min_memory_gb or 0.0, needs.memory_need_gb or 0.0)
    target = max(required, era.tier(tier))
    if needs.memory_need_gb:
        # Running one named model asks for that model, with room; who trains wants the usual room as well.
        trains = needs.mode in ("training", "finetuning")
        usual = min(era.tier(tier), era.comfortable) if trains else era.entry
        target = max(required, needs.memory_need_gb * 1.1, usual)
    if needs.keep_years and not needs.min_memory_gb:
        target *= (1 + engine.needs_growth) ** min(needs.keep_years, 8.0)
    cards = needs.cards
    level = needs.level or ("kaggle" if needs.workload == "kaggle" else "none")
    place = "datacenter" if needs.deployment == "datacenter" else "value" if needs.value and level == "none" else level
    free = not needs.vendors and "nvidia" not in needs.not_vendors
    fastest = needs.fastest and not needs.value  # "best performance per price" asks for value
    limit, host = _limit(needs, world, day, cards)
    ceiling = None
    if limit is None and not (fastest or needs.deployment == "datacenter"):
        ceiling = engine.grown(engine.ceiling[level], day) * cards
    if fastest:
        weight = engine.weight_fastest
    elif needs.value or needs.cheapest or limit is None:
        weight = engine.weight_value
    else:
        weight = engine.weight_budget
    return Frame(
        needs=needs, day=day, cards=cards, target_gb=target, required_gb=max(required, hard), by_size=hard > required,
        tier=tier, limit=limit,
        ceiling=ceiling, beside=engine.grown(engine.beside[place], day), weight=weight, host=host,
        currency=(needs.budget.currency if needs.budget and needs.budget.currency else needs.currency) or "USD",
        llm=needs.llm_inference,
        at_home=needs.form_factor != "server" and needs.deployment is None,
        nvidia_first=free,
        other_vendors=(
            not free or needs.llm_inference or "gaming" in needs.workloads or (needs.cheapest and not needs.workloads)
        ),
    )  # fmt: skip


def _limit(needs: Needs, world: World, day: date, cards: int) -> tuple[float | None, float]:
    """(limit in dollars for all cards, what of the budget is kept for the computer)."""
    budget = needs.budget
    if budget is None or (budget.max is None and budget.min is None):
        return None, 0.0
    amount = budget.max if budget.max is not None else budget.min or 0.0
    currency = budget.currency or needs.currency or "USD"
    if not world.rates.knows(currency):
        return None, 0.0
    amount = world.rates.convert(Money(amount, currency), "USD").amount
    host = (
        world.engine.grown(world.engine.host(cards), day)
        if budget.scope == "system" and needs.form_factor != "laptop"
        else 0.0
    )
    host *= 0.5 if needs.thrifty else 1.0
    each = cards if budget.covers == 1 else 1  # said of one card, spent on all
    stated = max(0.0, amount * each - host)
    return stated, host


def allowed(frame: Frame, world: World, candidates: tuple[Candidate, ...]) -> list[Candidate]:
    """Candidates that nothing but price and memory can speak against."""
    needs = frame.needs
    wanted = needs.condition or ("new" if needs.deployment == "datacenter" else None)
    # Server cards without a fan, and cards whose software runs out: for plain language models, for servers, and for
    # who wants the lowest price for so much memory and says no more.
    literal = frame.literal
    fanless = literal or not frame.at_home or (frame.llm and (wanted in ("used", "any") or needs.cheapest))
    fading = literal or frame.llm
    others = frame.other_vendors
    verdicts: dict[str, bool] = {}
    kept: list[Candidate] = []
    for candidate in candidates:
        if wanted in ("new", "used") and candidate.condition != wanted and candidate.point.condition != "any":
            continue
        if (not fanless and candidate.gpu.cooler == "passive") or (not others and candidate.gpu.vendor != "nvidia"):
            continue
        if not fading and candidate.software in ("ending", "dropped"):
            continue
        name = candidate.gpu.name
        fits = verdicts.get(name)
        if fits is None:
            fits = verdicts[name] = unfit(candidate.gpu, needs, world, frame.cards) is None
        if fits:
            kept.append(candidate)
    return kept


def score(frame: Frame, world: World, candidate: Candidate, cards: int) -> Scored:
    """Worth of `cards` of a candidate per money to the power of the frame's weight."""
    engine = world.engine
    needs = frame.needs
    memory = candidate.memory_gb if frame.llm else candidate.counted_memory_gb
    if cards > 1 and needs.shardable:
        memory *= cards
    worth = candidate.worth_llm if frame.llm else candidate.worth
    vendors = engine.vendor_llm if frame.llm else engine.vendor_other
    worth *= vendors.get(candidate.gpu.vendor, vendors["other"])
    if candidate.condition == "used" and needs.condition is None and not needs.cheapest:
        worth *= engine.used_factor
    if frame.at_home and candidate.gpu.cooler == "passive":
        worth *= engine.passive_at_home
    if cards > 1 and not frame.llm:
        worth *= (cards * engine.scaling_in_one_pc) ** engine.speed_exponent
    share = memory / frame.target_gb
    if share < 1:
        worth *= share**engine.shortfall_exponent
    else:
        worth *= min(share, engine.surplus_cap) ** engine.surplus_exponent
    if frame.weight:
        worth /= (candidate.usd * cards + frame.beside) ** frame.weight
    real = candidate.memory_gb * (cards if needs.shardable else 1)
    return Scored(worth, candidate, cards, real)


def dominated(one: Candidate, by: Candidate) -> bool:
    """Is `by` no dearer, no slower and no smaller, and better in one of these, in a condition no worse?"""
    return (
        by.gpu.name != one.gpu.name
        and by.usd <= one.usd * 1.02
        and by.speed >= one.speed
        and by.memory_gb >= one.memory_gb
        and (by.speed > one.speed * 1.01 or by.memory_gb > one.memory_gb or by.usd < one.usd * 0.9)
        and (by.condition == "new" or one.condition == "used")
        and (by.gpu.vendor == one.gpu.vendor or by.gpu.vendor == "nvidia")
        and (by.gpu.cooler != "passive" or one.gpu.cooler == "passive")
    )
