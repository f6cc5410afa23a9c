"""Rent or buy: the published examples, and laws."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.advice.cost import break_even, electricity_per_month, machine_kw, owned_per_hour

money = st.floats(1, 50_000)


@pytest.mark.parametrize(
    ("price", "resale", "kw", "kwh", "cloud", "hours"),
    [(2200, 0, 0.45, 0.12, 2.14, 1055), (2873, 1400, 0.725, 0.17, 0.69, 2599), (990, 600, 0.50, 0.17, 0.44, 1099)],
)
def test_published_break_even_hours(price: Any, resale: Any, kw: Any, kwh: Any, cloud: Any, hours: Any) -> None:
    assert break_even(price, cloud, kw, kwh, resale, utilisation=0.15).hours == pytest.approx(hours, abs=1)


def test_dettmers_2020_says_300_days_and_20_months_on_spot() -> None:
    assert break_even(2200, 2.14, 0.45, 0.12, utilisation=0.15).days == pytest.approx(300, rel=0.03)
    spot = break_even(2200, 0.90, 0.45, 0.12, utilisation=0.15).days
    assert spot == pytest.approx(722, abs=1)
    assert spot == pytest.approx(610, rel=0.19)


def test_where_electricity_costs_more_than_renting_buying_never_pays() -> None:
    result = break_even(500, 0.05, 0.5, 0.40)
    assert (result.hours, result.days, result.verdict) == (None, None, "rent")
    assert "cloud_always_cheaper" in {code for code, _ in result.notes}


def test_the_verdict_follows_the_years_it_is_kept() -> None:
    short, long = (break_even(1500, 0.4, 0.5, 0.17, hours_per_week=20, keep_years=y) for y in (1, 8))
    assert (short.verdict, long.verdict) == ("rent", "buy")


def test_what_is_assumed_is_said() -> None:
    assert ("default_hours", {"hours": 15.0}) in break_even(1000, 1, 0.4, 0.2).notes
    assert not break_even(1000, 1, 0.4, 0.2, hours_per_week=10).notes
    assert break_even(1000, 1, 0.4, 0.2, resale=1200).hours == 0


def test_electricity_of_a_month() -> None:
    assert electricity_per_month(0.5, 0.2, 168) == pytest.approx(0.5 * 0.2 * 24 * 30.4375)
    assert machine_kw(350) == pytest.approx(0.5)
    assert machine_kw(575) == pytest.approx(0.725)
    assert owned_per_hour(1000, 0, 1, 0.1, 1.0) == pytest.approx(1000 / 8766 + 0.1)


@given(money, money, st.floats(0.05, 30), st.floats(0.1, 3), st.floats(0.01, 0.9), st.floats(1, 168))
def test_dearer_cards_pay_later_and_dearer_clouds_sooner(
    price: Any, more: Any, cloud: Any, kw: Any, kwh: Any, hours: Any
) -> None:
    base = break_even(price, cloud, kw, kwh, hours_per_week=hours)
    dearer = break_even(price + more, cloud, kw, kwh, hours_per_week=hours)
    cloudier = break_even(price, cloud + 1, kw, kwh, hours_per_week=hours)
    if base.hours is not None:
        assert base.hours > 0
        assert dearer.hours is not None
        assert dearer.hours >= base.hours
        assert cloudier.hours is not None
        assert cloudier.hours <= base.hours
        assert base.days == pytest.approx(base.hours / (hours / 7))


@pytest.mark.parametrize("changes", [{"price": -1}, {"hours_per_week": 200}, {"hours_per_week": 0}, {"pue": 0.5}])
def test_impossible_figures_are_refused(changes: Any) -> None:
    with pytest.raises(ValueError, match=r"negative|week"):
        break_even(**({"price": 1000, "cloud_per_h": 1, "kw": 0.4, "kwh_price": 0.2} | changes))
    with pytest.raises(ValueError, match="week"):
        electricity_per_month(1, 1, 169)
    with pytest.raises(ValueError, match="above"):
        owned_per_hour(1, 0, 1, 0, 0)
