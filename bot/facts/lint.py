"""What is wrong with the knowledge files: every fault at once, each with file and line.

Errors keep an entry from being found, shown or trusted; warnings are for an editor to weigh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz, process

from bot.facts.calibration import DEFAULT
from bot.facts.entries import Entry, KnowledgeBase, read_knowledge
from bot.facts.features import SearchWords
from bot.facts.quotes import GuideRow, read_guide_rows
from bot.facts.render import FindGpu, resolve
from bot.facts.search import Search, plain
from bot.request import Language
from bot.tables import DataError

FACTS = frozenset(
    f"f{year}-{number:03}" for year, last in ((17, 37), (19, 23), (20, 11)) for number in range(1, last + 1)
)
"""The facts of the four source guides, each of which some entry answers."""
ANSWER_LIMIT = 900
"""Characters of an answer, in any language."""
EMBED_DESCRIPTION, EMBED_TOTAL = 4096, 6000
"""Discord's limits."""
_LANGUAGES: tuple[Language, ...] = ("en", "zh-CN", "zh-TW")
_PLACEHOLDER = re.compile(
    r"\b(?:TODO|TBD|FIXME|XXX+|lorem ipsum|placeholder)\b|\?\?\?|待补|待定|占位|待写", re.IGNORECASE
)
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_NEAR = 93.0
"""rapidfuzz ratio from which two phrasings of different entries count as the same question."""
_FEWEST = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend."""

    level: Literal["error", "warning"]
    where: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.where}:{self.line or 1}: {self.level}: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """All findings, and how well phrasings are found when they themselves are taken out."""

    findings: tuple[Finding, ...]
    entries: int
    phrasings: int
    left_out_right: float
    """Share of the phrasings that find their entry through its other phrasings."""

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.level == "error" for finding in self.findings)


def lint(
    files: Sequence[tuple[str, str]], rows_file: tuple[str, str], find: FindGpu, words: SearchWords, today: str
) -> Report:
    """Check all entry files and the guide rows. `today` is YYYY-MM-DD: nothing may be dated later."""
    base, faults = read_knowledge(files)
    rows, row_faults = read_guide_rows(*rows_file)
    base, dead = resolve(base, find)
    findings = [_of_fault(fault) for fault in (*faults, *row_faults, *dead)]
    guides = frozenset(row.guide for row in rows)
    for entry in base.entries:
        findings += _entry(entry, base, guides, today)
    findings += _rows(rows, find, today)
    phrasings, right, found = _retrieval(base, words)
    findings += found
    findings += _collisions(base)
    findings.sort(key=lambda finding: (finding.where, finding.line or 0, finding.level))
    return Report(tuple(findings), len(base.entries), phrasings, right / phrasings if phrasings else 1.0)


def _of_fault(fault: DataError) -> Finding:
    field = f"{fault.field}: " if fault.field else ""
    return Finding("error", fault.where, fault.line, f"{field}{fault.problem}. {fault.mend}.")


def _entry(entry: Entry, base: KnowledgeBase, guides: frozenset[str], today: str) -> Iterator[Finding]:
    def at(level: Literal["error", "warning"], key: str, message: str) -> Finding:
        return Finding(level, entry.where, entry.lines.get(key, entry.line), f"{entry.id}: {key}: {message}")

    for key in ("see_also", "supersedes"):
        for other in getattr(entry, key):
            if other not in base.by_id or other == entry.id:
                yield at("error", key, f"there is no other entry {other!r}")
    for fact in entry.facts:
        if fact not in FACTS:
            yield at("error", "facts", f"{fact!r} is not a fact of the guides (f17-001 to f20-011)")
    if entry.then:
        for guide in entry.then.guides:
            if guide not in guides:
                yield at("error", "then", f"guide {guide!r} is not one of: {', '.join(sorted(guides))}")
    if bool(entry.note) != bool(entry.when):
        key, missing = ("note", "when") if entry.note else ("when", "note")
        yield at("error", key, f"there is no `{missing}` beside it, so it is never shown")
    for key, date in [("as_of", entry.as_of), *(("sources", source.as_of) for source in entry.sources)]:
        if date > today:
            yield at("error", key, f"{date} lies in the future")
    yield from _texts(entry, at)
    yield from _lengths(entry, at)
    yield from _balance(entry, at)


def _texts(entry: Entry, at) -> Iterator[Finding]:  # type: ignore[no-untyped-def]
    texts = {
        "question": (entry.question.en, entry.question.zh),
        "phrasings": (*entry.phrasings_en, *entry.phrasings_zh),
        "answer": (entry.answer.en, entry.answer.zh),
        "then": (entry.then.text.en, entry.then.text.zh) if entry.then else (),
        "note": (entry.note.en, entry.note.zh) if entry.note else (),
        "sources": tuple(source.title for source in entry.sources),
    }
    for key, parts in texts.items():
        for part in parts:
            match = _PLACEHOLDER.search(part)
            if match:
                yield at("error", key, f"{match.group()!r} looks like a placeholder")


def _lengths(entry: Entry, at) -> Iterator[Finding]:  # type: ignore[no-untyped-def]
    for language in _LANGUAGES:
        answer, then = entry.answer_text(language), entry.then_text(language)
        if len(answer) > ANSWER_LIMIT:
            yield at("error", "answer", f"{len(answer)} characters in {language}; at most {ANSWER_LIMIT}")
        sources = sum(len(source.title) + len(source.ref) + len(source.as_of) + 6 for source in entry.sources)
        if len(answer) + len(then) > EMBED_DESCRIPTION:
            yield at("error", "then", f"answer and then have {len(answer) + len(then)} characters in {language}")
        elif len(answer) + len(then) + sources + len(entry.question_text(language)) > EMBED_TOTAL:
            yield at("error", "sources", f"the whole is longer than {EMBED_TOTAL} characters in {language}")


def _balance(entry: Entry, at) -> Iterator[Finding]:  # type: ignore[no-untyped-def]
    en, zh = len(entry.phrasings_en), len(entry.phrasings_zh)
    if en and zh and (min(en, zh) < _FEWEST or max(en, zh) > 2 * min(en, zh)):
        yield at("warning", "phrasings", f"{en} in English and {zh} in Chinese; write at least {_FEWEST} in each")
    for key, both in (("answer", entry.answer), ("then", entry.then.text if entry.then else None)):
        if both and both.en and both.zh and not 0.8 < len(both.en) / len(both.zh) < 6:
            yield at("warning", key, "one language says much more than the other")
    figures = [set(_FIGURE.findall(text.replace(",", ""))) for text in (entry.answer.en, entry.answer.zh)]
    lost = sorted(figure for figure in figures[0] ^ figures[1] if len(figure) > 1)
    if entry.answer.en and entry.answer.zh and lost:
        yield at("warning", "answer", f"only one language has the figures {', '.join(lost[:5])}")
    for phrasings, language in ((entry.phrasings_en, "en"), (entry.phrasings_zh, "zh")):
        if len({plain(phrasing) for phrasing in phrasings}) < len(phrasings):
            yield at("warning", "phrasings", f"two of the {language} phrasings are the same")


def _rows(rows: Iterable[GuideRow], find: FindGpu, today: str) -> Iterator[Finding]:
    for row in rows:
        for card in (*row.gpus, *row.avoid, *row.fine):
            if find(card) is None:
                yield Finding("error", row.where, row.line, f"{row.id}: {card!r} is not in the catalogue")
        if row.as_of > today:
            yield Finding("error", row.where, row.line, f"{row.id}: as_of: {row.as_of} lies in the future")


def _retrieval(base: KnowledgeBase, words: SearchWords) -> tuple[int, int, list[Finding]]:
    """How many phrasings there are, how many find their entry without themselves, and those that fail even with."""
    search = Search(base, words, DEFAULT)
    findings: list[Finding] = []
    total = right = 0
    for number, entry in enumerate(base.entries):
        lost = []
        for chinese in (False, True):
            for phrasing in entry.asked(chinese):
                if not phrasing:
                    continue
                total += 1
                scores, _, _ = search.scores(phrasing)
                best = max(scores, key=lambda each: (scores[each], -each), default=-1)
                if best != number:
                    other = base.entries[best].id if best >= 0 else "nothing"
                    lost.append(phrasing)
                    findings.append(_lost(entry, phrasing, other))
                    continue
                without = search.score_without(phrasing, number)
                rival = max((score for each, score in scores.items() if each != number), default=0.0)
                right += without > rival
        if len(lost) > (len(entry.phrasings_en) + len(entry.phrasings_zh)) / 2:
            message = f"{entry.id}: phrasings: most of its own phrasings find other entries; merge it with one of them?"
            findings.append(Finding("error", entry.where, entry.line, message))
    return total, right, findings


def _lost(entry: Entry, phrasing: str, other: str) -> Finding:
    line = entry.lines.get("phrasings", entry.line)
    message = f"{entry.id}: phrasings: {phrasing!r} alone would find {other}; make it more specific"
    return Finding("warning", entry.where, line, message)


def _collisions(base: KnowledgeBase) -> Iterator[Finding]:
    """The same question, or nearly, in two entries: an error where it is word for word the same."""
    for chinese in (False, True):
        asked = [(plain(text), text, entry) for entry in base.entries for text in entry.asked(chinese) if text]
        folded = [each[0] for each in asked]
        for place, (key, text, entry) in enumerate(asked):
            near = process.extract(key, folded[place + 1 :], scorer=fuzz.ratio, score_cutoff=_NEAR, limit=5)
            for _, score, offset in near:
                other = asked[place + 1 + offset][2]
                if other is entry or other.id == entry.id:
                    continue
                level: Literal["error", "warning"] = "error" if score == 100 else "warning"
                line = entry.lines.get("phrasings", entry.line)
                how = "stands also in" if score == 100 else "is nearly one of"
                yield Finding(level, entry.where, line, f"{entry.id}: phrasings: {text!r} {how} {other.id}")
