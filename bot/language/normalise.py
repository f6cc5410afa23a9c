"""Text to folded text, language and tokens: the first step of understanding, the same for both scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.request import Language
from bot.text import fold, to_simplified

MAX_CHARACTERS = 4000
"""Longer texts are cut: the assistant tells the asker before."""

# Full-width punctuation becomes half-width with a space BEFORE folding, so that NFKC cannot join two numbers
# with a thousands comma (5000，4060). Zero-width characters and marks stacked on letters carry no meaning.
_WIDE = str.maketrans(
    {
        "，": ", ", "。": ". ", "；": "; ", "：": ": ", "！": "! ", "？": "? ", "、": ", ", "（": " (", "）": ") ",
        "【": " (", "】": ") ", "「": " ", "」": " ", "《": " ", "》": " ", "…": ". ", "—": "-", "–": "-", "−": "-",
        "～": "~", "〜": "~", "’": "'", "‘": "'", "“": '"', "”": '"', "\u200b": "", "\u200c": "", "\u200d": "",
        "\ufeff": "", "\u00ad": "", "×": "x", "✕": "x", "＊": "*",
    }
)  # fmt: skip
_MARKS = re.compile(r"[\u0300-\u036f\u202a-\u202e\u2066-\u2069]+")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
# Forms that t2s changes although Simplified text uses them too (昇腾, 著名, 乾隆).
_BOTH_SCRIPTS = frozenset("昇著乾藉瞭於麽覆叠")
_TAIWAN_LOCALES = ("zh-tw", "zh-hk", "zh-hant", "zh-mo")

_TOKEN = re.compile(r"[a-z0-9]+(?:[.'][a-z0-9]+)*|[\u3400-\u9fff\uf900-\ufaff]|[^\s\w]|[^\W_]+")


def ascii_pattern(source: str) -> re.Pattern[str]:
    """A compiled pattern in which Han characters are no word characters, so that 占21G has a border before 21."""
    return re.compile(source, re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, Han character or sign of the folded text, with its place there."""

    text: str
    start: int
    end: int


def prepare(text: str) -> str:
    """The folded text that spans refer to: at most MAX_CHARACTERS, never raises."""
    text = text[:MAX_CHARACTERS]
    if text.isascii():
        return fold(text)
    text = _MARKS.sub("", text)
    return fold(text.translate(_WIDE))


def language_of(text: str, locale: str | None = None) -> Language:
    """English, or Chinese by its script. The locale decides only where the text does not."""
    place = (locale or "").casefold()
    if text.isascii():
        # Only figures and signs: nothing in the text tells a language, the locale may.
        if place.startswith("zh") and not _LATIN_WORD.search(text):
            return "zh-TW" if place.startswith(_TAIWAN_LOCALES) else "zh-CN"
        return "en"
    text = text[:MAX_CHARACTERS]
    han = _HAN.findall(text)
    if not han or len(_KANA.findall(text)) > len(han):
        return "en"
    # A single Chinese word inside an English sentence does not make it Chinese.
    if len(han) < 3 and len(_LATIN_WORD.findall(text)) >= 5:
        return "en"
    joined = "".join(han).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    simplified = to_simplified(joined)
    changed = sum(1 for a, b in zip(joined, simplified, strict=False) if a != b and a not in _BOTH_SCRIPTS)
    if changed:
        return "zh-TW"
    if simplified == joined and place.startswith(_TAIWAN_LOCALES):
        return "zh-TW"
    return "zh-CN"


def tokenise(folded: str) -> list[Token]:
    """Words keep inner dots and apostrophes (1.5, don't); every Han character stands alone; hyphens part words."""
    return [Token(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(folded)]
