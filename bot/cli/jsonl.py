"""JSON lines in, JSON lines out: one way for every command, in order, going on after a fault."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any


class UsageError(Exception):
    """A wrong option, told as a person's sentence."""


def answer_lines(answer: Callable[[dict[str, Any]], dict[str, Any]], example: str) -> int:
    """Answer each line of standard input with a line on standard output. Returns the exit code: 1 after a fault.

    `answer` takes the object of a line and may raise UsageError, ValueError, TypeError or OverflowError for it; the
    line then gets {"id", "error"}. `example` shows what a line looks like.
    """
    faults = 0
    for number, raw in enumerate(sys.stdin.buffer, 1):
        if not raw.strip():
            continue
        request: Any = None
        try:
            request = json.loads(raw.decode("utf-8", "replace"))
        except ValueError as error:
            problem = str(error)
        else:
            problem = "" if isinstance(request, dict) else "it is something else"
        if problem:
            found: dict[str, Any] = {
                "id": None, "error": f"line {number} is not a JSON object ({problem}). Write lines such as {example}",
            }  # fmt: skip
            faults += 1
        else:
            try:
                found = answer(request)
            except (UsageError, ValueError, TypeError, OverflowError) as error:
                found = {"id": request.get("id"), "error": str(error)}
                faults += 1
        print(json.dumps(found, ensure_ascii=False), flush=True)
    return 1 if faults else 0
