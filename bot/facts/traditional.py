"""Traditional Chinese as Taiwan writes it, derived from the Simplified texts: script by OpenCC, words by a glossary.

OpenCC's own Taiwan word lists are not used: they miss the words of this field or pick unusual ones. The glossary is
data/vocabulary/taiwan_glossary.yaml; `bot.loading` installs it once, before the first text is converted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from bot.tables import DataError, LineDict, read_yaml
from bot.text import converter

_PRIVATE = 0xE000
"""The first of the 6,400 private characters of Unicode."""


def parse_glossary(text: str, where: str) -> dict[str, str]:
    """Mainland word in Simplified -> Taiwan word in Traditional characters. Raises DataError."""
    data = read_yaml(text, where)
    if not isinstance(data, LineDict) or not isinstance(data.get("terms"), LineDict):
        raise DataError(where, 1, "terms", "the list of terms is missing", "Write terms: and `mainland: Taiwan` lines")
    terms: LineDict = data["terms"]
    for word, taiwan in terms.items():
        if not isinstance(taiwan, str) or not taiwan.strip():
            raise DataError(where, terms.lines[word], word, "the Taiwan word is missing", "Write it after the colon")
    return dict(terms)


class Traditional:
    """Converts texts; longest glossary word first, each text once."""

    def __init__(self, glossary: Mapping[str, str]) -> None:
        """`glossary` as `parse_glossary` gives it."""
        # A word is set aside as one private character while OpenCC converts the rest: its phrase tables could
        # otherwise give the word another character beside its neighbours.
        self._aside = {word: chr(_PRIVATE + number) for number, word in enumerate(glossary)}
        self._taiwan = {ord(self._aside[word]): taiwan for word, taiwan in glossary.items()}
        ordered = sorted(glossary, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def convert(self, text: str) -> str:
        """The text in Traditional characters and Taiwan words."""
        if text.isascii():
            return text
        if self._pattern is None:
            return str(converter("s2tw").convert(text))
        set_aside = self._pattern.sub(lambda match: self._aside[match.group()], text)
        return str(converter("s2tw").convert(set_aside)).translate(self._taiwan)


_current = Traditional({})


def install_glossary(glossary: Mapping[str, str]) -> None:
    """Use this glossary from now on."""
    global _current
    _current = Traditional(glossary)
    to_traditional.cache_clear()


@lru_cache(maxsize=4096)
def to_traditional(text: str) -> str:
    """Simplified Chinese as a reader in Taiwan expects it; other text unchanged."""
    return _current.convert(text)
