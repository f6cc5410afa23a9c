"""`whichgpu sync`: send the commands to Discord, once and after each update that changes them."""

from __future__ import annotations

import argparse
import asyncio
import sys

HELP = "send the bot's commands to Discord"


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = (
        "Sends the slash commands and the context menu to Discord: the public ones for everywhere, /admin for the home "
        "server (WHICHGPU_HOME_GUILD) alone. The bot itself never does; it warns at start when this is due. With "
        "--guild everything goes to that one server, where it shows at once, and is taken away everywhere else, as "
        "Discord would show it twice; a later plain sync turns that back."
    )
    parser.epilog = (
        "examples:\n  whichgpu sync\n  whichgpu sync --dry-run\n  whichgpu sync --guild 123456789012345678    # try out"
    )
    parser.add_argument("--guild", metavar="ID", help="send everything to this one server, for trying out")
    parser.add_argument("--move", action="store_true", help="with --guild: take the commands away everywhere else")
    parser.add_argument("--dry-run", action="store_true", help="only say what would change")


def run(args: argparse.Namespace) -> int:
    """Log in, send, say."""
    from bot.cli.environment import environment_settings
    from bot.discord_app import exits
    from bot.settings import SettingError

    if args.guild is not None and not (args.guild.isdigit() and 15 <= len(args.guild) <= 20):
        print("--guild must be a server's id: 15 to 20 digits, copied with developer mode on.", file=sys.stderr)
        return exits.SETTINGS
    try:
        settings = environment_settings()
    except SettingError as error:
        print(error, file=sys.stderr)
        return exits.SETTINGS
    if not settings.discord_token:
        print(exits.SENTENCES[exits.NO_TOKEN], file=sys.stderr)
        return exits.NO_TOKEN

    from bot.discord_app.online import logged_in
    from bot.discord_app.syncing import SyncError, sync

    async def send() -> list[str]:
        async with logged_in(settings) as (client, store):
            trial = int(args.guild) if args.guild else None
            return await sync(client, store, trial=trial, move=args.move, dry_run=args.dry_run)

    try:
        lines = asyncio.run(send())
    except SyncError as error:
        print(f"Nothing more was sent: {error}.", file=sys.stderr)
        return 1
    except Exception as error:
        code = exits.exit_code(error)
        if code == exits.UNEXPECTED:
            raise
        print(exits.SENTENCES[code], file=sys.stderr)
        return code
    print("\n".join(lines))
    print(
        "Nothing was sent (--dry-run)." if args.dry_run else "Sent. In Discord, reload with Ctrl+R to see it at once."
    )
    return 0
