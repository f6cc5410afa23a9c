"""What to buy, told: the pick in the title, alternatives with reasons, what was assumed, why not the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.advice.choice import Choice, Recommendation
from bot.advice.reasons import Reason
from bot.advice.world import World
from bot.answers.blocks import Bars, Pick, Picks, PriceTag
from bot.answers.draft import Draft, price_tag
from bot.answers.labels import LABELS
from bot.answers.numbers import money_text
from bot.request import Money

MAX_REJECTED = 3
_SIZES = (12, 16, 24, 32, 48, 96)
"""Memory sizes that cards are sold with."""
CLOSE_VALUES = 0.03
"""Bars that differ by less show nothing."""
_ONCE = frozenset(
    (
        "used_no_warranty", "price_old", "laptop_no_price", "laptop_chip_weaker", "egpu_enclosure",
        "blower_for_several", "memory_not_pooled", "no_nvlink", "rocm_needed", "xpu_needed", "metal_needed",
        "weak_fp64", "price_msrp", "passive_cooler",
    )
)  # fmt: skip
"""Warnings that hold for many cards alike: one pick of an answer carries them."""
_OF_THE_MARKET = frozenset(("assumed_new_or_used", "assumed_budget", "assumed_nvidia"))
"""Assumptions that only matter to a purchase."""
SayReason = Callable[[Reason], str]


def recommend(draft: Draft, found: Recommendation, world: World, say: SayReason) -> None:
    """Fill the draft from the engine's result."""
    picks = tuple(make_pick(draft, choice, world, say) for choice in _said_once(found))
    draft.title = _title(draft, found, picks, say)
    stale = _stale(draft, found)
    if stale:
        draft.note(stale, "warning")
    if picks:
        draft.blocks.append(Picks(picks))
        _bars(draft, picks)
    if found.none_reason is not None and picks and found.none_reason.code != "keep_owned":
        draft.note(say(found.none_reason))
    for kept in (one for one in found.assumptions if one.code == "assumed_host"):
        draft.note(say(kept))
    if found.relaxation is not None:
        draft.note(say(found.relaxation))
    named = {found.relaxation.param("gpu")} if found.relaxation is not None else set()
    rejected = [(name, reason) for name, reason in found.rejected.items() if name not in named]
    if "why_not" in draft.request.asks and (draft.request.inherited or draft.request.budget):
        rejected = [(name, reason) for name, reason in rejected if reason.code != "also_good"]  # the title tells it
    for name, reason in rejected[:MAX_REJECTED]:
        draft.note(draft.say("rejected", gpu=name, reason=say(reason)))
    for assumption in found.assumptions:
        if assumption.code == "assumed_host" or (assumption.code in _OF_THE_MARKET and _no_purchase(found)):
            continue
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
        offer = next((o for o in world.cloud.of(choice.gpu.name) if o.kind != "marketplace"), None)
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
        if found.none_reason is None:
            return draft.say("not_known")
        text = say(found.none_reason)
        return text[:1].upper() + text[1:] + ("." if draft.request.language == "en" else "。")
    best = picks[0]
    labels = LABELS[draft.request.language]
    name = _named(best, found.picks[0].gpu.memory_gb, draft.request.language == "en")
    if best.role == "rent":
        price = money_text(best.total) if best.total is not None else ""
        return draft.say("pick.rent", gpu=name, price=price, date=best.price.as_of if best.price else "")
    condition = labels.conditions[best.condition]
    if best.price is None:
        return draft.say("pick.laptop" if found.picks[0].gpu.segment == "laptop" else "pick.no_price", gpu=name)
    if best.price.from_ebay:
        return draft.say("pick.ebay", gpu=name, condition=condition)
    price = money_text(best.total or Money(best.price.money.amount * best.count, best.price.money.currency))
    if found.picks[0].gpu.vendor == "apple":
        most = f"{best.memory_gb:g} GB"
        return draft.say("pick.from", gpu=best.gpu, memory=most, price=price, date=best.price.as_of)
    key = "pick.check" if best.check_price_first else "pick"
    return draft.say(key, gpu=name, condition=condition, price=price, date=best.price.as_of)


def _named(pick: Pick, each_gb: float, english: bool) -> str:
    """ "RTX 3090 (24 GB)", "RTX 5060 Ti 16GB", "2x RTX 3090 (48 GB together)"."""
    if pick.count > 1:
        together = pick.memory_gb > each_gb
        ending = ("GB together" if together else "GB each") if english else "GB"
        before = "" if english else "共 " if together else "每张 "
        memory = f"{before}{pick.memory_gb:g} {ending}"
    elif f"{pick.memory_gb:g}GB" in pick.gpu:
        return pick.gpu
    else:
        memory = f"{pick.memory_gb:g} GB"
    name = f"{pick.count}x {pick.gpu}" if pick.count > 1 else pick.gpu
    return f"{name} ({memory})" if english else f"{name}（{memory}）"


def _said_once(found: Recommendation) -> list[Choice]:
    """The choices without the remarks that the answer already makes: of an earlier pick, or at the top."""
    said = {"laptop_no_price"}  # the title says it
    if found.price_state.age in ("old", "historic"):
        said.add("price_old")
    kept: list[Choice] = []
    for choice in found.picks:
        warnings = tuple(warning for warning in choice.warnings if warning.code not in said)
        said |= {warning.code for warning in warnings if warning.code in _ONCE}
        kept.append(replace(choice, warnings=warnings))
    return kept


def _no_purchase(found: Recommendation) -> bool:
    return all(choice.role == "rent" or choice.point is None for choice in found.picks)


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
    top, low = (pick(one.perf_per_dollar or 0.0 for one in known) for pick in (max, min))
    if low >= top * (1 - CLOSE_VALUES):
        return
    items = []
    for pick in known:
        name = (f"{pick.count}x " if pick.count > 1 else "") + pick.gpu
        if sum(one.gpu == pick.gpu for one in known) > 1:
            name += f" ({LABELS[draft.request.language].conditions[pick.condition]})"
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
    size = next((size for size in _SIZES if picks and size > picks[0].memory_gb), None)
    if size is not None:
        larger = f"and with at least {size} GB?" if english else draft.local(f"那至少{size}GB显存的呢？")
        draft.suggest(draft.say("suggest.memory"), larger)
