"""Exchange rates: two publishers, their shapes and their faults."""

import json
from typing import Any

import pytest

from bot.feeds.fx import RatesSource, parse_ecb, parse_frankfurter
from bot.feeds.source import SourceError
from bot.storage.prices import PriceStore
from tests.feeds.loopback import Loopback, refresher, run

RATES = {"USD": "1.1200", "GBP": "0.8400", "JPY": "176.10", "CNY": "7.4500"}


def ecb(day: str = "2026-11-30", quote: str = "'", **rates: str) -> str:
    cubes = "".join(f"<Cube currency={quote}{c}{quote} rate={quote}{r}{quote}/>" for c, r in (rates or RATES).items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
        'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><gesmes:subject>Reference rates</gesmes:subject>'
        f"<Cube><Cube time={quote}{day}{quote}>{cubes}</Cube></Cube></gesmes:Envelope>"
    )


def frankfurter(**changes: Any) -> str:
    rows = [{"date": "2026-11-28", "base": "EUR", "quote": "USD", "rate": 1.121},
            {"date": "2026-11-28", "base": "EUR", "quote": "TWD", "rate": 36.4}]  # fmt: skip
    return json.dumps([row | changes for row in rows])


def _source(loop: Loopback) -> RatesSource:
    return RatesSource(loop.url("/ecb"), loop.url("/v2/rates"))


@pytest.mark.parametrize("quote", ["'", '"'])
def test_ecb(quote: str) -> None:
    rates = {rate.currency: rate for rate in parse_ecb(ecb(quote=quote))}
    assert rates["EUR"].per_usd == pytest.approx(1 / 1.12)
    assert rates["JPY"].per_usd == pytest.approx(176.10 / 1.12)
    assert rates["USD"].per_usd == 1.0
    assert rates["GBP"].as_of == "2026-11-30"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (ecb(GBP="0.84"), "dollar"),
        (ecb(USD="112.00"), "dollar"),
        (ecb(USD="1.12", GBP="0"), "nought"),
        (ecb(USD="1.12", GBP="NaN"), "cannot be read"),
        (ecb(USD="1.12", GBP="0,84"), "cannot be read"),
        (ecb(day="yesterday"), "no date"),
        (ecb()[:-30], "not XML"),
        ("<html></html>", "no date"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + ecb(), "declares"),
        ("", "not XML"),
    ],
)
def test_ecb_faults(text: str, told: str) -> None:
    with pytest.raises(SourceError, match=told):
        parse_ecb(text)


def test_frankfurter() -> None:
    rates = {rate.currency: rate for rate in parse_frankfurter(frankfurter())}
    assert rates["TWD"].per_usd == pytest.approx(36.4 / 1.121)
    assert rates["TWD"].as_of == "2026-11-28"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"amount": 1.0, "base": "EUR", "date": "2026-11-28", "rates": {"USD": 1.12}}),  # version 1
        frankfurter(base="USD"), frankfurter(rate="1.1"), frankfurter(rate=True), frankfurter(quote=1),
        "[]", "{}", "[1]",
    ],
)  # fmt: skip
def test_frankfurter_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(SourceError):
        parse_frankfurter(text)


async def test_refresh_puts_rates_in_force_with_twd(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/ecb", ecb(), "text/xml")
    loop.give("/v2/rates", frankfurter())
    maker = refresher(prices, loop, _source(loop))
    (part,) = (await run(maker)).parts
    assert (part.status, part.rates) == ("accepted", 6)
    rates = await maker.rates()
    assert {c: rate.as_of for c in ("GBP", "TWD") if (rate := rates.rate(c))} == {
        "GBP": "2026-11-30", "TWD": "2026-11-28",
    }  # fmt: skip
    assert rates.knows("INR")  # shipped, not fetched


async def test_second_publisher_may_fail(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/ecb", ecb(), "text/xml")
    loop.give("/v2/rates", json.dumps({"rates": {"USD": 1.1}}))
    (part,) = (await run(refresher(prices, loop, _source(loop)))).parts
    assert (part.status, part.rates) == ("accepted", 5)
    assert "version 2" in part.rejected[0]


@pytest.mark.parametrize(
    ("body", "told"),
    [(ecb(USD="1.12", GBP="1.68"), "GBP moved"), (ecb(day="2026-12-24"), "to come"), (ecb(GBP="0.84"), "dollar")],
)
async def test_rates_beyond_belief_change_nothing(prices: PriceStore, loop: Loopback, body: str, told: str) -> None:
    loop.give("/ecb", body, "text/xml")
    loop.give("/v2/rates", frankfurter())
    maker = refresher(prices, loop, _source(loop))
    (part,) = (await run(maker)).parts
    assert part.status in ("failed", "rejected")
    assert told in part.problem
    assert await prices.rates() == []
