"""Several bot processes on one PostgreSQL: the same code, a private cluster."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from bot.feeds.desk import PriceDesk
from bot.feeds.files import TextSource
from bot.feeds.refresh import Refresher
from bot.feeds.source import SourceError
from bot.storage.engine import Database
from bot.storage.prices import PriceStore
from bot.storage.querylog import GuildSettings
from bot.storage.reports import report
from bot.storage.schema import metadata
from bot.storage.store import Preferences, Store
from tests.feeds.loopback import CARDS, TODAY, feed, world
from tests.storage.postgres import cluster, fresh_database, why_not
from tests.storage.samples import exchange

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with cluster() as address:
        yield address


@pytest.fixture
async def url(server: str, request: pytest.FixtureRequest) -> str:
    return await fresh_database(server, request.node.name[:60])


@pytest.fixture
async def two(url: str) -> AsyncIterator[tuple[Store, Store]]:
    """Two processes' stores; both start on the empty database at once."""
    one, other = await asyncio.gather(Store.open(url, 0.2), Store.open(url, 0.2))
    assert (one.problem, other.problem) == ("", "")
    yield one, other
    await one.close()
    await other.close()


async def test_migrations_lead_to_the_schema_also_when_two_start_at_once(two: tuple[Store, Store]) -> None:
    database = two[0].database
    assert database
    async with database.read() as connection:
        different = await connection.run_sync(lambda sync: compare_metadata(MigrationContext.configure(sync), metadata))
    assert different == []


async def test_everything_the_bot_asks_of_its_log(two: tuple[Store, Store]) -> None:
    log = two[0]
    sent = exchange(1, question="a\ud800b\x00c", turns_before=("一",), guild="g")
    log.record(sent)
    for number in range(2, 1502):
        log.record(exchange(number, user=f"u{number % 9}", abstained=number % 3 == 0, took_ms=number / 100))
    assert await log.feedback(sent.id, "bob", True)
    assert await log.feedback(sent.id, "bob", False)
    stats = await log.stats(0)
    assert (stats.questions, stats.people, stats.abstained, stats.good, stats.bad) == (1501, 10, 500, 0, 1)
    assert stats.p50_ms == pytest.approx(7.5, abs=0.05)
    assert (await log.unanswered(3))[0].times >= 1
    await log.set_preferences("bob", Preferences("en", "EUR"))
    assert len((await log.export("bob"))["feedback"]) == 1
    assert "ann" not in json.dumps(await log.export("bob"))
    assert await log.delete("ann") == 1
    assert (await log.export("bob"))["feedback"] == []
    await log.set_state("commands", "x")
    assert await log.state("commands") == "x"
    assert await log.prune(exchange(1400).at) == 1398
    await log.opt_out("u1", True)
    assert log.opted_out("u1")
    assert log.database
    found = await report(log.database, 0)
    assert found.by_language == (("en", found.stats.questions),)


async def test_the_same_exchange_from_two_processes_is_one_row(two: tuple[Store, Store]) -> None:
    one, other = two
    for number in range(2000):
        one.record(exchange(number))
        other.record(exchange(number))
    await one.flush()
    await other.flush()
    assert (await one.stats(0)).questions == 2000


async def test_settings_reach_the_other_process(two: tuple[Store, Store]) -> None:
    one, other = two
    await asyncio.gather(
        one.set_guild(1, GuildSettings("en")), other.set_guild(2, GuildSettings("zh-CN")), one.opt_out("ann", True)
    )
    async with asyncio.timeout(5):
        while not (other.opted_out("ann") and other.guild(1).language and one.guild(2).language):
            await asyncio.sleep(0.02)


def _refresher(store: Store, source: Any) -> Refresher:
    assert store.database
    return Refresher(PriceStore(store.database), [source], world(), lambda: TODAY)


class _Slow(TextSource):
    async def fetch(self, web: Any, progress: Any) -> Any:
        await asyncio.sleep(0.3)
        return await super().fetch(web, progress)


async def test_two_refreshes_one_wins_and_both_see_the_new_prices(two: tuple[Store, Store], url: str) -> None:
    heard: list[tuple[str, float]] = []
    for name, store in zip("ab", two, strict=True):
        store.on_change(lambda what, name=name: heard.append((name + what, time.monotonic())))  # type: ignore[misc]
    source = _Slow(feed().encode(), "list")
    makers = [_refresher(store, source) for store in two]
    results = await asyncio.gather(*(maker.refresh(lambda _: None) for maker in makers), return_exceptions=True)
    done = time.monotonic()
    assert sorted(isinstance(result, SourceError) for result in results) == [False, True]
    async with asyncio.timeout(5):
        while {name for name, _ in heard} != {"aprices", "bprices"}:
            await asyncio.sleep(0.02)
    assert max(moment for _, moment in heard) - done < 5
    for store in two:
        assert store.database
        prices = PriceStore(store.database)
        assert {point.gpu for point in await prices.active()} == set(CARDS)
        assert len(await prices.runs()) == 1


async def test_desk_from_a_thread(url: str) -> None:
    await (await Database.open(url)).close()
    desk = PriceDesk(url, world(), [TextSource(feed().encode(), "list")], lambda: TODAY)
    done = await asyncio.to_thread(desk.refresh, lambda _: None)
    assert len(done.points) == len(CARDS)
    assert (await asyncio.to_thread(desk.rollback)).points == 0


async def test_server_that_is_gone_is_told_without_the_password(url: str) -> None:
    gone = url.replace("bot@", "bot:hunter2@").rsplit(":", 1)[0] + ":1/x"
    store = await Store.open(gone)
    assert "does not answer" in store.problem
    assert "hunter2" not in store.problem
    store.record(exchange())
    assert await store.exchange(exchange().id) is not None
    await store.close()


async def test_a_lost_connection_is_made_again(two: tuple[Store, Store]) -> None:
    one, other = two
    assert other.database
    one.record(exchange(1))
    await one.flush()
    async with other.database.write() as connection:
        await connection.execute(
            text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
                 "datname = current_database()")
        )  # fmt: skip
    one.record(exchange(2))
    async with asyncio.timeout(10):
        await one.flush()
    assert (await one.stats(0)).questions == 2
