"""Text that is not ours, made harmless where Discord would read markdown, mentions or links into it."""

from __future__ import annotations

import re
import unicodedata

_SPECIAL = str.maketrans({char: "\\" + char for char in r"\*_~`|[]<>"} | {"@": "@\u200b"})
_LINE_START = re.compile(r"^(\s*)(#{1,3}|-#|[-+]|\d+\.)(?=\s)", re.MULTILINE)
_RISKY = re.compile(r"[\\*_~`|\[\]<>@]")
_STARTS = frozenset("#-+0123456789 \t")
_LINK = re.compile(r"(?i)\b(https?|discord)://")
# Controls and directional marks can reorder or hide what follows them.
_CONTROLS = re.compile("[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """The text without control characters, marks that reorder it, and lone surrogates."""
    return text if text.isprintable() else _CONTROLS.sub("", text)


def plain(text: str) -> str:
    """The text for places that know no markdown (field names, footers)."""
    return clean(text).replace("@", "@\u200b")


def escape(text: str) -> str:
    """The text as Discord shows it letter for letter: no formatting, no mention, no link."""
    text = clean(text)
    if "://" in text:
        text = _LINK.sub("\\1:\u200b//", text)
    if _RISKY.search(text):
        text = text.translate(_SPECIAL)
    if "\n" in text or text[:1] in _STARTS:
        text = _LINE_START.sub(r"\1\\\2", text)
    return text


def in_code(text: str) -> str:
    """The text for a code block, which only a run of backticks could leave."""
    return plain(text).replace("`", "ˋ")


def width(text: str) -> int:
    """Columns in a fixed-width font: Chinese characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) or unicodedata.category(char) == "Cf" else
        2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )  # fmt: skip


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """The text filled up with spaces to that many columns."""
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space
