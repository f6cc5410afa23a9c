"""Exchange rates: dated, both ways, never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.loading import load_rates
from bot.market.rates import parse_rates
from bot.request import Money
from bot.tables import DataError

TABLE = """currency,rate,per,as_of,source
USD,1.10,EUR,2026-10-30,bank
GBP,0.825,EUR,2026-10-30,bank
TWD,31.6,USD,2026-01,note
"""


def test_conversion_goes_through_the_published_base() -> None:
    rates = parse_rates(TABLE, "r.csv")
    assert rates.convert(Money(110, "USD"), "EUR").amount == pytest.approx(100)
    assert rates.convert(Money(825, "GBP"), "USD").amount == pytest.approx(1100)
    assert rates.convert(Money(10, "USD"), "TWD").amount == pytest.approx(316)
    assert rates.convert(Money(10, "USD"), "USD") == Money(10, "USD")


def test_the_oldest_date_is_what_the_table_claims() -> None:
    assert parse_rates(TABLE, "r.csv").as_of == "2026-01"


def test_an_unknown_currency_is_an_error_not_a_guess() -> None:
    rates = parse_rates(TABLE, "r.csv")
    assert not rates.knows("XAU")
    with pytest.raises(KeyError):
        rates.convert(Money(1, "USD"), "XAU")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (TABLE.replace("USD,1.10,EUR", "CHF,1.10,EUR"), "rate"),
        (TABLE.replace("GBP", "gbp"), "currency"),
        (TABLE.replace("0.825", "0"), "rate"),
        (TABLE.replace("31.6,USD", "31.6,JPY"), "per"),
        (TABLE + "GBP,0.8,EUR,2026-11-01,bank\n", "currency"),
    ],
)
def test_bad_tables_are_refused(text: str, field: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_rates(text, "r.csv")
    assert caught.value.field == field


CODES = sorted(load_rates().currencies)


@given(st.floats(1, 1e6), st.sampled_from(CODES), st.sampled_from(CODES))
def test_there_and_back_is_the_same_amount(amount: float, one: str, other: str) -> None:
    rates = load_rates()
    there = rates.convert(Money(amount, one), other)
    assert rates.convert(there, one).amount == pytest.approx(amount)


def test_the_shipped_table_knows_the_currencies_that_questions_use() -> None:
    assert {"USD", "EUR", "GBP", "CNY", "TWD", "HKD", "JPY", "INR", "CAD", "AUD"} <= set(CODES)
