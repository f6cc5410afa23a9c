"""Rows and entries read from data files, with errors that say file, line, field and the mend.

Nothing here opens a file: callers hand over the text and the name it should be called by.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import yaml

Mark = Literal["computed", "uncertain"]
_MARKS: dict[str, Mark] = {"~": "computed", "?": "uncertain"}
_YEAR_MONTH = re.compile(r"(19|20)\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


class DataError(Exception):
    """A fault in a data file, told so that a person can mend it."""

    def __init__(self, where: str, line: int | None, field: str | None, problem: str, mend: str) -> None:
        """`where` is the file, `problem` and `mend` are sentences without a full stop."""
        self.where, self.line, self.field, self.problem, self.mend = where, line, field, problem, mend
        place = where + (f", line {line}" if line else "") + (f", field {field}" if field else "")
        super().__init__(f"{place}: {problem}. {mend}.")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a CSV table. The readers raise DataError; an empty cell is None unless `required`."""

    where: str
    line: int
    cells: dict[str, str]

    def fail(self, field: str | None, problem: str, mend: str) -> DataError:
        """An error at this row, to raise."""
        return DataError(self.where, self.line, field, problem, mend)

    def text(self, field: str) -> str:
        """The cell's text, or "" when it is empty."""
        return self.cells.get(field, "").strip()

    def required(self, field: str) -> str:
        """The cell's text; an empty one is an error."""
        value = self.text(field)
        if not value:
            raise self.fail(field, "the cell is empty", "Fill it in")
        return value

    def choice(self, field: str, allowed: Sequence[str]) -> str:
        """The cell's text, which must be one of `allowed`."""
        value = self.required(field)
        if value not in allowed:
            raise self.fail(field, f"{value!r} is not known", "Write one of: " + ", ".join(allowed))
        return value

    def number(self, field: str, low: float = 0.0, high: float = math.inf) -> float | None:
        """The cell as a number within [low, high]; marks (a trailing ~ or ?) are dropped."""
        value = self.text(field).rstrip("~?")
        if not value:
            return None
        try:
            parsed = float(value)
        except ValueError:
            raise self.fail(field, f"{value!r} is not a number", "Write a plain number such as 24 or 936.2") from None
        if not math.isfinite(parsed) or not low <= parsed <= high:
            raise self.fail(field, f"{value} is outside {low:g} to {high:g}", "Check the figure and its unit")
        return parsed

    def whole(self, field: str, low: int = 0, high: int = 10**9) -> int | None:
        """The cell as a whole number within [low, high]."""
        value = self.number(field, low, high)
        if value is None:
            return None
        if value != int(value):
            raise self.fail(field, f"{value:g} is not a whole number", "Write a whole number")
        return int(value)

    def mark(self, field: str) -> Mark | None:
        """How sure the figure is: a trailing ~ says computed, a trailing ? says uncertain."""
        return _MARKS.get(self.text(field)[-1:])

    def year_month(self, field: str) -> str:
        """A date as YYYY, YYYY-MM or YYYY-MM-DD."""
        value = self.required(field).rstrip("~?")
        if not _YEAR_MONTH.fullmatch(value):
            raise self.fail(field, f"{value!r} is not a date", "Write YYYY, YYYY-MM or YYYY-MM-DD")
        return value

    def flag(self, field: str) -> bool:
        """yes or no; an empty cell is no."""
        value = self.text(field)
        if value not in ("", "yes", "no"):
            raise self.fail(field, f"{value!r} is neither yes nor no", "Write yes, or no, or leave it empty")
        return value == "yes"

    def items(self, field: str) -> tuple[str, ...]:
        """Parts of the cell separated by semicolons."""
        return tuple(part.strip() for part in self.text(field).split(";") if part.strip())


def read_rows(text: str, where: str, columns: Iterable[str]) -> Iterator[Row]:
    """The rows of a CSV text. The header must hold exactly `columns`, in any order; lines starting with # are
    comments."""
    wanted = list(columns)
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), None)
    if start is None:
        raise DataError(where, None, None, "the file is empty", "Start it with the header " + ",".join(wanted))
    reader = csv.reader(lines[start:], strict=True)
    try:
        header = [name.strip() for name in next(reader)]
        for name in header:
            if name not in wanted:
                raise DataError(where, start + 1, name, "this column is not known", "Columns: " + ", ".join(wanted))
        for name in wanted:
            if name not in header:
                raise DataError(where, start + 1, name, "this column is missing", "Add it to the header")
        for cells in reader:
            line = start + reader.line_num
            if not cells or cells[0].startswith("#"):
                continue
            if len(cells) != len(header):
                raise DataError(
                    where, line, None, f"the row has {len(cells)} cells, the header {len(header)}",
                    "Look for a missing or extra comma; put texts with commas in double quotes",
                )  # fmt: skip
            yield Row(where, line, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DataError(
            where, start + reader.line_num, None, f"this is not CSV ({error})", "Check the double quotes"
        ) from None


class LineDict(dict[str, Any]):
    """A mapping of a YAML file that knows its own line and the line of each key."""

    line: int = 0
    lines: dict[str, int]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML, quick where libyaml is built in, that keeps lines and refuses a key given twice."""


def _mapping(loader: Any, node: yaml.MappingNode) -> LineDict:
    result = LineDict()
    result.line = node.start_mark.line + 1
    result.lines = {}
    for key_node, value_node in node.value:
        key = str(loader.construct_object(key_node, deep=True))
        if key in result:
            raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} stands twice", key_node.start_mark)
        result.lines[key] = key_node.start_mark.line + 1
        result[key] = loader.construct_object(value_node, deep=True)
    return result


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
# 2019-04-01 stays text: dates travel as text everywhere.
_Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node))


def read_yaml(text: str, where: str) -> Any:
    """The content of a YAML text; every mapping in it is a LineDict. Raises DataError."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - _Loader is a safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "this is not YAML"
        raise DataError(
            where, mark.line + 1 if mark else None, None, str(problem),
            "Check the indentation, and quote texts that hold a colon or begin with a special character",
        ) from None  # fmt: skip
    except RecursionError:
        raise DataError(where, None, None, "the nesting is too deep", "Flatten it") from None
