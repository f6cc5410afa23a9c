"""What was understood, as the JSON answer and the query log spell it."""

from __future__ import annotations

import re
from typing import Any

from bot.request import Request

_VENDOR_PREFIXES = (
    ("RX ", "amd"), ("Radeon", "amd"), ("MI", "amd"), ("Vega", "amd"), ("Arc ", "intel"), ("Gaudi", "intel"),
    ("TPU", "google"), ("Ascend", "huawei"),
)  # fmt: skip


# M2 Ultra, M4; not the Tesla M40 or M60.
_APPLE = re.compile(r"M\d( |$)")


def vendor_of_name(name: str) -> str | None:
    """The vendor that a canonical name shows, for those that are not NVIDIA's."""
    if _APPLE.match(name):
        return "apple"
    return next((vendor for prefix, vendor in _VENDOR_PREFIXES if name.startswith(prefix)), None)


def main_memory_gb(request: Request) -> float | None:
    """The one memory size that a question turns on."""
    return request.memory_gb[0] if request.memory_gb else None


def main_model(request: Request) -> str | None:
    """The one model that a question turns on: the first with a size, for that is the most exact."""
    sized = [mention for mention in request.models if mention.params_b]
    first = next(iter(sized or request.models), None)
    if first is None:
        return None
    # The same words may name a family and a row of the table: the family says what was written ("FLUX.1 dev"), the
    # table wins where its name only says more ("DeepSeek-R1-Distill-Qwen 32B").
    same = [mention for mention in request.models if (mention.start, mention.end) == (first.start, first.end)]
    words = _name_words(same[0].name)
    fuller = [m.name for m in same[1:] if same[0].params_b and words < _name_words(m.name)]
    if fuller:
        return fuller[0]
    # "Flux ... I tried schnell": the variant named later is the one that is meant.
    longer = [m.name for m in request.models if not first.params_b and m.name.startswith(same[0].name + ".")]
    return longer[0] if longer else same[0].name


def _name_words(name: str) -> set[str]:
    return set(re.split(r"[\s_-]+", name.casefold()))


def understood(request: Request) -> dict[str, Any]:
    """The `understood` table: every key always there, unknown is None or an empty list."""
    budget = request.budget
    makers = [v for v in request.vendors if v in ("nvidia", "amd", "intel")]
    vendor: str | None = next(iter(makers or request.vendors), None)
    if vendor is None:
        vendor = next((v for v in (vendor_of_name(m.name) for m in request.gpus) if v), None)
    return {
        "workload": list(request.workloads),
        "budget": None
        if budget is None
        else {
            "min": budget.min,
            "max": budget.max,
            "currency": budget.currency,
            "approx": budget.approx,
            "scope": budget.scope,
        },
        "gpus": [{"name": name, "role": role} for name, role in {m.name: m.role for m in request.gpus}.items()],
        "unknown_gpus": [unknown.text for unknown in request.unknown_gpus],
        "memory_gb": main_memory_gb(request),
        "count": request.count,
        "vendor": vendor,
        "not_vendor": request.not_vendors[0] if request.not_vendors else None,
        "condition": request.condition,
        "mode": request.modes[0] if request.modes else None,
        "model": main_model(request),
        "form_factor": next((form for form in request.form_factors if form != "egpu"), None),
        "as_of": request.as_of,
        "level": request.level,
    }
