"""The engine's constants: the table of memory needs, tiers, and errors in the file."""

from __future__ import annotations

from datetime import date

import pytest

from bot.advice.engine import parse_engine, psu_size
from bot.loading import files_root, load_world, read_file
from bot.tables import DataError


@pytest.mark.parametrize(
    ("day", "comfortable", "large"),
    [
        (date(2017, 3, 31), 8, 12),
        (date(2019, 4, 30), 8, 11),
        (date(2020, 2, 29), 8, 24),
        (date(2020, 9, 30), 10, 24),
        (date(2023, 1, 31), 12, 24),
        (date(2026, 12, 1), 16, 24),
        (date(2001, 1, 1), 4, 6),
    ],
)
def test_needs_grow_with_the_years(day: date, comfortable: float, large: float) -> None:
    needs = load_world().engine.needs_on(day)
    assert (needs.comfortable, needs.large) == (comfortable, large)


def test_later_rows_never_ask_for_less_comfort() -> None:
    rows = load_world().engine.memory_needs
    for tier in ("minimum", "entry", "comfortable", "huge"):
        sizes = [row.tier(tier) for row in rows]
        assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("workloads", "mode", "level", "tier"),
    [
        ((), None, None, "comfortable"),
        ((), None, "hobby", "entry"),
        (("kaggle",), None, None, "comfortable"),
        (("rl",), None, None, "entry"),
        (("cv",), None, "research", "large"),
        (("nlp",), None, "research", "comfortable"),
        (("transformer",), None, "beginner", "comfortable"),
        (("transformer",), "training", None, "large"),
        (("llm",), "inference", None, "large"),
        (("llm",), "inference", "hobby", "comfortable"),
        (("kaggle", "3d"), "training", None, "large"),
    ],
)
def test_tiers(workloads: tuple[str, ...], mode: str | None, level: str | None, tier: str) -> None:
    assert load_world().engine.tier_of(workloads, mode, level) == tier


def test_power_supplies_come_in_sizes() -> None:
    engine = load_world().engine
    assert psu_size(engine.psu_watts(350)) == 750
    assert psu_size(engine.psu_watts(575)) == 1000
    assert psu_size(99_999) == 2000


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("speed_exponent: 0.8", "speed_exponent: fast", "value.speed_exponent"),
        ("growth: 0.03", "growth: true", "money.growth"),
        ("vendors:", "sellers:", "vendors"),
        ("ceiling: {none: 1500", "ceiling: {none: lots", "money.ceiling"),
    ],
)
def test_faults_in_the_file_are_named(before: str, after: str, field: str) -> None:
    text, where = read_file(files_root() / "data/engine.yaml", files_root())
    assert before in text
    with pytest.raises(DataError) as caught:
        parse_engine(text.replace(before, after, 1), where)
    assert caught.value.field == field
