"""Checks of refreshed prices, at their edges."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.loading import load_name_resolver, load_rates
from bot.market.book import Launch
from bot.market.offers import low_and_typical, without_outliers
from bot.market.validation import Checked, Known, Offer, carried, check

TODAY = date(2026, 12, 1)


def offer(gpu: str = "RTX 3090", price: str = "1000", **changes: Any) -> Offer:
    fields: dict[str, Any] = {"place": "row 1", "gpu": gpu, "condition": "used", "price": price, "currency": "USD",
                              "as_of": "2026-11-28", "source": "s"}  # fmt: skip
    return Offer(**(fields | changes))


def active(*points: tuple[str, int]) -> dict[tuple[str, str, str], Checked]:
    made = [Checked(gpu, "used", "", "USD", price * 100, "2026-11-01", "s") for gpu, price in points]
    return {point.key: point for point in made}


def known(points: dict[tuple[str, str, str], Checked] | None = None, **changes: Any) -> Known:
    return Known(load_name_resolver(), load_rates(), TODAY, points or {}, **changes)


@pytest.mark.parametrize(
    ("price", "state"),
    [("250", "accepted"), ("249.99", "quarantined"), ("4000", "accepted"), ("4000.01", "quarantined")],
)
def test_band_around_the_price_in_force(price: str, state: str) -> None:
    outcome = check([offer(price=price)], known(active(("RTX 3090", 1000))), force=True)
    assert [point.state for point in (*outcome.accepted, *outcome.quarantined)] == [state]


def test_band_around_the_usual_price_where_the_source_had_none() -> None:
    world = known(usual=lambda gpu, condition: 1000.0)
    assert check([offer(price="250")], world).accepted
    assert check([offer(price="249")], world).quarantined


@pytest.mark.parametrize(
    ("condition", "price", "state"),
    [
        ("used", "20", "accepted"), ("used", "19", "quarantined"), ("used", "2500", "accepted"),
        ("used", "2501", "quarantined"), ("new", "500", "accepted"), ("new", "499", "quarantined"),
        ("new", "4000", "accepted"), ("new", "4001", "quarantined"),
    ],
)  # fmt: skip
def test_band_around_the_launch_price(condition: str, price: str, state: str) -> None:
    world = known(launches={"RTX 3090": Launch(1000.0, "2020-09")})
    outcome = check([offer(price=price, condition=condition)], world)
    assert [point.state for point in (*outcome.accepted, *outcome.quarantined)] == [state]


@pytest.mark.parametrize(
    ("currency", "price", "good"),
    [("USD", "10", True), ("USD", "9.99", False), ("USD", "100000", True), ("USD", "100000.01", False),
     ("JPY", "1000", False), ("JPY", "150000", True), ("EUR", "9.50", True)],
)  # fmt: skip
def test_bounds_are_in_dollars(currency: str, price: str, good: bool) -> None:
    outcome = check([offer(price=price, currency=currency)], known())
    assert bool(outcome.accepted) is good


CARDS = ("RTX 3090", "RTX 4090", "RTX 4070", "RTX 5090", "P40", "RTX 3070", "RTX 4080", "T4", "RTX 5080", "RTX 5070")


@pytest.mark.parametrize(("back", "refused"), [(5, True), (6, False)])
def test_share_of_keys_that_must_come_back(back: int, refused: bool) -> None:
    force = active(*((gpu, 1000) for gpu in CARDS))
    outcome = check([offer(gpu) for gpu in CARDS[:back]], known(force))
    assert bool(outcome.refusal) is refused
    assert len(carried(outcome, force)) == len(CARDS) - back


@pytest.mark.parametrize(("moved", "refused"), [(3, False), (4, True)])
@pytest.mark.parametrize("price", ["1401", "599"])
def test_share_of_keys_that_may_move(moved: int, refused: bool, price: str) -> None:
    force = active(*((gpu, 1000) for gpu in CARDS))
    offers = [offer(gpu, price if place < moved else "1400") for place, gpu in enumerate(CARDS)]
    outcome = check(offers, known(force))
    assert bool(outcome.refusal) is refused
    forced = check(offers, known(force), force=True)
    assert (forced.refusal, forced.forced) == ("", refused)


def test_market_places_need_offers_behind_a_price() -> None:
    assert not check([offer(n=4)], known(), market_place=True).accepted
    assert not check([offer()], known(), market_place=True).accepted
    assert check([offer(n=5)], known(), market_place=True).accepted
    assert check([offer(n=1)], known()).accepted


def test_a_quarantined_price_leaves_the_old_one_in_force() -> None:
    force = active(("RTX 3090", 1000), ("P40", 250))
    outcome = check([offer(price="9000"), offer("P40", "260")], known(force))
    assert [point.gpu for point in carried(outcome, force)] == ["RTX 3090"]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=5), st.text(max_size=12), st.text(max_size=6))
def test_any_row_is_judged(gpu: str, price: str, currency: str, as_of: str, condition: str) -> None:
    outcome = check([offer(gpu, price, currency=currency, as_of=as_of, condition=condition)], known())
    assert len(outcome.accepted) + len(outcome.quarantined) + len(outcome.rejected) == 1


def test_one_survivor_does_not_move_the_prices() -> None:
    offers = [770.0, 780.0, 790.0, 795.0, 800.0, 810.0, 825.0, 850.0]
    low, typical = low_and_typical(without_outliers(offers))
    assert low_and_typical(without_outliers([*offers, 30.0, 9000.0])) == (low, typical)
    assert (low, typical) == (787.5, 797.5)
    assert without_outliers([500.0] * 9 + [510.0]) == [500.0] * 9 + [510.0]
    assert without_outliers([5.0, 1.0]) == [1.0, 5.0]
