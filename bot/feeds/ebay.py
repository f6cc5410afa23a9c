"""Asking prices from eBay's Browse API, with the operator's own keyset. Off by default: see docs/operating.md.

Kept are the card, a low and a typical price, their number and the day: no title, seller, item number or link.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from bot.feeds.formats import parse_json
from bot.feeds.source import Haul, Progress, SourceError
from bot.feeds.web import JSON, UnauthorizedError, Web
from bot.market.offers import low_and_typical, without_outliers
from bot.market.points import EBAY_ASKING
from bot.market.titles import TitleReader
from bot.market.validation import LEAST_OFFERS, Offer
from bot.settings import Secret

HOST = "https://api.ebay.com"
CATEGORY = "27386"
"""Graphics and video cards."""
SCOPE = "https://api.ebay.com/oauth/api_scope"
PAGES, PER_PAGE = 2, 100
CURRENCIES = {
    "EBAY_US": "USD", "EBAY_GB": "GBP", "EBAY_DE": "EUR", "EBAY_AU": "AUD", "EBAY_CA": "CAD", "EBAY_FR": "EUR",
    "EBAY_IT": "EUR", "EBAY_ES": "EUR",
}  # fmt: skip
CONDITIONS = {"new": "1000", "used": "1500|2000|2010|2020|2030|2500|3000"}
"""Open box and refurbished count as used. By number: the text is translated and varies."""
LEAST_SCORE, LEAST_PERCENT = 5, 90.0
MOST_FAILED = 0.5
_NAME = "eBay"


@dataclass
class EbaySource:
    """`cards` are asked for one by one, new and used; titles are read by `titles`."""

    client_id: str
    client_secret: Secret
    marketplace: str
    cards: Sequence[str]
    titles: TitleReader
    today: Callable[[], date]
    host: str = HOST
    clock: Callable[[], float] = time.monotonic
    name: str = "ebay"
    market_place: bool = True
    cooldown_seconds: int = 6 * 3600
    _token: Secret = field(default_factory=lambda: Secret(""), repr=False)
    _until: float = 0.0

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        """All cards. Raises SourceError when the keys are refused or most searches fail."""
        offers: list[Offer] = []
        refused: list[str] = []
        failed = 0
        for number, card in enumerate(self.cards, 1):
            if number % 10 == 1:
                progress(f"{self.name}: card {number} of {len(self.cards)}")
            for condition, ids in CONDITIONS.items():
                try:
                    items = await self._search(web, card, ids)
                    offer = self._offer(card, condition, items, refused)
                except UnauthorizedError:
                    raise SourceError(f"{_NAME}: refuses the keyset; check id and secret") from None
                except SourceError as error:
                    failed += 1
                    refused.append(f"{card} {condition}: {error}")
                    if failed > MOST_FAILED * 2 * len(self.cards) or failed == number * 2 == 6:
                        raise SourceError(f"{_NAME}: most searches fail; the last one: {error}") from None
                    continue
                if offer:
                    offers.append(offer)
        return Haul(offers, refused=refused)

    async def _search(self, web: Web, card: str, condition_ids: str) -> list[dict[str, Any]]:
        currency = CURRENCIES[self.marketplace]
        query = {
            "q": card, "category_ids": CATEGORY, "limit": str(PER_PAGE),
            "filter": f"buyingOptions:{{FIXED_PRICE}},conditionIds:{{{condition_ids}}},price:[10..],"
                      f"priceCurrency:{currency}",
        }  # fmt: skip
        url: str | None = f"{self.host}/buy/browse/v1/item_summary/search?{urlencode(query, quote_via=quote)}"
        items: list[dict[str, Any]] = []
        for _ in range(PAGES):
            if url is None:
                break
            data = await self._page(web, url)
            found = data.get("itemSummaries", [])  # absent, not empty, when nothing matches
            if not isinstance(found, list):
                raise SourceError(f"{_NAME}: answers in another form")
            items += [item for item in found if isinstance(item, dict)]
            url = self._next(data.get("next"))
        return items

    def _next(self, url: Any) -> str | None:
        if not isinstance(url, str):
            return None
        ours, theirs = urlsplit(self.host), urlsplit(url)
        if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
            raise SourceError(f"{_NAME}: the next page is on another host; not followed")
        return url

    async def _page(self, web: Web, url: str) -> dict[str, Any]:
        for again in (True, False):
            token = await self._fresh_token(web)
            headers = {"Authorization": f"Bearer {token.value}", "X-EBAY-C-MARKETPLACE-ID": self.marketplace}
            try:
                page = await web.get(url, _NAME, JSON, headers=headers, token=True)
            except UnauthorizedError:
                self._until = 0.0
                if not again:
                    raise
                continue
            data = parse_json(page.text(_NAME), _NAME, depth=8)
            if not isinstance(data, dict):
                raise SourceError(f"{_NAME}: answers in another form")
            return data
        raise AssertionError("unreachable")

    async def _fresh_token(self, web: Web) -> Secret:
        if self.clock() < self._until:
            return self._token
        pair = base64.b64encode(f"{self.client_id}:{self.client_secret.value}".encode()).decode()
        body = urlencode({"grant_type": "client_credentials", "scope": SCOPE}).encode()
        headers = {"Authorization": f"Basic {pair}", "Content-Type": "application/x-www-form-urlencoded"}
        page = await web.post(f"{self.host}/identity/v1/oauth2/token", _NAME, JSON, body, headers=headers)
        data = parse_json(page.text(_NAME), _NAME)
        token, seconds = (data.get("access_token"), data.get("expires_in")) if isinstance(data, dict) else (None, None)
        if not isinstance(token, str) or not isinstance(seconds, int):
            raise SourceError(f"{_NAME}: gives no token")
        self._token, self._until = Secret(token), self.clock() + seconds - 60
        return self._token

    def _offer(self, card: str, condition: str, items: list[dict[str, Any]], refused: list[str]) -> Offer | None:
        currency = CURRENCIES[self.marketplace]
        ids = set(CONDITIONS[condition].split("|"))
        prices: dict[str, float] = {}
        for item in items:
            price = asking_price(item, currency, ids)
            title = item.get("title")
            if price is not None and isinstance(title, str) and self.titles.read(title).gpu == card:
                prices.setdefault(str(item.get("itemId")), price)
        good = without_outliers(list(prices.values()))
        if len(good) < LEAST_OFFERS:
            refused.append(f"{card} {condition}: {len(good)} offers of {len(items)} found are that card; too few")
            return None
        low, typical = low_and_typical(good)
        return Offer(
            f"{card} {condition}", card, condition, f"{low:.2f}", currency, self.today().isoformat(),
            f"{EBAY_ASKING} ({self.marketplace})", self.marketplace.removeprefix("EBAY_"), f"{typical:.2f}",
            len(good),
        )  # fmt: skip


def asking_price(item: dict[str, Any], currency: str, condition_ids: set[str]) -> float | None:
    """Price with shipping of one whole item at a fixed price from a seller of some standing; else None."""
    seller = item.get("seller")
    if not isinstance(seller, dict) or str(item.get("conditionId")) not in condition_ids:
        return None
    if item.get("buyingOptions") and "AUCTION" in item["buyingOptions"]:
        return None
    if item.get("itemGroupType") == "SELLER_DEFINED_VARIATIONS":
        return None  # the price is that of the cheapest variation
    score, percent = _number(seller.get("feedbackScore")), _number(seller.get("feedbackPercentage"))
    if score is None or percent is None or score < LEAST_SCORE or percent < LEAST_PERCENT:
        return None
    price = _amount(item.get("price"), currency)
    if price is None or price <= 0:
        return None
    options = item.get("shippingOptions")
    if isinstance(options, list) and options and isinstance(options[0], dict) and "shippingCost" in options[0]:
        shipping = _amount(options[0]["shippingCost"], currency)
        if shipping is None or shipping < 0:
            return None
        price += shipping
    return float(price)


def _amount(value: Any, currency: str) -> Decimal | None:
    if not isinstance(value, dict) or value.get("currency") != currency or "convertedFromValue" in value:
        return None
    return _number(value.get("value"))


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal) or len(str(value)) > 20:
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
