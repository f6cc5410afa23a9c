"""Follow-ups: what a turn takes over from the ones before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.request import Request

_ELLIPTIC_TOKENS = 14
# What a later turn keeps unless it says otherwise: the task and the frame, not the cards under discussion.
_FRAME = (
    "workloads", "modes", "form_factors", "not_vendors", "condition", "level", "operating_system", "deployment",
    "large_data", "multi_gpu", "electricity_per_kwh", "hours_per_week", "keep_years", "as_of",
)  # fmt: skip
# What only a turn that cannot stand alone keeps.
_ELLIPTIC = ("budget", "models", "precision", "method", "context_tokens", "batch", "users", "vendors", "gpus")


def leans(size: int, lean_cue: bool, request: Request) -> bool:
    """Whether a turn with turns before it needs them: short, or opened with a leaning word, or without a subject."""
    subject = bool(request.workloads or request.models)
    if size <= 4:
        return True
    return (lean_cue and (size <= _ELLIPTIC_TOKENS or not subject)) or (not subject and size <= _ELLIPTIC_TOKENS)


def inherit(request: Request, before: Request, elliptic: bool) -> Request:
    """The request with the unsaid slots taken from `before`; `inherited` names them. What this turn says wins."""
    changes: dict[str, Any] = {}
    if request.kind in ("smalltalk", "out_of_scope"):
        return request
    subject_changed = bool(request.workloads) and not elliptic
    names = () if subject_changed else _FRAME
    for name in names + (_ELLIPTIC if elliptic else ()):
        if getattr(request, name) in (None, (), False) and getattr(before, name) not in (None, (), False):
            changes[name] = getattr(before, name)
    # Another card or another model replaces the talk of the earlier ones; a new need of memory does not.
    if request.ambiguous_gpus or request.unknown_gpus:
        changes.pop("gpus", None)
    budget, earlier = request.budget, before.budget
    if budget and earlier and budget.currency is None and earlier.currency:
        changes["budget"] = replace(budget, currency=earlier.currency, scope=earlier.scope)
    if not changes:
        return request
    return replace(request, **changes, inherited=tuple(sorted({*changes, *request.inherited})))
