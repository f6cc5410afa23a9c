"""What to buy, told: the pick in the title, alternatives with reasons, what was assumed, why not the others."""

from __future__ import annotations

from collections.abc import Callable

from bot.advice.choice import Choice, Recommendation
from bot.advice.reasons import Reason
from bot.advice.world import World
from bot.answers.blocks import Bars, Pick, Picks, PriceTag
from bot.answers.draft import Draft, price_tag
from bot.answers.labels import LABELS
from bot.answers.numbers import money_text
from bot.request import Money

MAX_REJECTED = 3
SayReason = Callable[[Reason], str]


def recommend(draft: Draft, found: Recommendation, world: World, say: SayReason) -> None:
    """Fill the draft from the engine's result."""
    picks = tuple(make_pick(draft, choice, world, say) for choice in found.picks)
    draft.title = _title(draft, found, picks, say)
    stale = _stale(draft, found)
    if stale:
        draft.note(stale, "warning")
    if picks:
        draft.blocks.append(Picks(picks))
        _bars(draft, picks)
    if found.none_reason is not None and picks:
        draft.note(say(found.none_reason))
    if found.relaxation is not None:
        draft.note(say(found.relaxation))
    for name, reason in list(found.rejected.items())[:MAX_REJECTED]:
        draft.note(draft.say("rejected", gpu=name, reason=say(reason)))
    for assumption in found.assumptions:
        draft.note(say(assumption), "assumption")
    for ask in found.ask_back:
        draft.note(say(ask))
    draft.gpu_sources(*(choice.gpu for choice in found.picks[:2]))
    if found.price_state.rates_as_of:
        draft.source(draft.say("source.rates"), "", found.price_state.rates_as_of)
    _follow_ups(draft, picks)
    if not picks:
        draft.confidence = 0.7
    elif picks[0].price is None or picks[0].check_price_first:
        draft.confidence = 0.75


def make_pick(draft: Draft, choice: Choice, world: World, say: SayReason) -> Pick:
    """A choice as shown: price with its age, reasons and warnings as sentences."""
    tag: PriceTag | None = None
    if choice.point is not None and choice.unit is not None:
        currency = choice.unit.currency
        tag = price_tag(draft, choice.point, draft.question.today, lambda money: world.rates.convert(money, currency))
    elif choice.role == "rent" and choice.unit is not None and world.cloud is not None:
        offer = world.cloud.typical(choice.gpu.name)
        if offer is not None:
            tag = PriceTag(
                choice.unit,
                "new",
                offer.as_of,
                offer.source,
                "street",
                "days",
                draft.say("age.fresh", date=offer.as_of),
            )
            draft.source(offer.source, "", offer.as_of)
    return Pick(
        gpu=choice.gpu.name,
        role=choice.role,
        count=choice.count,
        condition=choice.condition,
        price=tag,
        total=choice.total,
        memory_gb=choice.memory_gb or choice.gpu.memory_gb,
        bandwidth_gbs=choice.gpu.bandwidth_gbs,
        relative_speed=choice.speed,
        speed_basis=choice.speed_basis,
        perf_per_dollar=choice.perf_per_dollar,
        check_price_first=choice.check_price_first,
        reasons=tuple(say(reason) for reason in choice.reasons),
        warnings=tuple(say(warning) for warning in choice.warnings),
    )


def _title(draft: Draft, found: Recommendation, picks: tuple[Pick, ...], say: SayReason) -> str:
    if not picks or (found.none_reason is not None and found.none_reason.code == "keep_owned"):
        return say(found.none_reason) if found.none_reason else draft.say("not_known")
    best = picks[0]
    labels = LABELS[draft.request.language]
    name = (f"{best.count}x " if best.count > 1 else "") + best.gpu
    if best.role == "rent":
        return draft.say("pick.rent", gpu=name, memory=f"{best.memory_gb:g} GB")
    condition = labels.conditions[best.condition]
    if best.price is None:
        return draft.say("pick.no_price", gpu=name, memory=f"{best.memory_gb:g} GB")
    price = money_text(best.total or Money(best.price.money.amount * best.count, best.price.money.currency))
    key = "pick.check" if best.check_price_first else "pick"
    return draft.say(
        key, gpu=name, memory=f"{best.memory_gb:g} GB", condition=condition, price=price, date=best.price.as_of
    )


def _stale(draft: Draft, found: Recommendation) -> str:
    state = found.price_state
    if state.age == "historic" and state.oldest:
        return draft.say("prices.historic", oldest=state.oldest)
    if state.age == "old" and state.oldest:
        return draft.say("prices.old", oldest=state.oldest)
    return ""


def _bars(draft: Draft, picks: tuple[Pick, ...]) -> None:
    """Performance per dollar, where at least two purchases can be compared."""
    known = [pick for pick in picks if pick.perf_per_dollar and pick.role != "rent"]
    if len(known) < 2:
        return
    top = max(pick.perf_per_dollar or 0.0 for pick in known)
    items = []
    for pick in known:
        name = (f"{pick.count}x " if pick.count > 1 else "") + pick.gpu
        value = (pick.perf_per_dollar or 0.0) / top
        items.append((name, value, f"{value:.0%}"))
    draft.blocks.append(Bars(draft.say("bars.value"), tuple(items)))


def _follow_ups(draft: Draft, picks: tuple[Pick, ...]) -> None:
    english = draft.request.language == "en"
    if len(picks) > 1 and picks[0].gpu != picks[1].gpu:
        first, second = picks[0].gpu, picks[1].gpu
        draft.suggest(
            draft.say("suggest.compare"),
            f"{first} vs {second}?" if english else draft.local(f"{first}和{second}怎么选？"),
        )
    if draft.request.condition != "used":
        draft.suggest(draft.say("suggest.used"), "used too?" if english else draft.local("二手也可以呢？"))
    draft.suggest(draft.say("suggest.cheaper"), "something cheaper?" if english else draft.local("有更便宜的吗？"))
    draft.suggest(draft.say("suggest.memory"), "with more memory?" if english else draft.local("显存更大的呢？"))
