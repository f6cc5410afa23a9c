"""Names of neural networks in a text: families, sizes, lists of sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.language.normalise import ascii_pattern
from bot.language.vocabulary import Hit, Phrase, split_phrases, words_of
from bot.request import ModelMention
from bot.tables import DataError, LineDict, read_yaml
from bot.text import fold

SIZE = ascii_pattern(
    r"(?<![\w.])(?:(?P<experts>\d{1,2})x)?(?P<size>\d{1,4}(?:\.\d{1,2})?)\s?(?P<unit>b(?![a-z0-9])|bn\b|billion\b|亿)"
    r"(?:[\s-]a(?P<active>\d{1,3})b(?![a-z0-9]))?"
)
_GLUED = ascii_pattern(r"(?<=[a-z])-?(?P<size>\d{1,3}(?:\.\d)?)b\b")
_JOIN = ascii_pattern(
    r"[\s\-_:/(]*(?:chat|instruct|it|base|model|models|coder|dense|distill|distilled|蒸馏|蒸馏版|hf|的|版)?[\s\-_:/(]*"
)
_LIST = ascii_pattern(r"(?:[\s,/&+]|and|or|to|和|或|到|、|models?|-)*")
_REACH = 14
_MOST = 24
"""Names and sizes looked at in one text."""


_WORKLOADS = {
    "llm": "llm", "vlm": "vlm", "encoder": "nlp", "encdec": "nlp", "vision": "cv", "image": "image_gen",
    "video": "video_gen", "robotics": "robotics", "bio": "bio", "3d": "3d",
}  # fmt: skip


def _longest(found: Sequence[tuple[ModelMention, str]]) -> list[tuple[ModelMention, str]]:
    """Of names that overlap the longest, each name once, in the order of the text. A list of sizes shares its
    family's start, so only a name within another one's place is dropped."""
    kept: list[tuple[ModelMention, str]] = []
    for mention, workload in sorted(found, key=lambda item: item[0].start - item[0].end):
        inside = (k.start <= mention.start and mention.end <= k.end for k, _ in kept if k.text != mention.text)
        if not any(inside) or any(k.start == mention.start and k.params_b and mention.params_b for k, _ in kept):
            kept.append((mention, workload))
    kept.sort(key=lambda item: (item[0].start, item[0].end))
    unique: dict[str, tuple[ModelMention, str]] = {}
    for item in kept:
        unique.setdefault(item[0].name, item)
    return list(unique.values())


def _bare(name: str) -> str:
    return re.sub(r"[\s_.\-]+", "", name.casefold())


def _letters(name: str) -> str:
    """The name without its last number: a size told roughly ("Mistral Large 120B") still names the model."""
    head, _, size = name.casefold().rpartition(" ")
    return re.sub(r"[\s_.\-]+", "", head) if head and SIZE.fullmatch(size) else name


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
        words = split_phrases(str(entry["words"]), where, line, f"{key}.words")
        phrases += [Phrase("models", key, each) for each in words]
    return families, tuple(phrases)


class ModelNames:
    """Finds model names. `table` maps folded aliases of data/models.csv to canonical names."""

    def __init__(self, families: Mapping[str, Family], table: Mapping[str, str], kinds: Mapping[str, str]) -> None:
        """The table decides the spelling of a name it knows; `kinds` gives the kind of its models by name."""
        self._families = dict(families)
        self._kinds = dict(kinds)
        self._table = {self._key(alias): name for alias, name in table.items()}

    def phrases(self) -> list[Phrase]:
        """The table's names, for the one pass over the text (topic `model_names`)."""
        found: dict[tuple[str, ...], Phrase] = {}
        for alias, name in self._table.items():
            words = words_of(alias)
            # A short word by itself (act, bark, sam) is hardly ever the model; families spell those they mean.
            if words and not (len(words) == 1 and (len(alias) <= 5 or name not in self._kinds)):
                found.setdefault(words, Phrase("model_names", name, words))
        return list(found.values())

    @staticmethod
    def _key(name: str) -> str:
        return re.sub(r"[\s_\-]+", " ", fold(name)).strip()

    def find(self, text: str, hits: Sequence[Hit], covered: bytearray) -> list[tuple[ModelMention, str]]:
        """Mentions in order, each with its workload.

        `hits` are those of the topics models and model_names; `covered` marks the places of card names.
        """
        sizes = [m for m in SIZE.finditer(text) if not covered[m.start()]]
        sizes += [m for m in _GLUED.finditer(text) if not covered[m.start()]]
        sizes.sort(key=lambda m: m.start())
        del sizes[_MOST:]
        used: set[int] = set()
        found: list[tuple[ModelMention, str]] = []
        for hit in sorted(hits[:_MOST], key=lambda hit: (hit.start, hit.topic != "models")):
            if covered[hit.start]:
                continue
            if hit.topic == "models":
                workload = self._families[hit.value].workload
                found += [(mention, workload) for mention in self._of_family(text, hit, sizes, used)]
            else:
                size = SIZE.search(hit.value.casefold())
                billions = self._size(size)[1] if size else None
                mention = ModelMention(hit.value, billions, text[hit.start : hit.end], hit.start, hit.end)
                found.append((mention, _WORKLOADS.get(self._kinds.get(hit.value, ""), "")))
        for i, match in enumerate(sizes):
            if i not in used:
                label, size_b = self._size(match)
                # "the 7b" after "llama 2 7b" names nothing new.
                if size_b >= 0.1 and not any(m.params_b == size_b and m.start <= match.start() for m, _ in found):
                    mention = ModelMention(label, size_b, match.group(), match.start(), match.end())
                    found.append((mention, "llm"))
        return _longest(found)

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
        # The table spells a name it knows; another model that it lists as an alias stays what was said.
        known = self._table.get(self._key(name), name)
        return known if _bare(known) == _bare(name) or _letters(known) == _letters(name) else name

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
