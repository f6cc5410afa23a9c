"""From text to Request: one pipeline for English and Chinese, each step once over the text.

Order matters: cards first, then sizes and other quantities, then model names; money reads what is left.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from bot.language import roles
from bot.language.amounts import CARD, OTHER, Amount, Currencies, find_amounts
from bot.language.follow_up import inherit, leans
from bot.language.intent import Facts, KindWeights, features, weigh
from bot.language.models import Family, ModelNames
from bot.language.money import Finances, Ledger
from bot.language.normalise import Token, ascii_pattern, language_of, prepare, tokenise
from bot.language.quantities import Quantities, read_quantities
from bot.language.slots import numbers_of, slots_of
from bot.language.vocabulary import Hit, Phrase, Vocabulary, by_topic
from bot.language.workloads import Workloads
from bot.request import Budget, GpuMention, Kind, Language, Mode, ModelMention, Request

_TURNS = 4
"""How many earlier turns are looked at."""
_MOST_CARDS = 32
"""Cards that one text is about at most; more is a list pasted in."""
_ALSO = 0.3
"""A second intent is told from this probability on."""
_SOCIAL = frozenset({"cue:greeting", "cue:thanks", "cue:abuse"})
_LABEL_WORKLOADS = {"asr": "speech", "tts": "speech", "voice": "speech"}


class Names(Protocol):
    """What a NameResolver finds (bot.hardware.names)."""

    @property
    def mentions(self) -> Sequence[GpuMention]: ...
    @property
    def corrections(self) -> Sequence[Any]: ...
    @property
    def ambiguous(self) -> Sequence[Any]: ...
    @property
    def unknown(self) -> Sequence[Any]: ...
    @property
    def spans(self) -> Sequence[tuple[int, int]]: ...


class Resolver(Protocol):
    """Finds card names in folded text."""

    def find(self, folded: str) -> Names: ...


class ModelTable(Protocol):
    """data/models.csv: folded alias to canonical name."""

    @property
    def models(self) -> Mapping[str, Any]: ...
    def names(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class Words:
    """Everything read from data/vocabulary and data/workloads.yaml (bot.loading.load_vocabulary)."""

    phrases: tuple[Phrase, ...]
    currencies: Currencies
    families: Mapping[str, Family]
    workloads: Workloads
    weights: KindWeights
    known: frozenset[str] = frozenset()
    """Ordinary words that are never corrected to a word of the vocabulary."""


@dataclass(slots=True)
class Reading:
    """One turn on its own: the request and what the intent was judged by."""

    request: Request
    features: list[str]
    size: int
    lean: bool
    bare: Amount | None
    ledger: Ledger
    currency_told: bool
    """Whether any amount is written with its currency."""


class Understanding:
    """Understands questions. Build once; `understand` is pure and never raises on any text."""

    def __init__(self, vocabulary: Words, resolver: Resolver, models: ModelTable | None = None) -> None:
        """Precomputes the phrase tree; a few milliseconds."""
        self._words = vocabulary
        self._resolver = resolver
        kinds = {name: str(model.kind) for name, model in models.models.items()} if models else {}
        self._models = ModelNames(vocabulary.families, models.names() if models else {}, kinds)
        self._vocabulary = Vocabulary(
            [*vocabulary.phrases, *vocabulary.workloads.phrases, *self._models.phrases()], vocabulary.known
        )
        self._modes = {key: workload.mode for key, workload in vocabulary.workloads.by_id.items()}

    def understand(self, text: str, turns_before: Sequence[str] = (), locale: str | None = None) -> Request:
        """The request that `text` makes, with what it inherits from earlier turns of the same person."""
        before: Request | None = None
        for turn in turns_before[-_TURNS:]:
            before = self._after(self.read(turn, locale, before.kind if before else None), before)
        return self._after(self.read(text, locale, before.kind if before else None), before)

    def _after(self, reading: Reading, before: Request | None) -> Request:
        """The request of a turn that comes after `before`, with what it takes over."""
        request = reading.request
        if before is None:
            return request
        elliptic = leans(reading.size, reading.lean, request)
        if elliptic and request.budget is None and before.budget and reading.bare and not request.gpus:
            budget = reading.ledger.budget_of(reading.bare)
            request = replace(request, budget=replace(budget, currency=reading.bare.currency))
        if request.budget and before.budget and before.budget.currency and not reading.currency_told:
            request = replace(request, budget=replace(request.budget, currency=None))
        # Nothing is asked in small talk that a later turn could ask on.
        if elliptic and before.kind != "smalltalk" and self._kind_is_open(reading):
            request = replace(request, kind=before.kind, kinds=(before.kind,))
        return inherit(request, before, elliptic)

    def with_weights(self, weights: KindWeights) -> Understanding:
        """The same understanding with other kind weights (for cross-validation)."""
        other = copy.copy(self)
        other._words = replace(self._words, weights=weights)
        return other

    def kind_features(self, text: str, turns_before: Sequence[str] = ()) -> list[str]:
        """The features that the intent of a turn is judged by (for fitting the weights)."""
        before: Request | None = None
        for turn in turns_before[-_TURNS:]:
            before = self._after(self.read(turn, None, before.kind if before else None), before)
        return self.read(text, None, before.kind if before else None).features

    @staticmethod
    def _kind_is_open(reading: Reading) -> bool:
        """Whether a turn that leans on another says too little of its own to be another kind of question."""
        return (
            not any(name.startswith(("cue:", "ask:")) for name in reading.features)
            or reading.request.kind == "ambiguous"
            or (reading.request.kind == "out_of_scope" and "foreign_main" not in reading.features)
            or (reading.request.kind == "smalltalk" and _SOCIAL.isdisjoint(reading.features))
        )

    def read(self, text: str, locale: str | None = None, kind_before: Kind | None = None) -> Reading:
        """One turn on its own; of the turn before it only the kind counts."""
        language = language_of(text, locale)
        folded = prepare(text)
        tokens = tokenise(folded)
        hits = self._vocabulary.scan(tokens)
        topics = by_topic(hits)
        names = self._resolver.find(folded)
        mentions = sorted(names.mentions, key=lambda mention: mention.start)
        spans = [*((m.start, m.end) for m in mentions), *names.spans]
        mentions = mentions[:_MOST_CARDS]
        covered = bytearray(len(folded) + 1)
        for start, end in spans:
            covered[start:end] = b"\1" * (end - start)
        quantities = read_quantities(folded, covered)
        found_models = self._models.find(folded, _model_hits(hits), covered)
        models = tuple(mention for mention, _ in found_models)
        masked = _mask(folded, mentions, spans, quantities, models)
        ledger = Ledger(masked, topics, language)
        amounts = find_amounts(masked, self._words.currencies, language) if _may_hold_money(masked, language) else []
        mentions = list(roles.assign(folded, mentions, topics.get("roles", ())))
        counts = _counts(folded, mentions, covered, quantities)
        mentions = roles.merged(mentions)
        told = any(amount.currency for amount in amounts)
        money = ledger.read(amounts, max(counts, default=1))
        mentions = _with_prices(mentions, money)
        budget = _in_local_money(money.budget, topics, language)
        workloads = _workloads(topics, found_models, language)
        memory = _memory(quantities)
        modes = self._modes_of(topics, workloads)
        if modes == ("training",) and any(w == "nlp" for _, w in found_models) and not _from_scratch(topics):
            # "Training BERT" takes the published weights and tunes them, unless the text says otherwise.
            modes = ("finetuning", "training")
        lean = _leans(topics, tokens)
        facts = Facts(
            text=folded, tokens=tokens, hits=topics, gpu_places=[(m.start, m.end) for m in mentions],
            gpu_names=len({m.name for m in mentions}), owned=sum(m.role == "owned" for m in mentions),
            candidates=sum(m.role == "candidate" for m in mentions),
            unknown_gpus=len(names.unknown) + len(names.ambiguous), models=len(models),
            model_sizes=sum(m.params_b is not None for m in models), gpu_memory=len(memory),
            system_memory=any(s.kind == "system" for s in quantities.sizes), budget=money.budget is not None,
            asking=bool(money.asking), hourly=money.hourly is not None, money=money.amounts,
            count=max(counts, default=0), watts=bool(quantities.watts), workloads=workloads,
            modes=[hit.value for hit in topics.get("modes", ())], chinese=language != "en",
            follow_up=kind_before is not None, kind_before=kind_before,
            model_places=[(m.start, m.end) for m in models],
        )  # fmt: skip
        named = features(facts)
        ranked = weigh(named, self._words.weights)
        kind = ranked[0][0]
        kinds = (kind, *(other for other, share in ranked[1:] if share >= _ALSO))
        request = Request(
            text=text, language=language, kind=kind, kinds=kinds, kind_confidence=round(ranked[0][1], 3),
            workloads=workloads, budget=budget,
            currency=None if told else self._words.currencies.named(masked), gpus=roles.settle(mentions, kind),
            corrections=tuple(names.corrections), ambiguous_gpus=tuple(names.ambiguous),
            unknown_gpus=tuple(names.unknown), memory_gb=memory,
            system_memory_gb=next((s.gb for s in quantities.sizes if s.kind == "system"), None),
            model_size_gb=next((s.gb for s in quantities.sizes if s.kind == "model"), None),
            count=max(counts, default=None), counts=tuple(counts), modes=modes, models=models,
            electricity_per_kwh=money.electricity, cloud_price_per_hour=money.hourly,
            **slots_of(topics, folded), **numbers_of(quantities),
        )  # fmt: skip
        if not request.form_factors and any(m.name.endswith(" Laptop") for m in request.gpus):
            request = replace(request, form_factors=("laptop",))
        return Reading(request, named, len(tokens), lean, money.bare, ledger, told)

    def _modes_of(self, topics: Mapping[str, Sequence[Hit]], workloads: Sequence[str]) -> tuple[Mode, ...]:
        said = list(dict.fromkeys(hit.value for hit in topics.get("modes", ())))
        # "train a LoRA" is one thing, and its name is fine-tuning.
        if "finetuning" in said and "training" in said:
            said.remove("training")
        if "inference" in said and len(said) > 1:
            # Tools of inference are often named beside a training question; both count only when both are asked.
            said.sort(key=lambda mode: mode == "inference")
        if not said and workloads and workloads[0] in self._modes and workloads[0] in _IMPLIES_MODE:
            said = [self._modes[workloads[0]]]
        return tuple(cast("Mode", mode) for mode in said)


def _from_scratch(topics: Mapping[str, Sequence[Hit]]) -> bool:
    return any(hit.value == "from_scratch" for hit in topics.get("wishes", ()))


def _model_hits(hits: Iterable[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.topic in ("models", "model_names")]


_IMPLIES_MODE = frozenset(
    ("llm", "image_gen", "video_gen", "asr", "tts", "speech", "vlm", "go_engine", "bio", "audio", "cv", "rl", "kaggle")
)


def _mask(
    folded: str, mentions: Sequence[GpuMention], spans: Iterable[tuple[int, int]], quantities: Quantities,
    models: Sequence[ModelMention],
) -> str:  # fmt: skip
    """The text for the reading of money: cards as CARD, other numbers as OTHER, every place kept."""
    chars = list(folded)
    for start, end in [*quantities.taken, *((m.start, m.end) for m in models)]:
        for i in range(start, min(end, len(chars))):
            if chars[i] != " ":
                chars[i] = OTHER
    for start, end in [*spans, *((m.start, m.end) for m in mentions)]:
        chars[start:end] = CARD * (min(end, len(chars)) - start)
    return "".join(chars)


_MEASURE = ascii_pattern(r"(?:as much as|as fast as|price of|same as|equal to|相当于)\s")
_DIGIT = ascii_pattern(r"\d")
_ZH_MONEY = frozenset("百千万")


def _may_hold_money(masked: str, language: Language) -> bool:
    if _DIGIT.search(masked) is not None:
        return True
    if language == "en":
        return "grand" in masked or "hundred" in masked or "thousand" in masked
    return not _ZH_MONEY.isdisjoint(masked)


def _counts(folded: str, mentions: Sequence[GpuMention], covered: bytearray, quantities: Quantities) -> list[int]:
    found: list[int] = []
    for mention in mentions:
        # "one 3090 costs as much as 4 P40s" counts nothing that anyone has or wants.
        if mention.role != "mentioned" or not _MEASURE.search(folded, max(0, mention.start - 24), mention.start):
            found += roles.counts_of(folded, mention) or ([mention.count] if mention.count else [])
    found += roles.free_counts(folded, covered)
    found += quantities.multiplied
    return found


def _in_local_money(
    budget: Budget | None, topics: Mapping[str, Sequence[Hit]], language: Language
) -> Budget | None:  # fmt: skip
    """The budget; one without a currency is in the money of a country that the text names."""
    places = topics.get("countries", ())
    if budget is None or budget.currency is not None or language != "en" or not places:
        return budget
    return replace(budget, currency=places[0].value)


def _with_prices(mentions: Sequence[GpuMention], money: Finances) -> list[GpuMention]:
    """Each asking price goes to the nearest card."""
    priced = list(mentions)
    for price, place in money.asking:
        if priced:
            i = min(range(len(priced)), key=lambda k: min(abs(priced[k].end - place), abs(priced[k].start - place)))
            if priced[i].asking_price is None:
                priced[i] = replace(priced[i], asking_price=price)
    return priced


def _workloads(
    topics: Mapping[str, Sequence[Hit]], models: Sequence[tuple[ModelMention, str]], language: Language
) -> tuple[str, ...]:
    found = dict.fromkeys(hit.value for hit in topics.get("workloads", ()))
    for _, workload in models:
        if workload:
            found.setdefault(workload)
    # "Which model can I run?" speaks of language models unless it says otherwise.
    if not found and any(hit.value == "what_fits" for hit in topics.get("asks", ())):
        found["llm"] = None
    # English talk says "speech" for what data/workloads parts into recognition and synthesis.
    if language == "en":
        for narrow in ("asr", "tts"):
            if narrow in found:
                found.setdefault("speech")
        if "speech" in found:
            found = {"speech": None, **found}
    elif "asr" in found or "tts" in found:
        found.pop("speech", None)
    if "video_gen" in found and "image_gen" in found and not _named_apart(topics):
        found.pop("image_gen")
    return tuple(found)


def _named_apart(topics: Mapping[str, Sequence[Hit]]) -> bool:
    """Whether images are asked for by more than the name of a tool that makes videos too (ComfyUI)."""
    return sum(hit.value == "image_gen" for hit in topics.get("workloads", ())) > 1


def _memory(quantities: Quantities) -> tuple[float, ...]:
    """Sizes of GPU memory, a card's own size before wishes and totals."""
    sizes = [size for size in quantities.sizes if size.kind == "gpu"]
    ordered = sorted(sizes, key=lambda size: (-min(size.weight, 0), size.start))
    return tuple(dict.fromkeys(size.gb for size in ordered))


def _leans(topics: Mapping[str, Sequence[Hit]], tokens: Sequence[Token]) -> bool:
    return any(hit.first <= 2 or hit.last >= len(tokens) - 1 for hit in topics.get("lean", topics.get("follow_up", ())))


def main_kinds(request: Request) -> tuple[Kind, ...]:
    """The intents of a request, the main one first."""
    return request.kinds or (request.kind,)
