"""Whatever comes, what leaves is inside Discord's limits, and the checker finds what is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discord_app import limits

TEXT = st.text(max_size=9000) | st.builds(
    lambda text, times: text * times, st.text(min_size=1, max_size=4), st.integers(1, 5000)
)
FIELD = st.fixed_dictionaries({"name": TEXT, "value": TEXT, "inline": st.booleans()})
EMBED = st.fixed_dictionaries(
    {},
    optional={
        "title": TEXT,
        "description": TEXT,
        "author": st.fixed_dictionaries({"name": TEXT}),
        "footer": st.fixed_dictionaries({"text": TEXT}),
        "fields": st.lists(FIELD, max_size=40),
        "color": st.integers(0, 0xFFFFFF),
    },
)  # fmt: skip


@given(EMBED)
def test_any_embed_fits(embed: dict[str, Any]) -> None:
    fitted = limits.fit_embed(embed)
    faults = limits.embed_faults(fitted)
    assert faults in ([], ["embed is empty"])
    assert limits.embed_length(fitted) <= limits.EMBEDS_TOTAL
    assert limits.fit_embed(fitted) == fitted


@given(TEXT, st.integers(1, 5000))
def test_clip(text: str, most: int) -> None:
    cut = limits.clip(text, most)
    assert limits.length(cut) <= most
    if limits.length(text) <= most:
        assert cut == text
    elif "```" not in text:
        assert text.startswith(cut.removesuffix("…").rstrip("\\")[:50])


@given(TEXT)
def test_content(text: str) -> None:
    assert limits.faults({"content": limits.fit_content(text)}) == []


@given(st.lists(st.tuples(TEXT, TEXT), max_size=60))
def test_choices(pairs: list[tuple[str, str]]) -> None:
    choices = limits.fit_choices(pairs)
    assert limits.choice_faults([{"name": name, "value": value} for name, value in choices]) == []
    assert len({value for _, value in choices}) == len(choices)


def test_an_open_code_block_is_closed() -> None:
    cut = limits.clip("```\n" + "x " * 500 + "\n```", 200)
    assert cut.count("```") == 2
    assert limits.length(cut) <= 200


def test_emoji_count_double() -> None:
    assert limits.length("💥") == 2
    assert limits.length(limits.clip("💥" * 100, 51)) <= 51


def _row(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(parts)}


def _button(custom_id: str = "a", label: str = "x") -> dict[str, Any]:
    return {"type": 2, "style": 2, "label": label, "custom_id": custom_id}


def _menu(*values: str) -> dict[str, Any]:
    return {"type": 3, "custom_id": "m", "options": [{"label": value or "x", "value": value} for value in values]}


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"content": "x" * 2001}, "content"),
        ({}, "empty"),
        ({"content": " \n"}, "empty"),
        ({"embeds": [{"title": "x"}] * 11}, "11 embeds"),
        ({"embeds": [{"title": "x" * 257}]}, "title"),
        ({"embeds": [{"description": "x" * 4097}]}, "description"),
        ({"embeds": [{"title": "x", "fields": [{"name": "", "value": "x"}]}]}, "name is empty"),
        ({"embeds": [{"title": "x", "fields": [{"name": "x", "value": "x" * 1025}]}]}, "1025"),
        ({"embeds": [{"title": "x", "fields": [{"name": "x", "value": "x"}] * 26}]}, "26 fields"),
        ({"embeds": [{"description": "x" * 3500}, {"description": "x" * 3500}]}, "6000"),
        ({"embeds": [{"color": 3}]}, "embed is empty"),
        ({"content": "x", "components": [_row(_button(), _button())]}, "twice"),
        ({"content": "x", "components": [_row(*(_button(str(n)) for n in range(6)))]}, "row of 6"),
        ({"content": "x", "components": [_row()]}, "row of 0"),
        ({"content": "x", "components": [_row(_button(str(n))) for n in range(6)]}, "6 components"),
        ({"content": "x", "components": [_row(_button("x" * 101))]}, "custom_id has 101"),
        ({"content": "x", "components": [_row(_button(label="x" * 81))]}, "label"),
        ({"content": "x", "components": [_row(_menu("a", "a"))]}, "twice"),
        ({"content": "x", "components": [_row(_menu(*(str(n) for n in range(26))))]}, "menu of 26"),
        ({"content": "x", "components": [_row(_menu(""))]}, "menu value"),
        ({"content": "x", "flags": 1 << 15, "components": []}, "V2"),
        ({"flags": 1 << 15, "components": [{"type": 10, "content": "x" * 2500}] * 2}, "4000"),
        ({"flags": 1 << 15, "components": [{"type": 10, "content": "x"}] * 41}, "41"),
        ({"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}, "allowed_mentions"),
    ],
)  # fmt: skip
def test_what_a_body_breaks(body: dict[str, Any], word: str) -> None:
    assert any(word in fault for fault in limits.faults(body)), limits.faults(body)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ({"name": "Ask", "description": "x"}, "cannot be a name"),
        ({"name": "as k", "description": "x"}, "cannot be a name"),
        ({"name": "x" * 33, "description": "x"}, "cannot be a name"),
        ({"name": "ask", "description": ""}, "description"),
        ({"name": "ask", "description": "x" * 101}, "description"),
        ({"name": "ask", "description": "x", "name_localizations": {"zh-CN": "GPU推荐"}}, "cannot be a name"),
        ({"name": "ask", "description": "x", "description_localizations": {"zh-CN": "x" * 101}}, "description"),
        ({"name": "ask", "description": "x", "options": [{"name": "a", "description": "x"}] * 2}, "share a name"),
        ({"name": "ask", "description": "x", "options": [
            {"name": f"o{n}", "description": "x" * 100, "choices": [{"name": "n" * 100, "value": "v" * 100}] * 25}
            for n in range(2)]}, "8000"),
        ({"name": "ask", "description": "x", "options": [{"name": f"o{n}", "description": "x"} for n in range(26)]},
         "26 options"),
    ],
)  # fmt: skip
def test_what_a_command_breaks(command: dict[str, Any], word: str) -> None:
    assert any(word in fault for fault in limits.command_faults(command)), limits.command_faults(command)


def test_modals() -> None:
    inner = {"type": 18, "label": "x" * 46, "component": {"type": 4, "custom_id": "a"}}
    found = limits.modal_faults({"title": "x" * 46, "custom_id": "", "components": [inner] * 6})
    assert len(found) == 3 + 6
