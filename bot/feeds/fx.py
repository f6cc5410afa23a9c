"""Exchange rates: the European Central Bank's reference rates, and Frankfurter for currencies that it leaves out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

from bot.feeds.formats import parse_json
from bot.feeds.source import Haul, Progress, SourceError
from bot.feeds.web import JSON, XML, Web
from bot.market.rates import Rate

ECB = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
FRANKFURTER = "https://api.frankfurter.dev/v2/rates?base=eur&quotes=usd,twd"
_DAY = re.compile(r"20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")


@dataclass(frozen=True)
class RatesSource:
    """The daily rates of the ECB; TWD, which it does not publish, from Frankfurter. Addresses can be exchanged."""

    ecb: str = ECB
    frankfurter: str = FRANKFURTER
    name: str = "fx"
    market_place: bool = False
    cooldown_seconds: int = 0

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        """Both, if they can be had; the second one may fail. Raises SourceError."""
        progress(f"{self.name}: asking the ECB")
        rates = {rate.currency: rate for rate in parse_ecb((await web.get(self.ecb, "the ECB", XML)).text("the ECB"))}
        refused: list[str] = []
        if self.frankfurter:
            progress(f"{self.name}: asking Frankfurter for TWD")
            try:
                page = await web.get(self.frankfurter, "Frankfurter", JSON)
                for rate in parse_frankfurter(page.text("Frankfurter")):
                    rates.setdefault(rate.currency, rate)
            except SourceError as error:
                refused.append(str(error))
        return Haul(rates=tuple(rates.values()), refused=refused)


def parse_ecb(text: str) -> list[Rate]:
    """The ECB's XML. Raises SourceError, also for documents that declare entities."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise SourceError("the ECB: the document declares types or entities; not read")
    try:
        # Without declarations there is nothing to expand or to fetch; the size is capped before.
        root = ElementTree.fromstring(text)  # noqa: S314
    except ElementTree.ParseError:
        raise SourceError("the ECB: is not XML, or cut off") from None
    day = next((found for cube in root.iter() if (found := cube.get("time"))), "")
    per_euro = [(cube.get("currency") or "", cube.get("rate") or "") for cube in root.iter() if cube.get("currency")]
    return _rates(per_euro, day, f"European Central Bank reference rates of {day}", "the ECB")


def parse_frankfurter(text: str) -> list[Rate]:
    """Frankfurter v2: a list of objects with date, base, quote, rate. The shape of v1 is refused, not guessed at."""
    rows: Any = parse_json(text, "Frankfurter")
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and row.get("base") == "EUR" and isinstance(row.get("rate"), Decimal | int)
        and not isinstance(row.get("rate"), bool) and isinstance(row.get("quote"), str)
        for row in rows
    ):  # fmt: skip
        raise SourceError("Frankfurter: does not answer in the form of its version 2")
    days = sorted({str(row.get("date")) for row in rows})
    if not days:
        raise SourceError("Frankfurter: gives no rates")
    pairs = [(row["quote"], str(row["rate"])) for row in rows]
    return _rates(pairs, days[0], f"Frankfurter, official rates of {days[0]}", "Frankfurter")


def _rates(per_euro: list[tuple[str, str]], day: str, source: str, what: str) -> list[Rate]:
    if not _DAY.fullmatch(day):
        raise SourceError(f"{what}: gives no date")
    values: dict[str, float] = {}
    for currency, written in per_euro:
        if not re.fullmatch(r"[A-Z]{3}", currency) or not re.fullmatch(r"\d{1,7}(\.\d{1,8})?", written):
            raise SourceError(f"{what}: a rate cannot be read ({currency[:5]} {written[:15]})")
        values[currency] = float(written)
    usd = values.get("USD", 0.0)
    if not 0.5 <= usd <= 2.0:
        raise SourceError(f"{what}: the dollar is missing or beyond belief ({usd:g})")
    if min(values.values()) <= 0:
        raise SourceError(f"{what}: a rate is nought")
    values["EUR"] = 1.0
    return [Rate(currency, value / usd, day, source) for currency, value in values.items()]
