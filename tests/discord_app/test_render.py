"""Answers as embeds: every card, every pair's limits, hostile texts, aligned figures."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answers.blocks import (
    Answer,
    Bars,
    Note,
    Paragraph,
    Pick,
    PickRole,
    Picks,
    PriceTag,
    SourceRef,
    Suggestion,
    Table,
)
from bot.discord_app.blocks_text import COLUMNS, bars_text, table_text
from bot.discord_app.escape import clean, escape, in_code, pad, width
from bot.discord_app.limits import embed_faults, embed_length, faults
from bot.discord_app.render import as_content, render
from bot.loading import load_assistant, load_catalogue
from bot.request import Language, Money, Question, Request

TODAY = date(2026, 12, 1)
NASTY = ("@everyone", "```", "[a](https://b.c)", "\ud800", "💥" * 300, "显" * 900, "a " * 700)
TEXT = st.text(max_size=40) | st.sampled_from(NASTY)
ROLES: list[PickRole] = ["best", "cheaper", "more_memory", "faster", "used", "several", "rent"]
TAG = PriceTag(Money(990, "USD"), "used", "2026-07", "a report", "street", "old", "2026-07, 150 days old")


def answer(*blocks: Any, title: str = "A title", language: Language = "en", **more: Any) -> Answer:
    return Answer(language, "recommend", title, Request("q", language, "recommend"), tuple(blocks), **more)


BLOCK = st.one_of(
    st.builds(Paragraph, TEXT),
    st.builds(Note, TEXT, st.sampled_from(["info", "warning", "correction", "assumption", "then"])),
    st.builds(Bars, TEXT, st.lists(st.tuples(TEXT, st.floats(0, 1e6), TEXT), max_size=12).map(tuple)),
    st.integers(1, 5).flatmap(
        lambda columns: st.builds(
            Table,
            st.tuples(*[TEXT] * columns),
            st.lists(st.tuples(*[TEXT] * columns), max_size=12).map(tuple),
            TEXT,
        )
    ),
    st.builds(
        lambda gpu, role, why, price: Picks((Pick(gpu, role, 2, "used", price, None, 24.0, 936.0, reasons=why),)),
        TEXT, st.sampled_from(ROLES),
        st.lists(TEXT, max_size=8).map(tuple), st.sampled_from([None, TAG]),
    ),
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(
    st.lists(BLOCK, max_size=12),
    TEXT,
    st.lists(st.builds(SourceRef, TEXT, TEXT, TEXT), max_size=12),
    TEXT,
    st.booleans(),
)
def test_any_answer_fits(blocks: list[Any], title: str, sources: list[SourceRef], footer: str, full: bool) -> None:
    """Fault #22 (field over 1,024, more than 25 fields)."""
    made = answer(*blocks, title=title, sources=tuple(sources), price_footer=footer)
    embed = render(made, full=full)
    assert embed_faults(embed) in ([], ["embed is empty"])
    assert "@everyone" not in json.dumps(embed)
    assert faults({"content": as_content(made)}) == []


@pytest.mark.parametrize("form", ["{} specs", "{} 参数"])
def test_every_card(form: str) -> None:
    """Fault #22, over the whole catalogue."""
    assistant = load_assistant()
    for gpu in load_catalogue().gpus:
        made = assistant.answer(Question(form.format(gpu.name), TODAY))
        for full in (False, True):
            embed = render(made, full=full)
            assert embed_faults(embed) == [], gpu.name
            assert embed.get("title") or embed.get("description"), gpu.name


def test_pairs_of_cards() -> None:
    """Each card beside the next of the catalogue."""
    assistant = load_assistant()
    names = [gpu.name for gpu in load_catalogue().gpus]
    for first, second in list(zip(names, names[7:], strict=False))[::3]:
        embed = render(assistant.answer(Question(f"compare {first} and {second}", TODAY)), full=True)
        assert embed_faults(embed) == [], (first, second)
        assert embed_length(embed) > 20


def test_the_headline_the_picks_and_their_age() -> None:
    best = Pick(
        "RTX 3090", "best", 2, "used", TAG, Money(1980, "USD"), 24.0, 936.0, reasons=("fits",), warnings=("hot",)
    )
    embed = render(answer(Picks((best,)), title="Two used RTX 3090"))
    field = embed["fields"][0]
    assert embed["title"] == "Two used RTX 3090"
    assert "2× RTX 3090 (used)" in field["name"]
    assert "$1,980" in field["value"]
    assert "150 days old" in field["value"]
    assert "24 GB" in field["value"]
    assert "fits" in field["value"]
    assert "hot" in field["value"]


def test_short_and_full() -> None:
    reasons = tuple(f"reason {n}" for n in range(9))
    made = answer(Picks((Pick("RTX 3090", "best", reasons=reasons),)))
    assert "reason 8" not in json.dumps(render(made))
    assert "reason 8" in json.dumps(render(made, full=True))


def test_corrections_stand_first() -> None:
    embed = render(answer(Paragraph("text"), Note("the 4060 Ti has 16 GB", "correction")))
    assert embed["description"].index("4060") < embed["description"].index("text")


def test_sources_are_linked_only_where_they_are_addresses() -> None:
    sources = (SourceRef("A", "https://a.example/x", "2026-07"), SourceRef("B", "javascript:alert(1)", "2026"))
    text = json.dumps(render(answer(Paragraph("x"), sources=sources)))
    assert "[A](https://a.example/x)" in text
    assert "javascript" not in text


def test_a_headline_too_long_for_a_title_is_not_cut() -> None:
    embed = render(answer(title="word " * 100))
    assert "title" not in embed
    assert embed["description"].count("word") == 100


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*a* _b_ ~~c~~ `d` ||e||", r"\*a\* \_b\_ \~\~c\~\~ \`d\` \|\|e\|\|"),
        ("# a", r"\# a"),
        ("- a", r"\- a"),
        ("1. a", r"\1. a"),
        ("[a](b)", r"\[a\](b)"),
        ("24-32 GB", "24-32 GB"),
        ("a\u202eb\u0000c", "abc"),
    ],
)
def test_escape(text: str, shown: str) -> None:
    assert escape(text) == shown


@given(st.text(max_size=200))
def test_escaped_text_mentions_and_links_nobody(text: str) -> None:
    shown = escape(text + "@everyone <@1> https://evil.example")
    assert "@everyone" not in shown
    assert "https://evil" not in shown
    assert "\\<@\u200b1" in shown
    assert clean(shown) == shown


@given(st.text(max_size=100))
def test_code_is_not_left(text: str) -> None:
    assert "`" not in in_code(text)


def test_width_of_chinese() -> None:
    assert width("显存 24") == 7
    assert pad("显存", 6) == "显存  "
    assert pad("ab", 4, right=True) == "  ab"


def test_tables_are_aligned_and_narrow() -> None:
    table = Table(
        ("", "RTX 3090", "RTX 4090"),
        (
            ("memory", "24 GB", "24 GB"),
            ("bandwidth", "936", "1008"),
            ("formats", "FP16, BF16, TF32, INT8", "FP16, BF16, TF32, INT8, FP8"),
        ),
    )
    text = table_text(table)
    block = text.split("```")[1].strip("\n").split("\n")
    assert len(block) == 3
    assert all(width(line) <= COLUMNS for line in block)
    assert len({width(line[: line.rindex("  ")]) for line in block}) <= 3
    assert "**formats** FP16, BF16, TF32, INT8 · FP16" in text


def test_a_table_of_two_columns_is_lines() -> None:
    assert table_text(Table(("", "RTX 3090"), (("memory", "24 GB"), ("empty", "")))) == "**memory** 24 GB\n**empty** "


def test_bars() -> None:
    lines = bars_text(Bars("t", (("a", 10, "10"), ("long name of a card", 5, "5"), ("none", 0, "0")))).split("\n")
    assert lines[1].count("█") == 12
    assert lines[2].count("█") == 6
    assert lines[3].count("█") == 1


def test_suggestions_do_not_reach_the_embed() -> None:
    """They are the menu's."""
    made = answer(Paragraph("x"), suggestions=(Suggestion("label", "the question"),))
    assert "the question" not in json.dumps(render(made))
