"""Currencies: dated exchange rates, never a silent guess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.request import Money
from bot.tables import DataError, read_rows

COLUMNS = ("currency", "rate", "per", "as_of", "source")


@dataclass(frozen=True, slots=True)
class Rate:
    """`per_usd` units of the currency buy one US dollar on that day."""

    currency: str
    per_usd: float
    as_of: str
    source: str


class Rates:
    """A dated table of exchange rates."""

    def __init__(self, rates: Iterable[Rate]) -> None:
        self._rates: Mapping[str, Rate] = {rate.currency: rate for rate in rates}

    @property
    def currencies(self) -> tuple[str, ...]:
        return tuple(self._rates)

    @property
    def as_of(self) -> str:
        """The date of the oldest rate in the table: what may safely be claimed for all of them."""
        return min((rate.as_of for rate in self._rates.values()), default="")

    def rate(self, currency: str) -> Rate | None:
        return self._rates.get(currency)

    def knows(self, currency: str) -> bool:
        return currency in self._rates

    def convert(self, money: Money, currency: str) -> Money:
        """`money` in another currency. Raises KeyError for a currency without a rate: ask `knows` first."""
        if money.currency == currency:
            return money
        return Money(money.amount / self._rates[money.currency].per_usd * self._rates[currency].per_usd, currency)


def parse_rates(text: str, where: str) -> Rates:
    """The rows of a rate table: `rate` units of `currency` for one unit of `per` (EUR or USD, as published).

    Raises DataError when EUR against USD is missing, a currency stands twice, or a figure is no rate.
    """
    rows = list(read_rows(text, where, COLUMNS))
    usd_per_eur = next(
        (row.number("rate", 0.1, 10) for row in rows if (row.text("currency"), row.text("per")) == ("USD", "EUR")), None
    )
    if usd_per_eur is None:
        raise DataError(where, None, "rate", "the row USD per EUR is missing", "Add it: the others are read against it")
    rates: dict[str, Rate] = {}
    for row in rows:
        currency = row.required("currency")
        value = row.number("rate", 1e-6, 1e6)
        if len(currency) != 3 or not currency.isupper():
            raise row.fail("currency", f"{currency!r} is not a currency code", "Write three capitals such as EUR")
        if value is None:
            raise row.fail("rate", "the cell is empty", "Write the rate, or leave the row out")
        as_of, source = row.year_month("as_of"), row.required("source")
        if row.choice("per", ("EUR", "USD")) == "EUR":
            value /= usd_per_eur
        if currency in rates:
            raise row.fail("currency", f"{currency} stands twice", "Keep the newer row")
        rates[currency] = Rate(currency, value, as_of, source)
        if currency == "USD":
            rates["EUR"] = Rate("EUR", 1 / usd_per_eur, as_of, source)
    return Rates(rates.values())
