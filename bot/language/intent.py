"""What a question wants: features of its words and spans, weighed per kind.

The weights are data (data/kind_weights.csv), fitted offline by `whichgpu eval --fit`; here they are only added up.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.language.normalise import Token, ascii_pattern
from bot.language.vocabulary import Hit
from bot.request import KINDS, Kind
from bot.tables import DataError, read_rows

_OPENERS = frozenset(
    (
        "what", "whats", "which", "why", "how", "is", "are", "can", "does", "do", "will", "would", "should", "could",
        "any", "anyone", "i", "my", "we", "the", "for", "if", "best", "has",
    )
)  # fmt: skip
_CLAUSE_OPENERS = _OPENERS | frozenset(
    (
        "need", "want", "looking", "trying", "got", "have", "currently", "getting", "thanks", "just", "or", "you", "it",
        "they", "there",
    )
)  # fmt: skip
_SKIPPED = frozenset(
    ("and", "so", "but", "hi", "hey", "hello", "ok", "well", "also", "then", "or", "hm", "now", "anyway", "guys")
)
_MOST_WORDS = 200
"""Words looked at one by one in a text."""
_DIGITS = frozenset("0123456789")
_CHOICE = frozenset(("or", "vs", "versus"))
_WORDS = ascii_pattern(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class KindWeights:
    """One weight a kind for each feature, in the order of KINDS. `bias` likewise."""

    bias: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found in a text, as far as the intent depends on it."""

    text: str
    tokens: Sequence[Token]
    hits: Mapping[str, Sequence[Hit]]
    gpu_places: Sequence[tuple[int, int]]
    gpu_names: int
    owned: int
    candidates: int
    unknown_gpus: int
    models: int
    model_sizes: int
    gpu_memory: int
    system_memory: bool
    budget: bool
    asking: bool
    hourly: bool
    money: int
    count: int
    watts: bool
    workloads: Sequence[str]
    modes: Sequence[str]
    chinese: bool
    follow_up: bool
    kind_before: str | None = None
    """The kind of the turn before, where there is one and this turn leans on it."""
    model_places: Sequence[tuple[int, int]] = ()


def parse_kind_weights(text: str, where: str) -> KindWeights:
    """Read data/kind_weights.csv: a row a feature, a column a kind; the feature "bias" stands for none. Raises
    DataError."""
    table: dict[str, tuple[float, ...]] = {}
    for row in read_rows(text, where, ("feature", *KINDS)):
        weights = [row.number(kind, -1e3, 1e3) for kind in KINDS]
        table[row.required("feature")] = tuple(weight or 0.0 for weight in weights)
    if "bias" not in table:
        raise DataError(
            where, None, "feature", "the row bias is missing", "Write the file anew with whichgpu eval --fit"
        )
    return KindWeights(table.pop("bias"), table)


_FOREIGN = frozenset(("games", "mining", "finance", "injection", "other_topic", "coding", "other_hardware", "dispute"))


def features(facts: Facts) -> list[str]:
    """The features that hold for a text, each once. Names are stable: the weights refer to them."""
    found: dict[str, None] = {}
    cues = {hit.value for hit in facts.hits.get("intents", ())}
    asks = {hit.value for hit in facts.hits.get("asks", ())}
    found.update((f"cue:{cue}", None) for cue in cues)
    found.update((f"ask:{ask}", None) for ask in asks)
    found.update((f"wish:{hit.value}", None) for hit in facts.hits.get("wishes", ()))
    found.update((f"mode:{mode}", None) for mode in facts.modes)
    note = found.setdefault
    gpus = facts.gpu_names
    note(f"gpus:{min(gpus, 3)}")
    size = len(facts.tokens)
    note("size:" + ("1" if size <= 2 else "2" if size <= 5 else "3" if size <= 10 else "4" if size <= 22 else "5"))
    for name, holds in (
        ("budget", facts.budget), ("asking", facts.asking), ("hourly", facts.hourly), ("money", facts.money > 0),
        ("money:2", facts.money > 1), ("model", facts.models > 0), ("model_size", facts.model_sizes > 0),
        ("memory", facts.gpu_memory > 0), ("memory:2", facts.gpu_memory > 1), ("system_memory", facts.system_memory),
        ("count:2", facts.count > 1), ("watts", facts.watts), ("owned", facts.owned > 0),
        ("unknown_gpu", facts.unknown_gpus > 0), ("zh", facts.chinese), ("follow_up", facts.follow_up),
        ("question", facts.text.rstrip().endswith("?")), ("no_question", "?" not in facts.text),
    ):  # fmt: skip
        if holds:
            note(name)
    real = [w for w in facts.workloads if w not in ("gaming", "general_dl")]
    if real:
        note("workload")
    if "gaming" in facts.workloads:
        note("workload:gaming")
    if "general_dl" in facts.workloads:
        note("workload:general")
    if facts.tokens and facts.tokens[0].text in _OPENERS:
        note("opens:" + facts.tokens[0].text)
    found.update((frame, None) for frame in _frames(facts))
    found.update((opener, None) for opener in _clause_openers(facts))
    for where, spans in (("asked", _asked(facts)), ("last", _last_clause(facts))):
        for topic, prefix in (("intents", "cue"), ("asks", "ask")):
            for hit in facts.hits.get(topic, ()):
                if any(start <= hit.start < end for start, end in spans):
                    note(f"{where}:{prefix}:{hit.value}")
        inside = sum(any(start <= place < end for start, end in spans) for place, _ in facts.gpu_places)
        note(f"{where}:gpus:{min(inside, 2)}")
    for joint in _joints(facts):
        note(joint)
    if gpus == 0 and ("versus" in cues or "choose" in cues):
        note("versus_without_gpus")
    if gpus >= 2 and ("versus" in cues or "choose" in cues):
        note("versus_gpus")
    free = gpus - facts.owned
    if facts.budget and free <= 0:
        note("budget_open")
    if facts.budget and free > 0:
        note("budget_named")
    if gpus and free <= 0:
        note("only_owned")
    if free == 1 and facts.owned:
        note("owned_and_other")
    if facts.asking and gpus == 1:
        note("offer")
    if gpus and ("fit" in cues):
        note("fit_gpu")
    if gpus and real:
        note("gpu_workload")
    if gpus and not real and not facts.models:
        note("gpu_only")
    if ("buy" in cues or "which_gpu" in cues) and (facts.budget or real):
        note("buy_need")
    if "which_gpu" in cues and gpus == 0:
        note("which_gpu_open")
    subject = gpus or facts.models or real or facts.gpu_memory or facts.unknown_gpus
    if not subject:
        note("no_subject")
        if not cues & {"hardware", "terms", "which_gpu", "rent"} and "general_dl" not in facts.workloads:
            note("no_hardware")
            if cues & {"cpu", "other_hardware", "games", "mining", "finance", "coding", "injection", "other_topic"}:
                note("other_subject")
    if cues & {"mining", "finance", "injection", "other_topic", "coding"}:
        note("foreign")
    about = real or facts.models or "general_dl" in facts.workloads
    if cues & _FOREIGN and not about:
        note("foreign_main")
    if "cpu" in cues and not gpus and not about and not facts.gpu_memory:
        note("cpu_main")
    if not cues and not asks:
        note("no_cue")
    if "deixis" in cues and not subject and not cues & _FOREIGN:
        note("deixis_only")
    found.update(
        (f"amount:{hit.value}", None) for hit in facts.hits.get("amounts", ()) if hit.value in ("offer", "verdict")
    )
    vendors = {hit.value for hit in facts.hits.get("vendors", ())}
    if vendors:
        note(f"vendors:{min(len(vendors), 2)}")
        if facts.hits.get("negations"):
            note("vendor_negated")
    if facts.kind_before:
        note("before:" + facts.kind_before)
    found.update((word, None) for word in _words(facts))
    return list(found)


def _words(facts: Facts) -> list[str]:
    """The words and the pairs of neighbours, with a card as <g>, a model as <m> and a number as <n>."""
    signs = {start: ("<g>", end) for start, end in facts.gpu_places}
    for start, end in facts.model_places:
        signs.setdefault(start, ("<m>", end))
    sequence: list[str] = []
    done = -1
    for token in facts.tokens[:_MOST_WORDS]:
        if token.start < done:
            continue
        sign = signs.get(token.start)
        if sign is not None:
            sequence.append(sign[0])
            done = sign[1]
        else:
            sequence.append("<n>" if token.text[0] in _DIGITS else token.text)
    # A single Han character says too little; a pair of them is a word.
    found = ["w:" + word for word in sequence if word < "\u3400"]
    found += [f"p:{a} {b}" for a, b in itertools.pairwise(sequence)]
    return found


def _frames(facts: Facts) -> list[str]:
    """An opener with the next subject close behind it and no card's name between: "which ... card"."""
    subjects = facts.hits.get("subjects", ())
    reach = 6 if facts.chinese else 4
    places = facts.gpu_places
    found = []
    for opener in facts.hits.get("openers", ()):
        for subject in subjects:
            gap = subject.first - opener.last
            if gap < 0:
                continue
            if gap > reach:
                break
            named = any(opener.end <= start < subject.start for start, _ in places)
            found.append(f"frame:{opener.value}:{subject.value}" + (":named" if named else ""))
            break
        else:
            continue
    return found


def _clause_openers(facts: Facts) -> list[str]:
    """How each clause begins, told apart by whether it is a question: "q:can", "s:my"."""
    found = []
    first = True
    opener = ""
    for token in facts.tokens:
        text = token.text
        if text in "?.!;,:":
            if opener:
                found.append(("q:" if text == "?" else "s:") + opener)
            first, opener = True, ""
        elif first:
            opener = text if text in _CLAUSE_OPENERS else ""
            first = text in _SKIPPED
    if opener:
        found.append(("q:" if facts.tokens[-1].text != "." else "s:") + opener)
    return found


def _asked(facts: Facts) -> list[tuple[int, int]]:
    """The places of the sentences that end in a question mark; the last sentence where none does."""
    sentences = []
    start = 0
    for token in facts.tokens:
        if token.text in ".?!;" and token.end - start > 2:
            sentences.append((start, token.end, token.text == "?"))
            start = token.end
    if facts.tokens and facts.tokens[-1].end - start > 1:
        sentences.append((start, facts.tokens[-1].end, False))
    asked = [(a, b) for a, b, question in sentences if question]
    return asked or [(a, b) for a, b, _ in sentences[-1:]]


def _last_clause(facts: Facts) -> list[tuple[int, int]]:
    """The place of the last clause of a few words: what the asker comes to."""
    tokens = facts.tokens
    for i in range(len(tokens) - 3, 0, -1):
        if tokens[i].text in ".?!;,:":
            return [(tokens[i].end, tokens[-1].end)]
    return [(0, tokens[-1].end)] if tokens else []


def _joints(facts: Facts) -> set[str]:
    """What stands between neighbouring cards: a choice ("or"), a list ("/"), a sum ("+"), a measure ("than")."""
    places = facts.gpu_places
    found = set()
    for (_, end), (start, _) in itertools.pairwise(places):
        gap = facts.text[end:start]
        if len(gap) > 45:
            continue
        words = set(_WORDS.findall(gap))
        sentence = "?" not in gap and "." not in gap
        if sentence and (words & _CHOICE or "还是" in gap or "或" in gap or "对比" in gap):
            found.add("joint:choice")
        if words & {"than", "as", "like", "beat", "beating", "against"} or "比" in gap:
            found.add("joint:measure")
        if len(gap) <= 4 and ("/" in gap or "," in gap):
            found.add("joint:list")
        if words & {"and", "with", "plus"} or "+" in gap or "和" in gap or "跟" in gap:
            found.add("joint:sum")
    return found


def weigh(names: Sequence[str], weights: KindWeights) -> list[tuple[Kind, float]]:
    """Every kind with its probability, the likeliest first."""
    found = filter(None, map(weights.weights.get, names))
    totals = list(map(sum, zip(weights.bias, *found, strict=True)))
    top = max(totals)
    powers = [math.exp(total - top) for total in totals]
    whole = sum(powers)
    ranked = sorted(zip(KINDS, powers, strict=True), key=lambda pair: -pair[1])
    return [(kind, power / whole) for kind, power in ranked]
