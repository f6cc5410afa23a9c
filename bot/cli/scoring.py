"""Scores understanding and answers against labelled questions (the form of tests/language/questions.yaml too).

A question is a mapping with text, kind, slots, turn_before, must_include and must_not. A slot is scored only where the
label gives it; a list in the label means that any one of its values is right, except for gpus and workload.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.tables import DataError, LineDict, read_yaml

ALIASES = {"general": "general_dl", "apple": "apple"}
_SPEECH = frozenset(("speech", "asr", "tts", "voice"))


@dataclass(frozen=True, slots=True)
class Labelled:
    """One question with what a good reader takes from it."""

    id: str
    text: str
    kind: str
    turns_before: tuple[str, ...] = ()
    slots: Mapping[str, Any] = field(default_factory=dict)
    must_include: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    every: bool = False
    """Each item of must_include has to be there, with alternatives parted by "|"; otherwise any one of them."""


def parse_questions(text: str, where: str) -> list[Labelled]:
    """A list of questions, or lists by kind. Raises DataError."""
    content = read_yaml(text, where)
    if isinstance(content, LineDict):
        entries = [LineDict({**entry, "kind": kind}) for kind, listed in content.items() for entry in listed]
    else:
        entries = content
    if not isinstance(entries, list) or not all(isinstance(e, dict) and "text" in e and "kind" in e for e in entries):
        raise DataError(where, 1, None, "this is not a list of questions", "Give text and kind for each")
    found = []
    for number, entry in enumerate(entries, 1):
        before = entry.get("turn_before") or entry.get("before")
        slots = dict(entry.get("slots") or {})
        if isinstance(entry.get("budget"), list):
            low, high, currency = entry["budget"]
            slots["budget"] = {"min": low, "max": high, "currency": currency}
        found.append(
            Labelled(
                id=str(entry.get("id", f"{entry['kind']}-{number}")), text=str(entry["text"]), kind=str(entry["kind"]),
                turns_before=(str(before),) if before else (), slots=slots,
                must_include=tuple(str(item) for item in entry.get("must_include") or ()),
                must_not=tuple(str(item) for item in entry.get("must_not") or ()),
                every=str(entry.get("lang", "en")).startswith("zh"),
            )
        )  # fmt: skip
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _low(value: Any) -> str:
    return ALIASES.get(str(value).casefold(), str(value).casefold())


def f1_counts(wanted: Sequence[str], found: Sequence[str]) -> tuple[int, int, int]:
    """(right, found, wanted) over sets, for a figure over all questions."""
    a, b = {_low(w) for w in wanted}, {_low(f) for f in found}
    return len(a & b), len(b), len(a)


def slot_right(name: str, label: Any, seen: Mapping[str, Any]) -> bool | None:
    """Whether one slot of `understood` agrees with its label; None where the label says nothing to compare."""
    if name == "workload":
        wanted = {_low(w) for w in _listed(label)}
        found = {_low(w) for w in seen["workload"]}
        if wanted & _SPEECH and found & _SPEECH:
            wanted, found = wanted - _SPEECH, found - _SPEECH
        return wanted <= found
    if name == "budget":
        budget = seen["budget"]
        if budget is None:
            return False
        same = budget["max"] == label.get("max") and (label.get("min") is None or budget["min"] == label["min"])
        return same and (label.get("currency") in (None, budget["currency"]))
    if name == "gpus":
        right, seen_names, labelled = f1_counts(_listed(label), [gpu["name"] for gpu in seen["gpus"]])
        return right == labelled == seen_names
    if name == "model":
        value = seen["model"]
        return value is not None and any(_model(value) == _model(m) for m in _listed(label))
    if name in ("vram_gb", "count"):
        value = seen["memory_gb" if name == "vram_gb" else "count"]
        return value is not None and value in [float(v) for v in _listed(label)]
    if name in ("vendor", "mode", "form_factor", "condition"):
        wanted_values = [_low(v) for v in _listed(label) if v != "egpu"]
        return _low(seen[name]) in wanted_values if wanted_values else None
    return None


def _model(name: str) -> str:
    return re.sub(r"[\s_\-]+", " ", str(name).casefold()).replace(" chat", "").strip()


def _plain(text: str) -> str:
    """Lower case, with no space between a number and its unit."""
    return re.sub(r"(?<=\d)\s+(?=[a-z])", "", text.casefold())


def includes(question: Labelled, answer: str) -> bool | None:
    """Whether the answer holds what it must; None where nothing is asked."""
    if not question.must_include:
        return None
    text = _plain(answer)
    if question.every:
        return all(any(_plain(word) in text for word in item.split("|")) for item in question.must_include)
    return any(_plain(word) in text for word in question.must_include)


def forbidden(question: Labelled, answer: str) -> bool:
    """Whether the answer holds one of the literal strings that it must not."""
    text = _plain(answer)
    return any(_plain(word) in text for word in question.must_not)


@dataclass(slots=True)
class Tally:
    """Right of total."""

    right: int = 0
    total: int = 0

    def add(self, good: bool) -> None:
        """Count one."""
        self.right += good
        self.total += 1

    @property
    def share(self) -> float:
        """0..1; 0 when nothing was counted."""
        return self.right / self.total if self.total else 0.0


@dataclass(slots=True)
class Score:
    """The figures of one run."""

    kinds: dict[str, Tally] = field(default_factory=dict)
    slots: dict[str, Tally] = field(default_factory=dict)
    false_budgets: Tally = field(default_factory=Tally)
    """Questions without a labelled budget in which none was seen."""
    gpu_right: int = 0
    gpu_found: int = 0
    gpu_wanted: int = 0
    misses: list[tuple[str, str, Any, Any]] = field(default_factory=list)
    """(id, slot, label, seen)"""
    included: Tally = field(default_factory=Tally)
    clean: Tally = field(default_factory=Tally)

    @property
    def kind(self) -> Tally:
        """All kinds together."""
        return Tally(sum(t.right for t in self.kinds.values()), sum(t.total for t in self.kinds.values()))

    @property
    def gpu_f1(self) -> float:
        """Micro-averaged over all names."""
        return 2 * self.gpu_right / (self.gpu_found + self.gpu_wanted) if self.gpu_found + self.gpu_wanted else 1.0


def score(
    questions: Sequence[Labelled],
    understand: Callable[[Labelled], tuple[str, Mapping[str, Any]]],
    answer: Callable[[Labelled], str] | None = None,
) -> Score:
    """`understand` gives kind and the `understood` table; `answer` the full answer text, where there is one."""
    result = Score()
    for question in questions:
        kind, seen = understand(question)
        result.kinds.setdefault(question.kind, Tally()).add(kind == question.kind)
        if kind != question.kind:
            result.misses.append((question.id, "kind", question.kind, kind))
        _score_slots(question, seen, result)
        if answer is not None:
            text = answer(question)
            included = includes(question, text)
            if included is not None:
                result.included.add(included)
                if not included:
                    result.misses.append((question.id, "must_include", list(question.must_include), text[:200]))
            if question.must_not:
                bad = forbidden(question, text)
                result.clean.add(not bad)
                if bad:
                    result.misses.append((question.id, "must_not", list(question.must_not), text[:200]))
    return result


def _score_slots(question: Labelled, seen: Mapping[str, Any], result: Score) -> None:
    names = [gpu["name"] for gpu in seen["gpus"]]
    if question.slots or names:
        right, found, wanted = f1_counts(_listed(question.slots.get("gpus", [])), names)
        result.gpu_right, result.gpu_found = result.gpu_right + right, result.gpu_found + found
        result.gpu_wanted += wanted
    if "budget" not in question.slots:
        result.false_budgets.add(seen["budget"] is None)
        if seen["budget"] is not None:
            result.misses.append((question.id, "no budget", None, seen["budget"]))
    for name, label in question.slots.items():
        good = slot_right(name, label, seen)
        if good is None:
            continue
        result.slots.setdefault(name, Tally()).add(good)
        if not good:
            key = {"vram_gb": "memory_gb"}.get(name, name)
            value = names if name == "gpus" else seen.get(key)
            result.misses.append((question.id, name, label, value))
