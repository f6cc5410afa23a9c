"""What GPUs are used for: data/workloads.yaml with names, cues, performance class and memory guidance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, cast

from bot.language.vocabulary import Phrase, phrases_of, words_of
from bot.request import Language, Mode
from bot.tables import DataError, LineDict, read_yaml

PerformanceClass = Literal["cnn", "transformer", "rnn", "llm-decode", "llm-prefill", "diffusion"]
_CLASSES = ("cnn", "transformer", "rnn", "llm-decode", "llm-prefill", "diffusion")
_MODES: tuple[Mode, ...] = ("inference", "finetuning", "training")
_KEYS = {"name", "performance", "mode", "memory", "cues"}


@dataclass(frozen=True, slots=True)
class MemoryGuidance:
    """GPU memory in GB: below `minimum_gb` it hardly works, from `comfortable_gb` on it is no worry."""

    minimum_gb: float
    comfortable_gb: float


@dataclass(frozen=True, slots=True)
class Workload:
    """One use. `memory` has all three modes; its figures are guidance with a source and a date."""

    id: str
    names: Mapping[Language, str]
    performance: PerformanceClass
    mode: Mode
    memory: Mapping[Mode, MemoryGuidance]
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Workloads:
    """All uses by id, in the order of the file, and the phrases that tell them (topic `workloads`)."""

    by_id: Mapping[str, Workload]
    phrases: tuple[Phrase, ...]


def parse_workloads(text: str, where: str) -> Workloads:
    """Read data/workloads.yaml. Raises DataError."""
    content = read_yaml(text, where)
    if not isinstance(content, LineDict) or not content:
        raise DataError(where, 1, None, "the file holds no workload", "Write ids with name, performance, mode ...")
    found: dict[str, Workload] = {}
    phrases: list[Phrase] = []
    for key, entry in content.items():
        line = content.lines[key]
        if not isinstance(entry, LineDict) or set(entry) != _KEYS:
            raise DataError(where, line, key, "a key is missing or not known", "Keys: " + ", ".join(sorted(_KEYS)))
        found[key] = _workload(key, entry, where)
        if not isinstance(entry["cues"], LineDict):
            raise DataError(where, entry.lines["cues"], f"{key}.cues", "this is not a mapping", "Write en: and zh:")
        phrases += phrases_of(entry["cues"], "workloads", key, where)
        # Its own name tells a use too: menus put it into questions.
        names = (words_of(name) for name in found[key].names.values())
        phrases += [Phrase("workloads", key, words) for words in names if words]
    return Workloads(MappingProxyType(found), tuple(phrases))


def _workload(key: str, entry: LineDict, where: str) -> Workload:
    performance, mode, memory, names = entry["performance"], entry["mode"], entry["memory"], entry["name"]
    if performance not in _CLASSES:
        raise DataError(where, entry.lines["performance"], key, f"{performance!r} is no class", ", ".join(_CLASSES))
    if mode not in _MODES:
        raise DataError(where, entry.lines["mode"], key, f"{mode!r} is no mode", "Write one of: " + ", ".join(_MODES))
    if not isinstance(names, LineDict) or set(names) != {"en", "zh-CN", "zh-TW"}:
        raise DataError(where, entry.lines["name"], key, "a name is missing", "Give en, zh-CN and zh-TW")
    if not isinstance(memory, LineDict) or set(memory) != {*_MODES, "source", "as_of"}:
        raise DataError(where, entry.lines["memory"], key, "memory is incomplete", "Give the modes, source and as_of")
    guidance: dict[Mode, MemoryGuidance] = {}
    for each in _MODES:
        pair = memory[each]
        good = isinstance(pair, list) and len(pair) == 2 and all(isinstance(gb, int | float) for gb in pair)
        if not good or not 0 < pair[0] <= pair[1]:
            line = memory.lines[each]
            raise DataError(
                where, line, f"{key}.memory.{each}", "this is no pair of sizes", "Write [minimum, comfortable]"
            )
        guidance[each] = MemoryGuidance(float(pair[0]), float(pair[1]))
    return Workload(
        id=key, names=MappingProxyType(cast("dict[Language, str]", dict(names))), performance=performance, mode=mode,
        memory=MappingProxyType(guidance), source=str(memory["source"]), as_of=str(memory["as_of"]),
    )  # fmt: skip
