"""The log: one line an event, text or JSON. Never a message's text, never a token."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import TextIO

_TOKENS = re.compile(
    r"[\w-]{20,40}\.[\w-]{5,8}\.[\w-]{25,80}"  # a bot's token
    r"|(?<=/webhooks/)\d+/[^/\s?]+"  # an interaction's token in the address of its follow-up
    r"|(?<=/interactions/)\d+/[^/\s?]+"
)
HIDDEN = "[hidden]"
QUIET = ("discord", "aiohttp", "sqlalchemy", "aiosqlite", "asyncio", "alembic")
"""Libraries whose debug lines hold whole payloads: they never go below this level, whatever is set."""
QUIET_LEVEL = logging.INFO


def hide(text: str, secret: str = "") -> str:
    """A text without tokens."""
    if secret:
        text = text.replace(secret, HIDDEN)
    return _TOKENS.sub(HIDDEN, text)


class TextLines(logging.Formatter):
    """For people: time, level, logger, message."""

    def __init__(self, secret: str = "") -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%SZ")
        self._secret = secret
        self.converter = lambda seconds: datetime.fromtimestamp(seconds or 0.0, UTC).timetuple()

    def format(self, record: logging.LogRecord) -> str:
        """The line, and a traceback where there is one."""
        return hide(super().format(record), self._secret)


class JsonLines(logging.Formatter):
    """For collectors: one object a line."""

    def __init__(self, secret: str = "") -> None:
        super().__init__()
        self._secret = secret

    def format(self, record: logging.LogRecord) -> str:
        """The object as one line."""
        entry = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps({key: hide(text, self._secret) for key, text in entry.items()}, ensure_ascii=False)


def set_up(level: str, form: str, secret: str = "", stream: TextIO | None = None) -> logging.Handler:
    """Log to stderr (or `stream`) from now on; the handler, for taking it off again."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines(secret) if form == "json" else TextLines(secret))
    wanted = getattr(logging, level.upper())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(wanted)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(wanted, QUIET_LEVEL))
    # Statements of the database are no news, nor is slow work in debug mode.
    for name in ("asyncio", "sqlalchemy", "aiosqlite", "alembic"):
        logging.getLogger(name).setLevel(max(wanted, logging.WARNING))
    return handler
