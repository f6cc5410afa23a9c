"""The slots of a request that single words of the vocabulary fill, and those that numbers fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from bot.language.normalise import ascii_pattern
from bot.language.quantities import Quantities
from bot.language.vocabulary import Hit
from bot.request import Vendor

_MOST = 24
"""Makers and negations looked at in one text."""
_SUBJECTS = frozenset({"greeting", "thanks", "abuse", "cpu", "games", "mining", "finance", "coding"})
"""Intent topics that an answer names: what kind of small talk it is, which other subject."""
_RENT_OR_BUY = ascii_pattern(
    r"\brent(?:ing)?\b[^.?!]{0,40}\bor\b[^.?!]{0,30}\bbuy|\bbuy(?:ing)?\b[^.?!]{0,40}\bor\b[^.?!]{0,30}\b(?:rent|cloud)|"
    r"租[^。?!]{0,10}还是[^。?!]{0,8}买|买[^。?!]{0,10}还是[^。?!]{0,8}租"
)


def slots_of(topics: Mapping[str, Sequence[Hit]], folded: str) -> dict[str, Any]:
    """The slots that single words of the vocabulary fill."""

    def values(topic: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(hit.value for hit in topics.get(topic, ())))

    wishes = values("wishes")
    vendors: dict[str, None] = {}
    not_vendors: dict[str, None] = {}
    negations = topics.get("negations", ())[:_MOST]
    for hit in topics.get("vendors", ())[:_MOST]:
        (not_vendors if _turned_away(hit, negations) else vendors).setdefault(hit.value)
    conditions = values("conditions")
    condition = None
    if "any" in conditions or {"used", "new"} <= set(conditions):
        condition = "any" if "any" in conditions else conditions[0]
    elif conditions:
        condition = conditions[0]
    forms = values("form_factors")
    precision, method, guide, level, system, framework = (
        next(iter(values(topic)), None)
        for topic in ("precisions", "methods", "guides", "levels", "systems", "frameworks")
    )
    asks = values("asks")
    if "rent_or_buy" not in asks and _RENT_OR_BUY.search(folded):
        asks = ("rent_or_buy", *asks)
    deployment = "datacenter" if "datacenter" in wishes else "cloud" if "cloud" in wishes else None
    return {
        "vendors": tuple(cast("Vendor", v) for v in vendors if v not in not_vendors),
        "not_vendors": tuple(cast("Vendor", v) for v in not_vendors),
        "condition": condition,
        "form_factors": forms,
        "level": level,
        "operating_system": system,
        "precision": precision,
        "method": method,
        "guide": guide,
        "framework": framework,
        "asks": (*asks, *(value for value in values("intents") if value in _SUBJECTS)),
        "wants_value": "value" in wishes,
        "wants_cheapest": "cheapest" in wishes,
        "wants_fastest": "fastest" in wishes,
        "wants_no_limit": "no_limit" in wishes,
        "multi_gpu": "multi_gpu" in wishes,
        "large_data": "large_data" in wishes,
        "deployment": deployment,
    }


def _turned_away(hit: Hit, negations: Sequence[Hit]) -> bool:
    """Whether a maker is refused: a negation before or behind it with nothing but filling words between."""
    if not negations:
        return False
    filled = {place for each in negations if each.value != "after" for place in range(each.first, each.last)}
    for each in negations:
        if each.value == "before" and each.last <= hit.first <= each.last + 6:
            why = any(n.value == "question" and n.last == each.first for n in negations)
            if not why and all(place in filled for place in range(each.last, hit.first)):
                return True
        if each.value == "after" and hit.last <= each.first <= hit.last + 2:
            return True
    return False


def numbers_of(quantities: Quantities) -> dict[str, Any]:
    """The slots that numbers fill."""
    return {
        "context_tokens": quantities.context_tokens,
        "batch": quantities.batch,
        "users": quantities.users,
        "resolution_px": quantities.resolution_px,
        "watts": tuple(quantities.watts),
        "slots": quantities.slots,
        "hours_per_week": quantities.hours_per_week,
        "keep_years": quantities.keep_years,
        "as_of": quantities.as_of,
    }
