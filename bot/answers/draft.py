"""An answer being written, and what its writer may look at."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from bot.answers.blocks import Answer, Block, Note, Paragraph, PriceTag, SourceRef, Suggestion, Table
from bot.answers.labels import LABELS
from bot.answers.numbers import money_text
from bot.facts.entries import Entry
from bot.hardware.gpu import Gpu
from bot.market.book import PriceBook
from bot.market.points import PricePoint
from bot.request import Kind, Money, Question, Request

_DATED = re.compile(r"(.+?)(?: \(|, )((?:19|20)\d\d(?:-\d\d){0,2}(?: to (?:19|20)\d\d(?:-\d\d)?)?)\)?")


class Say(Protocol):
    """A sentence in the asker's language: `say("key", name=...)`."""

    def __call__(self, key: str, **values: object) -> str: ...


@dataclass(slots=True)
class Draft:
    """Collects title, blocks, sources, facts and suggestions; `build` makes the Answer."""

    question: Question
    request: Request
    say: Say
    kind: Kind
    to_traditional: Callable[[str], str]
    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    sources: list[SourceRef] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    suggestions: list[Suggestion] = field(default_factory=list)
    price_dates: list[str] = field(default_factory=list)
    ebay_rows: list[tuple[str, ...]] = field(default_factory=list)
    """Card and condition, price, age of each eBay asking price: `build` puts them in a table of their own."""
    confidence: float = 0.9
    abstained: bool = False

    def local(self, chinese_or_english: str) -> str:
        """Text kept in Simplified Chinese, in the asker's script; English as it is."""
        if self.request.language == "zh-TW":
            return self.to_traditional(chinese_or_english)
        return chinese_or_english

    def paragraph(self, text: str) -> None:
        """Add a paragraph; one that is already there is not said twice."""
        if text and text != self.title and Paragraph(text) not in self.blocks:
            self.blocks.append(Paragraph(text))

    def note(self, text: str, tone: str = "info") -> None:
        """Add a remark, as a sentence of its own; one that is already there is not said twice."""
        if self.request.language == "en":
            text = capital(text)
        if text and all(getattr(block, "text", None) != text for block in self.blocks) and text != self.title:
            self.blocks.append(Note(text, tone))  # type: ignore[arg-type]

    def source(self, title: str, ref: str, as_of: str) -> None:
        """Add a source once."""
        ref_ = SourceRef(title, ref, as_of)
        if title and all((s.title, s.as_of) != (title, as_of) for s in self.sources):
            self.sources.append(ref_)

    def cited(self, text: str, as_of: str = "") -> None:
        """A source written as one text, "Title (2026-08)" or "Title, 2026-08"; without a date `as_of` is its date."""
        found = _DATED.fullmatch(text)
        title, date_ = (found.group(1), found.group(2)) if found else (text, as_of)
        if date_:
            self.source(title, "", date_)

    def gpu_sources(self, *gpus: Gpu) -> None:
        """The sources of the cards' figures."""
        for gpu in gpus:
            for text in gpu.sources[:1]:
                self.cited(text)

    def entry_sources(self, entry: Entry, most: int = 4) -> None:
        """The (first) sources of a knowledge entry, and its id among the facts used."""
        if entry.id not in self.facts:
            self.facts.append(entry.id)
        for source in entry.sources[:most]:
            self.source(source.title, source.ref, source.as_of)

    def suggest(self, label: str, question: str) -> None:
        """Offer a follow-up once."""
        if all(s.question != question for s in self.suggestions):
            self.suggestions.append(Suggestion(label, question))

    def build(self) -> Answer:
        """The finished Answer."""
        labels = LABELS[self.request.language]
        if self.ebay_rows:
            columns = (labels.columns[1], labels.columns[4], "")
            self.blocks.append(Table(columns, tuple(dict.fromkeys(self.ebay_rows)), self.say("price.ebay")))
        footer = ""
        if self.price_dates:
            oldest, newest = min(self.price_dates), max(self.price_dates)
            key = "footer.prices.one" if oldest == newest else "footer.prices"
            footer = self.say(key, newest=newest) if oldest == newest else self.say(key, oldest=oldest, newest=newest)
        return Answer(
            language=self.request.language,
            kind=self.kind,
            title=capital(self.title) if self.request.language == "en" else self.title,
            request=self.request,
            blocks=tuple(self.blocks),
            sources=tuple(self.sources),
            facts=tuple(self.facts),
            confidence=self.confidence,
            abstained=self.abstained,
            suggestions=tuple(self.suggestions[:5]),
            price_footer=footer,
            id=self.question.id,
        )


def capital(sentence: str) -> str:
    """The sentence with a capital first; names such as vLLM keep theirs."""
    return sentence if sentence[1:2].isupper() else sentence[:1].upper() + sentence[1:]


def price_tag(draft: Draft, point: PricePoint, today: date, convert: Callable[[Money], Money]) -> PriceTag:
    """A price point as it may be shown, in the asker's currency, with its age; its date joins the footer. One of eBay's
    asking prices joins their table; whoever shows prices leaves it to that table."""
    shown_age = PriceBook.age(point, today)
    if point.kind == "msrp":
        text = draft.say("age.msrp", date=point.as_of)
    elif point.kind == "guide":
        text = draft.say("age.guide", date=point.as_of)
    elif shown_age in ("fresh", "historic"):
        text = draft.say(f"age.{shown_age}", date=point.as_of)
    else:
        text = draft.say(f"age.{shown_age}", date=point.as_of, days=PriceBook.days_old(point, today))
    draft.price_dates.append(point.as_of)
    draft.source(point.source, "", point.as_of)
    money = convert(point.money)
    if point.from_ebay:
        condition = LABELS[draft.request.language].conditions.get(point.condition, "")
        draft.ebay_rows.append((", ".join(filter(None, (point.gpu, condition))), money_text(money), text))
    return PriceTag(money, point.condition, point.as_of, point.source, point.kind, shown_age, text, point.from_ebay)


def about(money: Money) -> str:
    """Money as shown in a sentence."""
    return money_text(money)
