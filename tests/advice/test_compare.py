"""Side by side: memory decides first, then speed for the money."""

from __future__ import annotations

from datetime import date

import pytest

from bot.advice.compare import Comparison, compare
from bot.advice.needs import Needs
from bot.loading import load_world

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
    assert "split_needed" in [reason.code for reason in split.reasons]
    single = run(("RTX 2060", 2), "RTX 2080", needs=Needs(workloads=("cv",), mode="training"))
    assert (single.sides[0].total_memory_gb, single.sides[0].job_memory_gb) == (12, 6)
    assert "per_card_memory" in [reason.code for reason in single.reasons]
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
