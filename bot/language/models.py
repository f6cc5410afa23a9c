"""Names of neural networks in a text: families, sizes, lists of sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.language.vocabulary import Hit, Phrase, phrases_of, spellings
from bot.request import ModelMention
from bot.tables import DataError, LineDict, read_yaml
from bot.text import fold

SIZE = re.compile(
    r"(?<![\w.])(?:(?P<experts>\d{1,2})x)?(?P<size>\d{1,4}(?:\.\d{1,2})?)\s?(?P<unit>b(?![a-z0-9])|bn\b|billion\b|亿)"
    r"(?:-a(?P<active>\d{1,3})b)?"
)
_GLUED = re.compile(r"(?<=[a-z])-?(?P<size>\d{1,3}(?:\.\d)?)b\b")
_JOIN = re.compile(r"[\s\-_:/(]*(?:chat|instruct|it|base|model|models|coder|dense|distill|distilled|hf|的|版)?[\s\-_:/(]*")
_LIST = re.compile(r"(?:[\s,/&+]|and|or|to|和|或|到|、|models?|-)*")
_REACH = 14


@dataclass(frozen=True, slots=True)
class Family:
    """How a family of models is called and what it is used for."""

    id: str
    name: str
    workload: str
    sizes: bool


def parse_families(text: str, where: str) -> tuple[dict[str, Family], tuple[Phrase, ...]]:
    """Read data/vocabulary/models.yaml: families by id, and their spellings (topic `models`). Raises DataError."""
    content = read_yaml(text, where)
    if not isinstance(content, LineDict) or not content:
        raise DataError(where, 1, None, "the file holds no family", "Write ids with name, workload and words")
    families: dict[str, Family] = {}
    phrases: list[Phrase] = []
    for key, entry in content.items():
        line = content.lines[key]
        if not isinstance(entry, LineDict) or not {"name", "workload", "words"} <= set(entry):
            raise DataError(where, line, key, "name, workload or words is missing", "Give all three")
        families[key] = Family(key, str(entry["name"]), str(entry["workload"]), bool(entry.get("sizes")))
        words = LineDict({"en": entry["words"]})
        words.lines = {"en": line}
        phrases += phrases_of(words, "models", key, where)
    return families, tuple(phrases)


class ModelNames:
    """Finds model names. `table` maps folded aliases of data/models.csv to canonical names."""

    def __init__(self, families: Mapping[str, Family], table: Mapping[str, str]) -> None:
        """The table decides the spelling of a name it knows."""
        self._families = dict(families)
        self._table = {self._key(alias): name for alias, name in table.items()}
        self._by_name = {family.name: family for family in families.values()}

    def phrases(self) -> list[Phrase]:
        """The table's names as phrases, so that one pass over the text finds them too (topic `model_names`)."""
        found = []
        for alias, name in self._table_aliases():
            found += [Phrase("model_names", name, words) for words in spellings(alias.replace("/", " ")) if len(alias) > 2]
        return found

    def _table_aliases(self) -> list[tuple[str, str]]:
        return sorted(self._table.items())

    @staticmethod
    def _key(name: str) -> str:
        return re.sub(r"[\s_\-]+", " ", fold(name)).strip()

    def find(self, text: str, hits: Sequence[Hit], taken: Sequence[tuple[int, int]]) -> list[tuple[ModelMention, str]]:
        """Mentions in order, each with its workload. `hits` of the topics models and model_names; `taken` are places of card names."""
        sizes = [m for m in SIZE.finditer(text) if not any(a <= m.start() < b for a, b in taken)]
        sizes += [m for m in _GLUED.finditer(text) if not any(a <= m.start() < b for a, b in taken)]
        sizes.sort(key=lambda m: m.start())
        used: set[int] = set()
        found: list[tuple[ModelMention, str]] = []
        for hit in hits:
            if hit.topic == "models" and not any(a <= hit.start < b for a, b in taken):
                workload = self._families[hit.value].workload
                found += [(mention, workload) for mention in self._of_family(text, hit, sizes, used)]
        for i, match in enumerate(sizes):
            if i not in used:
                label, billions = self._size(match)
                if billions >= 0.1:
                    mention = ModelMention(label, billions, match.group(), match.start(), match.end())
                    found.append((mention, "llm"))
        found.sort(key=lambda item: item[0].start)
        unique: dict[str, tuple[ModelMention, str]] = {}
        for item in found:
            unique.setdefault(item[0].name, item)
        return list(unique.values())

    def _of_family(self, text: str, hit: Hit, sizes: Sequence[re.Match[str]], used: set[int]) -> list[ModelMention]:
        family = self._families[hit.value]
        written = text[hit.start : hit.end]
        if not family.sizes:
            return [ModelMention(self._named(family.name), None, written, hit.start, hit.end)]
        mentions: list[ModelMention] = []
        end = hit.end
        for i, match in enumerate(sizes):
            if hit.start <= match.start() and match.end() <= hit.end:
                used.add(i)  # the size is part of the spelling ("opt 13b")
                label, billions = self._size(match)
                mentions.append(self._sized(family, label, billions, text, hit.start, match.end()))
                continue
            if match.start() < end:
                # A size before the name: "70B llama", "27B的Qwen".
                gap = text[match.end() : hit.start]
                if match.end() <= hit.start and len(gap) <= 3 and i not in used and not mentions:
                    used.add(i)
                    label, billions = self._size(match)
                    mentions.append(self._sized(family, label, billions, text, match.start(), hit.end))
                continue
            gap = text[end : match.start()]
            joined = _JOIN.fullmatch(gap) if not mentions else _LIST.fullmatch(gap)
            if len(gap) > _REACH or joined is None or i in used:
                break
            used.add(i)
            label, billions = self._size(match)
            mentions.append(self._sized(family, label, billions, text, hit.start, match.end()))
            end = match.end()
        return mentions or [ModelMention(self._named(family.name), None, written, hit.start, hit.end)]

    def _sized(self, family: Family, label: str, billions: float, text: str, start: int, end: int) -> ModelMention:
        name = self._named(f"{family.name} {label}")
        return ModelMention(name, billions, text[start:end], start, end)

    def _named(self, name: str) -> str:
        return self._table.get(self._key(name), name)

    @staticmethod
    def _size(match: re.Match[str]) -> tuple[str, float]:
        groups = match.groupdict()
        size = float(groups["size"])
        if groups.get("unit") == "亿":
            size /= 10
        if groups.get("experts"):
            return f"{groups['experts']}x{size:g}B", size * int(groups["experts"])
        label = f"{size:g}B"
        return (f"{label}-A{groups['active']}B" if groups.get("active") else label), size
