"""Exchanges for tests."""

import json
from typing import Any

from bot.storage.querylog import Exchange


def exchange(number: int = 1, **changes: Any) -> Exchange:
    """One exchange; every field can be changed."""
    fields: dict[str, Any] = {
        "id": f"{number:010x}",
        "at": 1_790_000_000 + number,
        "user": "ann",
        "surface": "slash",
        "question": f"question {number}",
        "kind": "recommend",
        "confidence": 0.8,
        "took_ms": 1.5,
        "answer": json.dumps({"facts": ["tensor-cores"], "text": "An RTX 3090."}),
    }
    return Exchange(**(fields | changes))
