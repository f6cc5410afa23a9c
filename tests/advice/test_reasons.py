"""Every code has its words in both languages, and every word its parameters."""

from __future__ import annotations

import pytest

from bot.advice.reasons import CODES, parameters, parse_wording, reason
from bot.loading import files_root, load_reasons, read_file
from bot.tables import DataError


@pytest.mark.parametrize("code", sorted(CODES))
@pytest.mark.parametrize("language", ["en", "zh-CN", "zh-TW"])
def test_every_code_can_be_said(code: str, language: str) -> None:
    text = load_reasons().say(reason(code, **dict.fromkeys(parameters(code), "x")), language)
    assert text
    assert "{" not in text


def test_numbers_are_short() -> None:
    assert "43.7 GB" in load_reasons().say(reason("memory_fits", memory=48.0, need=43.6635))


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("no_nvlink:", "no_such_code:", "unknown"),
        ("{tdp} W", "{tpd} W", "no parameter"),
        ("about_equal: {en:", "about_equal: {english:", "needs en and zh"),
    ],
)
def test_faults_in_the_wording_are_named(before: str, after: str, problem: str) -> None:
    text, where = read_file(files_root() / "data/wording/reasons.yaml", files_root())
    assert before in text
    with pytest.raises(DataError, match=problem):
        parse_wording(text.replace(before, after, 1), where)


def test_a_missing_code_is_named() -> None:
    text, where = read_file(files_root() / "data/wording/reasons.yaml", files_root())
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("over_budget:"))
    with pytest.raises(DataError, match="over_budget"):
        parse_wording(kept, where)
