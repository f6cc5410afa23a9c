"""The one door: `Assistant.answer(question) -> Answer`. Pure and deterministic; every surface calls only this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bot.advice.compare import compare as put_side_by_side
from bot.advice.needs import Needs, needs_from_request
from bot.advice.reasons import Reason
from bot.advice.reasons import Wording as ReasonWording
from bot.advice.recommend import recommend as find_purchase
from bot.advice.recommend import why_not
from bot.advice.world import World
from bot.answers import compare, concept, price, recommend, small, spec
from bot.answers import fit_answer as fits
from bot.answers.blocks import Answer, Note
from bot.answers.draft import Draft
from bot.answers.wording import Wording
from bot.facts.notes import notes_for
from bot.facts.quotes import GuideRow, quotes
from bot.facts.search import Hit, Search
from bot.facts.traditional import to_traditional
from bot.hardware.catalogue import Catalogue
from bot.hardware.gpu import Gpu
from bot.language.parser import Understanding
from bot.request import GpuMention, Kind, Question, Request

MAX_CHARACTERS = 4000
SUPPORT_FROM = 0.55
SUPPORT_A_PURCHASE_FROM = 0.75
"""How sure a knowledge entry must be to stand under an engine's answer; a purchase or comparison says enough itself."""
NAMED_FROM, CONCEPT_FROM = 0.5, 0.6
"""The same for an answer of its own: where the question names hardware, models or work of this field it is not likely
to be about something else. Measured on tests/facts/out_of_scope.yaml together with the intent."""
STRANGE_BELOW = 0.12
"""A question that names nothing of this field and resembles no entry even so much is about something else."""
MAX_NOTES = 3
BARE_CHARACTERS = 14
"""So much text beside a card's name does not make a question of its own."""


@dataclass(frozen=True, slots=True)
class Library:
    """All that answers are made from. Built once by `bot.loading`."""

    understanding: Understanding
    catalogue: Catalogue
    world: World
    knowledge: Search
    guide_rows: tuple[GuideRow, ...]
    wording: Wording
    reasons: ReasonWording
    engines: fits.Engines


class Assistant:
    """Answers questions from a Library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._handlers: dict[Kind, Callable[[Draft], None]] = {
            "recommend": self._recommend,
            "compare": self._compare,
            "spec": self._spec,
            "fit": self._fit,
            "price": self._price,
            "concept": self._concept,
            "smalltalk": small.smalltalk,
            "out_of_scope": self._out_of_scope,
            "ambiguous": self._ambiguous,
        }

    def answer(self, question: Question) -> Answer:
        """The answer to any text whatever; never raises for what a person typed."""
        text = question.text.strip()
        if not text or len(question.text) > MAX_CHARACTERS:
            return self._refused(question, text)
        request = self.library.understanding.understand(text, question.turns_before[-6:], question.locale)
        if question.as_of and not request.as_of:
            request = replace(request, as_of=question.as_of)
        if self._strange(request):
            request = replace(request, kind="out_of_scope", kinds=("out_of_scope",), asks=())
        draft = self._draft(question, request, request.kind)
        if not self._asked_back(draft):
            if not self._narrow(draft):
                self._handlers[request.kind](draft)
            for kind in request.kinds[1:2]:
                self._second(draft, kind)
        self._premises(draft)
        return draft.build()

    def _strange(self, request: Request) -> bool:
        """A purchase or a comparison that has nothing of this field in it ("my credit card was declined")."""
        if request.kind not in ("recommend", "compare", "fit", "price") or _names_something(request):
            return False
        if request.budget is not None or request.level or request.form_factors or request.large_data:
            return False
        hits = self.library.knowledge.search(request, 1)
        return not hits or hits[0].confidence < STRANGE_BELOW

    def _draft(self, question: Question, request: Request, kind: Kind) -> Draft:
        def say(key: str, **values: object) -> str:
            return self.library.wording(request.language, key, **values)

        return Draft(question, request, say, kind, to_traditional)

    def _say_reason(self, draft: Draft) -> Callable[[Reason], str]:
        return lambda reason: draft.local(self.library.reasons.say(reason, draft.request.language))

    def _refused(self, question: Question, text: str) -> Answer:
        request = self.library.understanding.understand(text[:200], (), question.locale)
        draft = self._draft(question, replace(request, kind="ambiguous", kinds=("ambiguous",)), "ambiguous")
        draft.abstained = True
        if text:
            draft.title = draft.say("too_long", length=len(question.text), limit=MAX_CHARACTERS)
        else:
            draft.title = draft.say("empty")
            small.starters(draft)
        return draft.build()

    # --- names that are not known, or fit several cards ---

    def _asked_back(self, draft: Draft) -> bool:
        """True when the answer must wait for which card is meant."""
        request = draft.request
        if request.kind in ("smalltalk", "out_of_scope"):
            return False
        if request.ambiguous_gpus and not request.gpus:
            which = request.ambiguous_gpus[0]
            draft.title = draft.say("which_do_you_mean", text=which.text)
            draft.abstained, draft.confidence = True, 0.6
            for option in which.options:
                draft.suggest(option, _replaced(request.text, which.text, option))
            return True
        if request.unknown_gpus and not request.gpus and not (request.kind == "recommend" and request.budget):
            unknown = request.unknown_gpus[0]
            near = ", ".join(unknown.neighbours)
            draft.title = (
                draft.say("unknown_gpu.near", text=unknown.text, neighbours=near)
                if near
                else draft.say("unknown_gpu", text=unknown.text)
            )
            draft.abstained, draft.confidence = True, 0.8
            for option in unknown.neighbours:
                draft.suggest(option, _replaced(request.text, unknown.text, option))
            return True
        return False

    def _premises(self, draft: Draft) -> None:
        """False premises, unknown and ambiguous names beside known ones: said right under the title."""
        request = draft.request
        notes: list[str] = []
        for fault in request.corrections:
            if fault.problem == "memory":
                values = {"gpu": fault.gpu, "said": fault.said, "actual": fault.actual}
                if fault.neighbours:
                    near = ", ".join(fault.neighbours)
                    notes.append(draft.say("correct.memory.neighbours", neighbours=near, **values))
                else:
                    notes.append(draft.say("correct.memory", **values))
            else:
                notes.append(draft.say("correct.name", said=fault.said, actual=fault.actual))
        for mention in request.gpus:
            if mention.modded_memory_gb:
                notes.append(draft.say("modded", gpu=mention.name, memory=f"{mention.modded_memory_gb:g} GB"))
        if request.gpus:
            for unknown in request.unknown_gpus:
                notes.append(draft.say("unknown_gpu", text=unknown.text))
            for which in request.ambiguous_gpus:
                notes.append(draft.say("which_do_you_mean", text=which.text) + " " + " / ".join(which.options))
        draft.blocks[:0] = [Note(text, "correction") for text in dict.fromkeys(notes)]

    # --- the kinds ---

    def _narrow(self, draft: Draft) -> bool:
        """Questions on one engine's subject, however they are put: rent or buy, the power supply, why not."""
        request = draft.request
        if request.kind in ("smalltalk", "out_of_scope"):
            return False
        engines, currency = self.library.engines, self._currency(draft) or "USD"
        sets = fits.card_sets(request, self.library.catalogue) if request.gpus else []
        done = False
        if "rent_or_buy" in request.asks or (request.cloud_price_per_hour and request.hours_per_week):
            done = (bool(sets) and fits.cost(draft, engines, sets[0], currency)) or fits.cost(
                draft, engines, self._usual_card(draft), currency
            )
        elif "psu" in request.asks and sets and not request.models:
            done = fits.power(draft, engines, sets)
        elif "why_not" in request.asks and request.gpus and (request.inherited or request.budget):
            done = self._why_not(draft)
        if done:
            draft.kind = "fit" if request.kind == "ambiguous" else request.kind
            self._support(draft)
        return done

    def _usual_card(self, draft: Draft) -> list[tuple[Gpu, int]]:
        """The card that would be recommended, for a question about buying that names none."""
        needs = replace(self.needs(draft), deployment=None)
        found = find_purchase(needs, self.library.world, draft.question.today)
        bought = [choice for choice in found.picks if choice.role != "rent"]
        return [(bought[0].gpu, bought[0].count)] if bought else []

    def _why_not(self, draft: Draft) -> bool:
        """Why a card is not the pick for the needs of the conversation, or that it is."""
        world, today = self.library.world, draft.question.today
        needs = replace(self.needs(draft), excluded=())
        name = self._cards(draft.request.gpus[:1])
        if not name:
            return False
        reason = why_not(name[0].name, needs, world, today)
        found = find_purchase(needs, world, today)
        recommend.recommend(draft, found, world, self._say_reason(draft))
        if reason is None:
            draft.title = draft.say("why_not.is", gpu=name[0].name)
        else:
            draft.title = draft.say("why_not.because", gpu=name[0].name, reason=self._say_reason(draft)(reason))
        return True

    def _recommend(self, draft: Draft) -> None:
        asked_then = (draft.request.as_of or draft.request.guide) and not draft.question.as_of
        if asked_then and self._quoted(draft):
            return
        found = find_purchase(self.needs(draft), self.library.world, draft.question.today)
        recommend.recommend(draft, found, self.library.world, self._say_reason(draft))
        self._support(draft)

    def needs(self, draft: Draft) -> Needs:
        """The needs that the question states, with the memory that a named model takes."""
        need = fits.memory_need(draft.request, self.library.engines.fitter)
        needs = needs_from_request(
            draft.request, memory_need_gb=need[0] if need else None, currency=self._currency(draft)
        )
        return replace(needs, shardable=need[1]) if need else needs

    def _compare(self, draft: Draft) -> None:
        request = draft.request
        cards: list[str | tuple[str, int]] = []
        for mention in request.gpus:
            if mention.role != "excluded" and (mention.name, mention.count or 1) not in cards:
                cards.append((mention.name, mention.count or 1))
        if len(cards) < 2:
            if len(cards) + len(request.memory_gb) > 1 and fits.sizes(draft, self.library.engines):
                self._support(draft)
            elif not self._told(draft):
                self._fit(draft)
            return
        world = self.library.world
        found = put_side_by_side(cards, self.needs(draft), world, draft.question.today)
        currency = self._currency(draft) or "USD"
        compare.compare(draft, found, world, self._say_reason(draft), currency)
        if "psu" in request.asks:
            sets = fits.card_sets(request, self.library.catalogue)
            self._below(draft, "fit", lambda other: fits.power(other, self.library.engines, sets))
        self._support(draft)

    def _spec(self, draft: Draft) -> None:
        request = draft.request
        gpus = self._cards(request.gpus)
        if not gpus:
            self._concept(draft)
            return
        named = request.gpus[0].name
        asks_size = len(request.memory_gb) == 1 and "memory" not in request.asks and not named.endswith("GB")
        if len(gpus) == 1 and asks_size and not request.corrections and not spec.figure_asked(draft):
            spec.sizes(draft, named, self.library.catalogue.cards(named), request.memory_gb[0])
        # "RTX 3090 specs" has next to nothing beside the name: that asks for the figures.
        bare = len(request.text) - sum(len(mention.text) for mention in request.gpus) <= BARE_CHARACTERS
        if draft.title or bare or spec.figure_asked(draft) or not self._told(draft):
            self._figures(draft, gpus)
            self._support(draft)

    def _figures(self, draft: Draft, gpus: list[Gpu]) -> None:
        """Figures of the cards; of a single name that covers several versions, all of them."""
        versions = self.library.catalogue.cards(draft.request.gpus[0].name) if len(gpus) == 1 else ()
        spec.spec(draft, tuple(gpus), versions if len(versions) > 1 else ())

    def _fit(self, draft: Draft) -> None:
        if fits.fit(draft, self.library.engines):
            self._support(draft)
            return
        gpus = self._cards(draft.request.gpus)
        if len(gpus) < 2 and self._told(draft):
            return
        if gpus:
            self._figures(draft, gpus)
            draft.confidence = 0.5
            self._support(draft)
        elif not self._told(draft):
            small.ambiguous(draft, None, draft.question.today.year)

    def _price(self, draft: Draft) -> None:
        pairs = [
            (mention, gpu)
            for mention in draft.request.gpus
            if (gpu := self.library.catalogue.get(mention.name)) is not None
        ]
        if not pairs:
            self._recommend(draft)
            return
        price.price(draft, self.library.world, pairs, self._currency(draft) or "USD")
        self._support(draft)

    def _concept(self, draft: Draft) -> None:
        request = draft.request
        if self._told(draft) or ((request.as_of or request.guide) and self._quoted(draft)):
            return
        if gpus := self._cards(request.gpus):
            self._figures(draft, gpus)
            draft.confidence = 0.5
            self._notes(draft)
        else:
            concept.declined(draft, self.library.knowledge.search(request, 3))

    def _told(self, draft: Draft) -> bool:
        """Answer from the knowledge, when an entry clearly fits."""
        knowledge, request = self.library.knowledge, draft.request
        hits = knowledge.search(request)
        threshold = min(knowledge.calibration.threshold, NAMED_FROM if _names_something(request) else CONCEPT_FROM)
        if not hits or hits[0].confidence < threshold:
            return False
        concept.concept(draft, hits)
        self._notes(draft, about_cards=False)
        return True

    def _quoted(self, draft: Draft) -> bool:
        """What a guide advised then, and today's pick for the same needs under it."""
        rows = quotes(draft.request, self.library.guide_rows)
        if not rows:
            return False
        concept.quotes(draft, rows)
        today = self._draft(draft.question, replace(draft.request, as_of=None, guide=None), "recommend")
        found = find_purchase(self.needs(today), self.library.world, draft.question.today)
        recommend.recommend(today, found, self.library.world, self._say_reason(today))
        draft.paragraph(draft.say("quote.today", date=draft.question.today.strftime("%Y-%m")) + " " + today.title)
        draft.blocks += today.blocks
        for source in today.sources:
            draft.source(source.title, source.ref, source.as_of)
        draft.price_dates += today.price_dates
        return True

    def _out_of_scope(self, draft: Draft) -> None:
        cards = self._cards(draft.request.gpus)
        small.out_of_scope(draft, cards[0] if cards and "games" in draft.request.asks else None)

    def _ambiguous(self, draft: Draft) -> None:
        cards = self._cards(draft.request.gpus)
        small.ambiguous(draft, cards[0] if cards else None, draft.question.today.year)

    # --- what stands under an answer ---

    def _second(self, draft: Draft, kind: Kind) -> None:
        """A second intent gets its own answer below the first."""
        if kind not in ("smalltalk", "out_of_scope", "ambiguous"):
            self._below(draft, kind, self._handlers[kind])

    def _below(self, draft: Draft, kind: Kind, handler: Callable[[Draft], object]) -> None:
        other = self._draft(draft.question, replace(draft.request, kind=kind, kinds=(kind,)), kind)
        handler(other)
        if other.abstained or not other.title or (other.facts and set(other.facts) <= set(draft.facts)):
            return
        draft.paragraph(other.title)
        for block in other.blocks:
            if block not in draft.blocks:
                draft.blocks.append(block)
        for source in other.sources:
            draft.source(source.title, source.ref, source.as_of)
        draft.facts += [fact for fact in other.facts if fact not in draft.facts]
        draft.price_dates += other.price_dates

    def _support(self, draft: Draft) -> None:
        """The entry that explains the subject, when one clearly does, and notes for the situation."""
        hits: Sequence[Hit] = self.library.knowledge.search(draft.request, 1)
        least = SUPPORT_A_PURCHASE_FROM if draft.kind in ("recommend", "compare", "price") else SUPPORT_FROM
        if hits and hits[0].confidence >= least:
            concept.supporting(draft, hits[0].entry)
        self._notes(draft)

    def _notes(self, draft: Draft, about_cards: bool = True) -> None:
        """Notes for the situation. Under an explanation those about a card named in passing would lead away."""
        for entry, text in notes_for(draft.request, self.library.knowledge.base, self.library.catalogue.get, MAX_NOTES):
            lists = entry.when.lists if entry.when else {}
            if entry.id not in draft.facts and (about_cards or not {"gpus", "architectures"} & set(lists)):
                draft.note(text)
                draft.entry_sources(entry, 1)

    def _cards(self, mentions: Sequence[GpuMention]) -> list[Gpu]:
        found = (self.library.catalogue.get(mention.name) for mention in mentions)
        return list({gpu.name: gpu for gpu in found if gpu is not None}.values())

    def _currency(self, draft: Draft) -> str | None:
        budget = draft.request.budget
        if budget is not None and budget.currency:
            return budget.currency
        if draft.request.currency and self.library.world.rates.knows(draft.request.currency):
            return draft.request.currency
        if draft.question.currency:
            return draft.question.currency
        return {"zh-CN": "CNY", "zh-TW": "TWD"}.get(draft.request.language)


def _names_something(request: Request) -> bool:
    """Whether the question names hardware, models, work or figures of this field, itself or by the turns before."""
    return bool(
        request.gpus or request.models or request.workloads or request.vendors or request.not_vendors
        or request.memory_gb or request.multi_gpu or request.guide or request.inherited or request.unknown_gpus
        or request.ambiguous_gpus or request.method or request.precision
    )  # fmt: skip


def _replaced(text: str, part: str, by: str) -> str:
    """The question with the unclear name replaced, whatever its case."""
    place = text.casefold().find(part.casefold())
    return text[:place] + by + text[place + len(part) :] if place >= 0 else f"{text} ({by})"
