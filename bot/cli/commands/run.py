"""`whichgpu run`: the Discord bot, until it is stopped."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from dataclasses import replace

HELP = "run the Discord bot"


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = (
        "Connects to Discord and answers until it is stopped (Ctrl-C, SIGTERM): answers in the making still go out, "
        "the query log is written. Settings come from the environment and .env; docs/configuration.md lists them. "
        "Exit codes: 0 stopped, 2 settings, 3 broken data, 10 no token, 11 token refused, 12 intents refused, 13 "
        "slowed down by Discord, 14 Discord unreachable, 15 shards refused, 16 state folder not writable."
    )
    parser.epilog = (
        "examples:\n  whichgpu run\n  whichgpu run --shard-count 4 --shard-ids 0,1    # one of two processes\n"
        "Send the commands to Discord once before: whichgpu sync"
    )
    parser.add_argument("--shard-count", help="shards over all processes (WHICHGPU_SHARD_COUNT)")
    parser.add_argument("--shard-ids", help="shards of this process, such as 0,1 (WHICHGPU_SHARD_IDS)")


def run(args: argparse.Namespace) -> int:
    """Settings, log, life."""
    from bot.cli.environment import env_text
    from bot.discord_app import exits
    from bot.discord_app.logs import set_up
    from bot.settings import PREFIX, SettingError, read_settings, unknown_names

    given = {"SHARD_COUNT": args.shard_count, "SHARD_IDS": args.shard_ids}
    environ = dict(os.environ) | {PREFIX + name: text for name, text in given.items() if text is not None}
    try:
        text = env_text()
        settings = read_settings(environ, text)
    except SettingError as error:
        print(error, file=sys.stderr)
        return exits.SETTINGS
    if not settings.discord_token:
        print(exits.SENTENCES[exits.NO_TOKEN], file=sys.stderr)
        return exits.NO_TOKEN
    settings = replace(settings, state_dir=settings.state_dir.absolute())
    set_up(settings.log_level, settings.log_format, settings.discord_token.value)
    for name in unknown_names(environ, text):
        logging.getLogger(__name__).warning("%s is no setting; docs/configuration.md lists them", name)

    from bot.discord_app.running import Life

    async def live() -> int:
        life = Life(settings)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, life.stop.set)
            except NotImplementedError:  # Windows: Ctrl-C arrives as KeyboardInterrupt
                break
        return await life.run()

    return asyncio.run(live())
