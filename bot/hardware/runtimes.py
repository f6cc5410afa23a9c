"""Number formats, cache formats and runtimes: what they take and what they do by default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.tables import DataError, LineDict, read_rows, read_yaml
from bot.text import fold

Task = Literal["inference", "lora", "qlora", "full", "train"]
TASKS: tuple[Task, ...] = ("inference", "lora", "qlora", "full", "train")
ATTENTIONS = ("flash", "sdpa", "eager", "unfused")
PRECISION_COLUMNS = ("id", "aliases", "bits", "embeddings", "family", "quality", "source", "as_of", "note")

_WORDS = re.compile(r"[^\w.-]+")

CACHE_BYTES: Mapping[str, float] = {
    "fp16": 2.0, "bf16": 2.0, "f16": 2.0, "fp32": 4.0, "f32": 4.0, "fp8": 1.0, "fp8_e4m3": 1.0, "fp8_e5m2": 1.0,
    "int8": 1.0, "q8_0": 1.0625, "q8": 1.0625, "q5_1": 0.75, "q5_0": 0.6875, "q4_1": 0.625, "q4_0": 0.5625,
    "q4": 0.5625, "int4": 0.5625, "nvfp4": 0.5625,
}  # fmt: skip
"""Bytes per element of a key or value, scales included (ggml block formats)."""
ADAPTER_BYTES = 16.0
OPTIMIZER_BYTES: Mapping[str, float] = {
    "adamw_fp32": 16.0, "adamw": 16.0, "adamw_amp": 18.0, "adamw_mixed_ds": 22.0, "adamw_bf16": 8.0,
    "adamw_8bit": 6.0, "paged_adamw_8bit": 6.0, "adamw_8bit_fused": 4.0, "adafactor": 6.0, "lion": 8.0, "sgd": 12.0,
    "paged_adamw_8bit_fused": 2.2, "adamw_fp16state": 8.0, "adamw_cpu_offload": 4.0,
}  # fmt: skip
"""Bytes per trained parameter: weights, gradients and optimizer state. stas00/ml-engineering, DeepSpeed docs."""
LOSS_BYTES: Mapping[str, float] = {"std": 8.0, "old": 8.0, "hf5": 14.0, "chunked": 1.0, "fused": 0.6}
"""Bytes per token and vocabulary entry that the loss holds at its peak."""


class UnknownOptionError(ValueError):
    """A precision, cache format, runtime or task that is not known: refused rather than guessed."""

    def __init__(self, option: str, value: str, known: tuple[str, ...]) -> None:
        self.option, self.value, self.known = option, value, known
        super().__init__(f"{option} {value!r} is not known. Known: {', '.join(known)}.")


@dataclass(frozen=True, slots=True)
class Precision:
    """A number format or quantisation. `bits` per weight, scales included."""

    id: str
    bits: float
    embeddings_16bit: bool
    family: str
    quality: str
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Framework:
    """A runtime or trainer: fitted overheads (GB) and defaults."""

    id: str
    counter: Literal["process", "allocator"]
    attention: str
    kv_factor: float
    overhead_gb: Mapping[str, float]
    activation: Mapping[str, float] = field(default_factory=dict)
    checkpointing: bool = True
    loss: str = "std"
    optimizer: str = "adamw"
    full_optimizer: str = ""
    """Where all weights are trained with another one."""
    fp32_embeddings: bool = False
    long_prompts: bool = True
    """Whether its figures were measured reading long prompts (attention scores count) or only writing."""
    source: str = ""


class Runtimes:
    """Precisions and frameworks by id or alias."""

    def __init__(self, precisions: Mapping[str, Precision], frameworks: Mapping[str, Framework]) -> None:
        """Keys are folded ids and aliases."""
        self._precisions = precisions
        self._frameworks = frameworks

    def precision(self, name: str) -> Precision:
        """Raises UnknownOptionError."""
        key = fold(name).strip()
        found = self._precisions.get(key) or self._precisions.get(key.replace(" ", "-").replace("gguf-", ""))
        if found is None:
            # "gguf Q4_K_M, KV q8_0", "bf16+kv-int8", "nf4 x8": the format is the first known word
            words = key.replace(",", " ").replace("+", " ").split()
            found = next((self._precisions[w] for w in words if w in self._precisions and w != "gguf"), None)
        if found is None:
            raise UnknownOptionError("precision", name, tuple(sorted({p.id for p in self._precisions.values()})))
        return found

    def framework(self, name: str) -> Framework:
        """Raises UnknownOptionError."""
        found = self._framework(name)
        if found is None:
            raise UnknownOptionError("framework", name, tuple(sorted({f.id for f in self._frameworks.values()})))
        return found

    def knows_framework(self, name: str) -> bool:
        return self._framework(name) is not None

    def _framework(self, name: str) -> Framework | None:
        """By name, or by the first known word of a longer text ("transformers + peft 0.14")."""
        key = fold(name).strip()
        if key in self._frameworks:
            return self._frameworks[key]
        return next((self._frameworks[w] for w in _WORDS.split(key) if w in self._frameworks), None)


def cache_bytes(kind: str) -> float:
    """Bytes per cached element. Raises UnknownOptionError for a format that is not known."""
    key = fold(kind).strip()
    if key not in CACHE_BYTES:
        raise UnknownOptionError("kv-cache", kind, tuple(CACHE_BYTES))
    return CACHE_BYTES[key]


def parse_precisions(text: str, where: str) -> dict[str, Precision]:
    """data/quantisations.csv by id and alias. Raises DataError."""
    found: dict[str, Precision] = {}
    for row in read_rows(text, where, PRECISION_COLUMNS):
        bits = row.number("bits", 1, 64)
        if bits is None:
            raise row.fail("bits", "the cell is empty", "Give the bits per weight, scales included")
        precision = Precision(
            row.required("id"), bits, row.choice("embeddings", ("in", "16")) == "16", row.required("family"),
            row.required("quality"), row.required("source"), row.year_month("as_of"),
        )  # fmt: skip
        for name in (precision.id, *row.items("aliases")):
            if fold(name) in found:
                raise row.fail("aliases", f"{name!r} already stands for {found[fold(name)].id}", "Keep it in one row")
            found[fold(name)] = precision
    return found


def parse_frameworks(text: str, where: str) -> dict[str, Framework]:
    """data/frameworks.yaml by id and alias. Raises DataError."""
    found: dict[str, Framework] = {}
    for name, entry in read_yaml(text, where).items():
        framework = _framework(str(name), entry, where)
        for key in (str(name), *entry.get("aliases", ())):
            found[fold(str(key))] = framework
    return found


def _framework(name: str, entry: Any, where: str) -> Framework:
    line = entry.line if isinstance(entry, LineDict) else None
    try:
        return Framework(
            name, entry["counter"], entry["attention"], float(entry["kv"]),
            {k: float(v) for k, v in entry["overhead"].items()}, {k: float(v) for k, v in entry.get("act", {}).items()},
            bool(entry.get("checkpointing", True)), entry.get("loss", "std"), entry.get("optimizer", "adamw"),
            entry.get("full_optimizer", ""), bool(entry.get("fp32_embeddings", False)),
            bool(entry.get("long_prompts", True)), entry["source"],
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            where, line, name, f"the entry is incomplete ({error})", "Compare it with its neighbours"
        ) from None
