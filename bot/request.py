"""Plain data that travels through the house: the question, and what was understood of it.

Nothing here computes. Units live in the names; money is an amount with a currency; a year-month is text
("2019-04" or "2019").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

Language = Literal["en", "zh-CN", "zh-TW"]
Kind = Literal["recommend", "compare", "spec", "fit", "price", "concept", "smalltalk", "out_of_scope", "ambiguous"]
Condition = Literal["new", "used", "any"]
Mode = Literal["training", "finetuning", "inference"]
Role = Literal["candidate", "owned", "excluded", "mentioned"]
FormFactor = Literal["laptop", "desktop", "server", "small", "egpu"]
Level = Literal["hobby", "beginner", "serious", "research", "kaggle"]
Vendor = Literal["nvidia", "amd", "intel", "apple", "google", "huawei", "other"]

KINDS: tuple[Kind, ...] = (
    "recommend", "compare", "spec", "fit", "price", "concept", "smalltalk", "out_of_scope", "ambiguous",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in one currency (ISO 4217 code). Never an amount alone."""

    amount: float
    currency: str


@dataclass(frozen=True, slots=True)
class Budget:
    """What the person can spend. `currency` is None where nothing told it."""

    max: float | None = None
    min: float | None = None
    currency: str | None = None
    approx: bool = False
    scope: Literal["gpu", "system"] = "gpu"
    covers: int | None = None
    """For how many cards together, where the text says so; None means per card or unsaid."""


@dataclass(frozen=True, slots=True)
class GpuMention:
    """A card of the catalogue named in the text.

    `name` is canonical: one card ("RTX 3060 12GB"), or a group of variants where the text does not tell them
    apart ("A100", "RTX 3060"). `text` is what was written, `start`/`end` its place in the normalised text.
    """

    name: str
    role: Role = "mentioned"
    count: int | None = None
    text: str = ""
    start: int = 0
    end: int = 0
    modded_memory_gb: float | None = None
    """A memory size that no maker sells but modders do (2080 Ti 22 GB)."""
    asking_price: Money | None = None
    """A price that the text attaches to this card: an offer, never a budget."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A false premise: what the text says of a card and what is true."""

    gpu: str
    said: str
    actual: str
    problem: Literal["memory", "name", "suffix", "vendor"]
    neighbours: tuple[str, ...] = ()
    """Cards that do have what was said (the 16 GB card is the 5060 Ti)."""


@dataclass(frozen=True, slots=True)
class AmbiguousGpu:
    """A name that fits several different products ("RTX 6000"): ask which."""

    text: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnknownGpu:
    """A name that looks like a GPU and is not in the catalogue, with near numbers to offer (never to assume)."""

    text: str
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelMention:
    """A neural network named in the text: one of data/models ("Llama 3 70B"), a family ("Llama 2"), or only a
    size ("70B": `name` is the size as written, `params_b` its billions)."""

    name: str
    params_b: float | None = None
    text: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One turn, understood: what is asked, with every number and name that it states.

    After `language.understand` the slots also hold what a follow-up inherits from the turns before;
    `inherited` names those fields.
    """

    text: str
    language: Language
    kind: Kind
    kinds: tuple[Kind, ...] = ()
    """Every intent found, the main one first."""
    kind_confidence: float = 0.0
    workloads: tuple[str, ...] = ()
    budget: Budget | None = None
    currency: str | None = None
    """ISO code of a currency named without an amount ("price in euros"); None where an amount carries one."""
    gpus: tuple[GpuMention, ...] = ()
    corrections: tuple[Correction, ...] = ()
    ambiguous_gpus: tuple[AmbiguousGpu, ...] = ()
    unknown_gpus: tuple[UnknownGpu, ...] = ()
    memory_gb: tuple[float, ...] = ()
    """GPU memory sizes that the text states or asks for, in order."""
    system_memory_gb: float | None = None
    model_size_gb: float | None = None
    """A size of weights or files ("13 Gig of weights")."""
    count: int | None = None
    counts: tuple[int, ...] = ()
    vendors: tuple[Vendor, ...] = ()
    """Vendors spoken of or wanted."""
    not_vendors: tuple[Vendor, ...] = ()
    condition: Condition | None = None
    modes: tuple[Mode, ...] = ()
    models: tuple[ModelMention, ...] = ()
    form_factors: tuple[FormFactor, ...] = ()
    as_of: str | None = None
    level: Level | None = None
    wants_value: bool = False
    wants_cheapest: bool = False
    wants_fastest: bool = False
    wants_no_limit: bool = False
    """Money is said to be no matter ("budget is no object")."""
    multi_gpu: bool = False
    """Several cards are asked for or considered ("two or more", "multi-GPU")."""
    large_data: bool = False
    deployment: Literal["datacenter", "cloud"] | None = None
    precision: str | None = None
    """A number format or quantisation, as the models table spells it: fp32, fp16, bf16, fp8, int8, int4, q4_k_m,
    q8_0, nf4, gptq, awq ..."""
    method: str | None = None
    """How a model is trained: full, lora, qlora, dreambooth."""
    framework: str | None = None
    """A program or library named: the id of data/vocabulary/frameworks.yaml, which data/frameworks.yaml knows as a
    framework or an alias wherever it has it ("vllm", "ollama", "kohya")."""
    context_tokens: int | None = None
    batch: int | None = None
    users: int | None = None
    """Requests or people at the same time."""
    resolution_px: int | None = None
    watts: tuple[int, ...] = ()
    slots: int | None = None
    hours_per_week: float | None = None
    electricity_per_kwh: Money | None = None
    cloud_price_per_hour: Money | None = None
    keep_years: float | None = None
    operating_system: Literal["linux", "windows", "macos"] | None = None
    asks: tuple[str, ...] = ()
    """What detail is asked for: "psu", "speed", "rent_or_buy", "memory", "bandwidth", "tdp", "nvlink", "why_not",
    "format", "software", "what_fits", "how_many", ... (ids of data/vocabulary/asks)."""
    guide: str | None = None
    """A guide named in the text: dettmers-2017-03, dettmers-2017-04, dettmers-2019-04, lambda-2020-02."""
    inherited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What a shell hands to the assistant. The clock comes from outside: `today` decides the age of prices."""

    text: str
    today: date
    turns_before: tuple[str, ...] = ()
    """Earlier messages of the same person, oldest first."""
    locale: str | None = None
    as_of: str | None = None
    """Answer as of that date ("2019-04"): only cards released and prices known by then."""
    currency: str | None = None
    """The asker's usual currency, where known."""
    id: str | None = None
    extra: dict[str, str] = field(default_factory=dict)
