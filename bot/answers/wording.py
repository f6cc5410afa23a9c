"""Sentences in the asker's language, from data/wording/*.yaml: {key: {en: ..., zh: ...}} with {placeholders}.

Simplified Chinese is written by people, Traditional is derived from it with the Taiwan glossary.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.request import Language
from bot.tables import DataError, LineDict, read_yaml


class Wording:
    """`wording("en", "key", name=...)` gives the sentence; an unknown key is a programming error."""

    def __init__(self, entries: Mapping[str, tuple[str, str]], to_traditional: Callable[[str], str]) -> None:
        """`entries` maps a key to its English and Simplified Chinese templates."""
        self._entries = dict(entries)
        self._to_traditional = to_traditional

    def __call__(self, language: Language, key: str, **values: object) -> str:
        english, chinese = self._entries[key]
        if language == "en":
            return english.format(**values) if values else english
        text = chinese.format(**values) if values else chinese
        return self._to_traditional(text) if language == "zh-TW" else text

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    @property
    def all(self) -> Sequence[str]:
        """Every key, sorted."""
        return sorted(self._entries)

    def placeholders(self, key: str) -> frozenset[str]:
        """The names that the English template wants filled."""
        return _fields(self._entries[key][0])


def _fields(template: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(template) if name)


def parse_wording(files: Sequence[tuple[str, str]], to_traditional: Callable[[str], str]) -> Wording:
    """Read (text, where) files. Raises DataError for a missing language, unequal placeholders or a key twice."""
    entries: dict[str, tuple[str, str]] = {}
    for text, where in files:
        content: Any = read_yaml(text, where)
        if not isinstance(content, LineDict):
            raise DataError(where, 1, None, "this is not a mapping of keys", "Write key: {en: ..., zh: ...}")
        for key, value in content.items():
            line = content.lines[key]
            if not isinstance(value, LineDict) or set(value) != {"en", "zh"}:
                raise DataError(where, line, key, "en and zh are both needed, and nothing else", "Add what is missing")
            if key in entries:
                raise DataError(where, line, key, "the key stands twice", "Rename one of them")
            for language in ("en", "zh"):
                if not isinstance(value[language], str):
                    raise DataError(where, line, key, f"{language} is not text", "Put it in quotes")
                try:
                    _fields(value[language])
                except ValueError as error:
                    raise DataError(where, line, key, f"{language}: {error}", "Close every brace") from None
            extra = _fields(value["zh"]) ^ _fields(value["en"])
            if extra:
                raise DataError(
                    where, line, key, "en and zh fill different placeholders: " + ", ".join(sorted(extra)),
                    "Use the same ones in both",
                )  # fmt: skip
            entries[key] = (value["en"], value["zh"])
    return Wording(entries, to_traditional)
