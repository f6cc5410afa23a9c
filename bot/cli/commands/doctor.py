"""`whichgpu doctor`: is everything there that the Discord bot needs?"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from dataclasses import asdict
from datetime import UTC, datetime

HELP = "check settings, data, database and Discord"
SIGNS = {"ok": "✓", "note": "△", "bad": "✗"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = (
        "Looks at settings, state folder, data, database and, with a token, at the application, its commands and the "
        "bot's rights in its servers; says what is missing and how to mend it. Changes nothing. Exit code 1 when "
        "something has to be mended."
    )
    parser.epilog = "examples:\n  whichgpu doctor\n  whichgpu doctor --offline"
    parser.add_argument("--offline", action="store_true", help="do not ask Discord")
    parser.add_argument("--json", action="store_true", help="a list of findings as JSON")


def run(args: argparse.Namespace) -> int:
    """Look, print, exit."""
    from bot.cli.environment import env_text
    from bot.settings import SettingError, read_settings, unknown_names

    try:
        text = env_text()
        settings, unknown = read_settings(os.environ, text), unknown_names(os.environ, text)
    except SettingError as error:
        print(f"{SIGNS['bad']} settings: {error}", file=sys.stderr)
        return 2

    from bot.discord_app.doctor import examine

    today = datetime.now(UTC).date()
    found = asyncio.run(examine(settings, unknown, today, online=not args.offline))
    if args.json:
        print(json.dumps([asdict(finding) for finding in found], ensure_ascii=False, indent=1))
    else:
        for finding in found:
            print(f"{SIGNS[finding.sign]} {finding.what}: {finding.text}")
    return 1 if any(finding.sign == "bad" for finding in found) else 0
