"""Which price counts, how old it is, and what is never made up."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.market.book import Launch, PriceBook
from bot.market.points import PointCondition, PricePoint
from bot.request import Money

TODAY = date(2026, 12, 1)


def point(
    amount: float, as_of: str, condition: PointCondition = "new", n: int | None = None, gpu: str = "RTX 3090"
) -> PricePoint:
    return PricePoint(gpu, condition, Money(amount, "USD"), as_of, "test", "street", n)


def amount(found: PricePoint | None) -> float | None:
    return found.money.amount if found else None


def test_the_freshest_point_counts() -> None:
    book = PriceBook([point(700, "2026-05"), point(900, "2026-11-02"), point(800, "2026-10")])
    assert amount(book.best("RTX 3090", "new", TODAY)) == 900


def test_of_one_day_the_point_with_more_offers_counts() -> None:
    book = PriceBook([point(700, "2026-11", n=2), point(800, "2026-11", n=9)])
    assert amount(book.best("RTX 3090", "new", TODAY)) == 800


def test_used_never_fills_in_for_new_nor_the_reverse() -> None:
    book = PriceBook([point(700, "2026-11", "used"), point(1500, "2026-11", "new", gpu="RTX 4090")])
    assert book.best("RTX 3090", "new", TODAY) is None
    assert book.best("RTX 4090", "used", TODAY) is None
    assert amount(book.best("RTX 3090", "any", TODAY)) == 700


def test_a_mixed_price_serves_both_and_yields_to_an_exact_one() -> None:
    book = PriceBook([point(600, "2026-11", "any"), point(700, "2026-10", "used")])
    assert amount(book.best("RTX 3090", "new", TODAY)) == 600
    assert amount(book.best("RTX 3090", "used", TODAY)) == 700


def test_later_points_are_unseen_and_very_old_ones_forgotten() -> None:
    book = PriceBook([point(700, "2019-04"), point(990, "2026-07")])
    assert amount(book.best("RTX 3090", "new", date(2019, 4, 30))) == 700
    assert amount(book.best("RTX 3090", "new", date(2021, 3, 1))) == 700
    assert book.best("RTX 3090", "new", date(2022, 3, 1)) is None
    assert book.best("RTX 3090", "new", date(2019, 3, 31)) is None
    assert [p.as_of for p in book.history("RTX 3090")] == ["2026-07", "2019-04"]


def test_launch_prices_stand_in_for_recent_new_cards_only_and_say_so() -> None:
    book = PriceBook([], {"RTX 5090": Launch(1999, "2025-01"), "RTX 3090": Launch(1499, "2020-09")})
    found = book.best("RTX 5090", "new", TODAY)
    assert found is not None
    assert (found.money.amount, found.kind, found.as_of) == (1999, "msrp", "2025-01")
    assert book.best("RTX 5090", "used", TODAY) is None
    assert book.best("RTX 3090", "new", TODAY) is None
    assert book.best("RTX 5090", "new", date(2024, 12, 31)) is None


@pytest.mark.parametrize(
    ("days", "age"),
    [(0, "fresh"), (14, "fresh"), (15, "days"), (45, "days"), (46, "old"), (120, "old"), (121, "historic")],
)
def test_ages_at_their_edges(days: int, age: str) -> None:
    seen = (TODAY - timedelta(days=days)).isoformat()
    assert PriceBook.age(point(700, seen), TODAY) == age


def test_a_month_counts_from_its_first_day() -> None:
    assert PriceBook.days_old(point(700, "2026-11"), TODAY) == 30


@given(st.integers(0, 900), st.integers(0, 900), st.floats(10, 1e5))
def test_older_prices_are_less_certain(one: int, other: int, price: float) -> None:
    younger, older = sorted((one, other))
    ranges = []
    for days in (younger, older):
        low, high = PriceBook.uncertainty(point(price, (TODAY - timedelta(days=days)).isoformat()), TODAY)
        assert low.amount < price < high.amount
        ranges.append(high.amount - low.amount)
    assert ranges[0] <= ranges[1]
