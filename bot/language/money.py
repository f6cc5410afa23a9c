"""Which of the amounts of money in a text is a budget, and what the others are: offers, rates, fees, differences."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.language.amounts import CARD, OTHER, Amount
from bot.language.normalise import ascii_pattern
from bot.language.vocabulary import Hit
from bot.request import Budget, Language, Money

_BREAK = ascii_pattern(r"[.;?!\n](?!\d)|, ")


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
_REACH_AFTER = {"hour": 4, "month": 4, "kwh": 4, "salary": 4, "credit": 22, "difference": 2}
_REACH_BEFORE = {"salary": 6, "kwh": 10, "credit": 6, "gap": 3, "others": 20}
_NEGATED = ascii_pattern(
    r"(?:\b(?:dont|cant|wont|wouldnt|shouldnt|couldnt|cannot|not|never|no|without)\b|n't\b|不|别)[^.;?!,\n]{0,26}$"
)
"""A negation before "more than" makes a lower bound an upper one ("don't want to spend more than")."""
_NOT_JUST = ascii_pattern(r"\b(?:not|no|nothing) $")
_AFTER_SIZE = ascii_pattern(rf"(?:{CARD}|{OTHER})(?:[\s{OTHER}]|gb|g\b)*(?:(?:on|from|off|via) [a-z]{{2,14}}\s?)?$")
_MOST_SHARED = 8
"""Cards looked at that may share one price."""
_SMALLEST = 5
"""Less money than this buys no card: it is a rate or a fee, in any currency."""
_BETWEEN = ascii_pattern(
    r"\s?(?:is|are|was|costs?|for|at|:|=|another|an extra|要|大概)?\s?(?:about |around |only |~|like )?"
)
_NOT_BEFORE = ascii_pattern(r"(?:isn'?t|is not|wasn'?t|not|不是|不再是)\s*(?:really |actually )?$")
_CARD_BEFORE = ascii_pattern(
    rf"(?:{CARD}|{OTHER}的)(?:[\s{OTHER}]|gb|g\b)*(?:cards?|卡|显卡|laptop|洋垃圾|矿卡|矿渣|拆机|垃圾)?"
    rf"(?:\s(?:from|on|off|via) [a-z]{{2,14}})?\s?(?:\(|@|=|:|-|for|at|is|was|costs?|costing|"
    rf"are|listed at|goes for|"
    r"sells for|selling for|for like|for about|wants|asks|asking|"
    r"used|used at|used for|要|卖|才|只要|报价|标价|价格|挂|现在|二手|全新|现货|收|出|才卖|"
    r",\s?)?\s?(?:about|around|only|like|~|大概|就)?\s?$"
)
_FOR_EACH = ascii_pattern(
    r"\b(?:both|each|either|all|两个都|都)\s?(?:are |at |around |about |for |cost |go for |[~@] ?)*$"
)
_CARD_NAME = ascii_pattern(f"{CARD}+")
_PRONOUN = ascii_pattern(
    r"\b(?:they|it|these|those|that|one)(?:'re|'s|s| are| is| costs?| go(?:es)? for| sells? for)\s(?:about |like |"
    r"only |just |around |now )?$"
)
_CARD_AFTER = ascii_pattern(
    rf"(?:\s|的|for|per|a|an|the|used|new|new:|one|single|card|each|收|收张|收一张|买|买张|入|入手|拿|拿下|"
    rf"一张|张|块|二手|全新|这张|那张|:){{0,6}}{CARD}"
)
_CARD_WORD_AFTER = ascii_pattern(r"\s?(?:card|cards|gpu|gpus|显卡)\b")
_BUNDLE_WORDS = {"one": 1, "two": 2, "both": 2, "pair": 2, "three": 3, "four": 4}
_BUNDLE = ascii_pattern(r"(?<![\w.])(\d{1,2}|one|two|three|four|both|pair) for (?:only |just |about |around |like )?$")
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
        spoken = next((amount.currency for amount in amounts if amount.currency), None)
        last_end = -10
        for amount in amounts:
            cues = self._cues(amount)
            code = self._currency(amount)
            told = amount.currency is not None
            use = self._use(amount)
            if use in ("gap", "difference", "others") or self._is_accessory(amount):
                continue
            if told and amount.high < _SMALLEST and not use:
                continue
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
            shared = self._shared(amount)
            if shared and not cues & {"budget", "max", "min"}:
                asking += [(Money(amount.high, code or "USD"), place) for place in shared]
            elif told and (bundle := self._bundle(amount)) and not cues & {"budget", "max", "min"}:
                asking.append(bundle)
            elif self._is_asking(amount, cues, told):
                asking.append((Money(amount.high, code or "USD"), self._place(amount)))
            elif spoken and not told and not cues and amount.high >= 100 and self._beside(amount):
                # "My limit is 25k INR, the 3060 is 27k here": a price in the money that the text speaks of.
                asking.append((Money(amount.high, spoken if spoken != "LOCAL" else code or "USD"), amount.start))
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
            strong = [item for item in bounded if item[1] & {"budget", "max"}]
            told = [item for item in bounded if item[0].currency]
            mended = [item for item in bounded if "corrected" in item[1]]
            # "... gave us 9000. Now it is only 6000": what is put right last holds.
            amount, cues = mended[-1] if mended else (strong or told or bounded)[0]
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
            if reach is not None and 0 <= hit.start - amount.end <= reach and not self._bounded_by(hit):
                return use
            before = _REACH_BEFORE.get(use)
            beside = before is not None and 0 <= amount.start - hit.end <= before
            if use == "others" and beside and _BREAK.search(self._text, hit.end, amount.start):
                continue
            if beside and (use != "kwh" or amount.high < 100):
                return use
        return None

    def _bounded_by(self, context: Hit) -> bool:
        """Whether a word of another use is part of a bound ("more or less", "or less")."""
        return any(hit.start <= context.start and context.end <= hit.end and hit.end - hit.start > context.end
                   - context.start for hit in self._bounds)  # fmt: skip

    def _is_accessory(self, amount: Amount) -> bool:
        """Whether the amount is said to be the price of a part beside the card ("the bridge is 80 quid")."""
        return any(
            hit.value == "accessory" and 0 <= amount.start - hit.end <= 16
            and _BETWEEN.fullmatch(self._text, hit.end, amount.start) is not None
            for hit in self._contexts
        )  # fmt: skip

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
                negated = hit.value == "min" and hit.end <= amount.start and text[hit.start : hit.end] in _BEFORE_ONLY
                below = text[hit.start : hit.end] in ("under", "below", "less than")
                if negated and _NEGATED.search(text, max(0, hit.start - 40), hit.start):
                    found.append("max")
                elif below and _NOT_JUST.search(text, max(0, hit.start - 8), hit.start):
                    found.append("min")
                else:
                    found.append("max" if hit.value == "between" else hit.value)
        start = amount.start
        if "ish" in text[start : amount.end]:
            found.append("approx")
        if start and text[max(0, start - 2) : start].strip().endswith("~"):
            found.append("approx")
        return frozenset(found)

    def _shared(self, amount: Amount) -> list[int]:
        """The places of the cards before an amount that is said to be the price of each of them ("both ~250")."""
        if not _FOR_EACH.search(self._text, max(0, amount.start - 24), amount.start):
            return []
        names = itertools.islice(_CARD_NAME.finditer(self._text), _MOST_SHARED)
        places = [match.end() for match in names]
        before = [place for place in places if place <= amount.start]
        after = [place for place in places if place > amount.end]
        return next((places for places in (before, after) if len(places) > 1), [])

    def _beside(self, amount: Amount) -> bool:
        """Whether the amount stands right behind a card's name."""
        return _CARD_BEFORE.search(self._text, max(0, amount.start - 40), amount.start) is not None

    def _place(self, amount: Amount) -> int:
        """Where the card stands that an asking price belongs to: right before it, or else where the amount is."""
        if self._beside(amount) or self._bracketed(amount):
            return self._text.rfind(CARD, 0, amount.start) + 1 or amount.start
        return amount.start

    def _bracketed(self, amount: Amount) -> bool:
        """Whether the amount stands in brackets right behind a card ("a5000 (second hand, 1100 chf)")."""
        opened = self._text.rfind("(", max(0, amount.start - 60), amount.start)
        if (
            opened < 0
            or ")" in self._text[opened : amount.start]
            or ")" not in self._text[amount.end : amount.end + 24]
        ):
            return False
        return _AFTER_SIZE.search(self._text, max(0, opened - 24), opened) is not None

    def _bundle(self, amount: Amount) -> tuple[Money, int] | None:
        """The price of one card where several of the one named before are sold together ("V100, 2 for $900")."""
        match = _BUNDLE.search(self._text, max(0, amount.start - 24), amount.start)
        place = self._text.rfind(CARD, 0, amount.start) if match else -1
        if match is None or place < 0:
            return None
        cards = int(match[1]) if match[1].isdigit() else _BUNDLE_WORDS[match[1]]
        return Money(round(amount.high / max(cards, 1), 2), self._currency(amount) or "USD"), place + 1

    def _offered(self, amount: Amount) -> bool:
        """Whether a seller's word stands before the amount or a verdict on it behind, even where no currency does."""
        return any(
            (hit.value == "offer" and 0 <= amount.start - hit.end <= 2)
            or (hit.value == "verdict" and 0 <= hit.start - amount.end <= 2)
            or (hit.value == "asking" and 0 <= hit.start - amount.end <= 1 and self._text[hit.end - 1] == "的")
            for hit in self._contexts
        )  # fmt: skip

    def _is_asking(self, amount: Amount, cues: frozenset[str], told: bool) -> bool:
        text = self._text
        beside = _CARD_BEFORE.search(text, max(0, amount.start - 40), amount.start)
        after = _CARD_AFTER.match(text, amount.end) if not beside else None
        if cues & {"budget", "max", "min"} or ("approx" in cues and not beside and not after):
            return False
        if told and CARD in text[: amount.start] and self._bracketed(amount):
            return True
        if told and CARD in text[: amount.start] and _PRONOUN.search(text, max(0, amount.start - 24), amount.start):
            return True
        if beside and (told or self._language != "en"):
            # "4090, 1200 左右" sets a limit; "40HX三百出头" is an offer.
            return "approx" not in cues or "," not in beside.group()
        if after and (told or self._language != "en"):
            return True
        if CARD in text and self._offered(amount):
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
