"""Why `whichgpu run` and `sync` end: an exit code and a sentence for each cause; waiting after failed starts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import discord

STOPPED = 0
SETTINGS = 2
DATA = 3
NO_TOKEN = 10
TOKEN_REFUSED = 11
INTENTS = 12
SLOWED_DOWN = 13
UNREACHABLE = 14
SHARDS = 15
FOLDER = 16
UNEXPECTED = 70

SENTENCES = {
    NO_TOKEN: "No token: set DISCORD_TOKEN in the environment or in .env. docs/discord.md says where to get it.",
    TOKEN_REFUSED: "Discord refused the token. Copy it anew from the Developer Portal (page Bot, Reset Token) into "
    "DISCORD_TOKEN; the old one is void after a reset.",
    INTENTS: "Discord refused the intents. The bot asks for no privileged one, so this application is likely disabled "
    "or limited: look at it in the Developer Portal.",
    SLOWED_DOWN: "Discord turns this address away for a while (too many attempts). Do not restart in a loop; it ends "
    "by itself, after an hour at most.",
    UNREACHABLE: "Discord cannot be reached. Check network, DNS and proxy, and discordstatus.com.",
    SHARDS: "Discord refused the shards. Check WHICHGPU_SHARD_COUNT and WHICHGPU_SHARD_IDS; empty lets Discord choose.",
    FOLDER: "The state folder cannot be written. Check WHICHGPU_STATE_DIR and the rights of the folder.",
    UNEXPECTED: "The bot ended on a fault that was not foreseen; the log above says where.",
}
"""What a person reads for each exit code."""
CLOSE_CODES = {4004: TOKEN_REFUSED, 4010: SHARDS, 4011: SHARDS, 4013: INTENTS, 4014: INTENTS}
"""Close codes of the gateway after which trying again is of no use."""


def exit_code(error: BaseException) -> int:
    """The code for an error that ended the connection."""
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return INTENTS
    if isinstance(error, discord.LoginFailure):
        return TOKEN_REFUSED
    if isinstance(error, discord.ConnectionClosed):
        return CLOSE_CODES.get(error.code, UNREACHABLE)
    if isinstance(error, discord.HTTPException):
        return SLOWED_DOWN if error.status == 429 else UNREACHABLE
    if isinstance(error, aiohttp.ClientError | discord.GatewayNotFound | TimeoutError | OSError):
        return UNREACHABLE
    return UNEXPECTED


FIRST_WAIT, LONGEST_WAIT = 10.0, 900.0
"""Seconds. 96 starts a day at the longest wait: Discord voids a token after 1,000 identifies a day."""


@dataclass(frozen=True, slots=True)
class Brake:
    """Remembers failed starts with a token, so that a restart policy cannot hammer Discord.

    A new token starts afresh. A file that cannot be read or written brakes nothing.
    """

    path: Path
    token: str

    def wait(self, now: float) -> float:
        """Seconds to wait before the next start."""
        count, at = self._read()
        if not count:
            return 0.0
        return max(0.0, min(FIRST_WAIT * 2.0 ** (count - 1), LONGEST_WAIT) - max(0.0, now - at))

    def failed(self, now: float) -> None:
        """Count a failed start."""
        count, _ = self._read()
        data = {"token": self._mark(), "count": min(count + 1, 20), "at": now}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(data), encoding="utf-8")
        except OSError:
            return

    def release(self) -> None:
        """A start went well."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError:
            return

    def _mark(self) -> str:
        return hashlib.sha256(self.token.encode()).hexdigest()[:12]

    def _read(self) -> tuple[int, float]:
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            if data["token"] != self._mark():
                return 0, 0.0
            return int(data["count"]), float(data["at"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0, 0.0
