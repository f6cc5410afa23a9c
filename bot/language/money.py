"""Amounts of money in a text, and which of them is a budget.

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
from bot.language.vocabulary import Hit
from bot.request import Budget, Language, Money
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
_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,2})?|\d{1,9}(?:\.\d{1,4})?)(?![\d])"
_FIRST_DIGIT = ascii_pattern(r"(?<![\w.])\d")
_MOST = 30
"""Amounts looked at in one text."""
_ZH_NUMBER = ascii_pattern(r"[零一二两三四五六七八九十百千万半壹贰叁肆伍仟佰拾]{1,9}")
_BREAK = ascii_pattern(r"[.;?!\n](?!\d)|, ")


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


@dataclass(frozen=True, slots=True)
class Finances:
    """What the amounts of a text say."""

    budget: Budget | None = None
    asking: tuple[tuple[Money, int], ...] = ()
    """Prices attached to a card, with the place of the amount."""
    hourly: Money | None = None
    electricity: Money | None = None
    bare: Amount | None = None
    """An amount that only a follow-up to a budget makes money ("and with 1200?")."""
    amounts: int = 0


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
            rf"(?P<more>多|来|好几)?\s?(?P<suf>{suffix})?"
        )
        self.suffix = ascii_pattern(rf"\s?(?:多|来|把|几)?\s?(?P<suf>{suffix})")
        longest = max((len(word) for word in before), default=0)
        self._reach = longest + 2

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
        low = _value(match["n1"], match["u1"], match["t1"])
        high = low
        end = match.end()
        if match["n2"]:
            high = _value(match["n2"], match["u2"], match["t2"])
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
    if language != "en":
        found += _chinese_amounts(masked, currencies, found)
        found.sort(key=lambda amount: amount.start)
    return found


def _chinese_amounts(masked: str, currencies: Currencies, known: Sequence[Amount]) -> Iterable[Amount]:
    room = _MOST
    for match in _ZH_NUMBER.finditer(masked):
        if len(match.group()) == 1 and match.group() != "万":
            continue
        if any(a.start <= match.start() < a.end for a in known):
            continue
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


def _value(number: str, unit: str | None, tail: str | None) -> float:
    value = float(number.replace(",", "")) * (_UNITS.get(unit.strip(), 1.0) if unit else 1.0)
    if tail and unit:
        value += int(tail) * _UNITS[unit] / 10
    return round(value, 2)


_BEFORE_ONLY = frozenset(
    (
        "under",
        "below",
        "less than",
        "up to",
        "within",
        "sub",
        "cheaper than",
        "over",
        "above",
        "more than",
        "from",
        "at least",
    )
)
_REACH_AFTER = {"hour": 4, "month": 4, "kwh": 4, "salary": 4, "credit": 12, "difference": 2}
_NOT_BEFORE = ascii_pattern(r"(?:isn'?t|is not|wasn'?t|not|不是|不再是)\s*(?:really |actually )?$")
_CARD_BEFORE = ascii_pattern(
    rf"{CARD}(?:[\s{OTHER}]|gb|g\b)*(?:cards?|卡|显卡|laptop)?\s?(?:\(|@|=|:|-|for|at|is|was|costs?|costing|"
    rf"are|listed at|goes for|"
    r"sells for|selling for|used|used at|used for|要|卖|才|只要|报价|标价|价格|挂|现在|二手|收|出|才卖|"
    r",\s?)?\s?(?:about|around|only|like|~|大概|就)?\s?$"
)
_CARD_AFTER = ascii_pattern(
    rf"(?:\s|的|for|per|a|an|the|used|new|new:|one|single|card|each|收|收张|收一张|买|买张|入|入手|拿|拿下|"
    rf"一张|张|块|二手|全新|这张|那张|:){{0,6}}{CARD}"
)
_CARD_WORD_AFTER = ascii_pattern(r"\s?(?:card|cards|gpu|gpus|显卡)\b")
_FOR_A_CARD = ascii_pattern(r"\s*for (?:a|an|one|the|that|this)\b")


class Ledger:
    """Reads amounts as budget, offers, rates. One per text; `hits` are the vocabulary's finds."""

    def __init__(self, masked: str, hits: Mapping[str, Sequence[Hit]], language: Language) -> None:
        """`masked` is the folded text with cards and other quantities masked."""
        self._text, self._language = masked, language
        self._bounds = hits.get("bounds", ())
        self._contexts = hits.get("amounts", ())

    def read(self, amounts: Sequence[Amount], card_count: int) -> Finances:
        """`card_count`: how many cards the text speaks of, for budgets that cover several."""
        candidates: list[tuple[Amount, frozenset[str]]] = []
        asking: list[tuple[Money, int]] = []
        hourly = electricity = None
        bare: Amount | None = None
        negated = False
        last_end = -10
        for amount in amounts:
            cues = self._cues(amount)
            code = self._currency(amount)
            told = amount.currency is not None
            use = self._use(amount)
            if use and told:
                if use == "hour":
                    hourly = hourly or Money(amount.high, code or "USD")
                elif use == "kwh":
                    electricity = electricity or Money(amount.high, code or "USD")
                continue
            # A sum in brackets right behind another one is the same sum in other money.
            if told and amount.start - last_end <= 3 and "(" in self._text[max(0, last_end) : amount.start]:
                continue
            if _NOT_BEFORE.search(self._text, max(0, amount.start - 24), amount.start):
                if cues or told:
                    negated = True
                continue
            if negated:
                cues, negated = cues | {"budget"}, False
            if told:
                last_end = amount.end
            if self._is_asking(amount, cues, told):
                asking.append((Money(amount.high, code or "USD"), amount.start))
            elif told or (cues and (amount.high >= 100 or amount.low)):
                candidates.append((amount, cues))
            elif bare is None:
                bare = amount
        budget = self._budget(candidates, asking, card_count)
        return Finances(budget, tuple(asking), hourly, electricity, bare, len(candidates) + len(asking))

    def budget_of(self, amount: Amount, cues: frozenset[str] = frozenset()) -> Budget:
        """The budget that one amount states."""
        low, high = amount.low, amount.high
        maximum: float | None = high
        if "min" in cues and low is None and "max" not in cues:
            low, maximum = high, None
        scope = "system" if any(h.value == "machine" for h in self._contexts) else "gpu"
        if any(h.value == "card_only" for h in self._contexts):
            scope = "gpu"
        covers = 2 if any(h.value == "cover_all" for h in self._contexts) else None
        return Budget(
            max=maximum, min=low, currency=self._currency(amount), approx="approx" in cues,
            scope="system" if scope == "system" else "gpu", covers=covers,
        )  # fmt: skip

    def _budget(
        self, candidates: list[tuple[Amount, frozenset[str]]], asking: list[tuple[Money, int]], card_count: int
    ) -> Budget | None:
        bounded = [item for item in candidates if item[1]]
        if bounded:
            strong = [item for item in bounded if "budget" in item[1] or "max" in item[1]]
            amount, cues = (strong or bounded)[0]
        elif len(candidates) == 1 and not asking:
            amount, cues = candidates[0]
        else:
            return None
        budget = self.budget_of(amount, cues)
        if budget.covers is not None and card_count > 1:
            return Budget(budget.max, budget.min, budget.currency, budget.approx, budget.scope, card_count)
        return budget

    def _currency(self, amount: Amount) -> str | None:
        code = amount.currency
        if code == "LOCAL" or (code is None and self._language != "en"):
            if self._language == "zh-TW":
                return "HKD" if any(w in self._text for w in ("港", "砌机", "蚊")) else "TWD"
            return "CNY"
        # A bare $ of several thousand in a Traditional text is a price of Taiwan's lists.
        if code == "USD" and self._language == "zh-TW" and "$" in self._text[amount.start : amount.start + 2]:
            return "TWD" if amount.high >= 5000 else "USD"
        return code

    def _use(self, amount: Amount) -> str | None:
        """What an amount is instead of a budget, by the words right beside it."""
        for hit in self._contexts:
            use = hit.value
            reach = _REACH_AFTER.get(use)
            if reach is None:
                continue
            if 0 <= hit.start - amount.end <= reach:
                return use
            if use in ("salary", "kwh", "credit") and 0 <= amount.start - hit.end <= 6:
                return use
        return None

    def _cues(self, amount: Amount) -> frozenset[str]:
        text, found = self._text, []
        for hit in self._bounds:
            reach = 28 if hit.value == "budget" else 10 if hit.value == "max" else 8
            if hit.end <= amount.start:
                gap = text[hit.end : amount.start]
            elif hit.start >= amount.end:
                gap = text[amount.end : hit.start]
                # Behind an amount stand 以内, 左右, "max", "tops", "or so"; never "under" or "about".
                reach = 14 if hit.value == "budget" else 5
                if self._language == "en" and text[hit.start : hit.end] in _BEFORE_ONLY:
                    continue
            else:
                found.append(hit.value)
                continue
            if len(gap) <= reach and not _BREAK.search(gap) and CARD not in gap and not any(c.isdigit() for c in gap):
                found.append("max" if hit.value == "between" else hit.value)
        start = amount.start
        if start and text[max(0, start - 2) : start].strip().endswith("~"):
            found.append("approx")
        return frozenset(found)

    def _is_asking(self, amount: Amount, cues: frozenset[str], told: bool) -> bool:
        text = self._text
        beside = _CARD_BEFORE.search(text, max(0, amount.start - 40), amount.start)
        after = _CARD_AFTER.match(text, amount.end) if not beside else None
        if cues & {"budget", "max", "min"} or ("approx" in cues and not beside and not after):
            return False
        if beside and (told or self._language != "en"):
            # "4090, 1200 左右" sets a limit; "40HX三百出头" is an offer.
            return "approx" not in cues or "," not in beside.group()
        if after and (told or self._language != "en"):
            return True
        if not told:
            return False
        if _CARD_WORD_AFTER.match(text, amount.end) or _FOR_A_CARD.match(text, amount.end):
            # "an $800 card", "$1700 for an ..." complain of a price; "$800 gpu?" asks for one.
            return "madness" in text or "worth" in text or CARD in text[amount.end : amount.end + 30]
        return any(
            h.value == "asking" and (-1 <= amount.start - h.end <= 5 or 0 <= h.start - amount.end <= 2)
            and CARD in text
            for h in self._contexts
        )  # fmt: skip
