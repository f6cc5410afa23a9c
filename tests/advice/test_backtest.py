"""The back-test: the guides' rows, and the machinery that other rows need."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.advice.backtest import PeriodPrices, parse_period_prices, parse_rows, run
from bot.loading import files_root, load_name_resolver, load_period_prices, load_world, read_file
from bot.tables import DataError

PRICES = """as_of,gpu,condition,price_usd,source
2018-08,GTX 1080 Ti,new,750,x
2018-08,GTX 1060 6GB,new,250,x
2018-08,GTX 1060 3GB,new,200,x
2018-08,Tesla V100 16GB,new,8000,x
2018-08,Voodoo 2,used,20,x
"""


def prices(text: str = PRICES) -> PeriodPrices:
    return parse_period_prices(text, "p.csv", load_name_resolver())


def test_the_guides_are_reproduced() -> None:
    rows = parse_rows(*read_file(files_root() / "data/backtest.yaml", files_root()))
    outcomes = run(rows, load_period_prices(), load_world(), load_name_resolver())
    computed = [outcome for outcome in outcomes if outcome.right is not None]
    wrong = [f"{outcome.id}: {outcome.note}" for outcome in computed if not outcome.right]
    assert len(computed) == 45
    assert all(outcome.right for outcome in computed if outcome.kind in ("ranking", "set")), wrong
    assert len(wrong) <= 0.05 * len(computed), wrong


def test_the_seeds_run_in_their_own_form() -> None:
    seeds = Path(__file__).parents[3] / "shared/seeds"
    if not (seeds / "backtest.yaml").is_file():
        pytest.skip("the material beside the checkout is not there")
    rows = parse_rows(*read_file(seeds / "backtest.yaml"))
    table = parse_period_prices(*read_file(seeds / "period_prices.csv"), load_name_resolver())
    outcomes = run(rows, table, load_world(), load_name_resolver())
    computed = [outcome for outcome in outcomes if outcome.right is not None]
    assert sum(bool(outcome.right) for outcome in computed) >= 0.95 * len(computed)
    assert all(outcome.right for outcome in computed if outcome.kind in ("ranking", "set"))


def outcome_of(row: str, text: str = PRICES):  # type: ignore[no-untyped-def]
    (outcome,) = run(parse_rows(row, "r.yaml"), prices(text), load_world(), load_name_resolver())
    return outcome


def test_picks_come_in_the_spelling_of_the_files() -> None:
    outcome = outcome_of(
        "- {id: a, as_of: 2018-08, profile: {workload: general, deployment: datacenter}, pick: [Tesla V100 16GB]}"
    )
    assert outcome.right
    assert outcome.picks[0] == "Tesla V100 16GB"


def test_nested_picks_and_what_to_avoid() -> None:
    row = (
        "- {id: a, as_of: 2018-08, profile: {budget: {max: 300}}, pick: [[GTX 1060 6GB, GTX 1070]], "
        "avoid: [GTX 1060 3GB]}"
    )
    assert outcome_of(row).right
    assert not outcome_of(row.replace("avoid: [GTX 1060 3GB]", "avoid: [GTX 1060 6GB]")).right


def test_a_wrong_row_says_what_was_picked_and_wanted() -> None:
    outcome = outcome_of("- {id: a, as_of: 2018-08, profile: {budget: {max: 300}}, pick: [GTX 1080 Ti]}")
    assert outcome.right is False
    assert "GTX 1060 6GB" in outcome.note
    assert "GTX 1080 Ti" in outcome.note


def test_unknown_cards_are_listed() -> None:
    assert prices().unknown == ("Voodoo 2",)


def test_a_day_without_prices_of_its_own_takes_the_last_known() -> None:
    assert {point.gpu for point in prices().upto("2018-12")} >= {"GTX 1080 Ti"}
    assert prices().upto("2017-01") == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "GTX 1060 6GB gives more performance per dollar than GTX 1080 Ti and V100 16GB",
        "GTX 1080 Ti is faster than GTX 1060 6GB",
        "GTX 1080 Ti has more memory than GTX 1060 6GB and GTX 1060 3GB",
        "GTX 1060 6GB is cheaper than GTX 1080 Ti",
        "the GTX 1060 6GB has a better value than the GTX 1080 Ti.",
    ],
)
def test_sentences_of_rankings(sentence: str) -> None:
    assert outcome_of(f"- {{id: a, as_of: 2018-08, kind: ranking, expect: '{sentence}'}}").right
    swapped = sentence.replace("GTX 1080 Ti", "@").replace("GTX 1060 6GB", "GTX 1080 Ti").replace("@", "GTX 1060 6GB")
    assert outcome_of(f"- {{id: a, as_of: 2018-08, kind: ranking, expect: '{swapped}'}}").right is False


def test_a_sentence_of_no_known_form_is_wrong_and_says_so() -> None:
    outcome = outcome_of("- {id: a, as_of: 2018-08, kind: ranking, expect: 'who knows'}")
    assert outcome.right is False
    assert "form" in outcome.note


def test_one_computer_with_four_cards_against_two_with_eight() -> None:
    row = (
        "- {id: a, as_of: 2018-08, who: one PC with 4 GTX 1080 Ti or two PCs with 8 GTX 1060 6GB, kind: ranking, "
        "expect: the one PC with 4 GTX 1080 Ti wins on performance per dollar of the whole system}"
    )
    outcome = outcome_of(row)
    assert outcome.right
    assert outcome.picks == ("4 x GTX 1080 Ti", "8 x GTX 1060 6GB")


def test_quotes_are_not_computed() -> None:
    assert outcome_of("- {id: a, as_of: 2018-08, kind: quote_only, answer: text}").right is None


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("- {as_of: 2018-08}", "id"),
        ("- {id: a}", "as_of"),
        ("- {id: a, as_of: 2018-08, profile: {colour: red}}", "colour"),
        ("id: a", None),
    ],
)
def test_bad_rows_are_named(text: str, field: str | None) -> None:
    with pytest.raises(DataError) as caught:
        parse_rows(text, "r.yaml")
    assert caught.value.field == field


def test_bad_prices_are_named() -> None:
    with pytest.raises(DataError) as caught:
        prices(PRICES.replace("750", "7"))
    assert (caught.value.line, caught.value.field) == (2, "price_usd")
