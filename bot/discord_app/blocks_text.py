"""Tables and bars as text that stays aligned on a desktop and does not wrap on a phone."""

from __future__ import annotations

from bot.answers.blocks import Bars, Table
from bot.discord_app.escape import escape, in_code, pad, width

COLUMNS = 38
"""Widest code block that neither the desktop client nor a usual phone (390 points) wraps."""
BAR = 12
LABEL = 20


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
        if len(narrow) < 2:
            narrow = []
    parts = []
    if narrow:
        widths = _widths(columns, narrow)
        lines = [_line(columns, widths), *(_line(row, widths) for row in narrow)]
        parts.append("```\n" + "\n".join(lines) + "\n```")
    wide = [row for row in rows if row not in narrow]
    if not narrow and not columns[0].strip():
        # Values of several things: without the block nothing says whose they are.
        parts.append(f"**{' · '.join(escape(column) for column in columns[1:])}**\n")
    parts.append("\n".join(_wide(row) for row in wide))
    return "".join(parts)


def _widths(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[int]:
    return [
        max(width(row[place]) if place < len(row) else 0 for row in (columns, *rows)) for place in range(len(columns))
    ]


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    return in_code("  ".join(pad(cell, widths[place]) for place, cell in enumerate(row))).rstrip()


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
