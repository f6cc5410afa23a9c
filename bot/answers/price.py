"""What cards cost: every point with condition, date, source; an asking price is judged against them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from bot.advice.world import World
from bot.answers.blocks import PriceTag, Table
from bot.answers.draft import Draft, price_tag
from bot.answers.figures import headline_figures
from bot.answers.labels import LABELS
from bot.answers.numbers import money_text
from bot.hardware.gpu import Gpu
from bot.market.book import PriceBook
from bot.market.points import PricePoint
from bot.request import GpuMention, Money

MAX_CARDS = 4
GOOD_BELOW, HIGH_ABOVE = 0.9, 1.15
"""An asking price under 0.9 of the recorded one is good, over 1.15 high. Owner's judgement: prices of one card spread
by about that much within a week."""


def price(draft: Draft, world: World, mentions: Sequence[tuple[GpuMention, Gpu]], currency: str) -> None:
    """Title: the first card's prices, or what to think of the price asked for it."""
    today = draft.question.today
    wanted = draft.request.condition
    rows: list[tuple[str, ...]] = []
    titles: list[str] = []
    for mention, gpu in mentions[:MAX_CARDS]:
        tags = [
            price_tag(draft, point, today, lambda money: world.rates.convert(money, currency))
            for point in known_points(world.book, gpu.name, draft)
            if wanted in (None, "any") or point.condition in (wanted, "any")
        ]
        apart = any(tag.from_ebay for tag in tags)
        tags = [tag for tag in tags if not tag.from_ebay]
        titles.append(_title(draft, gpu, tags, apart))
        rows += [_row(draft, gpu, tag) for tag in tags]
        _judge(draft, world, mention, gpu, currency, titles)
        _rental(draft, world, gpu, currency)
        draft.gpu_sources(gpu)
    draft.title = " ".join(titles[:2])
    if len(rows) > 1:
        labels = LABELS[draft.request.language]
        draft.blocks.append(Table((labels.columns[1], labels.columns[4], ""), tuple(rows)))
    for _, gpu in mentions[:MAX_CARDS]:
        draft.note(draft.say("spec.title", gpu=gpu.name, figures=headline_figures(gpu)))
    if rows or draft.ebay_rows:
        draft.note(draft.say("price.moves"), "warning")
    else:
        draft.confidence = 0.5


def known_points(book: PriceBook, gpu: str, draft: Draft) -> list[PricePoint]:
    """The newest used and the newest new point (a launch price where no offer is known); then the same of eBay's."""
    today = draft.question.today
    conditions: tuple[Literal["used", "new"], ...] = ("used", "new")
    found = [book.best(gpu, one, today, from_ebay=ebay) for ebay in (False, True) for one in conditions]
    return list(dict.fromkeys(point for point in found if point is not None))


def _title(draft: Draft, gpu: Gpu, tags: Sequence[PriceTag], on_ebay: bool) -> str:
    launch = gpu.launch_price_usd
    if on_ebay and not tags:
        return draft.say("price.ebay.only", gpu=gpu.name)
    if launch and (not tags or "msrp" in draft.request.asks):
        mark = "~" if "launch_price_usd" in gpu.marks else ""
        text = draft.say(
            "price.launch", gpu=gpu.name, price=f"{money_text(Money(launch, 'USD'))}{mark}", date=gpu.released
        )
        if not tags:
            return text + draft.say("price.launch.only")
        return text + " " + draft.say("price.title", gpu=gpu.name, shown="; ".join(_shown(draft, tag) for tag in tags))
    if not tags:
        return draft.say("price.none", gpu=gpu.name)
    return draft.say("price.title", gpu=gpu.name, shown="; ".join(_shown(draft, tag) for tag in tags))


def _shown(draft: Draft, tag: PriceTag) -> str:
    if tag.kind == "msrp":
        return draft.say("price.msrp", price=money_text(tag.money), date=tag.as_of)
    return draft.say("price.point", condition=_condition(draft, tag), price=money_text(tag.money), age=tag.age_text)


def _condition(draft: Draft, tag: PriceTag) -> str:
    return LABELS[draft.request.language].conditions[tag.condition]


def _row(draft: Draft, gpu: Gpu, tag: PriceTag) -> tuple[str, ...]:
    return (f"{gpu.name}, {_condition(draft, tag)}", money_text(tag.money), tag.age_text)


def _judge(draft: Draft, world: World, mention: GpuMention, gpu: Gpu, currency: str, titles: list[str]) -> None:
    """An asking price gets its verdict as the title; the record it is judged by is in the sentence."""
    asked = mention.asking_price
    if asked is None:
        return
    condition: Literal["new", "used"] = "new" if draft.request.condition == "new" else "used"
    label = LABELS[draft.request.language].conditions[condition]
    asked = Money(asked.amount, asked.currency or currency)
    point = world.book.best(gpu.name, condition, draft.question.today, from_ebay=False)
    if point is None or point.kind == "msrp":
        draft.note(draft.say("price.asked.unknown", condition=label, gpu=gpu.name, asked=money_text(asked)))
        return
    known = world.rates.convert(point.money, asked.currency)
    share = asked.amount / known.amount
    verdict = "good" if share < GOOD_BELOW else "high" if share > HIGH_ABOVE else "fair"
    sentence = draft.say(
        f"price.asked.{verdict}",
        asked=money_text(asked), condition=label, gpu=gpu.name, known=money_text(known), date=point.as_of,
    )  # fmt: skip
    titles.insert(0, sentence)


def _rental(draft: Draft, world: World, gpu: Gpu, currency: str) -> None:
    offer = world.cloud.typical(gpu.name) if world.cloud else None
    if offer is None:
        return
    shown = [money_text(world.rates.convert(Money(amount, "USD"), currency)) for amount in (offer.low, offer.high)]
    kind = draft.say(f"cloud.{offer.kind}")
    price_range = shown[0] if offer.low == offer.high else " – ".join(shown)
    draft.note(draft.say("price.cloud", price=price_range, kind=kind, date=offer.as_of))
    draft.source(offer.source, "", offer.as_of)
