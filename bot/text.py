"""Folding of text for matching: script, width, case."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4)
def converter(configuration: str) -> Any:
    """OpenCC's converter of that name ("t2s", "s2tw"). Made on first use: an English question needs none."""
    import opencc

    return opencc.OpenCC(configuration)


@lru_cache(maxsize=4096)
def to_simplified(text: str) -> str:
    """Traditional characters to Simplified, one for one; other text unchanged."""
    return text if text.isascii() else str(converter("t2s").convert(text))


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """The form that vocabulary and questions are compared in: Simplified, NFKC, lower case.

    Lone surrogates become U+FFFD. The length may change; spans are taken on the folded text.
    """
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = to_simplified(unicodedata.normalize("NFKC", text))
        return unicodedata.normalize("NFKC", text.casefold())
    return text.casefold()
