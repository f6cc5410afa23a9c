"""`whichgpu healthcheck`: is the bot that shares this state folder alive and connected?"""

from __future__ import annotations

import argparse
import sys

HELP = "is the running bot alive and connected (for containers)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = (
        "Reads the health file that `whichgpu run` writes into its state folder every few seconds. Exit code 0: alive "
        "and connected; 1: not; 2: the settings cannot be read. The container's health check calls it."
    )
    parser.epilog = "example:\n  whichgpu healthcheck"


def run(args: argparse.Namespace) -> int:
    """Look, say, exit."""
    from bot.cli.environment import environment_settings
    from bot.discord_app.health import health_file, ill, well
    from bot.settings import SettingError

    try:
        settings = environment_settings()
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    path = health_file(settings.state_dir, settings.shard_ids)
    if problem := ill(path):
        print(problem, file=sys.stderr)
        return 1
    print(well(path))
    return 0
