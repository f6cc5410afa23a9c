"""What autocomplete and /topics offer: cards, models, workloads, topics of the knowledge."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.discord_app.limits import fit_choices
from bot.facts.entries import Both
from bot.request import Language

_LETTERS = re.compile(r"[\W_]+")
POPULAR = ("RTX 3090", "RTX 4090", "RTX 5090", "RTX 5080", "RTX 5070 Ti", "RTX 5060 Ti 16GB", "RTX 4070 Ti Super",
           "RTX 3060 12GB", "RTX 4060 Ti 16GB", "RTX PRO 6000", "RTX A6000", "H100 SXM 80GB")  # fmt: skip
POPULAR_MODELS = ("Llama 3 8B", "Llama 3 70B", "Qwen2.5 32B", "SDXL", "FLUX.1 dev")
LONGEST_QUERY = 100


def squeeze(text: str) -> str:
    """Letters and digits only, one width and case: "ＲＴＸ-4090" and "rtx 4090" are the same."""
    return _LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


class Suggester:
    """Names for autocomplete: exact first, then those that begin so, then those that hold every word."""

    def __init__(self, names: Sequence[str], first: Sequence[str] = ()) -> None:
        known = set(names)
        order = [name for name in first if name in known]
        self._names = [*order, *(name for name in names if name not in set(order))]
        self._squeezed = [squeeze(name) for name in self._names]

    def find(self, query: str) -> list[tuple[str, str]]:
        """At most 25 (name, value); an empty query gives the usual ones."""
        query = query[:LONGEST_QUERY]
        whole = squeeze(query)
        if not whole:
            return fit_choices([(name, name) for name in self._names])
        words = [word for word in map(squeeze, query.split()) if word]
        ranked: tuple[list[str], ...] = ([], [], [], [])
        for name, squeezed in zip(self._names, self._squeezed, strict=True):
            if squeezed == whole:
                ranked[0].append(name)
            elif squeezed.startswith(whole):
                ranked[1].append(name)
            elif whole in squeezed:
                ranked[2].append(name)
            elif all(word in squeezed for word in words):
                ranked[3].append(name)
        return fit_choices([(name, name) for names in ranked for name in names])


@dataclass(frozen=True)
class Shelf:
    """Made once from what was read at start; exchanged at a reload."""

    gpus: Suggester
    models: Suggester
    workloads: Mapping[str, Mapping[Language, str]]
    topics: Mapping[str, tuple[tuple[str, Both], ...]]
    """Topic -> (entry id, question)."""
    resolve: Callable[[str], str | None] = lambda _text: None
    """A written card name -> the catalogue's; exact, never fuzzy."""

    def card(self, text: str) -> str:
        """The name of a card as the catalogue has it; a text that names none stays as it is."""
        return self.resolve(text.strip()) or text.strip()

    def find_workload(self, query: str, language: Language) -> list[tuple[str, str]]:
        """Workloads by name in the asker's language; values are ids."""
        whole = squeeze(query[:LONGEST_QUERY])
        pairs = [(names[language], key) for key, names in self.workloads.items()]
        fits = [(name, key) for name, key in pairs if whole in squeeze(name) or whole in squeeze(key)]
        return fit_choices(fits)

    def workload_name(self, text: str, language: Language) -> str:
        """The name behind an id; free text stays as it is."""
        names = self.workloads.get(text.strip())
        return names[language] if names else text.strip()

    def question(self, entry_id: str, language: Language) -> str | None:
        """The question of a knowledge entry."""
        for entries in self.topics.values():
            for key, question in entries:
                if key == entry_id:
                    return question.in_language(language)
        return None


def load_shelf() -> Shelf:
    """From the catalogue, the models, the workloads and the knowledge. Raises DataError."""
    from bot import loading

    topics: dict[str, list[tuple[str, Both]]] = {}
    for entry in loading.load_knowledge().base.entries:
        topics.setdefault(entry.topic, []).append((entry.id, entry.question))
    return Shelf(
        Suggester([gpu.name for gpu in loading.load_catalogue().gpus], POPULAR),
        Suggester(list(loading.load_models().models), POPULAR_MODELS),
        {key: workload.names for key, workload in loading.load_workloads().by_id.items()},
        {topic: tuple(entries) for topic, entries in sorted(topics.items())},
        loading.load_name_resolver(),
    )
