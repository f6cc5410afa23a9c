"""A process that logs, thumbs, sets and refreshes without end, and says on its standard output what it has confirmed.

python -m tests.storage.writing_process FILE: lines "t SECONDS NUMBER" for each exchange recorded, "f NUMBER" for each
thumb and "g NUMBER" for each setting confirmed, "p AMOUNT" for each price run in force.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

from bot.loading import load_rates
from bot.market.validation import Checked
from bot.storage.prices import PriceStore, Result
from bot.storage.querylog import GuildSettings
from bot.storage.store import Store
from tests.storage.samples import exchange

PRICES = 300
"""Points of a run: all of them are there, or none."""


def say(line: str) -> None:
    os.write(1, (line + "\n").encode())


async def main(path: Path) -> None:
    store = await Store.open(path)
    assert store.database, store.problem
    prices = PriceStore(store.database)
    assert await prices.take("me", 600)
    load_rates()
    start = int(sys.argv[2])
    say("ready")

    async def ask() -> None:
        number = start
        while True:
            store.record(exchange(number))
            say(f"t {time.time():.6f} {number}")
            number += 1
            await asyncio.sleep(0.001)

    async def judge() -> None:
        number = start
        while True:
            if await store.feedback(f"{number:010x}", "ann", True):
                say(f"f {number}")
            await store.set_guild(number, GuildSettings("en"))
            say(f"g {number}")
            number += 1

    async def refresh() -> None:
        amount = start
        while True:
            amount += 1
            points = [Checked("P40", "used", str(place), "USD", amount, "2026-11-28", "x") for place in range(PRICES)]
            await prices.put(Result("feed", 0, "accepted", PRICES, {}, points), "me")
            say(f"p {amount}")

    await asyncio.gather(ask(), judge(), refresh())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
