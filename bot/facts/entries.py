"""Knowledge entries as data: what a curated YAML file holds, read strictly.

A file is a list of entries; a fault names file, line and field, and how to mend it. `read_knowledge` goes on after
a fault, so that the lint shows all of them; `parse_knowledge` raises the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from bot.facts.traditional import to_traditional
from bot.request import Condition, FormFactor, Language, Level, Mode, Vendor
from bot.tables import DataError, LineDict, read_yaml

_DATE = re.compile(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
_ID = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")

ENTRY_KEYS = (
    "id", "topic", "question", "phrasings", "answer", "then", "facts", "as_of", "supersedes", "see_also", "when",
    "note", "sources",
)  # fmt: skip
_WHEN_LISTS = (
    "vendors", "workloads", "modes", "form_factors", "asks", "gpus", "methods", "architectures", "operating_system",
    "level", "condition",
)  # fmt: skip
_WHEN_CHOICES: Mapping[str, tuple[str, ...]] = {
    "vendors": get_args(Vendor),
    "modes": get_args(Mode),
    "form_factors": get_args(FormFactor),
    "operating_system": ("linux", "windows", "macos"),
    "level": get_args(Level),
    "condition": get_args(Condition),
}


@dataclass(frozen=True, slots=True)
class Both:
    """One text in both languages; Traditional Chinese is derived from the Simplified."""

    en: str
    zh: str

    def in_language(self, language: Language) -> str:
        """The text as that reader writes it."""
        if language == "en":
            return self.en
        return to_traditional(self.zh) if language == "zh-TW" else self.zh


@dataclass(frozen=True, slots=True)
class Source:
    """Where an answer comes from: title, link or place, and from when."""

    title: str
    ref: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Then:
    """What old guides said, beside what holds today."""

    guides: tuple[str, ...]
    text: Both


@dataclass(frozen=True, slots=True)
class When:
    """When an entry's note belongs to an answer: every key given must match, any of its values will do."""

    lists: Mapping[str, tuple[str, ...]]
    multi_gpu: bool | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One curated answer. `phrasings` are other ways to ask `question`."""

    id: str
    topic: str
    question: Both
    phrasings_en: tuple[str, ...]
    phrasings_zh: tuple[str, ...]
    answer: Both
    as_of: str
    sources: tuple[Source, ...]
    then: Then | None = None
    facts: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    see_also: tuple[str, ...] = ()
    when: When | None = None
    note: Both | None = None
    where: str = ""
    line: int = 0
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Line of each key, for the lint."""

    def answer_text(self, language: Language) -> str:
        """Today's answer."""
        return self.answer.in_language(language)

    def then_text(self, language: Language) -> str:
        """What the old guides said, or ""."""
        return self.then.text.in_language(language) if self.then else ""

    def question_text(self, language: Language) -> str:
        """The question that this entry answers, as a title."""
        return self.question.in_language(language)

    def asked(self, chinese: bool) -> tuple[str, ...]:
        """The question and all its phrasings in one script family."""
        if chinese:
            return (self.question.zh, *self.phrasings_zh)
        return (self.question.en, *self.phrasings_en)


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """All entries, in file order."""

    entries: tuple[Entry, ...]
    by_id: Mapping[str, Entry] = field(default_factory=dict, repr=False)
    noted: tuple[Entry, ...] = ()
    """The entries that have a note for other answers."""

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> KnowledgeBase:
        """A base that finds entries by id; the first of two equal ids wins."""
        by_id: dict[str, Entry] = {}
        for entry in entries:
            by_id.setdefault(entry.id, entry)
        return cls(tuple(entries), by_id, tuple(entry for entry in entries if entry.when and entry.note))


class Reader:
    """Reads the fields of one mapping and notes what is wrong instead of stopping."""

    def __init__(self, data: LineDict, where: str, faults: list[DataError], prefix: str = "") -> None:
        """`prefix` names the outer field ("answer.")."""
        self.data, self.where, self.faults, self.prefix = data, where, faults, prefix

    def fail(self, key: str | None, problem: str, mend: str) -> None:
        """Note a fault at a key."""
        line = self.data.lines.get(key or "", self.data.line)
        self.faults.append(DataError(self.where, line, (self.prefix + key) if key else None, problem, mend))

    def known(self, keys: Sequence[str]) -> None:
        """Every key must be one of `keys`."""
        for key in self.data:
            if key not in keys:
                self.fail(key, "this field is not known", "Use one of: " + ", ".join(keys))

    def text(self, key: str, *, required: bool = True) -> str:
        """A text without surrounding blanks; numbers are refused, for YAML would change them (1.10 -> 1.1)."""
        value = self.data.get(key)
        if value is None or value == "":
            if required:
                self.fail(key, "it is missing", f"Write {key}: and a text")
            return ""
        if not isinstance(value, str):
            self.fail(key, f"{value!r} is not a text", "Put it in quotes")
            return ""
        if required and not value.strip():
            self.fail(key, "it is blank", f"Write {key}: and a text")
        return value.strip()

    def date(self, key: str, *, required: bool = True) -> str:
        """YYYY, YYYY-MM or YYYY-MM-DD."""
        value = self.data.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is None and not required:
            return ""
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            shown = "it is missing" if value is None else f"{value!r} is not a date"
            self.fail(key, shown, "Write YYYY, YYYY-MM or YYYY-MM-DD")
            return ""
        return value

    def texts(self, key: str, *, required: bool = False) -> tuple[str, ...]:
        """A list of texts; a single text counts as a list of one."""
        value = self.data.get(key)
        if value is None:
            if required:
                self.fail(key, "it is missing", f"Write {key}: and a list")
            return ()
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
            self.fail(key, "this is not a list of texts", "Write one text a line, each after a dash; quote numbers")
            return ()
        if required and not items:
            self.fail(key, "the list is empty", "Write at least one text")
        return tuple(item.strip() for item in items)

    def mapping(self, key: str, *, required: bool = True) -> Reader | None:
        """A reader of an inner mapping."""
        value = self.data.get(key)
        if value is None:
            if required:
                self.fail(key, "it is missing", f"Write {key}: and its fields below it")
            return None
        if not isinstance(value, LineDict):
            self.fail(key, "this is not a mapping", f"Write the fields of {key} indented below it")
            return None
        return Reader(value, self.where, self.faults, f"{self.prefix}{key}.")

    def both(self, key: str, *, required: bool = True) -> Both | None:
        """A text in en and zh."""
        inner = self.mapping(key, required=required)
        if inner is None:
            return None
        inner.known(("en", "zh"))
        return Both(inner.text("en"), inner.text("zh"))


def items_of(text: str, where: str, faults: list[DataError]) -> Iterator[Reader]:
    """A reader for each mapping of a YAML list; an empty file has none."""
    try:
        data = read_yaml(text, where)
    except DataError as error:
        faults.append(error)
        return
    if data is None:
        return
    if not isinstance(data, list):
        faults.append(DataError(where, 1, None, "the file is not a list", "Begin every item with a dash"))
        return
    for number, item in enumerate(data, 1):
        if isinstance(item, LineDict):
            yield Reader(item, where, faults)
        else:
            mend = "Begin it with `- id: ...` and indent its fields"
            faults.append(DataError(where, None, None, f"item {number} is not a mapping", mend))


def read_sources(reader: Reader, key: str = "sources") -> tuple[Source, ...]:
    """The list of {title, ref, as_of}; at least one."""
    value = reader.data.get(key)
    if not isinstance(value, list) or not value:
        reader.fail(key, "there is no source", "Give at least one {title, ref, as_of}")
        return ()
    sources = []
    for number, item in enumerate(value, 1):
        if not isinstance(item, LineDict):
            reader.fail(key, f"source {number} is not a mapping", "Write {title: ..., ref: ..., as_of: ...}")
            continue
        inner = Reader(item, reader.where, reader.faults, f"{reader.prefix}{key}.")
        inner.known(("title", "ref", "as_of"))
        sources.append(Source(inner.text("title"), inner.text("ref", required=False), inner.date("as_of")))
    return tuple(sources)


def _then(reader: Reader) -> Then | None:
    inner = reader.mapping("then", required=False)
    if inner is None:
        return None
    inner.known(("guides", "en", "zh"))
    return Then(inner.texts("guides", required=True), Both(inner.text("en"), inner.text("zh")))


def _when(reader: Reader) -> When | None:
    inner = reader.mapping("when", required=False)
    if inner is None:
        return None
    inner.known((*_WHEN_LISTS, "multi_gpu"))
    lists = {}
    for key in _WHEN_LISTS:
        values = inner.texts(key)
        if not values:
            continue
        lists[key] = values
        allowed = _WHEN_CHOICES.get(key)
        for value in values:
            if allowed and value not in allowed:
                inner.fail(key, f"{value!r} is not known", "Write one of: " + ", ".join(allowed))
    multi = inner.data.get("multi_gpu")
    if multi is not None and not isinstance(multi, bool):
        inner.fail("multi_gpu", f"{multi!r} is neither true nor false", "Write true or false")
        multi = None
    if not lists and multi is None:
        reader.fail("when", "no condition is given", "Write at least one, or take `when` away")
        return None
    return When(lists, multi)


def _entry(reader: Reader) -> Entry:
    reader.known(ENTRY_KEYS)
    entry_id = reader.text("id")
    if entry_id and not _ID.fullmatch(entry_id):
        reader.fail("id", f"{entry_id!r} is not an id", "Use lower-case letters, digits and single hyphens")
    nothing = Both("", "")
    phrasings = reader.mapping("phrasings")
    if phrasings:
        phrasings.known(("en", "zh"))
    data: Any = reader.data
    return Entry(
        id=entry_id,
        topic=reader.text("topic"),
        question=reader.both("question") or nothing,
        phrasings_en=phrasings.texts("en", required=True) if phrasings else (),
        phrasings_zh=phrasings.texts("zh", required=True) if phrasings else (),
        answer=reader.both("answer") or nothing,
        as_of=reader.date("as_of"),
        sources=read_sources(reader),
        then=_then(reader),
        facts=reader.texts("facts"),
        supersedes=reader.texts("supersedes"),
        see_also=reader.texts("see_also"),
        when=_when(reader),
        note=reader.both("note", required=False),
        where=reader.where,
        line=data.line,
        lines=data.lines,
    )


def read_knowledge(files: Sequence[tuple[str, str]]) -> tuple[KnowledgeBase, list[DataError]]:
    """The entries of all (text, where) files and every fault found. A faulty entry is kept as far as it reads."""
    faults: list[DataError] = []
    entries: list[Entry] = []
    first: dict[str, Entry] = {}
    for text, where in files:
        for reader in items_of(text, where, faults):
            entry = _entry(reader)
            entries.append(entry)
            other = first.setdefault(entry.id, entry)
            if entry.id and other is not entry:
                place = f"{other.where}, line {other.line}"
                reader.fail("id", f"{entry.id} stands twice, first in {place}", "Give one of them another id")
    return KnowledgeBase.of(entries), faults


def parse_knowledge(files: Sequence[tuple[str, str]]) -> KnowledgeBase:
    """The entries of all (text, where) files. Raises the first DataError."""
    base, faults = read_knowledge(files)
    if faults:
        raise faults[0]
    return base


def map_texts(entry: Entry, change: Callable[[str, str], str]) -> dict[str, Both | Then | None]:
    """The answer, then and note of an entry with `change(text, field)` applied to each text."""

    def both(name: str, text: Both) -> Both:
        return Both(change(text.en, f"{name}.en"), change(text.zh, f"{name}.zh"))

    return {
        "answer": both("answer", entry.answer),
        "then": Then(entry.then.guides, both("then", entry.then.text)) if entry.then else None,
        "note": both("note", entry.note) if entry.note else None,
    }
