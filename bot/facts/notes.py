"""Which entries' notes belong to an answer: those whose conditions the understood question meets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.facts.entries import Entry, KnowledgeBase, When
from bot.hardware.gpu import Gpu
from bot.request import Request

FindGpu = Callable[[str], Gpu | None]


def notes_for(request: Request, base: KnowledgeBase, find: FindGpu, limit: int = 3) -> list[tuple[Entry, str]]:
    """(entry, note in the asker's language) for every entry whose `when` matches in all its keys, the most specific
    first."""
    holds = facts_of(request, find)
    several = _several(request)
    found = [
        (specific, -number, entry)
        for number, (specific, multi_gpu, needs, entry) in enumerate(_conditions(base.noted))
        if (multi_gpu is None or multi_gpu == several) and not any(need.isdisjoint(holds) for need in needs)
    ]
    found.sort(key=lambda each: each[:2], reverse=True)
    return [
        (entry, entry.note.in_language(request.language)) for _, _, entry in found[:limit] if entry.note is not None
    ]


Condition = tuple[float, bool | None, tuple[frozenset[tuple[str, str]], ...], Entry]
_prepared: dict[int, tuple[Sequence[Entry], list[Condition]]] = {}


def _conditions(noted: Sequence[Entry]) -> list[Condition]:
    """Every note's conditions as sets, made once for a knowledge base."""
    kept = _prepared.get(id(noted))
    if kept is None or kept[0] is not noted:
        _prepared.clear()
        kept = _prepared[id(noted)] = (noted, [_condition(entry, entry.when) for entry in noted if entry.when])
    return kept[1]


def _condition(entry: Entry, when: When) -> Condition:
    needs = tuple(frozenset((key, value) for value in values) for key, values in when.lists.items())
    return _specific(when), when.multi_gpu, needs, entry


def facts_of(request: Request, find: FindGpu) -> set[tuple[str, str]]:
    """What a request holds of everything that a condition can ask for, as (key, value)."""
    holds = {("workloads", value) for value in request.workloads}
    holds.update(("modes", value) for value in request.modes)
    holds.update(("form_factors", value) for value in request.form_factors)
    holds.update(("asks", value) for value in request.asks)
    holds.update(("vendors", value) for value in request.vendors)
    for mention in request.gpus:
        holds.add(("gpus", mention.name))
        card = find(mention.name)
        if card is not None:
            holds |= {("gpus", card.name), ("gpus", card.group), ("vendors", card.vendor)}
            holds.add(("architectures", card.architecture.name))
    for key, value in (
        ("operating_system", request.operating_system), ("level", request.level), ("condition", request.condition),
        ("methods", request.method),
    ):  # fmt: skip
        if value is not None:
            holds.add((key, value))
    return holds


def _specific(when: When) -> float:
    weights = {"gpus": 3.0, "architectures": 2.0}
    return sum(weights.get(key, 1.0) for key in when.lists) + (when.multi_gpu is not None)


def matches(when: When, request: Request, find: FindGpu) -> bool:
    """Every key must match; of a key's values any one will do."""
    if when.multi_gpu is not None and when.multi_gpu != _several(request):
        return False
    holds = facts_of(request, find)
    return all(any((key, value) in holds for value in values) for key, values in when.lists.items())


def _several(request: Request) -> bool:
    return request.multi_gpu or (request.count or 0) > 1 or any((gpu.count or 0) > 1 for gpu in request.gpus)
