"""Prices from a file on this machine: CSV in the form of data/prices.csv, or a JSON list of the same columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.feeds.source import Fetched, Progress, SourceError
from bot.market.points import COLUMNS, PricePoint, parse_prices
from bot.tables import DataError

MAX_BYTES = 20_000_000
MAX_REFUSED = 50


class LocalFile:
    """Reads one file. A faulty row is refused and named; the others count."""

    def __init__(self, path: Path, resolve: Callable[[str], str | None]) -> None:
        self.path, self._resolve = path, resolve

    @property
    def name(self) -> str:
        """The file's name, without its folder."""
        return self.path.name

    def fetch(self, progress: Progress) -> Fetched:
        """Read and check the file. Raises SourceError when it cannot be read or holds no good row."""
        progress(f"reading {self.name}")
        try:
            if self.path.stat().st_size > MAX_BYTES:
                raise SourceError(f"{self.name} is larger than {MAX_BYTES // 1_000_000} MB; is it the right file?")
            text = self.path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise SourceError(f"{self.name} cannot be read ({error.strerror}); check path and rights") from None
        except UnicodeDecodeError:
            raise SourceError(f"{self.name} is not UTF-8; save it as UTF-8") from None
        if self.path.suffix.lower() == ".json":
            text = _csv_of(text, self.name)
        fetched = read_points(text, self.name, self._resolve)
        progress(f"{self.name}: {len(fetched.points)} prices, {len(fetched.refused)} rows refused")
        if not fetched.points:
            why = fetched.refused[0] if fetched.refused else "it has no rows"
            raise SourceError(f"{self.name} holds no usable price: {why}")
        return fetched


def read_points(text: str, where: str, resolve: Callable[[str], str | None]) -> Fetched:
    """The good rows, and a sentence for each bad one (at most MAX_REFUSED). Never raises."""
    refused: list[str] = []
    lines = text.splitlines()
    while len(refused) < MAX_REFUSED:
        try:
            return Fetched(where, parse_prices("\n".join(lines), where, resolve), tuple(refused))
        except DataError as error:
            refused.append(str(error))
            if not error.line or error.line > len(lines) or _is_header(lines, error.line):
                return Fetched(where, (), tuple(refused))
            lines[error.line - 1] = "#"
    return Fetched(where, (), (*refused, f"more than {MAX_REFUSED} faulty rows: nothing is taken from this file"))


def _is_header(lines: list[str], number: int) -> bool:
    first = next((place for place, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")), 0)
    return number <= first


def _csv_of(text: str, name: str) -> str:
    try:
        rows: Any = json.loads(text)
    except ValueError as error:
        raise SourceError(f"{name} is not JSON ({error}); write a list of objects") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SourceError(f"{name} is not a list of objects with the keys {', '.join(COLUMNS)}")
    return csv_of_rows([[row.get(column) for column in COLUMNS] for row in rows])


def csv_of_points(points: tuple[PricePoint, ...]) -> str:
    """Points as a table that `parse_prices` reads back."""
    return csv_of_rows(
        [[p.gpu, p.condition, p.money.amount, p.money.currency, p.as_of, p.n, p.kind, p.source] for p in points]
    )


def csv_of_rows(rows: list[list[Any]]) -> str:
    """A table with the columns COLUMNS; a line a row, line breaks inside cells become spaces."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(["" if cell is None else " ".join(str(cell).split()) for cell in row])
    return out.getvalue()
