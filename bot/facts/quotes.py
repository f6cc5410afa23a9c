"""What the guides advised to whom, row by row: quoted with their date when someone asks about that guide or year."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from bot.facts.entries import Both, Reader, items_of
from bot.request import Level, Request
from bot.tables import DataError, LineDict

KINDS = ("pick", "quote_only", "ranking", "set")
ROW_KEYS = (
    "id", "guide", "as_of", "who", "kind", "workloads", "level", "budget_max_usd", "budget_min_usd", "value",
    "large_data", "multi_gpu", "model_size", "min_vram_gb", "condition", "deployment", "form_factor", "advice", "gpus",
    "avoid", "fine", "prices", "note",
)  # fmt: skip
_FLAGS = ("value", "large_data", "multi_gpu")
_NUMBERS = ("budget_max_usd", "budget_min_usd", "min_vram_gb")


@dataclass(frozen=True, slots=True)
class GuideRow:
    """One "if you are X, buy Y" of a guide, in this project's words. None and empty: the row does not say."""

    id: str
    guide: str
    as_of: str
    who: Both
    advice: Both
    kind: str = "pick"
    workloads: tuple[str, ...] = ()
    level: Level | None = None
    budget_max_usd: float | None = None
    budget_min_usd: float | None = None
    min_vram_gb: float | None = None
    value: bool = False
    large_data: bool = False
    multi_gpu: bool = False
    model_size: str = ""
    condition: str = ""
    deployment: str = ""
    form_factor: str = ""
    gpus: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    fine: tuple[str, ...] = ()
    """Cards that the guide finds acceptable too."""
    prices: Mapping[str, float] = field(default_factory=dict)
    """The guide's own prices, USD."""
    note: Both | None = None
    where: str = ""
    line: int = 0


def read_guide_rows(text: str, where: str) -> tuple[tuple[GuideRow, ...], list[DataError]]:
    """All rows of the file and every fault found."""
    faults: list[DataError] = []
    rows: list[GuideRow] = []
    seen: set[str] = set()
    for reader in items_of(text, where, faults):
        row = _row(reader)
        if row.id in seen:
            reader.fail("id", f"{row.id} stands twice", "Give one of them another id")
        seen.add(row.id)
        rows.append(row)
    return tuple(rows), faults


def parse_guide_rows(text: str, where: str) -> tuple[GuideRow, ...]:
    """All rows of the file. Raises the first DataError."""
    rows, faults = read_guide_rows(text, where)
    if faults:
        raise faults[0]
    return rows


def _row(reader: Reader) -> GuideRow:
    reader.known(ROW_KEYS)
    data = reader.data
    level: Any = reader.text("level", required=False) or None
    if level and level not in get_args(Level):
        reader.fail("level", f"{level!r} is not known", "Write one of: " + ", ".join(get_args(Level)))
    kind = reader.text("kind", required=False) or "pick"
    if kind not in KINDS:
        reader.fail("kind", f"{kind!r} is not known", "Write one of: " + ", ".join(KINDS))
    for flag in _FLAGS:
        if not isinstance(data.get(flag, False), bool):
            reader.fail(flag, f"{data[flag]!r} is neither true nor false", "Write true, or leave it out")
    numbers: dict[str, float | None] = {}
    for name in _NUMBERS:
        value = data.get(name)
        numbers[name] = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        if value is not None and (numbers[name] is None or not 0 < float(value) < 1e6):
            reader.fail(name, f"{value!r} is not a figure above 0", "Write a plain number")
    prices = data.get("prices") or {}
    if not isinstance(prices, dict) or not all(isinstance(price, int | float) for price in prices.values()):
        reader.fail("prices", "this is not a mapping of cards to figures", "Write {RTX 2070: 500}")
        prices = {}
    nothing = Both("", "")
    return GuideRow(
        id=reader.text("id"),
        guide=reader.text("guide"),
        as_of=reader.date("as_of"),
        who=reader.both("who") or nothing,
        advice=reader.both("advice") or nothing,
        kind=kind,
        workloads=reader.texts("workloads"),
        level=level,
        budget_max_usd=numbers["budget_max_usd"],
        budget_min_usd=numbers["budget_min_usd"],
        min_vram_gb=numbers["min_vram_gb"],
        value=data.get("value") is True,
        large_data=data.get("large_data") is True,
        multi_gpu=data.get("multi_gpu") is True,
        model_size=reader.text("model_size", required=False),
        condition=reader.text("condition", required=False),
        deployment=reader.text("deployment", required=False),
        form_factor=reader.text("form_factor", required=False),
        gpus=reader.texts("gpus"),
        avoid=reader.texts("avoid"),
        fine=reader.texts("fine"),
        prices={str(card): float(price) for card, price in prices.items()},
        note=reader.both("note", required=False) if isinstance(data.get("note"), LineDict) else None,
        where=reader.where,
        line=data.line,
    )


_FAMILY: Mapping[str, tuple[str, ...]] = {
    "nlp": ("nlp", "transformer", "llm"),
    "transformer": ("transformer", "nlp", "llm"),
    "llm": ("llm", "transformer", "nlp"),
    "cv": ("cv",),
    "kaggle": ("kaggle",),
}
"""Workloads that the guides of those years treat as one."""
_NEARLY = 0.9
"""Rows this much below the best fit are quoted beside it."""
_GENERAL = ("general", "general_dl")


def quotes(request: Request, rows: tuple[GuideRow, ...], limit: int = 4) -> list[GuideRow]:
    """The rows of the guide or year that the request names, best fit first; empty when it names none or nothing fits.

    A row that the request contradicts (another workload, a budget far above) is left out.
    """
    wanted = _asked_for(request, rows)
    scored = [(fit, -place, row) for place, row in enumerate(wanted) if (fit := _fit(row, request)) is not None]
    scored.sort(key=lambda each: (-each[0], -each[1]))
    if not scored:
        return []
    # A question with details is answered by the rows that fit them about as well as the best one does.
    best = scored[0][0]
    return [row for fit, _, row in scored if best <= 0 or fit >= best - _NEARLY][:limit]


def _asked_for(request: Request, rows: tuple[GuideRow, ...]) -> list[GuideRow]:
    """The rows of the guide and date named; a month without a guide stands for its year."""
    date = request.as_of or ""
    if request.guide:
        if not date:
            return [row for row in rows if row.guide.startswith(request.guide)]
        author = request.guide.partition("-")[0]
        rows = tuple(row for row in rows if row.guide.startswith(author))
    elif not date:
        return []
    exact = [row for row in rows if row.as_of.startswith(date)]
    return exact or [row for row in rows if row.as_of.startswith(date[:4])]


def _fit(row: GuideRow, request: Request) -> float | None:
    """How well a row fits, or None where it contradicts what is asked."""
    fit = 0.0
    general = not row.workloads or any(name in _GENERAL for name in row.workloads)
    asked = [name for name in request.workloads if name not in _GENERAL]
    if request.level == "kaggle" and "kaggle" not in asked:
        asked.append("kaggle")
    if asked:
        if any(other in row.workloads for name in asked for other in _FAMILY.get(name, (name,))):
            fit += 3.0
        elif not general:
            return None
        else:
            fit -= 1.0
    elif not general:
        fit -= 1.5
    level = _level(row, request)
    if level is None:
        return None
    fit += level
    budget = _budget(row, request)
    if budget is None:
        return None
    fit += budget
    for flag in (*_FLAGS, "deployment"):
        said = getattr(request, "wants_value" if flag == "value" else flag)
        stated = getattr(row, flag)
        if said and stated and said == stated:
            fit += 2.0
        elif stated and not said:
            fit -= 0.7
        elif said and not stated and flag == "deployment":
            fit -= 1.5
    fit += sum(2.0 for gpu in request.gpus if gpu.name in (*row.gpus, *row.avoid, *row.fine))
    if row.min_vram_gb:
        fit += 1.5 if row.min_vram_gb in request.memory_gb else -0.7
    fit -= 0.5 if row.kind != "pick" else 0.0
    return fit - (1.0 if row.model_size else 0.0)


def _level(row: GuideRow, request: Request) -> float | None:
    if not request.level or request.level == "kaggle":
        return -0.3 if row.level else 0.0
    if row.level == request.level:
        return 2.5
    near = {"hobby", "beginner"}
    if row.level in near and request.level in near:
        return 1.5
    return -1.5 if row.level else 0.0


def _budget(row: GuideRow, request: Request) -> float | None:
    budget = request.budget
    amount = (budget.max or budget.min) if budget else None
    if not amount or (budget and budget.currency not in (None, "USD")):
        return -0.3 if row.budget_max_usd and row.budget_max_usd < 200 else 0.0
    if row.budget_max_usd is None:
        return -0.5
    if row.budget_min_usd and amount < row.budget_min_usd * 0.9:
        return None
    # A row for a smaller purse still answers a larger one, the less the further it is below.
    ratio = row.budget_max_usd / amount
    if ratio > 1.5 and not row.budget_min_usd:
        return None
    return 2.5 - 2.5 * abs(1.0 - min(ratio, 2.0)) if ratio >= 0.4 else -1.0
