"""Print an answer: rich in a terminal, plain text where the output is piped."""

from __future__ import annotations

import sys

from bot.answers.blocks import Answer


def show(answer: Answer) -> None:
    """Print the answer on standard output."""
    if sys.stdout.isatty():
        from bot.cli.console import print_answer

        print_answer(answer)
    else:
        from bot.answers.plain import plain_text

        print(plain_text(answer))
