"""The Answer: plain data that every surface renders (terminal, Discord, JSON)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from bot.request import Kind, Language, Money, Request

PickRole = Literal["best", "cheaper", "more_memory", "faster", "used", "several", "rent"]


@dataclass(frozen=True, slots=True)
class PriceTag:
    """A price as it may be shown: always with its condition, date, source and kind."""

    money: Money
    condition: str
    as_of: str
    source: str
    kind: Literal["street", "msrp", "guide"]
    age: Literal["fresh", "days", "old", "historic"]
    age_text: str = ""
    from_ebay: bool = False
    """Shown in a table of its own, never among other prices: eBay's terms ask for that."""


@dataclass(frozen=True, slots=True)
class Pick:
    """One recommended purchase. `count` cards of `gpu`; reasons and warnings are in the answer's language."""

    gpu: str
    role: PickRole
    count: int = 1
    condition: Literal["new", "used"] = "new"
    price: PriceTag | None = None
    total: Money | None = None
    """What `count` cards cost, in the asker's currency."""
    memory_gb: float = 0.0
    bandwidth_gbs: float | None = None
    relative_speed: float | None = None
    speed_basis: str = ""
    perf_per_dollar: float | None = None
    """Relative to the best pick (1.0)."""
    check_price_first: bool = False
    """The price is old enough that it may have crossed the budget."""
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Picks:
    picks: tuple[Pick, ...]


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars: label, value (0 or more), the text to print beside it."""

    title: str
    items: tuple[tuple[str, float, str], ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A remark. `warning`: something that can cost money or not work; `correction`: a false premise mended;
    `assumption`: what the answer took for granted; `then`: what an old guide said, with its date."""

    text: str
    tone: Literal["info", "warning", "correction", "assumption", "then"] = "info"


Block = Paragraph | Picks | Table | Bars | Note


@dataclass(frozen=True, slots=True)
class SourceRef:
    """Where a figure or an opinion comes from, and from when."""

    title: str
    ref: str
    as_of: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A follow-up or a choice: a short label and the question that choosing it asks."""

    label: str
    question: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What the assistant says. `title` answers the question in one line."""

    language: Language
    kind: Kind
    title: str
    request: Request
    blocks: tuple[Block, ...] = ()
    sources: tuple[SourceRef, ...] = ()
    facts: tuple[str, ...] = ()
    confidence: float = 0.0
    abstained: bool = False
    suggestions: tuple[Suggestion, ...] = ()
    price_footer: str = ""
    """How current the prices in this answer are; "" when it shows none."""
    id: str | None = None
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def picks(self) -> tuple[Pick, ...]:
        """The picks of all blocks, best first."""
        return tuple(pick for block in self.blocks if isinstance(block, Picks) for pick in block.picks)
