"""Tables and bars as text that stays aligned on a desktop and does not wrap on a phone."""

from __future__ import annotations

import itertools
import re
import textwrap

from bot.answers.blocks import Bars, Table
from bot.discord_app.escape import escape, in_code, pad, width

COLUMNS = 36
"""Widest code block that neither the desktop client nor a usual phone (390 points) wraps."""
BAR = 12
LABEL = 20
RULE = "─"
NOTHING = "–"
UNIT = re.compile(r"([\d.,]+) ([A-Za-z/]+)([~?]*)")
"""A figure, its unit, and marks of how sure it is."""


def table_text(table: Table) -> str:
    """A table of label and value as lines; a wider one as an aligned block, rows too wide for it as lines below."""
    columns, rows = table.columns, [row for row in table.rows if any(cell.strip() for cell in row)]
    if not rows:
        return ""
    if len(columns) <= 2:
        return "\n".join(f"**{escape(row[0])}** {escape(' '.join(row[1:]))}" for row in rows)
    narrow = [row for row in rows if all(len(cell) <= COLUMNS for cell in row)]
    while narrow and sum(_widths(columns, narrow)) + 2 * (len(columns) - 1) > COLUMNS:
        narrow.remove(max(narrow, key=lambda row: max(width(cell) for cell in row[1:]) * 2 + width(row[0])))
    # Chinese characters are not everywhere exactly two columns wide: beside them figures do not align, below they do.
    if len(narrow) > len(rows) // 3 and all(row[0].isascii() for row in narrow):
        widths = _widths(columns, narrow)
        lines = [_line(columns, widths), *(_line(row, widths) for row in narrow)]
        return _with_rest(lines, [row for row in rows if row not in narrow])
    return _stacked(columns[1:], rows)


def _with_rest(lines: list[str], wide: list[tuple[str, ...]]) -> str:
    """A block, and the rows that are too wide for it below."""
    return "```\n" + "\n".join(lines) + "\n```" + "\n".join(_wide(row) for row in wide)


def _stacked(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A block in which each row's label stands in a line of its own, above its values; long heads take two lines."""
    made = [_unit_apart(row) for row in rows]
    room = (COLUMNS + 1) // len(heads) - 1
    fitting = [row for row in made if all(width(cell) <= room for cell in row[1:])]
    parted = [textwrap.wrap(head, room, break_long_words=False)[:3] or [""] for head in heads]
    if len(fitting) < 2 or any(width(part) > room for parts in parted for part in parts):
        # Nothing but lines: then the heads say whose the values are.
        head = " · ".join(escape(head) for head in heads)
        return f"**{head}**\n" + "\n".join(_wide(row) for row in rows)
    lines = []
    above = list(itertools.zip_longest(*parted, fillvalue=""))
    widths = _widths(above[0], [*above, *(row[1:] for row in fitting)])
    lines += [_line(head, widths, " ") for head in above]
    for row in fitting:
        lines += [f"{RULE} {in_code(row[0])}", _line(row[1:], widths, " ")]
    return _with_rest(lines, [row for row, one in zip(rows, made, strict=True) if one not in fitting])


def _unit_apart(row: tuple[str, ...]) -> tuple[str, ...]:
    """The row with a unit that all its values share moved to its label."""
    found = [UNIT.fullmatch(cell) for cell in row[1:] if cell != NOTHING]
    units = {match[2] if match else "" for match in found}
    if len(units) != 1 or "" in units:
        return (row[0], *(cell.replace(" GB ", "GB ") for cell in row[1:]))
    values = (cell if cell == NOTHING else UNIT.sub(r"\1\3", cell) for cell in row[1:])
    return (f"{row[0]}, {units.pop()}", *values)


def _widths(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[int]:
    return [
        max(width(row[place]) if place < len(row) else 0 for row in (columns, *rows)) for place in range(len(columns))
    ]


def _line(row: tuple[str, ...], widths: list[int], gap: str = "  ") -> str:
    return in_code(gap.join(pad(cell, widths[place]) for place, cell in enumerate(row))).rstrip()


def _wide(row: tuple[str, ...]) -> str:
    if len(set(row[1:])) == 1:
        return f"**{escape(row[0])}** {escape(row[1])}"
    return f"**{escape(row[0])}** " + " · ".join(escape(cell) for cell in row[1:])


def bars_text(bars: Bars) -> str:
    """Horizontal bars in a block; the longest is BAR wide, none is empty."""
    if not bars.items:
        return ""
    top = max(value for _, value, _ in bars.items) or 1.0
    labels = [in_code(label) for label, _, _ in bars.items]
    wide = min(LABEL, max(width(label[: LABEL + 1]) for label in labels))
    lines = []
    for label, (_, value, shown) in zip(labels, bars.items, strict=True):
        filled = min(BAR, max(1, round(BAR * value / top)))
        lines.append(f"{pad(_cut(label, wide), wide)} {'█' * filled}{'░' * (BAR - filled)} {in_code(shown)}")
    return "```\n" + "\n".join(lines) + "\n```"


def _cut(text: str, columns: int) -> str:
    if width(text) <= columns:
        return text
    text = text[: columns - 1]
    while width(text) > columns - 1:
        text = text[:-1]
    return text + "…"
