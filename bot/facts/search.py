"""Which entry answers a question, and how sure that is.

An entry's evidence is all its phrasings together: every feature of the question that they hold counts by its rarity
(IDF over entries), and the sum is divided by the whole mass of the question, so that what no entry knows counts
against all. One logistic curve, fitted on labelled questions, turns that into a probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

from rapidfuzz import process
from rapidfuzz.distance import OSA

from bot.facts.calibration import Calibration, Evidence
from bot.facts.entries import Entry, KnowledgeBase
from bot.facts.features import CONCEPT, HAN, HAN_PAIR, SLOT, WORD, SearchWords, features
from bot.language.normalise import prepare
from bot.request import Request

KIND_WEIGHT: Mapping[str, float] = {WORD: 1.0, HAN: 0.2, HAN_PAIR: 0.35, CONCEPT: 1.5, SLOT: 0.4}
_FILLER_WEIGHT = 0.1
_COMMON_WEIGHT = 0.4
_HALF = 1.0
"""So many occurrences in an entry earn half of a feature's weight."""
_ANSWER_SHARE = 0.3
"""What one occurrence in the answer counts beside one in a phrasing."""
_EVENING = 0.25
_GUIDE_BONUS = 0.15
"""For an entry that tells what the guide or the year named in the question said."""
_ANCHORED = 0.6
"""The share from which an entry holds a concept often: in two of its phrasings or more."""
_FUZZY_LENGTH = 5
_ENOUGH = 80
"""Candidates after which common features only add to candidates already found, which bounds the work."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry, its score (0 or more) and the probability that it is the right answer."""

    entry: Entry
    score: float
    confidence: float


class Search:
    """The inverted index over a knowledge base. Building costs some 20 microseconds a phrasing, one search well under
    a millisecond."""

    def __init__(self, base: KnowledgeBase, words: SearchWords, calibration: Calibration) -> None:
        """`base` with its references filled in, so that figures are found too."""
        self.base, self.words, self.calibration = base, words, calibration
        self._exact: dict[str, int] = {}
        self._postings: dict[str, dict[int, float]] = {}
        for number, entry in enumerate(base.entries):
            for feature, amount in self._counts(number, entry).items():
                self._postings.setdefault(feature, {})[number] = amount / (amount + _HALF)
        total = len(base.entries) + 1
        self._unseen = math.log(total / 0.5)
        self._idf = {feature: math.log(total / (len(each) + 0.5)) for feature, each in self._postings.items()}
        self._evened = self._evening()
        self._spellings: dict[str, list[str]] = {}
        known = {feature[1:] for feature in self._idf if feature[0] == WORD} | self.words.stems
        for word in sorted(known):
            if len(word) >= _FUZZY_LENGTH - 1 and word.isalpha():
                self._spellings.setdefault(word[0], []).append(word)
        self._known = known | words.filler | words.common
        self._corrected: dict[str, str] = {}

    def _counts(self, number: int, entry: Entry) -> dict[str, float]:
        counts: dict[str, float] = {}
        for chinese in (False, True):
            for phrasing in entry.asked(chinese):
                self._exact.setdefault(plain(phrasing), number)
                for feature, times in features(phrasing, self.words).items():
                    counts[feature] = counts.get(feature, 0.0) + times
        texts = [entry.answer.en, entry.answer.zh]
        if entry.then:
            texts += [entry.then.text.en, entry.then.text.zh]
        for text in texts:
            for feature in features(text, self.words):
                counts[feature] = counts.get(feature, 0.0) + _ANSWER_SHARE
        return counts

    def _evening(self) -> list[float]:
        """A factor an entry, so that one with many and varied phrasings does not win by their number alone."""
        mass = [0.0] * len(self.base.entries)
        for feature, postings in self._postings.items():
            weight = self.weight(feature)
            for number, share in postings.items():
                mass[number] += (weight * share) ** 2
        mean = sum(mass) / len(mass) if mass else 1.0
        return [(each / mean) ** -_EVENING if each else 1.0 for each in mass]

    def weight(self, feature: str) -> float:
        """Rarity times the weight of its kind; what no entry holds weighs as the rarest."""
        kind = feature[0]
        weight = self._idf.get(feature, self._unseen) * KIND_WEIGHT[kind]
        if kind in (WORD, HAN):
            if feature[1:] in self.words.filler:
                return weight * _FILLER_WEIGHT
            if feature[1:] in self.words.common:
                return weight * _COMMON_WEIGHT
        return weight

    def _everyday(self, feature: str) -> bool:
        word = feature[1:]
        return feature[0] in (WORD, HAN) and (word in self.words.filler or word in self.words.common)

    def correct(self, word: str) -> str:
        """The known stem one slip away from an unknown one, else the word itself."""
        if word in self._known or len(word) < _FUZZY_LENGTH or not word.isalpha() or not word.isascii():
            return word
        mended = self._corrected.get(word)
        if mended is None:
            slips = 2 if len(word) >= 9 else 1
            near = process.extract(
                word, self._spellings.get(word[0], ()), scorer=OSA.distance, score_cutoff=slips, limit=3
            )
            mended = next((each for each, _, _ in near if _slip(word, each)), word)
            if len(self._corrected) < 20_000:
                self._corrected[word] = mended
        return mended

    def scores(self, text: str) -> tuple[dict[int, float], float, float]:
        """Entry number -> score, the question's whole mass, and the share of it that no entry knows."""
        return self._scores(features(text, self.words, self.correct))

    def _scores(self, asked: Mapping[str, float]) -> tuple[dict[int, float], float, float]:
        weighed = [(self.weight(feature), self._postings.get(feature), feature[0]) for feature in asked]
        weighed.sort(key=lambda each: len(each[1]) if each[1] else 0)
        found: dict[int, float] = {}
        mass = unknown = 0.0
        for weight, postings, kind in weighed:
            # Concepts and slots repeat words that are counted already.
            mass += weight if kind != CONCEPT or postings else 0.0
            if not postings:
                unknown += weight
            elif len(found) < _ENOUGH or len(postings) < len(found):
                for number, share in postings.items():
                    found[number] = found.get(number, 0.0) + weight * share
            else:
                for number in found:
                    if number in postings:
                        found[number] += weight * postings[number]
        mass = mass or 1.0
        evened = self._evened
        return {number: score * evened[number] / mass for number, score in found.items()}, mass, unknown / mass

    def score_without(self, phrasing: str, number: int) -> float:
        """What entry `number` would score for one of its phrasings if it did not have it (the rarities kept)."""
        own = features(phrasing, self.words)
        score = mass = 0.0
        for feature, times in own.items():
            weight = self.weight(feature)
            mass += weight
            share = self._postings.get(feature, {}).get(number, 0.0)
            amount = max(0.0, share * _HALF / (1.0 - share) - times)
            score += weight * amount / (amount + _HALF)
        return score * self._evened[number] / (mass or 1.0)

    def search(self, question: str | Request, limit: int = 5) -> list[Hit]:
        """The best entries, best first. The first one's confidence says whether it may be given as the answer."""
        ranked = self._ranked(question, max(limit, 2))
        return [
            Hit(self.base.entries[number], evidence.score, self.calibration.confidence(evidence))
            for number, evidence in ranked[:limit]
        ]

    def evidence(self, text: str) -> tuple[int, Evidence] | None:
        """The best entry's number and what its confidence is computed from: for fitting."""
        return next(iter(self._ranked(text, 2)), None)

    def _ranked(self, question: str | Request, count: int) -> list[tuple[int, Evidence]]:
        text = question if isinstance(question, str) else question.text
        asked = features(text, self.words, self.correct)
        found, mass, unknown = self._scores(asked)
        if isinstance(question, Request) and (question.guide or question.as_of):
            for number in found:
                if _of_guide(self.base.entries[number], question):
                    found[number] += _GUIDE_BONUS
        exact = self._exact.get(plain(text))
        if exact is not None:
            found[exact] = max(found.values(), default=0.0) + 0.5
        best = nlargest(count, found.items(), key=lambda item: (item[1], -item[0]))
        content = [
            (self.weight(feature), self._postings[feature])
            for feature in asked
            if feature in self._postings and not self._everyday(feature)
        ]
        concepts = [self._postings[feature] for feature in asked if feature[0] == CONCEPT and feature in self._postings]
        chinese = any(feature[0] == HAN for feature in asked)
        ranked = []
        for place, (number, score) in enumerate(best):
            rival = best[0][1] if place else best[1][1] if len(best) > 1 else 0.0
            anchors = sum(postings.get(number, 0.0) >= _ANCHORED for postings in concepts)
            shared = math.log1p(sum(weight * postings.get(number, 0.0) for weight, postings in content))
            seen = Evidence(score, score - rival, unknown, math.log1p(mass), shared, chinese, anchors, number == exact)
            ranked.append((number, seen))
        return ranked

    def answer(self, question: str | Request) -> Hit | None:
        """The entry to answer with, or None where it is wiser to say that nothing is known."""
        hits = self.search(question, 1)
        return hits[0] if hits and hits[0].confidence >= self.calibration.threshold else None


def plain(text: str) -> str:
    """The text's letters and digits alone, folded: equal for two spellings of the same sentence."""
    return "".join(character for character in prepare(text) if character.isalnum())


def _slip(word: str, known: str) -> bool:
    """Whether one may be a typo of the other. In a short word one exchanged letter makes another word (clone, close):
    only a letter lost, doubled or swapped counts there."""
    return len(word) > 5 or len(word) != len(known) or sorted(word) == sorted(known)


def _of_guide(entry: Entry, question: Request) -> bool:
    guides: Sequence[str] = entry.then.guides if entry.then else ()
    if question.guide:
        return any(guide.startswith(question.guide) for guide in guides)
    return bool(question.as_of) and any(str(question.as_of)[:4] in guide for guide in guides)
