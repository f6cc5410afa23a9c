"""Answers from the curated knowledge: today's state first, then what an old guide said."""

from __future__ import annotations

from collections.abc import Sequence

from bot.answers.draft import Draft
from bot.facts.entries import Entry
from bot.facts.quotes import GuideRow
from bot.facts.search import Hit

GUIDE_TITLES = {
    "dettmers-2017-03": "Tim Dettmers, Which GPU(s) to get for deep learning",
    "dettmers-2017-04": "Tim Dettmers, Which GPU(s) to get for deep learning",
    "dettmers-2019-04": "Tim Dettmers, Which GPU(s) to get for deep learning",
    "lambda-2020-02": "Lambda, Choosing the best GPU for deep learning",
}
MAX_ROWS = 4


def guide_title(guide: str) -> str:
    """The title of a guide by its id; a guide added to knowledge/ without a title here goes by its id."""
    return GUIDE_TITLES.get(guide, guide)


def concept(draft: Draft, hits: Sequence[Hit]) -> None:
    """The best entry's answer; its first sentence is the title. A close second is added."""
    best = hits[0]
    draft.confidence = best.confidence
    _tell(draft, best.entry)
    for hit in hits[1:2]:
        if hit.confidence >= 0.5 and hit.confidence > best.confidence * 0.7 and not hit.entry.then:
            draft.paragraph(hit.entry.answer_text(draft.request.language))
            draft.entry_sources(hit.entry)


def supporting(draft: Draft, entry: Entry) -> None:
    """An entry that explains an engine's answer, as one paragraph under it."""
    if entry.id in draft.facts:
        return
    draft.paragraph(entry.answer_text(draft.request.language))
    draft.entry_sources(entry, 2)


def declined(draft: Draft, nearest: Sequence[Hit]) -> None:
    """No checked answer: says so and offers the nearest questions it can answer."""
    draft.title = draft.say("not_known")
    draft.abstained = True
    draft.confidence = 0.3
    for hit in nearest[:3]:
        question = hit.entry.question_text(draft.request.language)
        draft.suggest(question, question)
    if draft.suggestions:
        draft.paragraph(draft.say("nearest_topics"))


def quotes(draft: Draft, rows: Sequence[GuideRow]) -> None:
    """What a guide advised, with its date: the best row is the title, more rows follow."""
    language = draft.request.language
    first = rows[0]
    author = guide_title(first.guide).split(",")[0]
    draft.title = draft.say("quote.title", guide=author, date=first.as_of, advice=first.advice.in_language(language))
    for row in rows[1:MAX_ROWS]:
        draft.note(draft.say("quote.row", date=row.as_of, advice=row.advice.in_language(language)), "then")
    for row in rows[:MAX_ROWS]:
        draft.source(guide_title(row.guide), row.guide, row.as_of)


def _tell(draft: Draft, entry: Entry) -> None:
    language = draft.request.language
    text = entry.answer_text(language)
    end = _first_sentence(text)
    draft.title = text[:end].strip()
    draft.paragraph(text[end:].strip())
    if entry.then is not None:
        guides = entry.then.guides
        draft.note(
            draft.say(
                "then",
                guide=guide_title(guides[0]).split(",")[0],
                date=", ".join(guide[-7:] for guide in guides),
                text=entry.then_text(language),
            ),
            "then",
        )
    draft.entry_sources(entry)


def _first_sentence(text: str) -> int:
    """Where the first sentence ends; the whole text where it is one sentence or too long for a title."""
    for index, char in enumerate(text):
        if char in "。！？" or (char in ".!?" and text[index + 1 : index + 2] in ("", " ", "\n")):
            return index + 1
    return len(text)
