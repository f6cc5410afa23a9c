"""`whichgpu chat`: a conversation in the terminal, with follow-ups and history."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import deque
from datetime import date

HELP = "a conversation with follow-ups"
REMEMBERED_TURNS = 6
_LEAVE = {"exit", "quit", ":q", "/exit", "/quit", "退出", "再见", "再見"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = (
        'Talk with the bot: each question may build on the ones before ("and with 1200?"). '
        "Arrow keys recall earlier questions. An empty line, exit or Ctrl-D ends it; /new forgets the conversation."
    )
    parser.epilog = "examples:\n  whichgpu chat\n  whichgpu chat --locale zh-TW"
    parser.add_argument("--locale", help="the asker's language, such as en-US, zh-CN or zh-TW")


def run(args: argparse.Namespace) -> int:
    """Read questions until the person leaves."""
    from bot.cli.refreshed import load_assistant
    from bot.cli.show import show
    from bot.request import Question

    with contextlib.suppress(ImportError):  # Windows has none
        import readline  # noqa: F401 - importing it gives input() line editing and history
    assistant = load_assistant()
    turns: deque[str] = deque(maxlen=REMEMBERED_TURNS)
    interactive = sys.stdin.isatty()
    if interactive:
        print("Ask about GPUs for deep learning. /new starts afresh, an empty line ends.")
    while True:
        try:
            text = input("> " if interactive else "").strip()
        except EOFError:
            return 0
        if text.lower() in _LEAVE or (interactive and not text):
            return 0
        if text == "/new":
            turns.clear()
            continue
        if not text:
            continue
        show(assistant.answer(Question(text, date.today(), tuple(turns), locale=args.locale)))  # noqa: DTZ011
        print()
        turns.append(text)
