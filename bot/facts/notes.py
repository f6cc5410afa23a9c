"""Which entries' notes belong to an answer: those whose conditions the understood question meets."""

from __future__ import annotations

from collections.abc import Callable

from bot.facts.entries import Entry, KnowledgeBase, When
from bot.hardware.gpu import Gpu
from bot.request import Request

FindGpu = Callable[[str], Gpu | None]


def notes_for(request: Request, base: KnowledgeBase, find: FindGpu, limit: int = 3) -> list[tuple[Entry, str]]:
    """(entry, note in the asker's language) for every entry whose `when` matches in all its keys, the most specific
    first."""
    found = [
        (_specific(entry.when), -number, entry, entry.note.in_language(request.language))
        for number, entry in enumerate(base.noted)
        if entry.when and entry.note and matches(entry.when, request, find)
    ]
    found.sort(key=lambda each: each[:2], reverse=True)
    return [(entry, note) for _, _, entry, note in found[:limit]]


def _specific(when: When) -> float:
    weights = {"gpus": 3.0, "architectures": 2.0}
    return sum(weights.get(key, 1.0) for key in when.lists) + (when.multi_gpu is not None)


def matches(when: When, request: Request, find: FindGpu) -> bool:
    """Every key must match; of a key's values any one will do."""
    if when.multi_gpu is not None and when.multi_gpu != _several(request):
        return False
    return all(_meets(key, values, request, find) for key, values in when.lists.items())


def _several(request: Request) -> bool:
    return request.multi_gpu or (request.count or 0) > 1 or any((gpu.count or 0) > 1 for gpu in request.gpus)


def _meets(key: str, values: tuple[str, ...], request: Request, find: FindGpu) -> bool:
    match key:
        case "gpus":
            return any(_same_card(value, gpu.name, find) for gpu in request.gpus for value in values)
        case "architectures":
            cards = (find(gpu.name) for gpu in request.gpus)
            return any(card is not None and card.architecture.name in values for card in cards)
        case "vendors":
            named = set(request.vendors)
            named.update(card.vendor for gpu in request.gpus if (card := find(gpu.name)))  # type: ignore[misc]
            return any(value in named for value in values)
        case "operating_system":
            return request.operating_system in values
        case "level":
            return request.level in values
        case "condition":
            return request.condition in values
        case "methods":
            return request.method in values
        case _:
            return any(value in getattr(request, key) for value in values)


def _same_card(wanted: str, named: str, find: FindGpu) -> bool:
    """The same card, or one variant of the group that is named."""
    if wanted == named:
        return True
    card = find(named)
    return card is not None and wanted in (card.name, card.group)
