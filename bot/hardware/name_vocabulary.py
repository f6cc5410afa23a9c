"""The words of card names: data/gpu_names.yaml, folded and compiled for the resolver."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.tables import DataError, LineDict, read_yaml
from bot.text import fold


@dataclass(frozen=True, slots=True)
class Lead:
    """A word before the model number: product line and maker that it tells."""

    tag: str
    vendor: str
    weak: bool = False
    """An ordinary word too ("pro"): no cue on its own."""
    joins: bool = False
    """Part of the model name even over a space ("MX 150")."""


@dataclass(frozen=True, slots=True)
class Suffix:
    """A word after the model number."""

    ids: frozenset[str]
    soft: bool = False
    attached: bool = False
    plural: bool = False
    form: bool = False
    """Tells the build of the card (laptop, Max-Q): dropped where the catalogue has no such build."""
    ignored: bool = False
    titan_only: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """A family of cards named as a whole."""

    name: str
    lead: str


@dataclass(frozen=True)
class NameVocabulary:
    """Everything that data/gpu_names.yaml says, keyed by folded words."""

    leads: Mapping[str, Lead]
    suffixes: Mapping[str, Suffix]
    titan: frozenset[str]
    forgiven: tuple[str, ...]
    needs_cue: frozenset[str]
    plural_first: frozenset[str]
    not_released: frozenset[str]
    modified: Mapping[str, tuple[float, ...]]
    other_sizes: Mapping[str, tuple[float, ...]]
    series: Mapping[str, tuple[Series, ...]]
    """Digits as written ("40", "4000", "40xx") to the families that they can mean."""
    series_words: frozenset[str]
    series_cards: frozenset[str]
    generations: Mapping[str, str]
    processors: frozenset[str]
    other_memory: frozenset[str]
    patterns: Mapping[str, re.Pattern[str]]


PATTERNS = (
    "before_number", "before_screen", "before_year", "after_number", "not_vram_after", "vram_after", "amd_talk",
    "apple_talk", "adverb_before",
)  # fmt: skip
_KEYS = (
    "leads", "forgiven", "suffixes", "titan", "needs_cue", "plural_first", "not_released", "modified", "other_sizes",
    "series_words", "series_cards", "series", "generations", "processors", "other_memory", *PATTERNS,
)  # fmt: skip


def parse_name_vocabulary(text: str, where: str) -> NameVocabulary:
    """The vocabulary from the text of gpu_names.yaml. Raises DataError for unknown keys, bad patterns, a word that
    stands twice."""
    data = read_yaml(text, where)
    if not isinstance(data, LineDict):
        raise DataError(where, None, None, "the file is not a mapping", "Start it with keys such as leads:")
    for key in data:
        if key not in _KEYS:
            raise DataError(where, data.lines[key], key, "this key is not known", "Keys: " + ", ".join(_KEYS))
    for key in _KEYS:
        if key not in data:
            raise DataError(where, None, key, "this key is missing", "Restore it from the repository")
    leads: dict[str, Lead] = {}
    suffixes: dict[str, Suffix] = {}
    for item in _items(data, "leads", where):
        lead = Lead(item.get("tag", ""), item.get("vendor", ""), item.get("weak", False), item.get("joins", False))
        _fill(leads, item, lead, where)
    for item in _items(data, "suffixes", where):
        suffix = Suffix(
            ids=frozenset(str(item.get("id", "")).split()),
            soft=item.get("soft", False),
            attached=item.get("attached", False),
            plural=item.get("plural", False),
            form=item.get("form", False),
            ignored=item.get("ignored", False),
            titan_only="of" in item,
        )
        _fill(suffixes, item, suffix, where)
    series: dict[str, tuple[Series, ...]] = {}
    for item in _items(data, "series", where):
        for digits in item["digits"]:
            series[digits] = (*series.get(digits, ()), Series(item["name"], item["lead"]))
    return NameVocabulary(
        leads=leads,
        suffixes=suffixes,
        titan=_words(data["titan"]),
        forgiven=tuple(data["forgiven"]),
        needs_cue=_words(data["needs_cue"]),
        plural_first=_words(data["plural_first"]),
        not_released=_words(data["not_released"]),
        modified=_sizes(data["modified"]),
        other_sizes=_sizes(data["other_sizes"]),
        series=series,
        series_words=_words(data["series_words"]),
        series_cards=_words(data["series_cards"]),
        generations={fold(word): name for name, words in data["generations"].items() for word in words},
        processors=_words(data["processors"]),
        other_memory=_words(data["other_memory"]),
        patterns={name: _pattern(data, name, where) for name in PATTERNS},
    )


def _items(data: LineDict, key: str, where: str) -> list[LineDict]:
    items = data[key]
    if not isinstance(items, list) or not all(isinstance(item, LineDict) for item in items):
        raise DataError(where, data.lines[key], key, "this is not a list of entries", "Write - {words: [...], ...}")
    return items


def _fill(table: dict[str, Any], item: LineDict, value: Any, where: str) -> None:
    for word in item.get("words", ()):
        folded = fold(str(word))
        if folded in table:
            raise DataError(where, item.line, "words", f"{word!r} stands twice", "Keep it in one entry")
        table[folded] = value


def _words(words: Any) -> frozenset[str]:
    return frozenset(fold(str(word)) for word in words)


def _sizes(table: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    return {name: tuple(float(size) for size in sizes) for name, sizes in table.items()}


def _pattern(data: LineDict, key: str, where: str) -> re.Pattern[str]:
    try:
        return re.compile(data[key])
    except (re.error, TypeError) as error:
        raise DataError(where, data.lines[key], key, f"this is no pattern ({error})", "Mend the expression") from None
