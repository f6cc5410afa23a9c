"""A refresh from end to end, against a server that does everything wrong: the right report, unchanged prices."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web as aioweb

from bot.feeds.desk import NothingTakenError, PriceDesk
from bot.feeds.files import FeedSource, FileSource, TextSource
from bot.feeds.refresh import Refresher
from bot.feeds.source import Haul, Progress, SourceError
from bot.feeds.web import Web
from bot.storage.engine import sqlite_url
from bot.storage.prices import PriceStore
from tests.feeds.loopback import CARDS, TODAY, Loopback, feed, refresher, run, world


async def _amounts(prices: PriceStore) -> dict[str, tuple[int, str]]:
    return {point.gpu: (point.low_minor // 100, point.as_of) for point in await prices.active()}


@pytest.fixture
async def ready(prices: PriceStore, loop: Loopback) -> Refresher:
    """A refresher of one feed whose first run is in force."""
    maker = refresher(prices, loop, FeedSource(loop.url("/feed")))
    loop.give("/feed", feed(), "application/json")
    assert (await run(maker)).good
    return maker


BEFORE = {gpu: (price, "2026-11-28") for gpu, price in CARDS.items()}


async def test_first_refresh(ready: Refresher, prices: PriceStore) -> None:
    assert await _amounts(prices) == BEFORE
    (last,) = await prices.runs()
    assert (last.provider, last.status, last.rows_in, last.rows_ok, last.active) == ("feed", "accepted", 6, 6, True)


async def test_csv_feed(prices: PriceStore, loop: Loopback) -> None:
    lines = ["gpu,condition,price,currency,as_of,n,region", "GeForce RTX 3090 24GB,used,990.50,EUR,2026-11,14,DE"]
    loop.give("/feed", "\ufeff" + "\r\n".join(lines), "text/csv; charset=utf-8")
    report = await run(refresher(prices, loop, FeedSource(loop.url("/feed"))))
    (point,) = report.parts[0].accepted
    assert (point.gpu, point.low_minor, point.currency, point.as_of, point.n, point.region) == (
        "RTX 3090", 99050, "EUR", "2026-11", 14, "DE",
    )  # fmt: skip


def _without(*gpus: str) -> dict[str, Any]:
    return {gpu: price for gpu, price in CARDS.items() if gpu not in gpus}


FAULTS: dict[str, tuple[str | bytes, str, str, str]] = {
    "html instead of data": ("<html>down</html>", "text/html", "failed", "sends text/html"),
    "html that says it is data": ("<html>down</html>", "application/json", "failed", "header"),
    "cut off": (feed()[:200], "application/json", "failed", "not JSON"),
    "empty": ("", "application/json", "failed", "is empty"),
    "not text": (b"\xff\xfe\x00", "application/json", "failed", "not UTF-8"),
    "another schema": (json.dumps({"schema": "x", "prices": []}), "application/json", "failed", "schema"),
    "no list": (json.dumps({"schema": "gpu-prices/1", "prices": {}}), "application/json", "failed", "no list"),
    "NaN": (feed().replace('"990.00"', "NaN"), "application/json", "failed", "NaN"),
    "deep": ('{"a":' * 9 + "1" + "}" * 9, "application/json", "failed", "nested deeper"),
    "very deep": ("[" * 100_000, "application/json", "failed", "nested deeper"),
    "no prices": (feed({}), "application/json", "rejected", "no usable price"),
    "half missing": (feed(_without("RTX 4090", "RTX 5090", "P40")), "application/json", "rejected", "3 of 6"),
    "ten times as dear": (feed({gpu: p * 10 for gpu, p in CARDS.items()}), "application/json", "rejected", "moved"),
    "a tenth": (feed({gpu: f"{p / 10:.2f}" for gpu, p in CARDS.items()}), "application/json", "rejected", "moved"),
    "noughts": (feed(dict.fromkeys(CARDS, 0)), "application/json", "rejected", "no usable price"),
    "placeholders": (feed(dict.fromkeys(CARDS, "0.50")), "application/json", "rejected", "no usable price"),
    "commas": (feed(dict.fromkeys(CARDS, "1.015,00")), "application/json", "rejected", "no usable price"),
    "days to come": (feed(as_of="2026-12-24"), "application/json", "rejected", "no usable price"),
    "older than in force": (feed(as_of="2026-10-01"), "application/json", "rejected", "no usable price"),
    "other currency all at once": (feed(currency="EUR"), "application/json", "rejected", "moved"),
    "unknown currency": (feed(currency="XYZ"), "application/json", "rejected", "no usable price"),
    "too many rows": (
        "gpu,condition,price,currency,as_of\n" + "P40,used,260,USD,2026-11-28\n" * 20_001,
        "text/csv", "failed", "20000 rows",
    ),
    "csv with another header": ("name,price\nP40,260\n", "text/csv", "failed", "header"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_bad_run_changes_nothing_and_says_why(
    ready: Refresher, prices: PriceStore, loop: Loopback, fault: str
) -> None:
    body, content_type, status, told = FAULTS[fault]
    loop.give("/feed", body, content_type)
    report = await run(ready)
    assert not report.good
    assert report.parts[0].status == status
    assert told in report.parts[0].problem
    assert await _amounts(prices) == BEFORE
    newest, first = await prices.runs()
    assert (newest.status, newest.active, first.active) == (status, False, True)
    assert told in newest.report["problem"]


ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown card": ({"gpu": "RTX 3095"}, "not in the catalogue"),
    "one digit off": ({"gpu": "RTX 30900"}, "not in the catalogue"),
    "condition": ({"condition": "mint"}, "neither new nor used"),
    "comma": ({"price": "1.015,00"}, "plain number"),
    "thousands": ({"price": "1,015"}, "plain number"),
    "bool": ({"price": True}, "no short text or number"),
    "list": ({"price": [1]}, "no short text or number"),
    "infinite": ({"price": "Infinity"}, "plain number"),
    "exponent": ({"price": "1e3"}, "plain number"),
    "negative": ({"price": "-990"}, "plain number"),
    "nought": ({"price": 0}, "nought"),
    "too cheap": ({"price": "9.50"}, "no price of a card"),
    "too dear": ({"price": "100001"}, "no price of a card"),
    "date of another form": ({"as_of": "28.11.2026"}, "not YYYY-MM-DD"),
    "date that is none": ({"as_of": "2026-02-30"}, "does not exist"),
    "future": ({"as_of": "2026-12-03"}, "future"),
    "long text": ({"source": "x" * 201}, "no short text"),
    "typical below low": ({"typical": "900"}, "below the low"),
    "n": ({"n": "many"}, "no whole number"),
    "no offers": ({"n": 0}, "no offer"),
    "region": ({"region": "Texas"}, "two letters"),
    "kind": ({"kind": "auction"}, "kind"),
    "no date": ({"as_of": None}, "as_of"),
}


@pytest.mark.parametrize("fault", ROWS)
async def test_a_bad_row_is_left_out_with_its_reason(prices: PriceStore, loop: Loopback, fault: str) -> None:
    change, told = ROWS[fault]
    data = json.loads(feed())
    data["prices"][0] |= change
    loop.give("/feed", json.dumps(data))
    (part,) = (await run(refresher(prices, loop, FeedSource(loop.url("/feed"))))).parts
    assert part.status == "accepted"
    assert len(part.accepted) == 5
    assert len(part.rejected) == 1
    assert told in part.rejected[0]
    assert "row 1" in part.rejected[0]


async def test_good_edges_of_a_row(prices: PriceStore, loop: Loopback) -> None:
    data = json.loads(feed())
    data["prices"][0] |= {"as_of": "2026-12-02", "price": 990.55, "typical": "1080", "n": 14}
    data["prices"][1] |= {"as_of": "2026-11", "condition": "refurbished"}
    loop.give("/feed", json.dumps(data))
    (part,) = (await run(refresher(prices, loop, FeedSource(loop.url("/feed"))))).parts
    assert part.rejected == ()
    assert (part.accepted[0].low_minor, part.accepted[0].typical_minor, part.accepted[0].n) == (99055, 108000, 14)
    assert part.accepted[1].condition == "used"


async def test_what_does_not_come_back_stays_with_its_own_date(
    ready: Refresher, prices: PriceStore, loop: Loopback
) -> None:
    loop.give("/feed", feed({gpu: p + 10 for gpu, p in _without("P40").items()}, as_of="2026-11-30"))
    (part,) = (await run(ready)).parts
    assert (part.status, part.carried) == ("accepted", 1)
    after = await _amounts(prices)
    assert after["P40"] == (260, "2026-11-28")
    assert after["RTX 3090"] == (1000, "2026-11-30")


async def test_a_leap_waits_for_a_person_and_the_old_price_stays(
    ready: Refresher, prices: PriceStore, loop: Loopback
) -> None:
    loop.give("/feed", feed(CARDS | {"P40": 26}, as_of="2026-11-30"))
    (part,) = (await run(ready)).parts
    assert [point.gpu for point in part.quarantined] == ["P40"]
    assert (await _amounts(prices))["P40"] == (260, "2026-11-28")
    (waiting,) = await prices.quarantine()
    assert (waiting.provider, waiting.point.gpu) == ("feed", "P40")
    assert "26 USD against 260 USD" in waiting.point.reason
    assert [point.gpu for point in await prices.approve([waiting.id, 999_999])] == ["P40"]
    assert (await _amounts(prices))["P40"] == (26, "2026-11-30")
    assert await prices.quarantine() == []
    assert await prices.approve([waiting.id]) == []


async def test_first_price_far_from_launch_price_waits(prices: PriceStore, loop: Loopback) -> None:
    data = json.loads(feed({"RTX 5090": 150}))
    data["prices"][0]["condition"] = "new"
    loop.give("/feed", json.dumps(data))
    (part,) = (await run(refresher(prices, loop, FeedSource(loop.url("/feed"))))).parts
    assert "at launch" in part.quarantined[0].reason


async def test_the_newer_of_two_rows_counts(prices: PriceStore, loop: Loopback) -> None:
    data = json.loads(feed({"P40": 260}))
    row = data["prices"][0]
    data["prices"] = [row | {"as_of": "2026-11-02"}, row | {"price": "270"}, row | {"as_of": "2026-10-02"}]
    loop.give("/feed", json.dumps(data))
    (part,) = (await run(refresher(prices, loop, FeedSource(loop.url("/feed"))))).parts
    assert [point.low_minor for point in part.accepted] == [27000]
    assert len(part.rejected) == 2


async def test_forced_run_is_believed_once(ready: Refresher, prices: PriceStore, loop: Loopback) -> None:
    loop.give("/feed", feed(_without("RTX 4090", "RTX 5090", "P40"), as_of="2026-11-30"))
    assert (await run(ready, force=True)).good
    assert (await prices.runs())[0].report["forced"] is True
    assert (await _amounts(prices))["P40"] == (260, "2026-11-28")


async def test_dry_run_writes_nothing(ready: Refresher, prices: PriceStore, loop: Loopback) -> None:
    loop.give("/feed", feed({gpu: p + 10 for gpu, p in CARDS.items()}))
    report = await run(ready, dry_run=True)
    assert report.good
    assert len(report.parts[0].accepted) == 6
    assert await _amounts(prices) == BEFORE
    assert len(await prices.runs()) == 1


async def test_rollback_and_forward(ready: Refresher, prices: PriceStore, loop: Loopback) -> None:
    loop.give("/feed", feed({gpu: p + 10 for gpu, p in CARDS.items()}))
    await run(ready)
    assert (await _amounts(prices))["P40"][0] == 270
    assert await prices.rollback() == ["feed"]
    assert await _amounts(prices) == BEFORE
    assert await prices.rollback("feed") == ["feed"]
    assert await _amounts(prices) == {}
    assert await prices.rollback() == []
    assert (await run(ready)).good
    assert (await _amounts(prices))["P40"][0] == 270


async def test_ten_runs_are_kept(ready: Refresher, prices: PriceStore, loop: Loopback) -> None:
    for number in range(14):
        loop.give("/feed", feed({gpu: p + number for gpu, p in CARDS.items()}))
        await run(ready)
        loop.give("/feed", "", "application/json")
        await run(ready)
    runs = await prices.runs(100)
    assert [one.status for one in runs].count("accepted") == 10
    assert [one.status for one in runs].count("failed") == 10
    assert len(await prices.history("P40")) == 10


async def test_history_has_each_observation_once(ready: Refresher, prices: PriceStore, loop: Loopback) -> None:
    await run(ready)
    loop.give("/feed", feed({gpu: p + 10 for gpu, p in CARDS.items()}, as_of="2026-11-30"))
    await run(ready)
    assert [(p.low_minor, p.as_of) for p in await prices.history("P40")] == [
        (27000, "2026-11-30"), (26000, "2026-11-28"),
    ]  # fmt: skip


class _Broken:
    name, market_place, cooldown_seconds = "broken", False, 0

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        raise ZeroDivisionError("s3cret")


async def test_one_broken_source_does_not_take_the_others_down(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/feed", feed())
    report = await run(refresher(prices, loop, _Broken(), FeedSource(loop.url("/feed"))))
    assert [part.status for part in report.parts] == ["failed", "accepted"]
    assert "s3cret" not in report.parts[0].problem


async def test_two_at_once_one_wins(ready: Refresher, prices: PriceStore, loop: Loopback) -> None:
    release = asyncio.Event()

    async def slow(request: aioweb.Request) -> aioweb.StreamResponse:
        await release.wait()
        return aioweb.Response(text=feed(), content_type="application/json")

    loop.handlers["/feed"] = slow
    other = refresher(prices, loop, FeedSource(loop.url("/feed")))
    first = asyncio.create_task(run(ready))
    while len(loop.seen) < 2:
        await asyncio.sleep(0.01)
    with pytest.raises(SourceError, match="under way"):
        await run(other)
    release.set()
    assert (await first).good
    loop.give("/feed", feed())
    assert (await run(other)).good


async def test_cancelled_in_the_middle(ready: Refresher, prices: PriceStore, loop: Loopback) -> None:
    async def hang(request: aioweb.Request) -> aioweb.StreamResponse:
        await asyncio.sleep(9)
        return aioweb.Response()

    loop.handlers["/feed"] = hang
    task = asyncio.create_task(run(ready))
    while len(loop.seen) < 2:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await _amounts(prices) == BEFORE
    loop.give("/feed", feed())
    assert (await run(ready)).good


async def test_a_lease_that_was_lost_writes_nothing(ready: Refresher, prices: PriceStore, loop: Loopback) -> None:
    async def steal(request: aioweb.Request) -> aioweb.StreamResponse:
        await prices.give_back(ready.holder)
        assert await prices.take("another process", 60)
        return aioweb.Response(text=feed(as_of="2026-11-30"), content_type="application/json")

    loop.handlers["/feed"] = steal
    (part,) = (await run(ready)).parts
    assert "took over" in part.problem
    assert await _amounts(prices) == BEFORE


async def test_resting_source_is_left_alone(prices: PriceStore, loop: Loopback) -> None:
    loop.give("/feed", feed())
    maker = refresher(prices, loop, FeedSource(loop.url("/feed"), cooldown_seconds=3600))
    assert (await run(maker)).good
    assert (await run(maker)).parts[0].status == "resting"
    assert len(loop.seen) == 1
    assert (await run(maker, force=True)).good


async def test_unknown_source_and_none(prices: PriceStore, loop: Loopback) -> None:
    with pytest.raises(SourceError, match="WHICHGPU_PRICES_FILE"):
        await run(refresher(prices, loop))
    with pytest.raises(SourceError, match="set up are: feed"):
        await run(refresher(prices, loop, FeedSource(loop.url("/feed"))), only="ebay")


def test_desk_from_a_file_to_prices_in_dollars(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("gpu,condition,price,currency,as_of\nRTX 3090,used,900,EUR,2026-11-30\nX,used,1,USD,2026\n")
    desk = PriceDesk(sqlite_url(tmp_path / "state/db"), world(), [FileSource(path)], lambda: TODAY)
    assert desk.current() == ()
    done = desk.refresh(lambda _: None)
    (point,) = done.points
    assert point.money.currency == "USD"
    assert point.money.amount == pytest.approx(900 * 1.1172, abs=0.01)
    assert point.source.startswith("mine.csv; EUR 900")
    assert point.as_of == "2026-11-30"
    assert "row 2" in done.by_source[0].refused[0]
    assert desk.current() == done.points
    status = desk.status()
    assert (status.points, status.sources, status.last_error) == (1, ("file",), "")
    path.write_text("")
    with pytest.raises(NothingTakenError, match="empty"):
        desk.refresh(lambda _: None)
    assert desk.current() == done.points
    assert "empty" in desk.status().last_error
    assert desk.rollback().points == 0
    with pytest.raises(SourceError, match="no refresh"):
        desk.rollback()


def test_desk_takes_an_attachment(tmp_path: Path) -> None:
    desk = PriceDesk(sqlite_url(tmp_path / "db"), world(), (), lambda: TODAY)
    done = desk.refresh(lambda _: None, sources=[TextSource(feed().encode(), "prices.json")])
    assert len(done.points) == len(CARDS)
    with pytest.raises(SourceError, match="not UTF-8"):
        desk.refresh(lambda _: None, sources=[TextSource(b"\xff", "prices.json")])


def test_desk_without_a_usable_database(tmp_path: Path) -> None:
    (tmp_path / "db").write_bytes(b"this is no database, and it is long enough to tell" * 99)
    desk = PriceDesk(sqlite_url(tmp_path / "db"), world())
    assert desk.current() == ()
    with pytest.raises(SourceError, match="damaged"):
        desk.status()


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"x" * 3_000_000])
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "p.csv"
    if content is not None:
        path.write_bytes(content)
    desk = PriceDesk(sqlite_url(tmp_path / "db"), world(), [FileSource(path)])
    with pytest.raises(SourceError, match=r"p\.csv"):
        desk.refresh(lambda _: None)
