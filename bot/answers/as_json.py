"""The Answer as the JSON object that `whichgpu ask --json` prints and the query log keeps."""

from __future__ import annotations

from typing import Any

from bot.answers.blocks import Answer, Pick
from bot.answers.plain import plain_text
from bot.language.understood import understood


def _money(amount: float, currency: str) -> dict[str, Any]:
    return {"amount": round(amount, 2), "currency": currency}


def pick_json(pick: Pick) -> dict[str, Any]:
    """One pick; `price` is per card and null where no price is known."""
    price = None
    if pick.price is not None:
        price = _money(pick.price.money.amount, pick.price.money.currency)
        price |= {"as_of": pick.price.as_of, "source": pick.price.source, "kind": pick.price.kind}
    return {
        "gpu": pick.gpu,
        "count": pick.count,
        "condition": pick.condition,
        "price": price,
        "total": _money(pick.total.amount, pick.total.currency) if pick.total else None,
        "memory_gb": pick.memory_gb,
        "role": {"several": "cheaper", "used": "cheaper"}.get(pick.role, pick.role),
        "reasons": list(pick.reasons),
        "warnings": list(pick.warnings),
    }


def answer_json(answer: Answer, took_ms: float | None = None) -> dict[str, Any]:
    """Every key of the documented object; what is unknown is None or an empty list."""
    return {
        "id": answer.id,
        "language": answer.language,
        "kind": answer.kind,
        "understood": understood(answer.request),
        "title": answer.title,
        "text": plain_text(answer),
        "picks": [pick_json(pick) for pick in answer.picks],
        "facts": list(answer.facts),
        "sources": [{"title": s.title, "ref": s.ref, "as_of": s.as_of} for s in answer.sources],
        "confidence": round(answer.confidence, 3),
        "abstained": answer.abstained,
        "suggestions": [suggestion.question for suggestion in answer.suggestions],
        "took_ms": None if took_ms is None else round(took_ms, 3),
    }
