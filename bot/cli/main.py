"""The `whichgpu` command: finds the command named, imports only its module, runs it."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from bot import __version__
from bot.tables import DataError

COMMANDS = {
    "ask": "answer one question",
    "chat": "a conversation with follow-ups",
    "recommend": "which GPU to buy for stated needs",
    "fit": "does a model fit a card, and what would make it fit",
    "estimate": "relative speed or tokens per second",
    "price": "prices known for a card, with their dates",
    "prices": "fetch prices, see what is in force, go back",
    "report": "what was asked and not answered, thumbs, latency",
    "cost": "rent or buy: the break-even",
    "catalogue": "the GPUs known: show, list, check",
    "knowledge": "the curated facts: search, show, lint",
    "backtest": "the guides' advice, row by row, through today's engine",
    "eval": "score the bot on labelled questions",
    "bench": "speed, side by side in one run",
    "run": "run the Discord bot",
    "sync": "send the bot's commands to Discord",
    "doctor": "check settings, data, database and Discord",
    "healthcheck": "is the running bot alive and connected (for containers)",
}

_EPILOG = """examples:
  whichgpu ask 'which GPU for NLP under $800?'
  whichgpu ask '三张P40能跑什么模型'
  whichgpu chat
  whichgpu ask --json 'does a 70B model fit two 3090s?'
  whichgpu catalogue show 'RTX 3090'

Every command has --help with examples of its own."""


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser. `only` names the one command to set up in full; the others are listed without their options."""
    parser = argparse.ArgumentParser(
        prog="whichgpu",
        description="Answers which GPU to use for deep learning, with dated prices and sources.",
        epilog=_EPILOG,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=24),
    )
    parser.add_argument("--version", action="version", version=f"whichgpu {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        sub = commands.add_parser(name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter)
        if only in (None, name):
            module = importlib.import_module(f"bot.cli.commands.{name}")
            module.configure(sub)
            sub.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0 good, 1 the command found faults, 2 wrong use, 3 broken data."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    only = next((word for word in arguments if not word.startswith("-")), "")
    args = build_parser(only).parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        # Text that the terminal's encoding lacks (a lone surrogate, Chinese on an ASCII console) is replaced.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        return int(args.run(args))
    except DataError as error:
        print(f"whichgpu: a data file is broken.\n  {error}", file=sys.stderr)
        return 3
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
