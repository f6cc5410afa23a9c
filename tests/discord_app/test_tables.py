"""Tables of several cards: aligned, narrow enough for a phone, nothing lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bot.answers.blocks import Table
from bot.discord_app.blocks_text import COLUMNS, table_text
from bot.discord_app.escape import width

CARDS = ("", "A100 SXM 80GB", "RTX PRO 6000", "H100 SXM 80GB")


def _block(text: str) -> list[str]:
    return text.split("```")[1].strip("\n").split("\n")


def test_labels_stand_above_their_values_and_long_names_take_two_lines() -> None:
    rows = (
        ("memory", "80 GB HBM2e", "96 GB GDDR7", "80 GB HBM3"),
        ("bandwidth", "2039 GB/s", "1792 GB/s", "3350 GB/s"),
        ("FP16 tensor (dense)", "312 TFLOPS", "504 TFLOPS~", "–"),
    )
    assert _block(table_text(Table(CARDS, rows))) == [
        "A100 SXM   RTX PRO    H100 SXM",
        "80GB       6000       80GB",
        "─ memory",
        "80GB HBM2e 96GB GDDR7 80GB HBM3",
        "─ bandwidth, GB/s",
        "2039       1792       3350",
        "─ FP16 tensor (dense), TFLOPS",
        "312        504~       –",
    ]


def test_units_that_differ_stay_with_their_values() -> None:
    rows = (
        ("link", "600 GB/s", "64 Gb/s", "–"),
        ("architecture of it", "Ampere", "Blackwell", "Hopper"),
        ("connector of it all", "one", "two", "three"),
    )
    block = _block(table_text(Table(CARDS, rows)))
    assert "600 GB/s" in "\n".join(block)
    assert "64 Gb/s" in "\n".join(block)


def test_without_a_block_the_cards_are_named_above_the_values() -> None:
    long = "FP16, BF16, TF32, INT8, FP8"
    text = table_text(Table(CARDS, (("formats", long, "FP16", long), ("price", "no price known", "–", long))))
    assert text.startswith("**A100 SXM 80GB · RTX PRO 6000 · H100 SXM 80GB**\n")


cell = st.one_of(
    st.sampled_from(["–", "936 GB/s", "24 GB GDDR6X", "165.2 TFLOPS~", "显存", "FP16, BF16, TF32, INT8, FP8"]),
    st.text(st.characters(categories=("L", "N")), min_size=1, max_size=50),
)


@given(st.integers(2, 4).flatmap(lambda cards: st.lists(st.tuples(*[cell] * (cards + 1)), min_size=1, max_size=12)))
def test_no_line_is_too_wide_and_every_figure_is_there(rows: list[tuple[str, ...]]) -> None:
    heads = ("", *(f"card {number}" for number in range(1, len(rows[0]))))
    text = table_text(Table(heads, tuple(rows)))
    for line in text.split("```")[1].split("\n") if "```" in text else []:
        # A label may be longer than the block is wide; it wraps without harm.
        assert width(line) <= COLUMNS or line.startswith("─ ")
    shown = re.sub(r"\W", "", text)
    for row in rows:
        for value in row:
            assert re.sub(r"\W", "", value.split(" ")[0]) in shown


def test_chinese_labels_stand_above_their_values() -> None:
    """Beside them nothing aligns: a phone draws a Chinese character not exactly two columns wide."""
    rows = (("显存带宽", "936", "1008"), ("功耗", "350 W", "450 W"))
    block = _block(table_text(Table(("", "RTX 3090", "RTX 4090"), rows)))
    assert block == ["RTX 3090 RTX 4090", "─ 显存带宽", "936      1008", "─ 功耗, W", "350      450"]
