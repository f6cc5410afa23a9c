"""`whichgpu ask`: one question, or JSON lines."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from datetime import date
from typing import Any

HELP = "answer one question"
_AS_OF = re.compile(r"(19|20)\d\d(-(0[1-9]|1[0-2]))?")


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "Answer one question on GPUs for deep learning, in English or Chinese."
    parser.epilog = """examples:
  whichgpu ask 'which GPU for NLP under $800?'
  whichgpu ask '预算8k，想本地跑大模型'
  whichgpu ask --json '3090 or 4090 for fine-tuning?'
  echo '{"text": "and with 1200?", "turns_before": ["which GPU for NLP under $800?"]}' | whichgpu ask --jsonl"""
    parser.add_argument("text", nargs="*", help="the question; - or nothing reads it from standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--jsonl", action="store_true", help="read JSON lines from standard input, write JSON lines")
    parser.add_argument("--locale", help="the asker's language, such as en-US, zh-CN or zh-TW")
    parser.add_argument("--as-of", help="answer as of that month, such as 2019-04")


def run(args: argparse.Namespace) -> int:
    """Answer, and print it the way asked for."""
    if args.as_of and not _AS_OF.fullmatch(args.as_of):
        print(f"whichgpu ask: --as-of {args.as_of!r} is not a month. Write it like 2019-04.", file=sys.stderr)
        return 2
    if args.jsonl:
        from bot.cli.jsonl import answer_lines

        return answer_lines(_answer, '{"id": 1, "text": "..."}')
    text = " ".join(args.text)
    if text in ("", "-"):
        if sys.stdin.isatty():
            print(
                "whichgpu ask: what is the question? Example: whichgpu ask 'is 12 GB enough for SDXL?'", file=sys.stderr
            )
            return 2
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if args.json:
        print(json.dumps(_answer({"text": text, "locale": args.locale, "as_of": args.as_of}), ensure_ascii=False))
        return 0
    from bot.cli.refreshed import load_assistant
    from bot.cli.show import show
    from bot.request import Question

    show(load_assistant().answer(Question(text, date.today(), locale=args.locale, as_of=args.as_of)))  # noqa: DTZ011
    return 0


def _answer(line: dict[str, Any]) -> dict[str, Any]:
    from bot.answers.as_json import answer_json
    from bot.cli.refreshed import load_assistant
    from bot.request import Question

    assistant = load_assistant()
    question = Question(
        text=str(line.get("text") or ""),
        today=date.today(),  # noqa: DTZ011 - the asker's own day is meant
        turns_before=tuple(str(turn) for turn in line.get("turns_before") or ()),
        locale=line.get("locale"),
        as_of=line.get("as_of"),
        id=line.get("id"),
    )
    start = time.perf_counter()
    answer = assistant.answer(question)
    return answer_json(answer, (time.perf_counter() - start) * 1000)
