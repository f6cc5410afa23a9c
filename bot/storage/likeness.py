"""Groups questions that ask the same in other words, so that a curator sees one gap once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz, process, utils

ALIKE = 80
"""Of 100: the share of words that two questions must have in common, whatever their order."""


@dataclass(frozen=True, slots=True)
class Group:
    """Questions alike. `question` is the most frequent wording."""

    question: str
    times: int
    last_at: int
    wordings: tuple[tuple[str, int], ...]
    """Every wording with its count, the most frequent first."""


def group(counted: Iterable[tuple[str, int, int]]) -> list[Group]:
    """(question, times, last time) to groups, the most frequent first."""
    order = sorted(counted, key=lambda item: (-item[1], -item[2], item[0]))
    leaders: list[str] = []
    members: list[list[tuple[str, int, int]]] = []
    for item in order:
        key = _words(item[0])
        found = process.extractOne(key, leaders, scorer=fuzz.token_sort_ratio, score_cutoff=ALIKE) if leaders else None
        if found:
            members[found[2]].append(item)
        else:
            leaders.append(key)
            members.append([item])
    groups = [
        Group(
            mine[0][0],
            sum(times for _, times, _ in mine),
            max(last for _, _, last in mine),
            tuple((wording, times) for wording, times, _ in mine),
        )
        for mine in members
    ]
    return sorted(groups, key=lambda one: (-one.times, -one.last_at, one.question))


def _words(question: str) -> str:
    # Chinese has no spaces between words: its characters are what can be counted.
    spaced = "".join(f" {c} " if "\u3400" <= c <= "\u9fff" else c for c in question)
    return utils.default_process(spaced)
