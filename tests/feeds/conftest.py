"""A server, a database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.engine import Database
from bot.storage.prices import PriceStore
from tests.feeds.loopback import Loopback


@pytest.fixture
async def loop() -> AsyncIterator[Loopback]:
    server = Loopback()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def prices(tmp_path: Path) -> AsyncIterator[PriceStore]:
    database = await Database.open(tmp_path / "prices.db")
    yield PriceStore(database)
    await database.close()
