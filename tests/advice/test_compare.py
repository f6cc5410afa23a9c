"""Side by side: memory decides first, then speed for the money."""

from __future__ import annotations

from datetime import date

import pytest

from bot.advice.compare import Comparison, compare
from bot.advice.needs import Needs
from bot.loading import load_world
from bot.request import Money

TODAY = date(2026, 12, 1)


def run(*names: str | tuple[str, int], needs: Needs | None = None) -> Comparison:
    return compare(names, needs or Needs(), load_world(), TODAY)


@pytest.mark.parametrize(
    ("names", "needs", "winner"),
    [
        (("RTX 3060 Ti", "RTX 3060 12GB"), Needs(workloads=("asr",), mode="inference"), "RTX 3060 12GB"),
        (("RTX 4060", "RTX 3060 12GB"), Needs(), "RTX 3060 12GB"),
        (("RTX 2060", "RTX 3060"), Needs(workloads=("deepfake",)), "RTX 3060 12GB"),
        (("P40", "RTX 3090"), Needs(workloads=("llm",), mode="inference", fastest=True), "RTX 3090"),
        (("GTX 480", "RTX 3060"), Needs(), "RTX 3060 12GB"),
    ],
)
def test_the_winner(names: tuple[str, str], needs: Needs, winner: str) -> None:
    assert run(*names, needs=needs).winner == winner
    assert run(*reversed(names), needs=needs).winner == winner


def test_memory_that_is_needed_decides_whatever_the_speed() -> None:
    found = run("RTX 5080", "RTX 3090", needs=Needs(workloads=("llm",), mode="inference", memory_need_gb=20))
    assert found.winner == "RTX 3090"
    assert found.reasons[0].code == "decides_memory"
    assert [side.holds for side in found.sides] == [False, True]


def test_two_cards_add_memory_only_for_work_that_can_be_split() -> None:
    split = run(("RTX 3090", 2), "RTX 4090", needs=Needs(workloads=("llm",), mode="finetuning", shardable=True))
    assert (split.sides[0].total_memory_gb, split.sides[0].job_memory_gb) == (48, 48)
    assert "split_training" in [reason.code for reason in split.notes]
    single = run(("RTX 2060", 2), "RTX 2080", needs=Needs(workloads=("cv",), mode="training"))
    assert (single.sides[0].total_memory_gb, single.sides[0].job_memory_gb) == (12, 6)
    assert "per_card_memory" in [reason.code for reason in single.notes]
    assert single.winner == "RTX 2080"


def test_prices_carry_their_age_and_absent_ones_stay_absent() -> None:
    found = run("RTX 3090", "GTX 1080 Ti")
    priced, unpriced = found.sides
    assert priced.point is not None
    assert (priced.point.condition, priced.age) == ("used", "historic")
    assert (unpriced.point, unpriced.total, unpriced.perf_per_dollar) == (None, None, None)


def test_unknown_names_are_listed_and_one_card_alone_wins_nothing() -> None:
    found = run("RTX 3090", "RTX 9999")
    assert found.unknown == ("RTX 9999",)
    assert found.winner is None


LLM = Needs(workloads=("llm",), mode="inference", shardable=True)
TRAINING = Needs(workloads=("cv",), mode="training")


@pytest.mark.parametrize(
    ("names", "needs", "winner", "code"),
    [
        (("RTX 2060", "RTX 3060"), Needs(workloads=("deepfake",)), "RTX 3060 12GB", "decides_more_memory"),
        (("Quadro P6000", "RTX 3090"), LLM, "RTX 3090", "decides_speed"),
        (("A100 80GB", "H100 PCIe 80GB"), LLM, "H100 PCIe 80GB", "decides_compute"),
        (("V100 16GB", "RTX 3090"), TRAINING, "RTX 3090", "decides_speed"),
        (("RTX 3090", "RTX 4090"), TRAINING, "RTX 3090", "decides_value"),
        (("RTX 4090", "RTX 5090"), Needs(workloads=("bio",)), "RTX 5090", "decides_worth"),
        (("RX 9070 XT", "RTX 5060 Ti 16GB"), Needs(workloads=("image_gen",)), "RTX 5060 Ti 16GB", "decides_cuda"),
        (("RX 7900 XTX", "RTX 4080"), LLM, "RX 7900 XTX", "decides_more_memory"),
        (("GTX 1080 Ti", "Titan X (Pascal)"), Needs(), "GTX 1080 Ti", "decides_launch"),
        ((("RTX 4090", 2), ("RTX 3090", 2)), TRAINING, "RTX 3090", "decides_value"),
        ((("RTX 4090", 1), ("RTX 4090", 2)), TRAINING, "RTX 4090", "decides_count"),
        ((("RTX 5060 Ti 16GB", 2), ("RTX 3090", 1)), LLM, "RTX 3090", "decides_worth"),
        ((("RTX 3090", 2), ("RTX 4090 D", 1)), LLM, "RTX 3090", "decides_together"),
        (("V100 16GB", "T4"), Needs(workloads=("llm",), mode="finetuning"), "V100 16GB", "decides_worth"),
    ],
)
def test_the_reason_is_the_one_a_person_would_give(
    names: tuple[str | tuple[str, int], ...], needs: Needs, winner: str, code: str
) -> None:
    for order in (names, names[::-1]):
        found = run(*order, needs=needs)
        assert (found.winner, found.reasons[0].code) == (winner, code)


def test_several_cards_add_throughput_to_training_and_no_speed_to_one_language_model() -> None:
    training = run(("RTX 3090", 2), "RTX 4090", needs=TRAINING).sides[0]
    reply = run(("RTX 3090", 2), "RTX 4090", needs=LLM).sides[0]
    assert training.speed is not None
    assert training.task_speed == pytest.approx(training.speed * 2 * load_world().engine.scaling_in_one_pc)
    assert reply.task_speed == reply.speed


def test_the_card_that_is_owned_is_the_baseline() -> None:
    kept = run("RTX 3090", "RTX 5080", needs=Needs(workloads=("llm",), mode="inference", owned=("RTX 3090",)))
    assert (kept.winner, kept.reasons[0].code) == ("RTX 3090", "decides_keep")
    better = run("GTX 1060 6GB", "RTX 3060", needs=Needs(owned=("GTX 1060 6GB",)))
    assert (better.winner, better.reasons[0].code) == ("RTX 3060 12GB", "decides_upgrade")
    three = run("RTX 5090", "RTX 3060", "RTX 5080", needs=Needs(owned=("RTX 5090",)))
    assert three.winner != "RTX 5090"
    assert "upgrade_from" in [note.code for note in three.notes]


def test_prices_named_in_the_question_count_when_both_have_one() -> None:
    asked = (("RTX 3090", Money(650, "USD")), ("RTX 4090", Money(900, "USD")))
    found = run("RTX 3090", "RTX 4090", needs=Needs(workloads=("cv",), mode="training", asked_prices=asked))
    assert (found.winner, found.reasons[0].code) == ("RTX 4090", "decides_worth_asked")
    one = run("RTX 3090", "RTX 4090", needs=Needs(workloads=("cv",), mode="training", asked_prices=asked[1:]))
    assert (one.winner, one.reasons[0].code) == ("RTX 3090", "decides_value")


def test_of_five_cards_the_best_is_named_and_the_others_run_it_too() -> None:
    names = ("RTX 3060", "RTX 4070", "RTX 5080", "RTX 3090", "RTX 5070")
    found = run(*names, needs=Needs(workloads=("image_gen",), memory_need_gb=8))
    assert found.winner != "RTX 3060 12GB"
    assert "others_hold" in [reason.code for reason in found.reasons]
    assert len(found.reasons) <= 4


def test_a_launch_price_older_than_two_years_is_no_price() -> None:
    old = compare(("RTX 4080", "RTX 3090"), Needs(condition="new"), load_world(), TODAY)
    assert all(side.point is None or side.point.kind != "msrp" for side in old.sides)


def test_a_modded_card_has_the_memory_that_is_told() -> None:
    found = run("RTX 2080 Ti", "RTX 3080", needs=Needs(workloads=("llm",), modded=(("RTX 2080 Ti", 22.0),)))
    assert found.sides[0].job_memory_gb == 22
    assert found.winner == "RTX 2080 Ti"


def test_equal_memory_is_never_the_reason() -> None:
    found = run("Jetson Orin Nano 8GB", "RTX 3050", needs=Needs(workloads=("cv",)))
    assert found.reasons[0].code == "decides_speed"
