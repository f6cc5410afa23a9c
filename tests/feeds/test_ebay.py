"""The eBay source against a server that speaks its shapes. All items are made up."""

import json
from typing import Any

import pytest
from aiohttp import web

from bot.feeds.ebay import EbaySource, asking_price
from bot.loading import load_title_reader
from bot.settings import Secret
from bot.storage.prices import PriceStore
from tests.feeds.loopback import TODAY, Loopback, refresher, run

USED = {"3000"}


def item(number: int = 1, price: str = "900.00", title: str = "NVIDIA RTX 3090 24GB", **changes: Any) -> dict[str, Any]:
    return {
        "itemId": f"v1|{number}|0", "title": title, "price": {"value": price, "currency": "USD"},
        "condition": "Used", "conditionId": "3000", "buyingOptions": ["FIXED_PRICE"],
        "seller": {"username": "nobody", "feedbackPercentage": "99.5", "feedbackScore": 226},
        "shippingOptions": [{"shippingCostType": "FIXED", "shippingCost": {"value": "10.00", "currency": "USD"}}],
        "itemGroupType": None,
    } | changes  # fmt: skip


class Ebay:
    """Token and search; counts calls."""

    def __init__(self, loop: Loopback, items: list[dict[str, Any]]) -> None:
        self.loop, self.items = loop, items
        self.tokens = self.searches = 0
        self.refuse = 0
        self.next: str | None = None
        loop.handlers["/identity/v1/oauth2/token"] = self._token
        loop.handlers["/buy/browse/v1/item_summary/search"] = self._search

    def source(self, *cards: str) -> EbaySource:
        return EbaySource("my-id", Secret("my-s3cret"), "EBAY_US", cards or ("RTX 3090",), load_title_reader(),
                          lambda: TODAY, self.loop.url(""))  # fmt: skip

    async def _token(self, request: web.Request) -> web.StreamResponse:
        self.tokens += 1
        assert request.headers["Authorization"].startswith("Basic ")
        assert (await request.text()).startswith("grant_type=client_credentials&scope=https%3A%2F%2F")
        return web.json_response({"access_token": f"t{self.tokens}", "expires_in": 7200, "token_type": "x"})

    async def _search(self, request: web.Request) -> web.StreamResponse:
        self.searches += 1
        if self.refuse > 0:
            self.refuse -= 1
            return web.json_response({"errors": [{"errorId": 1001}]}, status=401)
        assert request.headers["X-EBAY-C-MARKETPLACE-ID"] == "EBAY_US"
        used = "3000" in request.query["filter"]
        body: dict[str, Any] = {"total": len(self.items)}
        if used and self.items:
            second = "offset" in request.query
            body["itemSummaries"] = self.items[100:] if second else self.items[:100]
            if not second and (self.next or len(self.items) > 100):
                body["next"] = self.next or self.loop.url(f"{request.path_qs}&offset=100")
        return web.json_response(body)


def _six() -> list[dict[str, Any]]:
    return [item(number, f"{price}.00") for number, price in enumerate((880, 890, 940, 990, 1040, 1090))]


async def test_low_and_typical_price_of_what_is_that_card(prices: PriceStore, loop: Loopback) -> None:
    junk = [
        item(20, "29.95", "RTX 3090 24GB box only"), item(21, "1500.00", "NVIDIA RTX 3090 Ti 24GB"),
        item(22, "5.00", "NVIDIA RTX 3090 24GB"), item(0, "1.00"),
    ]  # fmt: skip
    ebay = Ebay(loop, _six() + junk)
    (part,) = (await run(refresher(prices, loop, ebay.source()))).parts
    (point,) = part.accepted
    assert (point.gpu, point.condition, point.n, point.as_of, point.region) == (
        "RTX 3090",
        "used",
        6,
        "2026-12-01",
        "US",
    )
    assert (point.low_minor, point.typical_minor) == (91250, 97500)  # with 10.00 shipping
    assert point.source == "eBay asking prices (EBAY_US)"
    assert any("RTX 3090 new: 0 offers" in line for line in part.rejected)
    assert ebay.tokens == 1


async def test_nothing_of_members_is_kept(prices: PriceStore, loop: Loopback) -> None:
    ebay = Ebay(loop, _six())
    await run(refresher(prices, loop, ebay.source()))
    kept = json.dumps([run.report for run in await prices.runs()]) + repr(await prices.active())
    for word in ("nobody", "v1|", "24GB", "itm", "my-s3cret", "my-id"):
        assert word not in kept


async def test_second_page_and_pages_elsewhere(prices: PriceStore, loop: Loopback) -> None:
    many = [item(number, f"{900 + number}.00") for number in range(120)]
    ebay = Ebay(loop, many)
    (part,) = (await run(refresher(prices, loop, ebay.source()))).parts
    assert part.accepted[0].n == 120
    ebay = Ebay(loop, many)
    ebay.next = "https://evil.example/buy/browse/v1/item_summary/search"
    (part,) = (await run(refresher(prices, loop, ebay.source()), force=True)).parts
    assert any("another host" in line for line in part.rejected)


async def test_expired_token_is_renewed_once_and_bad_keys_end_the_run(prices: PriceStore, loop: Loopback) -> None:
    ebay = Ebay(loop, _six())
    ebay.refuse = 1
    (part,) = (await run(refresher(prices, loop, ebay.source()))).parts
    assert (part.status, ebay.tokens) == ("accepted", 2)
    ebay.refuse = 99
    (part,) = (await run(refresher(prices, loop, ebay.source()), force=True)).parts
    assert part.status == "failed"
    assert "keyset" in part.problem
    assert "s3cret" not in part.problem
    assert len(await prices.active()) == 1


async def test_too_few_offers_are_no_price(prices: PriceStore, loop: Loopback) -> None:
    ebay = Ebay(loop, _six()[:4])
    (part,) = (await run(refresher(prices, loop, ebay.source()))).parts
    assert part.status == "rejected"
    assert any("4 offers" in line for line in part.rejected)


async def test_failing_searches_end_early(prices: PriceStore, loop: Loopback) -> None:
    ebay = Ebay(loop, _six())
    loop.give("/buy/browse/v1/item_summary/search", "{}", status=400)
    (part,) = (await run(refresher(prices, loop, ebay.source(*(f"RTX {n}" for n in range(50)))))).parts
    assert part.status == "failed"
    assert "most searches fail" in part.problem
    assert len(loop.seen) < 10
    assert ebay.searches == 0


@pytest.mark.parametrize(
    "change",
    [
        {"conditionId": "7000"}, {"conditionId": "1000"}, {"conditionId": None},
        {"buyingOptions": ["AUCTION", "FIXED_PRICE"]}, {"itemGroupType": "SELLER_DEFINED_VARIATIONS"},
        {"seller": {"feedbackPercentage": "89.9", "feedbackScore": 500}},
        {"seller": {"feedbackPercentage": "100.0", "feedbackScore": 4}}, {"seller": None}, {"seller": {}},
        {"price": {"value": "900.00", "currency": "EUR"}}, {"price": None},
        {"price": {"value": "NaN", "currency": "USD"}},
        {"price": {"value": "0.00", "currency": "USD"}}, {"price": {"value": "-5", "currency": "USD"}},
        {"price": {"value": "900.00", "currency": "USD", "convertedFromValue": "800", "convertedFromCurrency": "GBP"}},
        {"shippingOptions": [{"shippingCost": {"value": "10.00", "currency": "EUR"}}]},
    ],
)  # fmt: skip
def test_items_that_do_not_count(change: dict[str, Any]) -> None:
    assert asking_price(item(**change), "USD", USED) is None


def test_items_that_count() -> None:
    assert asking_price(item(), "USD", USED) == 910.0
    assert asking_price(item(shippingOptions=[]), "USD", USED) == 900.0
    assert asking_price(item(shippingOptions=[{"shippingCostType": "CALCULATED"}]), "USD", USED) == 900.0
    assert asking_price(item(condition="Nuovo"), "USD", USED) == 910.0
