"""Reads the words of a text into written names: which number, line, ending and size belong together, and what is no
card at all. What the names stand for is decided later, in names.py."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from bot.hardware.name_index import LINES, NONE, NameIndex
from bot.hardware.name_vocabulary import NameVocabulary
from bot.hardware.name_words import Word, WordReader

_NEAR = re.compile(r"(?:[ \t\u00a0]{0,2}[-_+®™]?[ \t]{0,2}|[ -]?\(|\) ?|/(?=\d{2,3} ?gb?))")
"""What may stand between the parts of one name."""
_SIZE_GAP = re.compile(r"(?: ?(?:[-_(\[:]|with|w/|的)? ?|\) ?\(?)")
_BEFORE_GAP = re.compile(r"[ -]{0,2}\(?(?:的|version of the )?(?:nvidia |geforce )?")
_LIST = re.compile(r"\s*(?:/|,|\||&|\+|、|，|;|or|and|vs\.?|versus|to|和|或|或者|还是|跟|与|及|对比|,\s*(?:or|and))\s*")
_SLASH = re.compile(r"/")
_PLURAL = re.compile(
    r"(?:\b(?:two|three|four|five|six|eight|pair of|dual|both|couple of|several|many|few|\d+ ?x?))\s*$"
)
_NOT_PART = re.compile(r" ?(?:地|来|人|身|次|质|科|土|意|钱|位|子里)")


@dataclass(slots=True)
class WrittenName:
    """A name while it is read."""

    core: str
    tags: frozenset[str]
    vendor: str
    ids: frozenset[str]
    memory_gb: float | None
    start: int
    end: int
    next: int
    cued: bool
    released: bool = True


@dataclass(slots=True)
class Finds:
    names: list[WrittenName] = field(default_factory=list)
    series: list[tuple[str, int, int]] = field(default_factory=list)
    generations: list[tuple[str, int, int]] = field(default_factory=list)


class NameReader:
    """Finds written names in folded text, in one pass over its words."""

    def __init__(self, index: NameIndex, vocabulary: NameVocabulary) -> None:
        self.index = index
        self.vocabulary = vocabulary
        self._words = WordReader(index, vocabulary)

    def words(self, text: str) -> list[Word]:
        """The words of the text that may belong to a name."""
        return self._words.words(text)

    def read(self, text: str, lenient: bool) -> Finds:
        words = self._words.words(text)
        finds = Finds()
        position, count = 0, len(words)
        while position < count:
            word = words[position]
            if word.kind == "processor":
                position = self._after_processor(text, words, position)
                continue
            family = self._series(text, words, position, finds)
            if family:
                name, position, end = family
                finds.series.append((name, word.start, end))
                continue
            read = self._name(text, words, position, finds, lenient)
            if read:
                finds.names.append(read)
                position = read.next
                continue
            if word.kind in ("suffix", "size") and finds.names:
                other = self._other_ending if word.kind == "suffix" else self._other_size
                more = other(text, word, finds.names[-1])
                if more:
                    finds.names.append(more)
                    position += 1
                    continue
            generation = self.vocabulary.generations.get(word.text)
            if generation:
                finds.generations.append((generation, word.start, word.end))
            position += 1
        _share_endings(text, finds.names, self.index)
        return finds

    def _after_processor(self, text: str, words: list[Word], position: int) -> int:
        """Past a processor's own numbers ("ryzen 7 5700", "ddr5 6000"), up to what can only be a card."""
        if self._phrase(text, words, position):
            words[position].kind = "other"
            return position
        end = words[position].end
        position += 1
        for _ in range(3):
            if position == len(words) or not _NEAR.fullmatch(text, end, words[position].start):
                break
            word = words[position]
            geforce = word.kind == "core" and self.index.has(word.core, NONE, frozenset({"rtx"}))
            numeric = word.kind == "number" or (word.kind == "core" and word.core.isdigit() and not word.ids)
            if not numeric or (geforce and not self.index.has(word.core, NONE, frozenset({"pro"}))):
                break
            end = word.end
            position += 1
        return position

    def _series(self, text: str, words: list[Word], position: int, finds: Finds) -> tuple[str, int, int] | None:
        """A family at this word: its name, the position after it, its end."""
        word, lead, at = words[position], "", position
        if word.kind == "lead":
            lead = word.lead.tag or {"nvidia": "rtx", "amd": "rx"}.get(word.lead.vendor, "") if word.lead else ""
            at += 1
            while (
                at < len(words)
                and words[at].kind == "lead"
                and _NEAR.fullmatch(text, words[at - 1].end, words[at].start)
            ):
                lead = lead if lead == "quadro" else words[at].lead.tag or lead  # type: ignore[union-attr]
                at += 1
            if not lead or at == len(words) or not _NEAR.fullmatch(text, words[at - 1].end, words[at].start):
                return None
            word = words[at]
        choices = self.vocabulary.series.get(word.text)
        if not choices:
            return None
        after = words[at + 1] if at + 1 < len(words) else None
        near = after is not None and len(text[word.end : after.start].strip(" -")) == 0
        told = near and after is not None and after.text in self.vocabulary.series_words
        cards = near and after is not None and after.text in self.vocabulary.series_cards
        if not lead and finds.series and text[finds.series[-1][2] : word.start] == "/":
            # "RTX 30/40/50 series"
            lead, told = finds.series[-1][0].split()[0].lower(), True
        model = any(lead == "quadro" or "quadro" not in e.tags for e in self.index.by_core.get(word.text, ()))
        spelled = not word.text.isdigit()
        if not (told or spelled or (cards and lead) or (lead in LINES and not model)):
            return None
        patterns = self.vocabulary.patterns
        window = text[max(0, word.start - 12) : word.start]
        if not told and (
            patterns["before_number"].search(window) or patterns["after_number"].match(text[word.end : word.end + 16])
        ):
            return None
        names = [series.name for series in choices if not lead or series.lead == lead]
        if not names:
            return None
        family = (
            after is not None and near and after.text in self.vocabulary.series_words | self.vocabulary.series_cards
        )
        end = after.end if after is not None and family else word.end
        return names[0], at + (2 if end != word.end else 1), end

    def _name(self, text: str, words: list[Word], position: int, finds: Finds, lenient: bool) -> WrittenName | None:
        """The name that begins at this word, or None."""
        first = words[position]
        at, size, count = position, None, len(words)
        if first.kind == "size":
            if at + 1 == count or not _BEFORE_GAP.fullmatch(text, first.end, words[at + 1].start):
                return None
            size, at = first.number, at + 1
        tags: set[str] = set()
        ids: set[str] = set()
        vendor, cued, joined = "", False, ""
        start = words[at].start
        while True:
            word = words[at]
            phrase = self._phrase(text, words, at)
            if phrase:
                break
            if word.kind == "lead" and word.lead:
                tags.add(word.lead.tag)
                vendor = vendor or word.lead.vendor
                cued = cued or not word.lead.weak
                joined = word.text if word.lead.joins else ""
            elif (
                word.kind == "suffix"
                and word.suffix
                and (word.suffix.form or word.suffix.ids & {"pascal", "maxwell", "ada"})
            ):
                ids |= word.suffix.ids
            elif not (word.kind == "suffix" and word.suffix and word.suffix.ignored and at > position):
                break
            at += 1
            if at == count or not _NEAR.fullmatch(text, words[at - 1].end, words[at].start):
                return None
        tags.discard("")
        word = words[at]
        core, released = word.core, True
        if phrase:
            core, at = phrase
            word = words[at]
            cued = cued or core not in ("m1", "m2", "m3", "m4", "m5")
        elif joined and joined + word.text in self.index.by_core:
            core, cued = joined + word.text, True
        elif word.kind != "core":
            if not (tags and ((word.kind == "number" and len(word.text) in (3, 4)) or word.kind == "odd")):
                return None
            core, released = word.text, False
            if not tags & LINES and "quadro" not in tags:
                return None
        elif core in self.vocabulary.not_released:
            released = False
        if not released:
            start = words[position].start if size is None else start
        head = word.start if at == position else start
        end, next_at = word.end, at + 1
        if not phrase:
            ids |= word.ids
            cued = cued or bool(word.ids - {"super"}) or word.memory_gb is not None or core == "titan"
            end = word.end
        memory = word.memory_gb if not phrase else None
        if word.plural and "super" in word.ids and _PLURAL.search(text[max(0, head - 12) : head]):
            ids.discard("super")
        next_at, end, suffix_cue, pro = self._endings(text, words, next_at, end, core, ids, released)
        cued = cued or suffix_cue
        if pro:
            tags.add("pro")
        if memory is None:
            memory, next_at, end = self._size_after(text, words, next_at, end, core, frozenset(ids), released)
            if memory is not None:
                next_at, end, _, _ = self._endings(text, words, next_at, end, core, ids, released)
        if memory is None and size is not None:
            memory = size
        cued = cued or memory is not None
        makers = {e.gpu.vendor for e in self.index.by_core.get(core, ())}
        if vendor and len(core) == 3 and core.isdigit() and released and vendor not in makers:
            return None
        if core in self.vocabulary.plural_first and memory is None and not ids and not lenient:
            core = core[:-1]
        name = WrittenName(core, frozenset(tags), vendor, frozenset(ids), memory, head, end, next_at, cued, released)
        if not ((lenient and not text[:head].strip("$€£¥ ")) or self._counts(text, name, finds)):
            return None
        if size is not None and memory == size and first.kind == "size":
            name.start = first.start
        return name

    def _phrase(self, text: str, words: list[Word], at: int) -> tuple[str, int] | None:
        """A model of several words ("m2 ultra", "rx vega 64") at this word, and the position of its last word."""
        for parts, core in self.index.phrases.get(words[at].text, ()):
            last = at + len(parts) - 1
            if last < len(words) and all(
                words[at + i].text == parts[i] and _NEAR.fullmatch(text, words[at + i - 1].end, words[at + i].start)
                for i in range(1, len(parts))
            ):
                return core, last
        return None

    def _endings(
        self, text: str, words: list[Word], at: int, end: int, core: str, ids: set[str], released: bool
    ) -> tuple[int, int, bool, bool]:
        """Reads the endings that follow; `ids` grows. The position and place after them, whether one is a cue, and
        whether "pro" stood among them."""
        cue = pro = False
        while at < len(words) and _NEAR.fullmatch(text, end, words[at].start):
            word = words[at]
            suffix = word.suffix
            if word.text == "pro" and self.index.has(core, frozenset(ids), frozenset({"pro"})):
                pro = cue = True
            elif word.text == "rtx" and core == "titan":
                ids.add("rtx")
            elif (
                suffix is None
                or (suffix.titan_only and core != "titan")
                or (suffix.attached and word.start != end)
                or (suffix.form and _NOT_PART.match(text, word.end) and word.text == "本")
            ):
                break
            elif suffix.ignored:
                if word.text in ("gpu", "gpus", "edition", "oc", "gen", "workstation") and word.start == end:
                    break
            elif suffix.soft and not (released and self.index.has(core, frozenset(ids | suffix.ids))):
                adverb = self.vocabulary.patterns["adverb_before"].match(text[word.end : word.end + 16])
                if suffix.form:
                    cue = True
                elif suffix.plural and word.start == end:
                    pass
                elif "super" not in suffix.ids or suffix.plural or adverb:
                    break
                else:
                    ids |= suffix.ids
            else:
                ids |= suffix.ids
                cue = cue or word.text != "s"
            end = word.end
            at += 1
        return at, end, cue, pro

    def _size_after(
        self, text: str, words: list[Word], at: int, end: int, core: str, ids: frozenset[str], released: bool
    ) -> tuple[float | None, int, int]:
        """A memory size that belongs to the card just read."""
        if at == len(words) or words[at].kind != "size":
            return None, at, end
        word = words[at]
        gap = _SIZE_GAP.fullmatch(text, end, word.start)
        if not gap or self.vocabulary.patterns["not_vram_after"].match(text[word.end : word.end + 24]):
            return None, at, end
        if "w" in gap.group():
            sizes = {entry.gpu.memory_gb for entry in self.index.by_core.get(core, ()) if ids <= entry.ids}
            said = self.vocabulary.patterns["vram_after"].match(text[word.end : word.end + 24])
            if not said and word.number not in sizes:
                return None, at, end
        if word.text.endswith(("gbps", "gb/s")) or not released:
            return None, at, end
        return word.number, at + 1, word.end

    def _counts(self, text: str, name: WrittenName, finds: Finds) -> bool:
        """Whether this is a card and no other number or word."""
        patterns = self.vocabulary.patterns
        core = name.core
        bare = core.isdigit() and not name.tags and not name.vendor and not name.ids and name.memory_gb is None
        if bare:
            window = text[max(0, name.start - 12) : name.start]
            if patterns["before_number"].search(window) or patterns["after_number"].match(
                text[name.end : name.end + 16]
            ):
                return False
            if core == "1080" and patterns["before_screen"].search(window):
                return False
            if core.startswith("20") and patterns["before_year"].search(window):
                return False
        elif core.isdigit() and text[name.start].isdigit() and text[max(0, name.start - 1) : name.start] in "$€£¥":
            return name.start == 0
        if not name.released:
            return bool(name.tags & LINES) or "quadro" in name.tags or core in self.vocabulary.not_released
        if name.cued:
            return True
        if core in ("m1", "m2", "m3", "m4", "m5"):
            return bool(patterns["apple_talk"].search(text))
        if not core.isdigit():
            return core not in self.vocabulary.needs_cue or self._listed(text, name, finds)
        if (len(core) == 4 and self.index.has(core, NONE, frozenset({"rtx"}))) or self.index.has(
            core, NONE, frozenset({"gtx"})
        ):
            geforce = any(
                not e.tags & {"quadro", "pro"} and e.gpu.segment in ("consumer", "laptop")
                for e in self.index.by_core[core]
            )
            if len(core) == 4 and geforce:
                return True
        if self._listed(text, name, finds):
            return True
        amd = len(core) == 4 and self.index.has(core, NONE, frozenset({"rx"}))
        return amd and (core in ("9070", "9060") or bool(patterns["amd_talk"].search(text)))

    def _listed(self, text: str, name: WrittenName, finds: Finds) -> bool:
        """Whether the name goes on a list ("gtx 970 or 980"); it then takes the line of the card before."""
        if not finds.names:
            return False
        before = finds.names[-1]
        if not _LIST.fullmatch(text, before.end, name.start) or not self.index.has(name.core, name.ids, before.tags):
            return False
        name.tags, name.vendor = before.tags, before.vendor
        return True

    def _other_ending(self, text: str, word: Word, before: WrittenName) -> WrittenName | None:
        """ "1660 S or Ti": the same number with another ending."""
        suffix = word.suffix
        if suffix is None or suffix.ignored or not suffix.ids or suffix.form or not before.released:
            return None
        gap = text[before.end : word.start]
        if len(gap) > 6 or not _LIST.fullmatch(gap) or not self.index.has(before.core, suffix.ids, before.tags):
            return None
        return replace(before, ids=suffix.ids, memory_gb=None, start=word.start, end=word.end)

    def _other_size(self, text: str, word: Word, before: WrittenName) -> WrittenName | None:
        """ "3080 10G/12G": the same card with another size."""
        gap = text[before.end : word.start]
        if before.memory_gb in (None, word.number) or len(gap) > 6 or not _LIST.fullmatch(gap) or "+" in gap:
            return None
        cards = [e.gpu for e in self.index.by_core.get(before.core, ()) if e.ids == before.ids]
        if not any(gpu.memory_gb == word.number for gpu in cards):
            return None
        return replace(before, memory_gb=word.number, start=word.start, end=word.end)


def _share_endings(text: str, names: list[WrittenName], index: NameIndex) -> None:
    """ "4060/5060 Ti 16GB": ending and size also belong to the number before the slash, where such a card exists."""
    for left, right in zip(reversed(names[:-1]), reversed(names[1:]), strict=True):
        if left.ids or left.memory_gb is not None or left.core == right.core or not left.released:
            continue
        if not (left.core.isdigit() and _SLASH.fullmatch(text, left.end, right.start)):
            continue
        if right.ids and index.has(left.core, right.ids, left.tags):
            left.ids = right.ids
        elif right.ids:
            continue
        entries = index.by_core[left.core]
        if any(entry.ids == left.ids and entry.gpu.memory_gb == right.memory_gb for entry in entries):
            left.memory_gb = right.memory_gb
