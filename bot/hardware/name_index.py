"""From the parts of a written name (number, line, ending, size) to the card, or to what is wrong with the name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import Levenshtein

from bot.hardware.catalogue import Catalogue
from bot.hardware.gpu import Gpu
from bot.hardware.name_vocabulary import NameVocabulary
from bot.text import fold

LINES = frozenset({"rtx", "gtx", "gt", "rx", "arc", "mx", "cmp"})
_WORKSTATION = frozenset({"quadro", "pro"})
_SIDE = frozenset({"laptop", "maxq", "server", "sff", "d", "v2", "gddr6", "gddr5"})
"""Endings that a reader means only when they are written."""
_IDLE = frozenset({"pcie", "sxm", "pascal", "maxwell", "gddr6", "gddr5", "server", "x", "v"})
"""Endings that may be said of a card whose name does not carry them."""
_WORD = re.compile(r"[a-z0-9]+|[^\x00-\x7f]+")
_MEMORY = re.compile(r"(\d{1,3})gb")
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry:
    """One way to write one card: the model ("3060", "titan", "m2 ultra"), words before it, endings after it."""

    gpu: Gpu
    core: str
    tags: frozenset[str]
    ids: frozenset[str]
    vendor_needed: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a written name stands for: a card or group, several to choose from, or nothing known."""

    name: str = ""
    options: tuple[str, ...] = ()
    problem: Literal["", "memory", "name", "vendor"] = ""
    actual: str = ""
    neighbours: tuple[str, ...] = ()
    modified_gb: float | None = None


class NameIndex:
    """All cards by their model. Built once; every look-up after the first of its kind is one cache hit."""

    def __init__(self, catalogue: Catalogue, vocabulary: NameVocabulary) -> None:
        self.catalogue = catalogue
        self.vocabulary = vocabulary
        self.by_core: dict[str, list[Entry]] = {}
        self.phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        """First word to the models of several words that begin with it, longest first."""
        self.merged: dict[str, str] = {}
        for gpu in catalogue.gpus:
            for name in (gpu.name, *gpu.aliases):
                self._add(gpu, name)
        for name, members in catalogue.groups.items():
            if _MEMORY.sub("", name) == name and not self._parts(name):
                self._phrase(tuple(_WORD.findall(fold(name))), members)
        for found in self.phrases.values():
            found.sort(key=lambda item: -len(item[0]))
        self.look_up = lru_cache(maxsize=4096)(self._look_up)
        self.neighbours = lru_cache(maxsize=512)(self._neighbours)

    def has(self, core: str, ids: frozenset[str], tags: frozenset[str] = NONE) -> bool:
        """Whether a card of this model carries these endings (and lines), with others or without."""
        return any(ids <= entry.ids and tags <= entry.tags for entry in self.by_core.get(core, ()))

    def _parts(self, name: str) -> tuple[str, frozenset[str], frozenset[str]] | None:
        core, tags, ids = "", set(), set()
        for word in _WORD.findall(fold(name).replace("max-q", "maxq")):
            lead, suffix = self.vocabulary.leads.get(word), self.vocabulary.suffixes.get(word)
            if not core and lead:
                tags.add(lead.tag)
            elif not core and word in self.vocabulary.titan:
                core = "titan"
            elif core == "titan" and word == "rtx":
                ids.add("rtx")
            elif suffix and (core or "pascal" in suffix.ids or "maxwell" in suffix.ids):
                ids |= suffix.ids
            elif core and lead:
                tags.add(lead.tag)
            elif _MEMORY.fullmatch(word) and core:
                continue
            elif not core and re.search(r"\d", word):
                core = word
            else:
                return None
        return (core, frozenset(tags - {""}), frozenset(ids)) if core else None

    def _add(self, gpu: Gpu, name: str) -> None:
        parts = None if gpu.vendor == "apple" else self._parts(name)
        if parts is None:
            words = tuple(word for word in _WORD.findall(fold(name)) if not _MEMORY.fullmatch(word))
            return self._phrase(words, (gpu,))
        core, tags, ids = parts
        self._put(Entry(gpu, core, tags, ids))
        if re.fullmatch(r"[ab]\d{3}", core) and gpu.vendor == "intel":
            self._put(Entry(gpu, core[1:], tags, ids, vendor_needed="intel"))
        return None

    def _phrase(self, words: tuple[str, ...], gpus: Iterable[Gpu]) -> None:
        core = " ".join(words)
        known = self.phrases.setdefault(words[0], [])
        if (words, core) not in known:
            known.append((words, core))
        if len(words) > 1:
            self.merged.setdefault("".join(words), core)
        for gpu in gpus:
            self._put(Entry(gpu, core, NONE, NONE))

    def _put(self, entry: Entry) -> None:
        entries = self.by_core.setdefault(entry.core, [])
        if entry not in entries:
            entries.append(entry)

    def _look_up(
        self, core: str, tags: frozenset[str], vendor: str, ids: frozenset[str], memory_gb: float | None
    ) -> Found:
        entries = [e for e in self.by_core[core] if not e.vendor_needed or vendor == e.vendor_needed or "arc" in tags]
        problem: Literal["", "memory", "name", "vendor"] = ""
        if core == "titan" and "rtx" in tags:
            tags, ids = tags - {"rtx"}, ids | {"rtx"}
        pool = [e for e in entries if tags <= e.tags] or [e for e in entries if tags - _WORKSTATION - {"mi"} <= e.tags]
        if not pool:
            pool = entries
            if tags & LINES and any(e.tags & LINES for e in entries):
                problem = "name"
        if vendor and not any(e.gpu.vendor == vendor for e in pool):
            problem = problem or "vendor"
        elif vendor:
            pool = [e for e in pool if e.gpu.vendor == vendor]
        pool, ids = _with_endings(pool, ids)
        if not pool:
            return self._no_such_ending(core, tags, ids)
        best = _best(pool, tags, ids, core)
        actual, modified = "", None
        neighbours: tuple[str, ...] = ()
        if memory_gb is not None:
            fitting = [e for e in best if e.gpu.memory_gb == memory_gb]
            if fitting:
                best = fitting
            elif not any(self._takes(e.gpu, memory_gb) for e in best):
                modified = next((memory_gb for e in best if self._modified(e.gpu, memory_gb)), None)
                if modified is None and not problem:
                    problem, actual = "memory", _sizes(e.gpu.memory_gb for e in best)
                    neighbours = self._with_memory(core, best[0].gpu, memory_gb)
        names = self._names(best)
        if len(names) > 1:
            return Found(options=names)
        if problem in ("name", "vendor"):
            actual = names[0]
        return Found(names[0], (), problem, actual, neighbours, modified)

    def _no_such_ending(self, core: str, tags: frozenset[str], ids: frozenset[str]) -> Found:
        twin = core[1:] if re.fullmatch(r"a\d{4}", core) else ""
        if "ada" in ids and twin and self.has(twin, frozenset({"ada"})):
            # "A6000 Ada" mixes two products: the Ampere A6000 and the 6000 Ada.
            ada = [e for e in self.by_core[twin] if e.ids == {"ada"}]
            return Found(options=(*self._names(self.by_core[core]), *self._names(ada)))
        own = tags if any(tags <= e.tags for e in self.by_core[core]) else NONE
        return Found(neighbours=self.neighbours(core, own, ids))

    def _names(self, entries: list[Entry]) -> tuple[str, ...]:
        """Canonical names, variants of one group taken together, the newest first."""
        gpus = sorted({e.gpu.name: e.gpu for e in entries}.values(), key=lambda gpu: gpu.released, reverse=True)
        groups = [gpu.group for gpu in gpus]
        names = [gpu.group if gpu.group and groups.count(gpu.group) > 1 else gpu.name for gpu in gpus]
        return tuple(dict.fromkeys(names))

    def _takes(self, gpu: Gpu, memory_gb: float) -> bool:
        sizes = self.vocabulary.other_sizes.get(gpu.name, ())
        return memory_gb in sizes or (gpu.segment == "system" and memory_gb <= gpu.memory_gb)

    def _modified(self, gpu: Gpu, memory_gb: float) -> bool:
        return memory_gb in self.vocabulary.modified.get(gpu.name, ())

    def _with_memory(self, core: str, gpu: Gpu, memory_gb: float) -> tuple[str, ...]:
        """Cards that do have the size: of the same number first, else of the same generation and class."""
        plain = {e.gpu.name for entries in self.by_core.values() for e in entries if not e.ids & {"d", "v2"}}
        fitting = [card for card in self.catalogue.gpus if card.memory_gb == memory_gb and card.name in plain]
        same = {e.gpu.name for e in self.by_core[core]}
        near = (
            [card for card in fitting if card.name in same and card.segment == gpu.segment]
            or [card for card in fitting if card.name in same]
            or [c for c in fitting if c.segment == gpu.segment and c.architecture == gpu.architecture]
            or list(self.catalogue.groups.get(gpu.group, ()))
            or [c for c in fitting if c.segment == gpu.segment and c.vendor == gpu.vendor]
        )
        near.sort(key=lambda card: abs((card.fp32_tflops or 0) - (gpu.fp32_tflops or 0)))
        return tuple(card.name for card in near[:3])

    def _neighbours(self, number: str, tags: frozenset[str], ids: frozenset[str]) -> tuple[str, ...]:
        """Up to three cards with the nearest number and ending, of the same line where that is told."""
        scored: list[tuple[float, str]] = []
        digits = re.sub(r"\D", "", number)
        lines = tags & (LINES | {"quadro"})
        for core, entries in self.by_core.items():
            own = re.sub(r"\D", "", core)
            if not own or " " in core or core[0].isdigit() != number[0].isdigit():
                continue
            for entry in entries:
                if (lines and not lines <= entry.tags) or (entry.tags - tags) & _WORKSTATION or entry.vendor_needed:
                    continue
                if entry.ids & _SIDE - ids:
                    continue
                distance = 10.0 * Levenshtein.distance(number, core) + 3 * len(entry.ids ^ ids)
                distance += abs(int(own) - int(digits or 0)) / 1000
                scored.append((distance, entry.gpu.group or entry.gpu.name))
        return tuple(dict.fromkeys(name for _, name in sorted(scored)))[:3]


def _with_endings(pool: list[Entry], ids: frozenset[str]) -> tuple[list[Entry], frozenset[str]]:
    """The entries that carry all endings; words that only describe are dropped when no card carries them."""
    forms = ids & {"laptop", "maxq"}
    tries = [ids]
    if "maxq" in ids:
        tries.append(ids - {"maxq"} | {"laptop"})
    tries += [ids - forms, ids - _IDLE, ids - _IDLE - forms]
    for wanted in tries:
        found = [e for e in pool if wanted <= e.ids]
        if found:
            return found, wanted
    return [], ids


def _best(pool: list[Entry], tags: frozenset[str], ids: frozenset[str], core: str) -> list[Entry]:
    """Exactly what was written before what it could be short for."""
    if core != "titan" or ids or "gtx" in tags:
        exact = [e for e in pool if e.tags == tags and e.ids == ids]
        exact = exact or [e for e in pool if e.ids == ids and not (e.tags - tags) & _WORKSTATION]
        if not exact and tags & _WORKSTATION:
            exact = [e for e in pool if e.ids == ids]
        if exact:
            return exact
    return [e for e in pool if not (e.ids - ids) & _SIDE] or pool


def _sizes(sizes: Iterable[float]) -> str:
    return " / ".join(f"{size:g}" for size in sorted(set(sizes))) + " GB"
