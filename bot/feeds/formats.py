"""Texts of price sources to rows: gpu-prices/1 as JSON and CSV. Pure; bounded in rows, depth and lengths."""

from __future__ import annotations

import csv
import json
import re
from decimal import Decimal
from typing import Any

from bot.feeds.source import Haul, SourceError
from bot.market.points import PointKind
from bot.market.validation import Offer

SCHEMA = "gpu-prices/1"
MAX_ROWS = 20_000
MAX_DEPTH = 6
MAX_STRING = 200
CSV_NEEDED = ("gpu", "condition", "price", "currency", "as_of")
CSV_ALLOWED = (*CSV_NEEDED, "n", "typical", "region", "source", "kind")
_KINDS: dict[str, PointKind] = {"": "street", "street": "street", "msrp": "msrp", "guide": "guide"}


def parse_json(text: str, what: str, depth: int = MAX_DEPTH) -> Any:
    """A JSON text; numbers with a point stay exact. NaN, Infinity, deep nesting and long texts raise SourceError."""
    if _deeper(text, depth):
        raise SourceError(f"{what}: is nested deeper than {depth} levels")
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
    except ValueError as error:
        told = str(error) if str(error).startswith(("NaN", "Inf", "-Inf")) else "cut off or damaged"
        raise SourceError(f"{what}: is not JSON ({told})") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def _deeper(text: str, limit: int) -> bool:
    """Whether it is nested deeper, without building anything."""
    depth = 0
    for mark in _MARKS.finditer(text):
        first = mark.group()[0]
        if first in "[{":
            depth += 1
            if depth > limit:
                return True
        elif first != '"':
            depth -= 1
    return False


def parse_feed(text: str, what: str, default_source: str) -> Haul:
    """A gpu-prices/1 document, JSON or CSV. Rows that have the wrong shape are left out and told; raises SourceError
    for a document of another shape."""
    start = text.lstrip("\ufeff \t\r\n")[:1]
    return _json_feed(text, what, default_source) if start in ("{", "[") else _csv_feed(text, what, default_source)


def _json_feed(text: str, what: str, default_source: str) -> Haul:
    data = parse_json(text, what)
    if isinstance(data, list):  # a bare list of the table's columns, as data/prices.csv has them
        data = {"schema": SCHEMA, "prices": data}
    if data.get("schema") != SCHEMA:
        raise SourceError(f"{what}: says schema {str(data.get('schema'))[:40]!r}, not {SCHEMA!r}")
    rows = data.get("prices")
    if not isinstance(rows, list):
        raise SourceError(f"{what}: has no list under 'prices'")
    if len(rows) > MAX_ROWS:
        raise SourceError(f"{what}: has more than {MAX_ROWS} rows")
    common = {name: data.get(name) for name in ("currency", "region", "source")}
    offers: list[Offer] = []
    refused: list[str] = []
    for number, row in enumerate(rows, 1):
        place = f"row {number}"
        if not isinstance(row, dict):
            refused.append(f"{place}: is no object")
            continue
        cells = {name: value for name, value in common.items() if value is not None}
        cells |= {name: value for name, value in row.items() if value is not None}
        _take(cells, place, default_source, offers, refused)
    return Haul(offers, refused=refused)


def _csv_feed(text: str, what: str, default_source: str) -> Haul:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise SourceError(f"{what}: is empty")
    if len(lines) > MAX_ROWS + 1:
        raise SourceError(f"{what}: has more than {MAX_ROWS} rows")
    reader = csv.reader(lines, strict=True)
    offers: list[Offer] = []
    refused: list[str] = []
    try:
        header = [name.strip().lower() for name in next(reader)]
        missing = [name for name in CSV_NEEDED if name not in header]
        unknown = [name for name in header if name not in CSV_ALLOWED]
        if missing or unknown or len(set(header)) != len(header):
            wrong = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(unknown)[:60] or 'a column twice'}"
            raise SourceError(f"{what}: the header {wrong}; columns are {','.join(CSV_ALLOWED)}")
        for number, cells in enumerate(reader, 1):
            place = f"row {number}"
            if len(cells) != len(header):
                refused.append(f"{place}: has {len(cells)} cells, the header {len(header)}")
                continue
            filled = {name: cell.strip() for name, cell in zip(header, cells, strict=True) if cell.strip()}
            _take(filled, place, default_source, offers, refused)
    except csv.Error as error:
        raise SourceError(f"{what}: is not CSV ({error})") from None
    return Haul(offers, refused=refused)


def _take(cells: dict[str, Any], place: str, default: str, offers: list[Offer], refused: list[str]) -> None:
    for name, value in cells.items():
        if isinstance(value, bool | list | dict) or len(str(value)) > MAX_STRING:
            refused.append(f"{place}: {name[:20]!r} is no short text or number")
            return
    if "as_of" not in cells:
        refused.append(f"{place}: has no as_of; a price without its date says nothing")
        return
    n = str(cells.get("n", ""))
    if n and not (n.isdigit() and len(n) < 9):
        refused.append(f"{place}: n {n[:20]!r} is no whole number")
        return
    kind = _KINDS.get(str(cells.get("kind", "")))
    if kind is None:
        refused.append(f"{place}: kind {str(cells['kind'])[:20]!r} is not street, msrp or guide")
        return
    texts = {name: str(cells.get(name, "")) for name in (*CSV_NEEDED, "region", "typical", "source")}
    offers.append(
        Offer(
            place, texts["gpu"], texts["condition"], texts["price"], texts["currency"], texts["as_of"],
            texts["source"] or default, texts["region"], texts["typical"], int(n) if n else None, kind,
        )
    )  # fmt: skip
