"""The words by topic, read from data/vocabulary, and the one pass that finds them in a text.

A file is a topic. Each of its keys is an id (a workload, a mode, a cue ...) with phrases in `en` and `zh`, parted by
commas. A bar gives forms of one word: "run|runs|running on".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from bot.language.normalise import Token, prepare, tokenise
from bot.tables import DataError, LineDict, read_yaml

_FUZZY_LENGTH = 5
"""Shorter words are never corrected: too many of them lie one letter apart."""
_FUZZY_TOPICS = frozenset(
    ("workloads", "modes", "conditions", "vendors", "form_factors", "models", "levels", "methods")
)
_LONG_WORD = 8
"""Words of other topics are corrected to from this length on: their short ones are everyday words."""
_CACHE_WORDS = 20_000
# Tokens that a phrase does not hold: hyphens and the like stand between words in any spelling.
_PLAIN = re.compile(r"[a-z0-9 -]+")
_SILENT = frozenset("-_\"'`*#~^|\\")


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase of the vocabulary and what it means."""

    topic: str
    value: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found: token positions [first, last), character places [start, end) in the folded text."""

    topic: str
    value: str
    first: int
    last: int
    start: int
    end: int


def words_of(phrase: str) -> tuple[str, ...]:
    """A phrase as the tokens that a text is searched for."""
    # Most phrases are plain words, which need no tokeniser: what makes loading quick.
    if _PLAIN.fullmatch(phrase):
        return tuple(phrase.replace("-", " ").split())
    return tuple(token.text for token in tokenise(prepare(phrase)) if token.text not in _SILENT)


def spellings(phrase: str) -> Iterable[tuple[str, ...]]:
    """Every form of a phrase: bars part the forms of one word."""
    if "|" not in phrase:
        return (words_of(phrase),)
    slots = [word.split("|") for word in phrase.split()]
    return [words_of(" ".join(forms)) for forms in itertools.product(*slots)]


def parse_vocabulary(text: str, where: str, topic: str) -> tuple[Phrase, ...]:
    """The phrases of one file. Raises DataError with file, line and field."""
    content = read_yaml(text, where)
    if not isinstance(content, LineDict) or not content:
        raise DataError(where, 1, None, "the file holds no topic", "Write ids with phrases in en and zh")
    phrases: list[Phrase] = []
    for value, entry in content.items():
        line = content.lines[value]
        if not isinstance(entry, LineDict):
            raise DataError(where, line, value, "this is not a mapping", "Write en: and zh: below it")
        phrases += phrases_of(entry, topic, value, where)
    return tuple(phrases)


def phrases_of(entry: LineDict, topic: str, value: str, where: str) -> list[Phrase]:
    """The phrases under `en` and `zh` of one entry."""
    found: list[Phrase] = []
    for key, listed in entry.items():
        line = entry.lines.get(key, entry.line)
        if key not in ("en", "zh"):
            raise DataError(where, line, f"{value}.{key}", "this key is not known", "Use en and zh")
        if not isinstance(listed, str):
            raise DataError(where, line, f"{value}.{key}", "these are not phrases", "Write them parted by commas")
        found += [Phrase(topic, value, words) for words in split_phrases(listed, where, line, f"{value}.{key}")]
    return found


def split_phrases(listed: str, where: str, line: int, field: str) -> Iterable[tuple[str, ...]]:
    """The phrases of a text parted by commas, as words. Raises DataError at an empty one."""
    for item in listed.split(","):
        for words in spellings(item.strip()):
            if not words:
                raise DataError(where, line, field, f"{item!r} holds no word", "Remove it, or the comma too many")
            yield words


def parse_ordinary_words(text: str) -> frozenset[str]:
    """The words of data/vocabulary/ordinary_words.txt; lines starting with # are comments."""
    return frozenset(" ".join(line for line in text.splitlines() if not line.startswith("#")).split())


class Vocabulary:
    """All phrases, ready for one pass over a text. Build once."""

    def __init__(self, phrases: Iterable[Phrase], known_words: Iterable[str] = ()) -> None:
        """`known_words`: ordinary words that are never taken for a misspelt one of the vocabulary."""
        self._root: dict[str, Any] = {}
        self.words: set[str] = set()
        targets: set[str] = set()
        for phrase in phrases:
            node = self._root
            for word in phrase.words:
                node = node.setdefault(word, {})
            meanings = node.setdefault("", [])
            if (phrase.topic, phrase.value) not in meanings:
                meanings.append((phrase.topic, phrase.value))
            self.words.update(phrase.words)
            length = _FUZZY_LENGTH if phrase.topic in _FUZZY_TOPICS else _LONG_WORD
            targets.update(w for w in phrase.words if len(w) >= length and w.isascii() and w.isalpha())
        self._known = self.words | set(known_words)
        self._targets = sorted(targets)
        self._corrected: dict[str, str] = {}

    def correct(self, word: str) -> str:
        """The word, or the one word of the vocabulary that it misspells."""
        if len(word) < _FUZZY_LENGTH or word in self._known or not (word.isascii() and word.isalpha()):
            return word
        known = self._corrected.get(word)
        if known is None:
            known = self._nearest(word)
            if len(self._corrected) >= _CACHE_WORDS:
                self._corrected.clear()
            self._corrected[word] = known
        return known

    def _nearest(self, word: str) -> str:
        limit = 1 if len(word) < 9 else 2
        if len(word) > 24:
            return word
        best = process.extract(word, self._targets, scorer=OSA.distance, score_cutoff=limit, limit=2)
        # The first letter is hardly ever the slip; two equally near words are a guess, not a correction.
        near = [(target, distance) for target, distance, _ in best if target[0] == word[0] and len(target) >= 5]
        if not near or (len(near) > 1 and near[0][1] == near[1][1]):
            return word
        # An added or dropped ending makes another word (trainer, cards), not a misspelling.
        target = near[0][0]
        if target.startswith(word) or word.startswith(target):
            return word
        return target

    def scan(self, tokens: Sequence[Token]) -> list[Hit]:
        """Every phrase found, in order of its start; within a topic the longest wins and none overlap.

        A phrase of the topic `traps` silences what lies inside it (上下文 holds no 上下).
        """
        words = [(t.text, i) for i, t in enumerate(tokens) if t.text not in _SILENT]
        texts = [self.correct(text) for text, _ in words]
        taken: dict[str, tuple[int, int]] = {}
        hits: list[Hit] = []
        root, size = self._root, len(texts)
        trap = (-1, -1)
        for i in range(size):
            node = root.get(texts[i])
            if node is None:
                continue
            found: list[tuple[int, list[tuple[str, str]]]] = []
            j = i + 1
            while node is not None:
                meanings = node.get("")
                if meanings:
                    found.append((j, meanings))
                node = node.get(texts[j]) if j < size else None
                j += 1
            for end, meanings in reversed(found):
                for topic, value in meanings:
                    start, stop = taken.get(topic, (-1, 0))
                    if i < stop and (start, stop) != (i, end):
                        continue
                    if topic == "traps":
                        trap = (i, end)
                    elif end <= trap[1] and (i, end) != trap:
                        continue
                    taken[topic] = (i, end)
                    first, last = words[i][1], words[end - 1][1]
                    hits.append(Hit(topic, value, first, last + 1, tokens[first].start, tokens[last].end))
        return hits


def by_topic(hits: Iterable[Hit]) -> Mapping[str, list[Hit]]:
    """Hits by topic, in order."""
    grouped: dict[str, list[Hit]] = {}
    for hit in hits:
        grouped.setdefault(hit.topic, []).append(hit)
    return grouped
