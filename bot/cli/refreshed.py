"""The assistant and the prices of the command line: those shipped, and those that `whichgpu prices` has fetched."""

from __future__ import annotations

import contextlib
import os
from functools import lru_cache
from pathlib import Path

from bot import loading
from bot.assistant import Assistant
from bot.feeds.in_force import InForce, read_file, with_hourly, with_prices
from bot.market.book import PriceBook, launches
from bot.market.cloud import CloudPrices
from bot.market.rates import Rates
from bot.settings import PREFIX, SettingError, parse_env_file


@lru_cache(maxsize=1)
def in_force() -> InForce:
    """What was fetched on this machine. A database on a server is not asked: an answer must not wait for it."""
    values = dict(os.environ)
    # A broken .env is told by `whichgpu doctor`; a question is answered all the same.
    with contextlib.suppress(OSError, ValueError, SettingError):
        values = parse_env_file(Path(".env").read_text(encoding="utf-8")) | values
    return read_file(Path(values.get(PREFIX + "STATE_DIR") or "state") / "whichgpu.sqlite", loading.load_rates())


@lru_cache(maxsize=1)
def load_assistant() -> Assistant:
    """The assistant on the newest prices. Raises DataError."""
    assistant, found = loading.load_assistant(), in_force()
    if not found.points and not found.hourly and found.rates is None:
        return assistant
    return with_prices(assistant, loading.load_prices(), found.points, found.rates, found.hourly)


def load_book() -> tuple[PriceBook, Rates, CloudPrices]:
    """Prices, exchange rates and rental prices, the newest of each. Raises DataError."""
    shipped, found = loading.load_prices(), in_force()
    history = [point for gpu in shipped.gpus for point in shipped.history(gpu)]
    book = PriceBook([*found.points, *history], launches(loading.load_catalogue().gpus)) if found.points else shipped
    cloud = loading.load_cloud_prices()
    return book, found.rates or loading.load_rates(), with_hourly(cloud, found.hourly) if found.hourly else cloud
