"""Cuts folded text into the words that can be part of a card's name; everything else is left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import OSA

from bot.hardware.name_index import NONE, NameIndex
from bot.hardware.name_vocabulary import Lead, NameVocabulary, Suffix

Kind = Literal["lead", "suffix", "core", "size", "number", "odd", "processor", "other"]
"""`odd`: letters and digits that are no known model; `other`: known only as part of a longer name or a family."""


@dataclass(slots=True)
class Word:
    """A word and its place. A `core` may carry endings and a size written in one piece ("3060ti12g").

    Not frozen, for speed; nobody changes one after it is cut.
    """

    kind: Kind
    text: str
    start: int
    end: int
    lead: Lead | None = None
    suffix: Suffix | None = None
    number: float | None = None
    """The value of a size (GB) or number."""
    core: str = ""
    ids: frozenset[str] = NONE
    memory_gb: float | None = None
    plural: bool = False
    """The ending is an s: Super, or several cards."""

    def moved(self, by: int) -> Word:
        """The same word further on."""
        return Word(
            self.kind, self.text, self.start + by, self.end + by, self.lead, self.suffix, self.number, self.core,
            self.ids, self.memory_gb, self.plural,
        )  # fmt: skip


_SIZE = re.compile(r"(\d{1,3})(?:gb|g|gib|gig|gigs|go|gbs)")
_SIZED = re.compile(r"(.*[a-z])(\d{1,3})gb?")
_SIZE_WORDS = frozenset({"gb", "g", "gib", "gig", "gigs", "go", "gigabyte", "gigabytes"})
_COUNT = re.compile(r"(?:\d{1,2}[x*])(?=[a-z0-9]*\d{3}|[a-z]\d\d)")


class WordReader:
    """Splits text by one compiled expression and dictionary look-ups; odd words are cut once and remembered."""

    def __init__(self, index: NameIndex, vocabulary: NameVocabulary) -> None:
        self._vocabulary = vocabulary
        self._index = index
        self._pieces: dict[str, tuple[Word, ...]] = {}
        self._slips: dict[str, str] = {}
        other = set(vocabulary.series_words) | set(vocabulary.series_cards) | set(vocabulary.generations)
        parts = {part for found in index.phrases.values() for words, _ in found for part in words}
        other |= {part for part in parts if part.isalpha() or not (part.isdigit() or part in index.by_core)}
        table: dict[str, tuple[Kind, Lead | None, Suffix | None]] = dict.fromkeys(other, ("other", None, None))
        table |= dict.fromkeys(vocabulary.processors | vocabulary.other_memory, ("processor", None, None))
        table |= {word: ("suffix", None, suffix) for word, suffix in vocabulary.suffixes.items()}
        table |= {word: ("lead", lead, None) for word, lead in vocabulary.leads.items()}
        for word, (kind, lead, suffix) in table.items():
            self._pieces[word] = (Word(kind, word, 0, len(word), lead, suffix),)
        for word in vocabulary.titan:
            self._pieces[word] = (Word("core", word, 0, len(word), core="titan"),)
        self._pieces["titanx"] = (Word("core", "titanx", 0, 6, core="titan", ids=frozenset({"x"})),)
        for entry in index.by_core.get("titan", ()):
            leads = [Word("lead", tag, 0, 0, lead=vocabulary.leads[tag]) for tag in entry.tags]
            for name in (entry.gpu.name, *entry.gpu.aliases):
                merged = re.sub(r"[^a-z]", "", name.lower())
                self._pieces[merged] = (*leads, Word("core", merged, 0, len(merged), core="titan", ids=entry.ids))
        for word in vocabulary.not_released:
            self._pieces[word] = (Word("core", word, 0, len(word), core=word),)
        for core in index.by_core:
            if " " not in core and core not in self._pieces and any(c.isdigit() for c in core):
                self._pieces[core] = (Word("core", core, 0, len(core), core=core),)
        for merged, core in index.merged.items():
            self._pieces.setdefault(merged, (Word("core", merged, 0, len(merged), core=core),))
        chinese = sorted((w for w in self._pieces if not w.isascii()), key=len, reverse=True)
        self._scan = re.compile(
            r"max[- ]?q(?![a-z0-9])|(?<![a-z0-9])[a-z]{1,2}-\d{2,4}[a-z]?(?![a-z0-9])|[a-z0-9]+|" + "|".join(chinese)
        )
        cores = sorted(
            (c for c in index.by_core if " " not in c and any(d.isdigit() for d in c)), key=len, reverse=True
        )
        latin = [w for w in vocabulary.leads if w.isascii()]
        endings = [w for w, suffix in vocabulary.suffixes.items() if w.isascii() and not suffix.titan_only]
        self._merged = re.compile(
            "((?:" + _any(latin) + ")*)(" + _any([*cores, *vocabulary.not_released, "titan"]) + ")((?:"
            + _any(endings) + r")*)(?:([1-9]\d{0,2})gb?)?(s|x\d{1,2})?"
        )  # fmt: skip
        self._leads = re.compile("(" + _any(latin) + r")(\d{2,4}x{0,2}|" + _any(latin) + ")")
        self._ending = re.compile(_any(endings))

    def words(self, text: str) -> list[Word]:
        """The words of a folded text that may belong to a name, in order."""
        found: list[Word] = []
        pieces_of = self._pieces
        before, before_end, before_start = "", -9, 0
        units = _SIZE_WORDS
        for match in self._scan.finditer(text):
            raw = match.group()
            start = match.start()
            pieces = pieces_of.get(raw)
            if pieces is None:
                if raw.isalpha():
                    if raw in units and found and found[-1].kind == "number" and start - found[-1].end <= 1:
                        found[-1].kind, found[-1].end = "size", match.end()
                        continue
                    before, before_start, before_end = raw, start, match.end()
                    continue
                pieces = self._cut(raw)
            if not pieces:
                before = ""
                continue
            if before and start - before_end <= 1 and len(before) >= 5 and pieces[0].kind in ("core", "lead", "number"):
                slip = self._slip(before)
                if slip:
                    lead = pieces_of[slip][0].moved(before_start)
                    lead.end = before_end
                    found.append(lead)
            before = ""
            for piece in pieces:
                found.append(piece.moved(start))
        return found

    def _cut(self, raw: str) -> tuple[Word, ...]:
        pieces = self._cut_anew(raw)
        if len(self._pieces) < 20_000:
            self._pieces[raw] = pieces
        return pieces

    def _cut_anew(self, raw: str) -> tuple[Word, ...]:
        if raw.startswith("max") and raw.endswith("q"):
            piece = self._pieces["maxq"][0]
            return (Word("suffix", "maxq", 0, len(raw), suffix=piece.suffix),)
        if "-" in raw:
            joined = raw.replace("-", "")
            if joined in self._index.by_core:
                return (Word("core", raw, 0, len(raw), core=joined),)
            head, _, tail = raw.partition("-")
            shifted = [piece.moved(len(head) + 1) for piece in self._pieces.get(tail, ()) or self._cut(tail)]
            return (*self._pieces.get(head, ()), *shifted)
        size = _SIZE.fullmatch(raw)
        if size:
            return (Word("size", raw, 0, len(raw), number=float(size.group(1))),)
        if raw.isdigit():
            return (Word("number", raw, 0, len(raw), number=float(raw) if len(raw) < 9 else None),)
        offset = 0
        count = _COUNT.match(raw)
        if count:
            offset = count.end()
        merged = self._merged.fullmatch(raw, offset)
        if merged:
            return self._merged_pieces(merged)
        sized = _SIZED.fullmatch(raw)
        if sized and sized.group(1) in self._index.merged:
            core = self._index.merged[sized.group(1)]
            return (Word("core", raw, 0, len(raw), core=core, memory_gb=float(sized.group(2))),)
        family = self._leads.fullmatch(raw)
        if family:
            first = self._pieces[family.group(1)][0]
            rest = family.group(2)
            more = self._pieces.get(rest) or (Word("number", rest, 0, len(rest), number=0.0),)
            return (first, *(piece.moved(len(family.group(1))) for piece in more))
        if raw in self._vocabulary.series:
            return (Word("other", raw, 0, len(raw)),)
        if re.fullmatch(r"[a-z]{1,2}\d{2,4}[a-z]{0,2}|\d{3,4}[a-z]{1,3}", raw):
            return (Word("odd", raw, 0, len(raw)),)
        return ()

    def _merged_pieces(self, merged: re.Match[str]) -> tuple[Word, ...]:
        pieces: list[Word] = []
        at = merged.start(1)
        for word in re.findall(_any([w for w in self._vocabulary.leads if w.isascii()]), merged.group(1)):
            pieces.append(Word("lead", word, at, at + len(word), lead=self._vocabulary.leads[word]))
            at += len(word)
        core = merged.group(2)
        ids: set[str] = set()
        plural = False
        for word in self._ending.findall(merged.group(3)):
            suffix = self._vocabulary.suffixes[word]
            if suffix.plural and not self._index.has(core, frozenset(ids | suffix.ids)):
                continue
            known = self._index.has(core, frozenset(ids | suffix.ids)) or core in self._vocabulary.not_released
            if suffix.soft and not suffix.form and "super" not in suffix.ids and not known:
                return ()
            plural = plural or suffix.plural
            ids |= suffix.ids
        end = merged.end(5) if merged.group(5) == "s" else (merged.end(4) if merged.group(4) else merged.end(3))
        memory = float(merged.group(4)) if merged.group(4) else None
        pieces.append(
            Word(
                "core", merged.string[merged.start(2) : end], merged.start(2), end, core=core, ids=frozenset(ids),
                memory_gb=memory, plural=plural,
            )
        )  # fmt: skip
        return tuple(pieces)

    def _slip(self, word: str) -> str:
        known = self._slips.get(word)
        if known is None:
            known = ""
            for right in self._vocabulary.forgiven:
                if OSA.distance(word, right, score_cutoff=2) <= (2 if len(right) >= 7 else 1):
                    known = right
                    break
            if len(self._slips) < 20_000:
                self._slips[word] = known
        return known


def _any(words: list[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True))
