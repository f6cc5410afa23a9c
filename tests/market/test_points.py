"""Price rows: what is taken, and what is refused with file, line and field."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.market.points import COLUMNS, first_day, last_day, parse_prices
from bot.tables import DataError

HEADER = ",".join(COLUMNS)


def resolve(name: str) -> str | None:
    return name if name.startswith("RTX") else None


def table(*rows: str) -> str:
    return "\n".join((HEADER, *rows))


def test_a_row_becomes_a_point() -> None:
    (point,) = parse_prices(table("RTX 3090,used,990,USD,2026-07,3,street,Some report"), "p.csv", resolve)
    assert (point.gpu, point.condition, point.money.amount, point.money.currency) == ("RTX 3090", "used", 990.0, "USD")
    assert (point.as_of, point.n, point.kind, point.source) == ("2026-07", 3, "street", "Some report")


def test_refurbished_counts_as_used() -> None:
    (point,) = parse_prices(table("RTX 2080,refurbished,500,USD,2020-02,,guide,x"), "p.csv", resolve)
    assert point.condition == "used"


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("Voodoo 2,used,99,USD,2026-07,,street,x", "gpu"),
        ("RTX 3090,broken,99,USD,2026-07,,street,x", "condition"),
        ("RTX 3090,used,0,USD,2026-07,,street,x", "price"),
        ("RTX 3090,used,9.99,USD,2026-07,,street,x", "price"),
        ("RTX 3090,used,1.015.00,USD,2026-07,,street,x", "price"),
        ("RTX 3090,used,nan,USD,2026-07,,street,x", "price"),
        ("RTX 3090,used,inf,USD,2026-07,,street,x", "price"),
        ("RTX 3090,used,,USD,2026-07,,street,x", "price"),
        ("RTX 3090,used,99,EUR,2026-07,,street,x", "currency"),
        ("RTX 3090,used,99,USD,last week,,street,x", "as_of"),
        ("RTX 3090,used,99,USD,2026-13,,street,x", "as_of"),
        ("RTX 3090,used,99,USD,2026-07,0,street,x", "n"),
        ("RTX 3090,used,99,USD,2026-07,,rumour,x", "kind"),
        ("RTX 3090,used,99,USD,2026-07,,street,", "source"),
    ],
)
def test_a_bad_cell_is_named(row: str, field: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_prices(table("RTX 3080,used,305,USD,2026-07,,street,x", row), "p.csv", resolve)
    assert (caught.value.where, caught.value.line, caught.value.field) == ("p.csv", 3, field)


def test_the_same_point_twice_is_refused() -> None:
    row = "RTX 3090,used,990,USD,2026-07,,street,x"
    with pytest.raises(DataError, match="line 2 already"):
        parse_prices(table(row, row), "p.csv", resolve)


@given(st.text(max_size=200))
def test_any_text_is_either_a_table_or_a_data_error(text: str) -> None:
    try:
        points = parse_prices(text, "p.csv", resolve)
    except DataError:
        points = ()
    assert all(point.money.amount >= 10 for point in points)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2020", date(2020, 1, 1), date(2020, 12, 31)),
        ("2020-02", date(2020, 2, 1), date(2020, 2, 29)),
        ("2019-02", date(2019, 2, 1), date(2019, 2, 28)),
        ("2026-10-30", date(2026, 10, 30), date(2026, 10, 30)),
    ],
)
def test_dates_span_what_they_say(text: str, first: date, last: date) -> None:
    assert (first_day(text), last_day(text)) == (first, last)
