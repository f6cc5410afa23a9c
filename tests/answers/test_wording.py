"""The wording files: complete, alike in both languages, and every key that the program says is there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bot.answers.wording import parse_wording
from bot.loading import load_wording
from bot.tables import DataError

ROOT = Path(__file__).parents[2]


def said_keys() -> set[tuple[str, frozenset[str]]]:
    """(key, names of the values) of every call `say("key", name=...)` in the program."""
    found = set()
    for path in [*(ROOT / "bot/answers").glob("*.py"), ROOT / "bot/assistant.py"]:
        if path.name == "fit_words.py":  # says the codes of data/wording/fit.yaml, checked when that is read
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            keywords = [keyword.arg for keyword in node.keywords]
            if name == "say" and isinstance(node.args[0].value, str) and None not in keywords:
                found.add((node.args[0].value, frozenset(keyword for keyword in keywords if keyword)))
    return found


def test_the_program_says_something() -> None:
    assert len(said_keys()) > 30


@pytest.mark.parametrize(("key", "values"), sorted(said_keys(), key=str))
def test_every_sentence_said_is_worded_and_filled(key: str, values: frozenset[str]) -> None:
    wording = load_wording()
    assert key in wording, f"{key} is not in data/wording"
    assert wording.placeholders(key) <= values


def test_sentences_end_and_hold_no_markup() -> None:
    wording = load_wording()
    for key in wording.all:
        for language in ("en", "zh-CN", "zh-TW"):
            text = wording(language, key, **dict.fromkeys(wording.placeholders(key), "x"))
            assert text.strip(), key
            assert "**" not in text, key
            assert "@" not in text, key


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: {en: x}\n", "en and zh are both needed"),
        ("a: {en: x, zh: 'y {b}'}\n", "different placeholders: b"),
        ("a: {en: 'x {', zh: y}\n", "en: "),
        ("a: {en: 1, zh: y}\n", "en is not text"),
        ("- a\n", "not a mapping"),
    ],
)
def test_broken_wording_says_where(text: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem) as caught:
        parse_wording([(text, "w.yaml")], str)
    assert (caught.value.where, caught.value.line) == ("w.yaml", 1)


def test_a_key_in_two_files_is_refused() -> None:
    one = "a: {en: x, zh: y}\n"
    with pytest.raises(DataError, match="stands twice") as caught:
        parse_wording([(one, "a.yaml"), (one, "b.yaml")], str)
    assert caught.value.where == "b.yaml"
