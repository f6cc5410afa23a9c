"""When buying is not the answer: rent, keep the card, or the nearest change that would give a pick."""

from __future__ import annotations

from dataclasses import replace

from bot.advice.candidates import Candidate, Snapshot, software_state
from bot.advice.choice import Choice, Recommendation
from bot.advice.needs import Needs
from bot.advice.reasons import Reason, reason
from bot.advice.value import Frame, Scored, allowed, score
from bot.advice.why_not import money_text
from bot.advice.world import Speed, World
from bot.hardware.gpu import Gpu
from bot.market.cloud import CloudPrice
from bot.market.money import money_text as money_written
from bot.request import Money

STRETCH, MUCH_MORE = 1.35, 1.4
"""A third more money is worth mentioning when it buys so much more."""
NO_LONGER_RENTED = frozenset(("Turing", "Turing GTX 16"))
"""Still offered here and there, but slow and without BF16: nobody should be sent to them for a new project."""
SPLIT_FACTOR = 0.5
"""One large GPU is much simpler to rent than several small ones."""
WORTH_UPGRADING = 1.4
"""A new card must be so much faster than the one that is owned, unless it brings needed memory."""


def nothing_fits(
    needs: Needs, context: Frame, world: World, market: Snapshot, workload_class: str, assumptions: tuple[Reason, ...]
) -> Recommendation:
    """No purchase meets the needs: why, what would change that, and what renting costs."""
    minimum = max(context.required_gb, world.engine.needs_on(context.day).minimum)
    pool = allowed(context, world, market.candidates)
    sharing = context.cards if needs.shardable else 1
    holding = [c for c in pool if c.memory_gb * sharing >= minimum]
    if any(c.gpu.vendor == "nvidia" for c in holding):
        holding = [c for c in holding if c.gpu.vendor == "nvidia"]
    none: Reason
    if holding and context.limit is not None:
        cheapest = min(holding, key=lambda c: c.usd)
        none = reason(
            "none_affordable",
            gpu=_counted(cheapest, context), price=_text(cheapest, context, world),
            budget=money_text(context.limit or 0, context.currency, world),
        )  # fmt: skip
    elif pool and not holding and context.required_gb:
        none = reason("none_fits_memory", memory=context.required_gb)
    else:
        none = reason("none_known")
    rent = rent_choice(needs, context, world, workload_class)
    return Recommendation(
        picks=(rent,) if rent else (), assumptions=assumptions, none_reason=none,
        relaxation=_relaxation(needs, context, world, market, minimum, holding), day=context.day,
        workload_class=workload_class, target_gb=context.target_gb,
    )  # fmt: skip


def _relaxation(
    needs: Needs, context: Frame, world: World, market: Snapshot, minimum: float, holding: list[Candidate]
) -> Reason | None:
    limit = context.limit

    def cheapest(changed: Needs, least: float) -> Candidate | None:
        options = [
            c
            for c in allowed(replace(context, needs=changed), world, market.candidates)
            if c.memory_gb >= least and (limit is None or c.usd * context.cards <= limit)
        ]
        return min(options, key=lambda c: c.usd, default=None)

    if needs.condition == "new" and (found := cheapest(replace(needs, condition="any"), minimum)):
        return reason("relax_used", gpu=found.gpu.name, price=_text(found, context, world))
    if (needs.vendors or needs.not_vendors) and (
        found := cheapest(replace(needs, vendors=(), not_vendors=()), minimum)
    ):
        return reason("relax_vendor", gpu=found.gpu.name, vendor=found.gpu.vendor, price=_text(found, context, world))
    if holding and limit is not None:
        found = min(holding, key=lambda c: c.usd)
        extra = found.usd * context.cards - limit
        return reason(
            "relax_budget",
            gpu=_counted(found, context), price=_text(found, context, world),
            extra=money_text(extra, context.currency, world),
        )  # fmt: skip
    least = world.engine.needs_on(context.day).minimum
    smaller = [
        c for c in allowed(context, world, market.candidates)
        if c.memory_gb >= least and (limit is None or c.usd * context.cards <= limit)
    ]  # fmt: skip
    if smaller:
        found = max(smaller, key=lambda c: (c.memory_gb, -c.usd))
        return reason("relax_memory", gpu=found.gpu.name, memory=found.memory_gb, price=_text(found, context, world))
    return None


def _counted(candidate: Candidate, context: Frame) -> str:
    return f"{context.cards}x {candidate.gpu.name}" if context.cards > 1 else candidate.gpu.name


def _text(candidate: Candidate, context: Frame, world: World) -> str:
    return money_text(candidate.usd * context.cards, context.currency, world)


def rent_choice(needs: Needs, context: Frame, world: World, workload_class: str) -> Choice | None:
    """The GPU of a GPU cloud whose hour costs least for its speed, among those that hold the work.

    Market places, where strangers rent out their machines, are only named beside it. None where no price is known.
    """
    if world.cloud is None:
        return None
    least = context.required_gb or context.target_gb
    best: tuple[float, Choice] | None = None
    for name in world.cloud.gpus:
        gpu = world.catalogue.get(name)
        offers = world.cloud.of(name)
        price = next((offer for offer in offers if offer.kind != "marketplace"), None)
        if price is None or gpu is None or gpu.name in needs.excluded or gpu.vendor in needs.not_vendors:
            continue
        if gpu.vendor != "nvidia" and not (needs.vendors and gpu.vendor in needs.vendors):
            continue
        if gpu.name in world.engine.hard_to_rent:
            continue
        if software_state(gpu, context.day) in ("ending", "dropped") or gpu.architecture.name in NO_LONGER_RENTED:
            continue
        cards = 1
        if gpu.memory_gb < least:
            if not needs.shardable or gpu.memory_gb * 8 < least:
                continue
            cards = next(n for n in (2, 4, 8) if gpu.memory_gb * n >= least)
        speed = world.speed_of(gpu, workload_class, needs.mode)
        if speed is None or (price.as_of and price.as_of > context.day.isoformat()):
            continue
        score = speed.value**world.engine.speed_exponent / (price.usd_per_hour * cards)
        if cards > 1:
            score *= SPLIT_FACTOR
        if best is None or score > best[0]:
            best = score, _rented(gpu, cards, price, offers, speed, context, world)
    return best[1] if best else None


def _rented(
    gpu: Gpu, cards: int, price: CloudPrice, offers: tuple[CloudPrice, ...], speed: Speed, context: Frame, world: World
) -> Choice:
    currency = context.currency if world.rates.knows(context.currency) else "USD"
    unit = world.rates.convert(Money(price.usd_per_hour, "USD"), currency)
    reasons = [reason("rent_instead", gpu=gpu.name, price=money_written(unit), as_of=price.as_of)]
    cheaper = next((offer for offer in offers if offer.kind == "marketplace"), None)
    warnings = []
    if cheaper is not None and cheaper.usd_per_hour < price.usd_per_hour * 0.9:
        shown = money_written(world.rates.convert(Money(cheaper.usd_per_hour, "USD"), currency))
        warnings.append(reason("rent_strangers", gpu=gpu.name, price=shown))
    return Choice(
        gpu, "rent", cards, "new", None, unit, Money(unit.amount * cards, currency), gpu.memory_gb * cards,
        speed.value, str(speed.basis), reasons=tuple(reasons), warnings=tuple(warnings),
    )  # fmt: skip


def keep_owned(needs: Needs, best: Scored, context: Frame, world: World, market: Snapshot) -> Reason | None:
    """A reason to keep the card that is owned, when no affordable one is clearly better; else None."""
    for name in needs.owned:
        gpu = world.catalogue.get(name)
        if gpu is None or gpu.segment in ("laptop", "cloud"):
            continue
        enough = gpu.memory_gb >= max(context.required_gb, 0) and (
            gpu.memory_gb >= context.target_gb or gpu.memory_gb >= best.memory_gb
        )
        speed = world.speed_of(gpu, world.performance_class(needs.workload, needs.mode), needs.mode)
        if enough and speed is not None and best.candidate.speed < speed.value * WORTH_UPGRADING:
            return reason("keep_owned", gpu=gpu.name)
    return None


def stretch(best: Scored, pool: list[Candidate], context: Frame, world: World) -> Reason | None:
    """A little more money that would buy much more: the nearest such card above a stated budget, or None."""
    limit = context.limit
    if limit is None or context.needs.cheapest or best.cards != context.cards:
        return None
    for candidate in pool:
        total = candidate.usd * context.cards
        if total > limit * STRETCH:
            break
        if (
            total <= limit
            or candidate.gpu.name in context.needs.owned
            or candidate.memory_gb < context.required_gb
            or candidate.gpu.vendor != best.candidate.gpu.vendor
        ):
            continue
        if score(context, world, candidate, context.cards).score > best.score * MUCH_MORE:
            return reason(
                "relax_budget",
                gpu=candidate.gpu.name, price=_text(candidate, context, world),
                extra=money_text(total - limit, context.currency, world),
            )  # fmt: skip
    return None
