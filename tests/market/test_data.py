"""The shipped price tables keep their promises."""

from __future__ import annotations

from datetime import date

from bot.loading import load_catalogue, load_cloud_prices, load_period_prices, load_prices
from bot.market.points import first_day

TODAY = date(2026, 12, 1)


def test_every_price_belongs_to_a_card_and_names_its_source() -> None:
    book, catalogue = load_prices(), load_catalogue()
    assert len(book.gpus) > 70
    for gpu in book.gpus:
        assert catalogue.by_name[gpu]
        for point in book.history(gpu):
            assert len(point.source) > 10
            assert first_day(point.as_of) <= TODAY


def test_leftover_stock_of_old_cards_is_not_offered_as_new() -> None:
    book = load_prices()
    for gpu in ("GTX 1080 Ti", "RTX 2080 Ti", "RTX 3090", "RTX 4090", "RTX 4080"):
        assert book.best(gpu, "new", TODAY) is None


def test_a_new_card_is_not_listed_far_below_its_used_price() -> None:
    book = load_prices()
    for gpu in book.gpus:
        new, used = book.best(gpu, "new", TODAY), book.best(gpu, "used", TODAY)
        if new is not None and used is not None and new.kind != "msrp":
            assert new.money.amount > used.money.amount * 0.8, gpu


def test_the_guides_prices_are_all_resolved_and_in_the_book() -> None:
    period = load_period_prices()
    assert period.unknown == ()
    assert set(period.by_date) == {"2017-03", "2017-04", "2019-04", "2020-02"}
    found = load_prices().best("RTX 2070", "new", date(2019, 4, 30))
    assert found is not None
    assert (found.money.amount, found.kind) == (500, "guide")


def test_renting_has_prices_for_the_usual_gpus() -> None:
    cloud = load_cloud_prices()
    for gpu in ("H100 SXM 80GB", "A100 80GB", "L4", "RTX 4090", "L40S"):
        typical = cloud.typical(gpu)
        assert typical is not None
        assert typical.low <= typical.usd_per_hour <= typical.high
