"""Folding makes script, width and case alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.text import fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("顯示卡", "显示卡"),
        ("４０６０Ｔｉ", "4060ti"),
        ("RTX 3090", "rtx 3090"),
        ("昇騰", fold("昇腾")),
        ("\ud800x", "\ufffdx"),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folding_never_fails_and_leaves_no_capitals_or_wide_digits(text: str) -> None:
    folded = fold(text)
    assert not any("A" <= char <= "Z" or "０" <= char <= "９" or "\ud800" <= char <= "\udfff" for char in folded)
