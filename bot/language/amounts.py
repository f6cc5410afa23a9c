"""Amounts of money in a text, as they are written: numbers, units, signs and words for currencies.

Names of cards and every other quantity are masked before: CARD stands for a card's name, OTHER for a number that
is no money, so that patterns here can see a card beside an amount without reading its digits.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.language.normalise import ascii_pattern
from bot.language.numerals import chinese_number
from bot.request import Language
from bot.tables import DataError, LineDict, read_yaml
from bot.text import fold

CARD = "\x01"
OTHER = "\x02"

_UNITS = {
    "k": 1e3, "千": 1e3, "grand": 1e3, "thousand": 1e3, "w": 1e4, "万": 1e4, "百": 1e2, "hundred": 1e2,
    "lakh": 1e5, "lakhs": 1e5, "lac": 1e5, "m": 1e6, "million": 1e6,
}  # fmt: skip
_UNIT = (
    r"(?:grand|thousand|hundred|lakhs?|lac|million|k(?=euros?\b|eur\b|usd\b|gbp\b|inr\b|cny\b|rmb\b)|"
    r"k(?![a-z0-9])|w(?![a-z0-9])|万|千|百)"
)
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,2})?|\d{1,3}(?:'\d{3}){1,2}|\d{1,3}(?:\.\d{3}){1,2},\d{2}|"
    r"\d{1,3}(?:\.\d{3}){2}|\d{1,3},\d{1,2}(?=\s?k\b|\s?(?:€|eur))|\d{1,9}(?:\.\d{1,4})?)(?![\d])"
)
_DECIMAL_COMMA = ascii_pattern(r"(?:\d{1,3}(?:\.\d{3})+|\d{1,3}),\d{1,2}")
_DOTTED = ascii_pattern(r"[1-9]\d{0,2}(?:\.\d{3})+")
_RATE = ascii_pattern(r"\s?(?:/|per\b|an?\b|pro\b)")
_DOTS_PART_THOUSANDS = frozenset(("EUR", "CHF", "PLN", "DKK", "SEK", "NOK", "BRL"))
_FIRST_DIGIT = ascii_pattern(r"(?<![\w.])\d")
_MOST = 30
"""Amounts looked at in one text."""
_ZH_NUMBER = ascii_pattern(r"[零一二两三四五六七八九十百千万半壹贰叁肆伍仟佰拾]{1,9}")

_ROUND = ascii_pattern(r"[千百](?=元|块)")
_VAGUE = ascii_pattern(r"[几数上近好\d]")
_SPELLED_NUMBERS = {
    "half a": 0.5, "a": 1, "one": 1, "a couple": 2, "a couple of": 2, "two": 2, "three": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20,
}  # fmt: skip
_SPELLED = ascii_pattern(
    rf"\b({'|'.join(sorted(_SPELLED_NUMBERS, key=len, reverse=True))})[ -](grand|thousand|hundred)\b"
)
_SPELLED_ALONE = ascii_pattern(r"\s*(?:$|[.,;?!)]|(?:for|max|tops|total|budget|or so|at most|to spend|on)\b)")


@dataclass(frozen=True, slots=True)
class Amount:
    """One amount as written: a value or a range, its currency where told, its place in the text."""

    low: float | None
    high: float
    currency: str | None
    start: int
    end: int
    local: bool = False
    """Written with a word for money whose currency the script decides (元, 块)."""


class Currencies:
    """How amounts are written, compiled from data/vocabulary/currencies.yaml. Build once."""

    def __init__(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """`before` and `after` map folded spellings to ISO codes (LOCAL: the script decides)."""
        self._before, self._after = dict(before), dict(after)
        prefix = "|".join(self._guard(word, True) for word in sorted(before, key=len, reverse=True))
        suffix = "|".join(self._guard(word, False) for word in sorted(after, key=len, reverse=True))
        join = r"\s?(?:-|~|to|or|and|到|至)\s?"
        self.prefix = ascii_pattern(rf"({prefix})\s?$")
        self.pattern = ascii_pattern(
            rf"(?P<n1>{_NUMBER})\s?(?P<u1>{_UNIT})?(?P<t1>(?<=[万千w])[1-9](?!\d))?"
            rf"(?:(?:\s?(?P<s1>{suffix}))?{join}(?:{prefix})?\s?(?P<n2>{_NUMBER})\s?(?P<u2>{_UNIT})?"
            rf"(?P<t2>(?<=[万千w])[1-9](?!\d))?)?"
            rf"(?P<more>多|来|好几|-?ish(?![a-z])|-?odd(?![a-z]))?\s?(?P<suf>{suffix})?"
        )
        self.suffix = ascii_pattern(rf"\s?(?:多|来|把|几)?\s?(?P<suf>{suffix})")
        longest = max((len(word) for word in before), default=0)
        self._reach = longest + 2
        codes = {word: code for word, code in [*before.items(), *after.items()] if code != "LOCAL"}
        plain = [word for word in codes if word.isascii() and word.isalpha() and len(word) > 3 and word[:4] != "buck"]
        signs = [word for word in codes if not word.isalpha() or (word.isascii() and word not in plain)]
        chinese = [word for word in codes if not word.isascii() and len(word) > 1 and word.isalpha()]
        self._codes = codes
        # A short code and a sign may be something else ("cad", "won", "sek"): they need an "in" before them.
        self._named = ascii_pattern(
            rf"\b(?:{_any_of(plain)})\b|(?<=\bin )(?:{_any_of(signs)})(?![a-z])|{_any_of(chinese)}"
        )

    def matches(self, masked: str) -> Iterator[tuple[re.Match[str], str | None, int]]:
        """Each number that no letter precedes, with the sign before it and where the whole begins."""
        done = 0
        for digit in itertools.islice(_FIRST_DIGIT.finditer(masked), 4 * _MOST):
            if digit.start() < done:
                continue
            match = self.pattern.match(masked, digit.start())
            if match is None:
                continue
            done = match.end()
            sign = self.prefix.search(masked, max(0, digit.start() - self._reach), digit.start())
            yield match, sign[1] if sign else None, sign.start() if sign else digit.start()

    def named(self, masked: str) -> str | None:
        """The ISO code of the last currency that the text names without an amount ("price in euros", "多少台币")."""
        last = None
        for match in itertools.islice(self._named.finditer(masked), _MOST):
            last = self._codes[match.group()]
        return last

    @staticmethod
    def _guard(word: str, before: bool) -> str:
        escaped = re.escape(word)
        if word[0].isalpha() and word.isascii():
            return rf"(?<![a-z]){escaped}(?![a-z])" if before else rf"{escaped}(?![a-z0-9])"
        # 800块 is money, 2块3090 and 3块卡 count cards; 8米 is a length.
        if word in ("块", "圆", "米"):
            return escaped + rf"(?!\s?[{CARD}卡显gn])"
        return escaped

    def of(self, prefix: str | None, suffix: str | None) -> str | None:
        """The ISO code (or LOCAL) that a prefix or suffix names. A named suffix beats a bare sign before."""
        if suffix:
            code = self._after.get(suffix)
            if code and not (code == "USD" and prefix and suffix == "$"):
                return code
        return self._before.get(prefix) if prefix else None


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def parse_currencies(text: str, where: str) -> Currencies:
    """Read data/vocabulary/currencies.yaml. Raises DataError."""
    content = read_yaml(text, where)
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    if not isinstance(content, LineDict) or not content:
        raise DataError(where, 1, None, "the file holds no currency", "Write codes with before: [...] and after: [...]")
    for code, entry in content.items():
        if not isinstance(entry, LineDict) or set(entry) != {"before", "after"}:
            raise DataError(where, content.lines[code], code, "before and after are not both given", "Write both lists")
        for side, table in (("before", before), ("after", after)):
            words: Any = entry[side]
            if not isinstance(words, list):
                raise DataError(where, entry.lines[side], f"{code}.{side}", "this is not a list", "Write a list")
            for word in words:
                table.setdefault(fold(str(word)), code)
    return Currencies(before, after)


def find_amounts(masked: str, currencies: Currencies, language: Language) -> list[Amount]:
    """Every number that may be money, in order. Those with neither sign nor unit are kept: a cue may make them so."""
    found: list[Amount] = []
    for match, sign, start in currencies.matches(masked):
        code = currencies.of(sign, match["suf"] or match["s1"])
        dots = code in _DOTS_PART_THOUSANDS and not _RATE.match(masked, match.end())
        low = _value(match["n1"], match["u1"], match["t1"], dots)
        high = low
        end = match.end()
        if match["n2"]:
            high = _value(match["n2"], match["u2"], match["t2"], dots)
            # "4到6千", "2-3k": the unit belongs to both; "500-2k" has its own.
            if match["u2"] and not match["u1"] and low * _UNITS[match["u2"]] <= high:
                low *= _UNITS[match["u2"]]
            if low < 10 <= 100 <= high < 1000:
                low *= 100
            if low > high:
                low, high = high, low
        if code is None and not match["u1"] and not match["u2"] and high < 50:
            continue
        if high <= 0 or high > 1e8:
            continue
        found.append(Amount(low if low != high else None, high, code, start, end, code == "LOCAL"))
        if len(found) >= _MOST:
            break
    more = _spelled_amounts(masked, currencies) if language == "en" else _chinese_amounts(masked, currencies, found)
    more = list(more)
    if more:
        found += more
        found.sort(key=lambda amount: amount.start)
    return found


def _spelled_amounts(masked: str, currencies: Currencies) -> Iterator[Amount]:
    """Amounts in English words: "a grand", "two thousand dollars". Hundreds of something else are no money."""
    for match in itertools.islice(_SPELLED.finditer(masked), _MOST):
        suffix = currencies.suffix.match(masked, match.end())
        code = currencies.of(None, suffix["suf"]) if suffix else None
        end = suffix.end() if suffix else match.end()
        if match[2] != "grand" and code is None and not _SPELLED_ALONE.match(masked, end):
            continue
        yield Amount(None, _SPELLED_NUMBERS[match[1]] * _UNITS[match[2]], code, match.start(), end)


def _chinese_amounts(masked: str, currencies: Currencies, known: Sequence[Amount]) -> Iterable[Amount]:
    room = _MOST
    for match in _ZH_NUMBER.finditer(masked):
        if any(a.start <= match.start() < a.end for a in known):
            continue
        if len(match.group()) == 1 and match.group() != "万":
            # "千元左右", "百元": a round sum; "几千元" and "上千元" name none.
            if not _ROUND.match(masked, match.start()) or _VAGUE.match(masked, match.start() - 1):
                continue
            value: tuple[float, float] | None = (_UNITS[match.group()], _UNITS[match.group()])
        else:
            value = chinese_number(match.group())
        if value is None or value[1] < 100:
            continue
        suffix = currencies.suffix.match(masked, match.end())
        code = currencies.of(None, suffix["suf"]) if suffix else None
        end = suffix.end() if suffix else match.end()
        room -= 1
        if room < 0:
            return
        yield Amount(value[0] if value[0] != value[1] else None, value[1], code, match.start(), end, code == "LOCAL")


def _value(number: str, unit: str | None, tail: str | None, dots: bool = False) -> float:
    """`dots`: a dot before three digits parts thousands, as it does in much of Europe ("1.500 €")."""
    if _DECIMAL_COMMA.fullmatch(number):
        number = number.replace(".", "").replace(",", ".")
    elif number.count(".") > 1 or (dots and not unit and _DOTTED.fullmatch(number)):
        number = number.replace(".", "")
    value = float(number.replace(",", "").replace("'", "")) * (_UNITS.get(unit.strip(), 1.0) if unit else 1.0)
    if tail and unit:
        value += int(tail) * _UNITS[unit] / 10
    return round(value, 2)
