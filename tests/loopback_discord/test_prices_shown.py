"""Prices in Discord: the picture of a card's history, and eBay's asking prices apart from all others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.discord_app import chart
from bot.discord_app.client import WhichGpuClient
from bot.discord_app.locales import LANGUAGES
from bot.feeds.files import TextSource
from bot.feeds.in_force import with_prices
from bot.loading import load_assistant, load_prices
from bot.market.book import PriceBook
from bot.market.points import EBAY_ASKING, PointCondition, PricePoint
from bot.request import Money
from tests.loopback_discord.people import Person, Reply
from tests.loopback_discord.server import ALL, ATTACH_FILES, Server

CARD = "RTX 3090"
EBAY = f"{EBAY_ASKING} (EBAY_US)"
SHOWN = "attachment://prices.png"


def point(condition: PointCondition, amount: float, as_of: str, source: str = "a shop") -> PricePoint:
    return PricePoint(CARD, condition, Money(amount, "USD"), as_of, source)


HISTORY = (point("used", 811, "2026-09-03"), point("used", 822, "2026-10-04"), point("new", 1533, "2026-11-05"))


def put(client: WhichGpuClient, *points: PricePoint) -> None:
    """These prices of the card, and no others."""
    shipped = load_prices()
    others = PriceBook(p for gpu in shipped.gpus if gpu != CARD for p in shipped.history(gpu))
    client.service.brain.put(with_prices(load_assistant(), others, points))


def image(reply: Reply) -> str | None:
    return (reply.embed.get("image") or {}).get("url")


async def test_the_picture_is_uploaded_and_shown(asker: Person, client: WhichGpuClient) -> None:
    put(client, *HISTORY)
    for _ in range(2):  # the embed that is kept for the next asker is not the one the picture hangs on
        reply = await asker.slash("price", gpu=CARD, currency="EUR")
        assert image(reply) == SHOWN
        assert [one["filename"] for one in reply.data["attachments"]] == ["prices.png"]
        assert [upload[:8] for upload in reply.call.uploads] == [b"\x89PNG\r\n\x1a\n"]
        assert reply.text.count("🟠") == 1
        assert "EUR" in reply.embed["fields"][-1]["value"]


async def test_earlier_refreshes_count(asker: Person, client: WhichGpuClient) -> None:
    put(client, *HISTORY[2:])
    assert image(await asker.slash("price", gpu=CARD)) is None
    assert client.admin is not None
    client.admin.kept = PriceBook(HISTORY[:2])
    assert image(await asker.slash("price", gpu=CARD)) == SHOWN


async def test_what_a_refresh_replaced_stays_in_the_history(asker: Person, client: WhichGpuClient) -> None:
    assert client.admin is not None
    before = {p.as_of for p in client.admin.shipped.history(CARD)}
    for amount, day in ((800, "2026-11-20"), (780, "2026-11-30")):
        rows = f"gpu,condition,price,currency,as_of,n,kind,source\n{CARD},used,{amount},USD,{day},9,street,test\n"
        await client.admin.refresh(lambda _: None, [TextSource(rows.encode(), "mine.csv")])
    assert {p.as_of for p in client.admin.kept.history(CARD)} == {"2026-11-20", "2026-11-30"}
    assert "2026-11-20" not in before
    assert image(await asker.slash("price", gpu=CARD)) == SHOWN


async def test_no_picture_of_fewer_points(asker: Person, client: WhichGpuClient) -> None:
    put(client, *HISTORY)
    assert image(await asker.slash("price", gpu=CARD, condition="used")) is None
    put(client, *HISTORY[:2])
    reply = await asker.slash("price", gpu=CARD)
    assert (image(reply), reply.call.uploads) == (None, [])
    assert "$822" in reply.text


async def test_only_price_shows_it(asker: Person, client: WhichGpuClient) -> None:
    put(client, *HISTORY)
    assert image(await asker.slash("ask", question=f"{CARD} price?")) is None


async def test_without_attach_files_the_answer_still_arrives(
    server: Server, asker: Person, client: WhichGpuClient
) -> None:
    put(client, *HISTORY)
    server.bot_rights = ALL & ~ATTACH_FILES
    reply = await asker.slash("price", gpu=CARD)
    assert (image(reply), reply.call.uploads) == (None, [])
    assert "$822" in reply.text


async def test_a_refused_upload_is_sent_again_without(server: Server, asker: Person, client: WhichGpuClient) -> None:
    put(client, *HISTORY)
    server.fail("POST", "/callback$", 413, {"message": "Request entity too large", "code": 40005})
    before = len(server.calls)
    await asker.slash("price", gpu=CARD)
    await server.until(lambda: len(server.calls) >= before + 2)
    second = server.calls[before + 1]
    assert second.uploads == []
    assert "$822" in json.dumps(second.body)


async def test_a_failing_drawing_costs_no_answer(
    asker: Person, client: WhichGpuClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_history: Any) -> bytes:
        raise OSError("no font")

    put(client, *HISTORY)
    monkeypatch.setattr(chart, "draw", broken)
    reply = await asker.slash("price", gpu=CARD)
    assert image(reply) is None
    assert "$822" in reply.text


# --- eBay ---

LABEL = {"en": "eBay asking prices", "zh-CN": "eBay 卖家要价", "zh-TW": "eBay 賣家要價"}


def apart(reply: Reply, amount: str, label: str) -> None:
    """The amount stands in the field of that name, and nowhere else."""
    fields = {one["name"]: one["value"] for one in reply.embed["fields"]}
    assert amount in fields.pop(label)
    rest = {**reply.embed, "fields": fields}
    assert amount not in json.dumps(rest, ensure_ascii=False)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("others", [(), HISTORY[:2]])
async def test_ebay_prices_have_their_own_field(
    server: Server, client: WhichGpuClient, language: str, others: tuple[PricePoint, ...]
) -> None:
    put(client, *others, point("used", 777, "2026-11-30", EBAY))
    person = Person(server, locale="en-US" if language == "en" else language)
    reply = await person.slash("price", gpu=CARD, currency="USD")
    apart(reply, "$777", LABEL[language])
    assert ("$822" in reply.text) == bool(others)


@pytest.mark.parametrize(
    "question",
    [f"compare {CARD} and RTX 4090", f"is $800 for a used {CARD} a good price?", f"rent or buy a used {CARD}?"],
)
async def test_ebay_prices_stay_apart_in_other_answers(asker: Person, client: WhichGpuClient, question: str) -> None:
    put(client, point("used", 777, "2026-11-30", EBAY))
    apart(await asker.slash("ask", question=question), "$777", LABEL["en"])


async def test_a_pick_names_no_ebay_price(asker: Person, client: WhichGpuClient) -> None:
    put(client, point("used", 577, "2026-11-30", EBAY))
    reply = await asker.slash("ask", question="used GPU with 24 GB for LLM under $800?")
    assert CARD in reply.text
    apart(reply, "$577", LABEL["en"])
