"""Which card a second-hand listing sells, read from its title; None in doubt. Pure.

Exact, never fuzzy: one digit or "Ti" more is another card, and a wrong price is worse than none. So a title counts
only when it names exactly one card of the catalogue, leaves no variant or memory size open, and says nothing of parts,
faults, laptops, computers or several pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bot.hardware.catalogue import Catalogue
from bot.hardware.gpu import Gpu
from bot.tables import DataError, read_yaml
from bot.text import fold

MAX_TITLE = 300
_LINES = frozenset({"rtx", "gtx", "gt", "rx", "arc", "quadro", "titan", "pro", "vega", "cmp", "ai"})
"""Words before the number that tell cards apart."""
_MAKERS = frozenset({"nvidia", "geforce", "amd", "radeon", "intel", "tesla", "instinct", "ati", "firepro", "nvdia"})
"""Words before the number that do not."""
_ENDINGS = frozenset({"ti", "super", "xt", "xtx", "gre", "d", "ada", "nvl", "v2", "server", "sff"})
_TITANS = frozenset({"x", "xp", "v", "rtx", "pascal", "maxwell", "black", "z"})
_VARIANTS = frozenset({"ti", "super", "xt", "xtx", "gre"})
"""Where one of these stands loose in a title, it is unclear which variant is sold."""
_GLUED = re.compile(
    r"(rtx|gtx|gt|rx|arc|titan|tesla|quadro|geforce|radeon|nvidia|vega|mi)?(pro)?([a-z]?\d{2,4})"
    r"(tisuper|tis|ti|super|xtx|xt|gre|d|s|x)?"
)
_SIZE = re.compile(r"(\d{1,3})(?:gb|g|gig|gigs|gbs|gigabytes?)")
_WORD = re.compile(r"[a-z0-9]+")
_DROP = re.compile(r"[™®©'’`]")
_QUANTITY = re.compile(
    r"^\W*(?:[2-9]|1\d|two|three|four)\s*(?:x|pcs|pieces|units|-pack|pack)?\W+(?!slots?|fans?|gb|gig)(?=[a-z])"
    r"|^\W*x\s*[2-9]\b|\b[2-9]\s*(?:pcs|pieces|units|pack|cards|gpus)\b|\(\s*x?\s*[2-9]\s*x?\s*\)"
    # "Twin X2" and "iChill X3" are names of coolers.
    r"|(?<!twin )(?<!ichill )(?<!twin-)\bx\s*[2-9]\s*$"
)
_TERABYTES = re.compile(r"\b\d+\s*tb\b")
_MEMORY_TYPES = re.compile(r"\b(gddr[3567]x?|hbm[23]?e?|g?ddr[345])\b")


@dataclass(frozen=True, slots=True)
class Listing:
    """What a title says: the card, or None and why not."""

    gpu: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TitleRules:
    """data/listing_titles.yaml, compiled."""

    harmless: re.Pattern[str]
    refuse: re.Pattern[str]
    reasons: dict[str, str]
    """Phrase -> reason."""
    size_needed: frozenset[str]
    """Cards that were sold in more sizes than the catalogue has."""


def parse_title_rules(text: str, where: str) -> TitleRules:
    """The phrases of the file. Raises DataError."""
    data: Any = read_yaml(text, where)
    if (
        not isinstance(data, dict)
        or set(data) != {"harmless", "refuse", "size_needed"}
        or not isinstance(data["refuse"], dict)
    ):
        raise DataError(
            where, None, None, "the file must hold harmless, refuse and size_needed", "See the comments in it"
        )
    reasons: dict[str, str] = {}
    for reason, phrases in data["refuse"].items():
        for phrase in _phrases(phrases, where, reason):
            reasons.setdefault(phrase, reason)
    _phrases(data["size_needed"], where, "size_needed")
    harmless = _any(_phrases(data["harmless"], where, "harmless"))
    return TitleRules(harmless, _any(reasons), reasons, frozenset(data["size_needed"]))


def _phrases(value: Any, where: str, name: str) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and one.strip() for one in value):
        raise DataError(where, None, name, "this is not a list of phrases", "Write one phrase a line after a dash")
    return [" ".join(_WORD.findall(one.lower())) for one in value]


def _any(phrases: Iterable[str]) -> re.Pattern[str]:
    # The longest first: "no artifacts" before "artifacts".
    return re.compile(r"\b(?:" + "|".join(sorted(phrases, key=lambda phrase: -len(phrase))) + r")\b")


@dataclass(frozen=True, slots=True)
class _Mention:
    lines: frozenset[str]
    core: str
    endings: frozenset[str]
    named: bool
    """Whether a maker or product line stands before the number."""
    start: int
    end: int


class TitleReader:
    """Reads titles against a catalogue."""

    def __init__(self, catalogue: Catalogue, rules: TitleRules) -> None:
        self._rules = rules
        self._cards: dict[tuple[str, frozenset[str]], list[tuple[frozenset[str], Gpu]]] = {}
        self._cores: set[str] = set()
        # Where the same name is also a server module, a title has to say PCIe.
        self._pcie = {gpu.group for gpu in catalogue.gpus if gpu.cooler == "module" and gpu.group}
        for gpu in catalogue.gpus:
            if gpu.segment in ("laptop", "system", "cloud") or gpu.cooler == "module" or "Max-Q" in gpu.name:
                continue
            words = [word for word in _WORD.findall(gpu.name.lower()) if not _SIZE.fullmatch(word) and word != "pcie"]
            words = [word for word in words if not _MEMORY_TYPES.fullmatch(word)]
            found = _mentions(_split(words), None)
            if len(found) == 1:
                mention = found[0]
                self._cores.add(mention.core)
                self._cards.setdefault((mention.core, mention.endings), []).append((mention.lines, gpu))

    def read(self, title: str) -> Listing:
        """The one card that is sold, or None with the reason."""
        if len(title) > MAX_TITLE:
            return Listing(None, "too long")
        text = _DROP.sub("", fold(title))
        if _QUANTITY.search(text):
            return Listing(None, "more than one")
        if _TERABYTES.search(text):
            return Listing(None, "a whole computer")
        words = _split(_WORD.findall(text))
        plain = self._rules.harmless.sub(" ", " ".join(_WORD.findall(text)))
        refused = self._rules.refuse.search(plain)
        if refused:
            return Listing(None, self._rules.reasons[refused.group()])
        mentions = _mentions(words, self._cores)
        candidates = [self._candidates(mention, words) for mention in mentions]
        if not candidates:
            return Listing(None, "names no card")
        names = {tuple(gpu.name for gpu in found) for found in candidates}
        if len(names) > 1:
            return Listing(None, "names several cards")
        if not candidates[0]:
            return Listing(None, "no card of the catalogue")
        if self._loose_variant(mentions, words):
            return Listing(None, "the variant is unclear")
        if candidates[0][0].group in self._pcie and not {"pcie", "pci", "nvl"} & set(words):
            return Listing(None, "does not say that it is a card")
        return self._by_memory(candidates[0], words, text, any(mention.named for mention in mentions))

    def _candidates(self, mention: _Mention, words: list[str]) -> list[Gpu]:
        """Cards that the mention can mean: those whose product line it says, or leaves out without ambiguity."""
        known = self._cards.get((mention.core, mention.endings), [])
        for lines in (mention.lines, mention.lines - {"quadro"}, mention.lines - {"rtx"}):
            exact = [gpu for mine, gpu in known if mine == lines]
            if exact:
                return exact
        # "Pro" and "Quadro" are left out only where no other card has the number: an RTX 4500 is older than an RTX
        # PRO 4500, and an RTX 5000 can be one of three.
        alone = sum(core == mention.core for core, _ in self._cards) == 1
        wider = {mine for mine, _ in known if mine >= mention.lines}
        if not all(alone or mine - mention.lines <= {"rtx", "gtx", "gt", "rx", "arc"} for mine in wider):
            return []
        return [gpu for mine, gpu in known if mine in wider] if len(wider) == 1 else []

    @staticmethod
    def _loose_variant(mentions: list[_Mention], words: list[str]) -> bool:
        said = mentions[0].endings
        inside = {place for mention in mentions for place in range(mention.start, mention.end)}
        return any(word in _VARIANTS and word not in said for place, word in enumerate(words) if place not in inside)

    def _by_memory(self, found: list[Gpu], words: list[str], text: str, named: bool) -> Listing:
        sizes = {float(match[1]) for word in words if (match := _SIZE.fullmatch(word))}
        if len(sizes) > 1:
            return Listing(None, "states several sizes")
        if sizes:
            found = [gpu for gpu in found if gpu.memory_gb in sizes]
            if not found:
                return Listing(None, "states a size that the card does not have")
        elif not named:
            return Listing(None, "names no card for certain")
        elif any(gpu.name in self._rules.size_needed for gpu in found):
            return Listing(None, "does not say which memory")
        if len(found) > 1:
            types = {match.replace("gddr", "ddr") for match in _MEMORY_TYPES.findall(text)}
            found = [gpu for gpu in found if gpu.memory_type.lower().replace("gddr", "ddr") in types]
        if len({gpu.memory_gb for gpu in found}) > 1 or len(found) != 1:
            return Listing(None, "does not say which memory")
        return Listing(found[0].name)


def _split(words: list[str]) -> list[str]:
    """Glued words apart ("rtx3090ti", "24 gb" together), numbers and their sizes as one word."""
    out: list[str] = []
    for word in words:
        if out and word in ("gb", "gig", "gigs", "g", "gigabyte") and out[-1].isdigit() and len(out[-1]) < 4:
            out[-1] += "gb"
            continue
        if word.isdigit() or _SIZE.fullmatch(word):
            out.append(word)
            continue
        glued = _GLUED.fullmatch(word)
        if glued is None:
            out.append(word)
            continue
        line, pro, core, ending = glued.groups()
        if line == "mi":
            core, line = "mi" + core, None
        if ending == "x" and not core[0].isdigit():
            core, ending = core + ending, None
        if ending == "s" and not (core.isdigit() and len(core) == 4):
            core, ending = core + ending, None
        out += [part for part in (line, pro, core) if part]
        if ending:
            out += {"tisuper": ["ti", "super"], "tis": ["ti", "super"], "s": ["super"]}.get(ending, [ending])
    return out


_CORE = re.compile(r"\d{3,4}|[a-z]{1,2}\d{1,4}[a-z]{0,2}|\d{2,3}hx|vii")


def _mentions(words: list[str], cores: set[str] | None) -> list[_Mention]:
    """Where cards are named. `cores`: the numbers that count by themselves; None takes any, to read the catalogue."""
    found = []
    for place, word in enumerate(words):
        titan = word == "titan" and (cores is None or (place + 1 < len(words) and words[place + 1] in _TITANS))
        vega = word in ("56", "64") and place > 0 and words[place - 1] == "vega"
        if not (titan or vega or _CORE.fullmatch(word)) or _SIZE.fullmatch(word):
            continue
        start = place
        while start > 0 and words[start - 1] in _LINES | _MAKERS and words[start - 1] != "titan":
            start -= 1
        before = words[start:place]
        lines = frozenset(before) & _LINES
        named = bool(before) or titan
        unknown = cores is not None and word not in cores
        if unknown and not (lines and word[0].isdigit()):
            continue
        if cores is not None and not named and not _stands_alone(word, words):
            continue
        end = place + 1
        while end < len(words) and words[end] in (_TITANS if titan else _ENDINGS):
            end += 1
        endings = frozenset(words[place + 1 : end])
        found.append(_Mention(lines, word, endings, named, start, end))
    return found


def _stands_alone(core: str, words: list[str]) -> bool:
    """Whether a number without a product line can only be a card: "3090" can, "580" and "t4" cannot."""
    if core.isdigit():
        return len(core) == 4 and bool(_MAKERS & set(words) or any(_SIZE.fullmatch(word) for word in words))
    return len(core) >= 4 or bool(_MAKERS & set(words))
