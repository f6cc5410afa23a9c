"""The picture under an answer on prices: which points, in which currency, drawn beside the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from bot.assistant import Assistant
from bot.discord_app.send import Picture
from bot.discord_app.service import Service, Told
from bot.market.book import PriceBook
from bot.market.points import PricePoint, first_day
from bot.request import Money

log = logging.getLogger(__name__)

WITHIN = 1.0
"""Seconds that the drawing may take of the three in which Discord wants the answer."""


async def price_picture(told: Told, service: Service, kept: PriceBook | None = None) -> Picture | None:
    """The price history of the card that was asked about; `kept` are prices of earlier refreshes.

    None where the answer is not on one card's prices, there are too few points, or drawing fails: the answer goes out
    without it.
    """
    answer, assistant = told.answer, service.brain.assistant
    if answer.kind != "price" or answer.abstained or not answer.request.gpus or not isinstance(assistant, Assistant):
        return None
    world, gpu, currency = assistant.library.world, answer.request.gpus[0].name, _currency(told)
    if not world.rates.knows(currency):
        return None
    wanted, today = answer.request.condition, service.today()
    points = [
        point
        for point in (*world.book.history(gpu), *(kept.history(gpu) if kept else ()))
        if wanted not in ("new", "used") or point.condition in (wanted, "any")
        if first_day(point.as_of) <= today
    ]
    try:
        share = world.rates.convert(Money(1.0, "USD"), currency).amount
        png = await asyncio.wait_for(asyncio.to_thread(_drawn, points, share), WITHIN)
    except Exception as error:  # noqa: BLE001,RUF100 - no picture is worth losing the answer
        log.warning("no chart of %s: %r", gpu, error)
        return None
    return Picture(png, service.locales.say(answer.language, "chart.legend", currency=currency)) if png else None


def _drawn(points: Iterable[PricePoint], share: float) -> bytes | None:
    # Pillow is loaded when the first chart is drawn: the start of the bot need not wait for it.
    from bot.discord_app.chart import LEAST, draw, spots

    history = spots(points, share)
    return draw(history) if len(history) >= LEAST else None


def _currency(told: Told) -> str:
    """The currency that the answer's own prices are in."""
    request = told.answer.request
    asked = (request.budget.currency if request.budget else None) or request.currency or told.exchange.currency
    return asked or {"zh-CN": "CNY", "zh-TW": "TWD"}.get(told.answer.language, "USD")
