"""The part a named card plays (owned, wanted, excluded, only mentioned) and how many of it there are."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from bot.language.normalise import ascii_pattern
from bot.language.vocabulary import Hit
from bot.request import GpuMention, Kind, Role

_CLAUSE = ascii_pattern(r"[.;?!\n](?!\d)|, |:| but | then ")
_LISTED = ascii_pattern(r"[\s,/&+]*(?:or|and|vs|nor|和|或|或者|,)?[\s,/]*(?:a|an|the|my|\d|两|张|[x*])?[\s]*")
_REACH = 16
_RANK: dict[str, int] = {"excluded": 3, "owned": 2, "candidate": 1, "mentioned": 0}

_COUNT_BEFORE = ascii_pattern(
    r"(?:(?<![\w.-])(\d{1,3})\s?(?:-|~|to)\s?)?(?<![\w.])(\d{1,3})\s?(?:[x*]\s?|块|张|片|个|卡|只|(?:new |"
    r"used |nvidia |tesla |geforce |amd |old )*)$"
)
_COUNT_AFTER = ascii_pattern(
    r"\s?(?:[x*]\s?(\d{1,2})(?![\d\s]*(?:gb|g\b|\d))|(双|单|两|三|四|八|8|4|2)卡|([一两俩三四五六八十\d]{1,2})\s?[张块片](?![\d图照卡])|\((?:x|\*)(\d{1,2})\)|pair\b)"
)
_WORD_BEFORE = ascii_pattern(
    r"(?:(?:or|to|-)\s)?(?:^|(?<![a-z]))(one|single|two|dual|pair of|pair|twin|three|triple|four|quad|five|six|"
    r"seven|eight|ten|twelve|sixteen|both)"
    r"[\s-](?:of\s|more\s|used\s|new\s|old\s|nvidia\s|tesla\s|geforce\s|second hand\s|the\s|my\s|single\s)*$"
)
_ZH_BEFORE = ascii_pattern(
    r"([一二两俩双三四五六七八九十单]|十六|三十二)(?:张|块|片|个|卡|只|路|条)?(?:二手|全新|新|旧|公版|涡轮|的|"
    r"老)?\s?$"
)
_WORDS = {
    "one": 1, "single": 1, "two": 2, "dual": 2, "pair of": 2, "pair": 2, "twin": 2, "both": 2, "three": 3, "triple": 3,
    "four": 4, "quad": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10, "twelve": 12, "sixteen": 16,
    "一": 1, "单": 1, "二": 2, "两": 2, "俩": 2, "双": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "十六": 16, "三十二": 32,
}  # fmt: skip
_FREE = ascii_pattern(
    r"(?<![\w.])(\d{1,3})\s?(?:x\s)?(?:(?:gpus?|cards|graphics cards|of them|of either|of each)\b|"
    r"块卡|张卡|张显卡|卡(?!槽))|"
    r"\b(one|single|two|dual|three|four|five|six|eight|ten|sixteen)\s(?:\w+\s)?(?:gpus?|cards?|graphics cards?)\b|"
    r"([单双两三四八])卡|([一两三四五六八十])张(?!图|照)|\bwith (two|three|four|eight)\b|\b(one|two) or (one|"
    r"two|three|fewer|four)\b|"
    r"\b(two|four|eight) or (?:more|fewer|less)\b|between (\d) and (\d{1,2}) gpus"
)


def counts_of(text: str, mention: GpuMention) -> tuple[int, ...]:
    """How many of a card the words beside it say, smallest first ("1-2 Tesla P40" gives both)."""
    before = text[max(0, mention.start - 32) : mention.start]
    after = text[mention.end : mention.end + 14]
    match = _COUNT_BEFORE.search(before)
    if match and 0 < int(match[2]) <= 256:
        return (int(match[1]), int(match[2])) if match[1] else (int(match[2]),)
    word = _WORD_BEFORE.search(before)
    if word:
        return (_WORDS[word[1]],)
    chinese = _ZH_BEFORE.search(before)
    if chinese:
        return (_WORDS[chinese[1]],)
    behind = _COUNT_AFTER.match(after)
    if behind:
        if behind[1] or behind[4]:
            return (int(behind[1] or behind[4]),)
        if behind[2] or behind[3]:
            number = behind[2] or behind[3]
            value = int(number) if number.isdigit() else _WORDS.get(number, 0)
            return (value,) if value else ()
        return (2,)
    return ()


def free_counts(text: str, covered: bytearray) -> list[int]:
    """Counts of cards that stand beside no card's name ("2 gpus", "双卡", "one or two")."""
    found: list[int] = []
    for match in itertools.islice(_FREE.finditer(text), 40):
        # "两张3090" and "3090双卡" were counted with their card.
        if covered[match.start()] or covered[match.end()] or (match.start() and covered[match.start() - 1]):
            continue
        for group in match.groups():
            if group in (None, "fewer"):
                continue
            value = int(group) if group.isdigit() else _WORDS.get(group, 0)
            if 0 < value <= 256:
                found.append(value)
    return found


def assign(text: str, mentions: Sequence[GpuMention], hits: Sequence[Hit]) -> tuple[GpuMention, ...]:
    """Mentions with counts and roles. A role told by no cue is "mentioned"; `settle` may raise it by the kind."""
    placed: list[GpuMention] = []
    starts = [hit.start for hit in hits]
    for i, mention in enumerate(mentions):
        counts = counts_of(text, mention)
        near = hits[bisect_left(starts, mention.start - 48) : bisect_left(starts, mention.end + 12)]
        role = _role(text, mention, near)
        # "I have a 3090 and a 3060": a list shares the cue of its first card.
        if role is None and i and _LISTED.fullmatch(text[mentions[i - 1].end : mention.start]):
            role = placed[-1].role
        count = mention.count or (counts[-1] if counts else None)
        placed.append(replace(mention, role=role or "mentioned", count=count))
    return tuple(placed)


def _role(text: str, mention: GpuMention, hits: Sequence[Hit]) -> Role | None:
    best: tuple[int, int, str] | None = None
    for hit in hits:
        if hit.value.endswith("_after"):
            gap = text[mention.end : hit.start] if hit.start >= mention.end else None
            reach, name = 6, hit.value[:-6]
            if gap and any(char.isdigit() for char in gap):
                continue  # "the 4070 is 550 here": a price is spoken of
        else:
            gap = text[hit.end : mention.start] if hit.end <= mention.start else None
            reach, name = _REACH, hit.value
        if gap is None or len(gap) > reach or _CLAUSE.search(gap):
            continue
        # The nearest cue speaks; a verdict behind the card ("is too expensive") outweighs what stands before.
        distance = -1 if name == "excluded" and hit.value.endswith("_after") else len(gap)
        key = (distance, -_RANK[name], name)
        if best is None or key < best:
            best = key
    if best is None:
        return None
    role: Role = best[2]  # type: ignore[assignment]
    return role


def settle(mentions: Sequence[GpuMention], kind: Kind) -> tuple[GpuMention, ...]:
    """Cards without a cue are candidates where the question is about them."""
    if kind not in ("compare", "fit", "spec", "price", "ambiguous"):
        return tuple(mentions)
    return tuple(replace(m, role="candidate") if m.role == "mentioned" else m for m in mentions)


def merged(mentions: Sequence[GpuMention]) -> list[GpuMention]:
    """Each card once. A name said again refers to the card named before, also when the second time leaves the
    memory out ("3060 12gb ... the 3060"); the strongest role and the first count stay."""
    kept: list[GpuMention] = []
    for mention in mentions:
        place = next(
            (i for i, k in enumerate(kept) if k.name == mention.name or (k.name.startswith(mention.name + " ")
             and k.name[len(mention.name) + 1 :].removesuffix("GB").isdigit())), None,
        )  # fmt: skip
        if place is None:
            kept.append(mention)
            continue
        before = kept[place]
        if mention.count and before.count and mention.count != before.count and mention.name == before.name:
            kept.append(mention)  # "dual 3090 or a single one": two plans
            continue
        role = max(before.role, mention.role, key=lambda each: _RANK[each])
        kept[place] = replace(before, role=role, count=before.count or mention.count)
    return kept
