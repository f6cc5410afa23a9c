"""Finds names of graphics cards in folded text, in one pass, without guessing.

Numbers, endings, sizes and makers are keys; only letters of long words may be misspelt. What does not exist is told
as unknown or corrected, never turned into the nearest card.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.hardware.catalogue import Catalogue
from bot.hardware.gpu import Gpu
from bot.hardware.name_index import NONE, Found, NameIndex
from bot.hardware.name_reader import Finds, NameReader, WrittenName
from bot.hardware.name_vocabulary import NameVocabulary
from bot.request import AmbiguousGpu, Correction, GpuMention, UnknownGpu
from bot.text import fold

_BARE_SIZE = re.compile(
    r"\s?[ (](\d{1,3})(?=\)|[,.;?!:](?!\d)|$|\s?[和跟与或还比够能跑行二]|"
    r" (?:vs|versus|or|and|for|with|used|second|new|than|to|on|is|in|as|still|enough)\b)"
)
"""A number right behind a name that may be its memory: "A100 80 second hand"."""
_ALONE = re.compile(r"\W*[a-z]\d{1,2}\W*")
"""A short model name that is the whole text: "P4?"."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the text names. All places are positions in the folded text."""

    mentions: tuple[GpuMention, ...] = ()
    corrections: tuple[Correction, ...] = ()
    ambiguous: tuple[AmbiguousGpu, ...] = ()
    unknown: tuple[UnknownGpu, ...] = ()
    series: tuple[tuple[str, int, int], ...] = ()
    """Families named as a whole: ("RTX 40", start, end)."""
    generations: tuple[tuple[str, int, int], ...] = ()
    """Architectures named: ("Ampere", start, end)."""
    spans: tuple[tuple[int, int], ...] = ()
    """Every stretch that belongs to a name, so that its numbers are not read as money or memory."""


class NameResolver:
    """Resolves written names against the catalogue. Build once; `find` and `one` are pure."""

    def __init__(self, catalogue: Catalogue, vocabulary: NameVocabulary) -> None:
        self.catalogue = catalogue
        self.vocabulary = vocabulary
        self.index = NameIndex(catalogue, vocabulary)
        self._reader = NameReader(self.index, vocabulary)

    def find(self, folded: str) -> Names:
        """All names in a text already folded by `bot.text.fold`."""
        return self._results(folded, self._reader.read(folded, lenient=bool(_ALONE.fullmatch(folded))))

    def one(self, name: str) -> Gpu | str | AmbiguousGpu | UnknownGpu:
        """What a single name (an option, a price row, a title) stands for: a card, a group's name, or why not."""
        if name in self.catalogue.by_name:
            return self.catalogue.by_name[name]
        if name in self.catalogue.groups:
            return name
        folded = fold(name.strip())
        finds = self._reader.read(folded, lenient=True)
        names = self._results(folded, finds)
        if names.ambiguous:
            return replace(names.ambiguous[0], text=name)
        cards = tuple(dict.fromkeys(mention.name for mention in names.mentions))
        if names.unknown or not cards:
            return UnknownGpu(name, names.unknown[0].neighbours if names.unknown else ())
        if any(c.problem == "memory" for c in names.corrections):
            return UnknownGpu(name, (cards[0], *names.corrections[0].neighbours))
        if len(cards) > 1:
            return AmbiguousGpu(name, cards)
        if cards[0] not in self.catalogue.groups:
            return self.catalogue.by_name[cards[0]]
        # A title may give the size far from the number: "RTX 3060 Dual OC V2 12GB".
        sizes = {word.number for word in self._reader.words(folded) if word.kind == "size"}
        fitting = [gpu for gpu in self.catalogue.groups[cards[0]] if gpu.memory_gb in sizes]
        return fitting[0] if len(fitting) == 1 else cards[0]

    def neighbours(self, text: str) -> tuple[str, ...]:
        """Cards with names near to this one, to offer: never to assume."""
        found = self.one(text)
        if isinstance(found, UnknownGpu) and found.neighbours:
            return found.neighbours
        words = [word for word in self._reader.words(fold(text)) if word.number is not None or word.kind == "core"]
        return self.index.neighbours(words[0].text, NONE, NONE) if words else ()

    def _results(self, text: str, finds: Finds) -> Names:
        mentions: list[GpuMention] = []
        corrections: list[Correction] = []
        ambiguous: list[AmbiguousGpu] = []
        unknown: list[UnknownGpu] = []
        for name in finds.names:
            said = text[name.start : name.end]
            if not name.released:
                unknown.append(UnknownGpu(said, self.index.neighbours(name.core, name.tags, name.ids)))
                continue
            found = self.index.look_up(name.core, name.tags, name.vendor, name.ids, name.memory_gb)
            meant = self._misnamed(name)
            if meant:
                mentions.append(GpuMention(meant[0], text=said, start=name.start, end=name.end))
                corrections.append(Correction(meant[0], said, meant[0], "name", (meant[1],)))
            elif found.options:
                ambiguous.append(AmbiguousGpu(said, found.options))
            elif not found.name:
                unknown.append(UnknownGpu(said, found.neighbours))
            else:
                card, end = self._with_bare_size(name, found.name, text)
                mentions.append(
                    GpuMention(card, text=text[name.start : end], start=name.start, end=end,
                               modded_memory_gb=found.modified_gb)
                )  # fmt: skip
                if found.problem:
                    corrections.append(_correction(said, found, name))
        named = {mention.name for mention in mentions}
        # "RTX 6000 Ada ... one RTX 6000": said in full before, the short form means the same card.
        ambiguous = [item for item in ambiguous if len(named.intersection(item.options)) != 1]
        spans = [(name.start, name.end) for name in finds.names]
        spans += [(mention.start, mention.end) for mention in mentions]
        spans += [(start, end) for _, start, end in finds.series]
        return Names(
            tuple(mentions), tuple(corrections), tuple(ambiguous), tuple(unknown), tuple(finds.series),
            tuple(finds.generations), tuple(sorted(set(spans))),
        )  # fmt: skip

    def _with_bare_size(self, name: WrittenName, card: str, text: str) -> tuple[str, int]:
        """ "A100 80", "5060 Ti 16": a number without a unit that is the memory of a variant names that variant."""
        match = _BARE_SIZE.match(text, name.end) if card in self.catalogue.groups else None
        if match is None:
            return card, name.end
        found = self.index.look_up(name.core, name.tags, name.vendor, name.ids, float(match[1]))
        fits = found.name and not found.problem and not found.modified_gb and found.name != card
        return (found.name, match.end(1)) if fits else (card, name.end)

    def _misnamed(self, name: WrittenName) -> tuple[str, str] | None:
        """ "A6000 Ada": the Ampere card's letter with the name of the next generation, whose cards carry no letter."""
        meant, older = f"RTX {name.core[1:]} Ada", f"RTX {name.core.upper()}"
        if "ada" in name.ids and name.core.startswith("a") and meant in self.catalogue.by_name:
            return meant, older
        return None


def _correction(said: str, found: Found, name: WrittenName) -> Correction:
    if found.problem == "memory":
        said = f"{name.memory_gb:g} GB"
    return Correction(found.name, said, found.actual, found.problem or "name", found.neighbours)
