"""The log keeps secrets and message texts out."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from bot.discord_app.logs import HIDDEN, QUIET, hide, set_up

# In the form of a real one, made up for this test; put together so that no scanner takes it for one.
TOKEN = ".".join(("MTEwMDAwMDAwMDAwMDAwMDAwMg", "GabcdE", "x" * 38))


@pytest.fixture
def levels() -> Iterator[None]:
    """Put every level back as it was."""
    loggers = [logging.getLogger(), *map(logging.getLogger, QUIET)]
    before = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


def _logged(form: str, level: str, say: logging.Logger, *record: object, secret: str = "") -> str:
    stream = io.StringIO()
    handler = set_up(level, form, secret, stream)
    try:
        say.info(*record)
    finally:
        logging.getLogger().removeHandler(handler)
    return stream.getvalue()


@pytest.mark.usefixtures("levels")
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_token_reaches_the_log(form: str) -> None:
    shown = _logged(form, "info", logging.getLogger("bot.x"), "using %s and %s", TOKEN, "short-secret",
                    secret="short-secret")  # noqa: S106  # fmt: skip
    assert TOKEN not in shown
    assert "short-secret" not in shown
    assert shown.count(HIDDEN) == 2


@pytest.mark.parametrize(
    "address",
    ["https://discord.com/api/v10/webhooks/110/aW50ZXJhY3Rpb24:abc/messages/@original",
     "https://discord.com/api/v10/interactions/120/aW50ZXJhY3Rpb24:abc/callback"],
)  # fmt: skip
def test_interaction_tokens_in_addresses_are_hidden(address: str) -> None:
    assert "aW50ZXJhY3Rpb24" not in hide(address)
    assert hide(address).endswith(("/messages/@original", "/callback"))


@pytest.mark.usefixtures("levels")
def test_json_lines_are_one_object_each_with_the_traceback_inside() -> None:
    stream = io.StringIO()
    handler = set_up("info", "json", "", stream)
    try:
        logging.getLogger("bot.x").error("two\nlines", exc_info=ValueError("why"))
    finally:
        logging.getLogger().removeHandler(handler)
    (line,) = stream.getvalue().splitlines()
    entry = json.loads(line)
    assert entry["level"] == "error"
    assert entry["message"] == "two\nlines"
    assert "ValueError: why" in entry["traceback"]
    assert entry["at"].endswith("+00:00")


@pytest.mark.usefixtures("levels")
def test_libraries_that_log_whole_payloads_stay_quiet_at_debug() -> None:
    stream = io.StringIO()
    handler = set_up("debug", "text", "", stream)
    try:
        logging.getLogger("discord.http").debug("POST with payload %s", {"content": "a private question"})
        logging.getLogger("bot.x").debug("ours")
    finally:
        logging.getLogger().removeHandler(handler)
    assert "private question" not in stream.getvalue()
    assert "ours" in stream.getvalue()
