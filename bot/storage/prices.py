"""Price runs in the database: written and put in force in one transaction, rolled back, approved, looked up."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, and_, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.market.cloud import CloudPrice
from bot.market.rates import Rate
from bot.market.validation import Checked
from bot.storage.engine import Database
from bot.storage.schema import exchange_rate, hourly_point, lease, price_active, price_point, price_run
from bot.storage.store import bump

KEEP = 10
"""Runs kept a source, for rolling back and history."""
LEASE = "price refresh"


class LeaseLostError(Exception):
    """Another process has taken over the refresh; nothing was written."""


@dataclass(frozen=True, slots=True)
class Run:
    """One refresh of one source."""

    id: int
    provider: str
    started: int
    finished: int | None
    status: str
    rows_in: int
    rows_ok: int
    report: dict[str, Any]
    active: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What a refresh of one source is to leave behind. `status` accepted puts it in force."""

    provider: str
    started: int
    status: str
    rows_in: int
    report: dict[str, Any]
    points: Sequence[Checked] = ()
    """Accepted and carried ones first to last, and the quarantined."""
    hourly: Sequence[CloudPrice] = ()
    rates: Sequence[Rate] = ()

    @property
    def rows_ok(self) -> int:
        accepted = sum(point.state == "accepted" for point in self.points)
        return accepted + len(self.hourly) + len(self.rates)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A price that waits for a person."""

    id: int
    provider: str
    point: Checked


class PriceStore:
    """Works on an open Database."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # --- one refresh at a time, over all processes ---

    async def take(self, holder: str, seconds: int) -> bool:
        """Take the lease for so many seconds, unless someone else holds it."""
        now = int(time.time())
        async with self._db.write() as connection:
            await connection.execute(self._db.insert(lease), {"name": LEASE, "holder": "", "until": 0})
            free = and_(lease.c.name == LEASE, or_(lease.c.until < now, lease.c.holder == holder))
            taken = await connection.execute(update(lease).where(free).values(holder=holder, until=now + seconds))
            return taken.rowcount == 1

    async def give_back(self, holder: str) -> None:
        """Free the lease."""
        async with self._db.write() as connection:
            await connection.execute(
                update(lease).where(lease.c.name == LEASE, lease.c.holder == holder).values(holder="", until=0)
            )

    # --- runs ---

    async def put(self, result: Result, holder: str) -> int:
        """Write a run; an accepted one is in force when this returns, or nothing has changed. Raises LeaseLostError."""
        async with self._db.write() as connection:
            mine = select(lease.c.name).where(
                lease.c.name == LEASE, lease.c.holder == holder, lease.c.until >= int(time.time())
            )
            if (await connection.execute(mine)).first() is None:
                raise LeaseLostError
            run_id = await self._insert_run(connection, result)
            await _insert_all(connection, price_point, (_point_row(run_id, point) for point in result.points))
            await _insert_all(connection, hourly_point, (_hourly_row(run_id, price) for price in result.hourly))
            await _insert_all(connection, exchange_rate, (_rate_row(run_id, rate) for rate in result.rates))
            if result.status == "accepted":
                row = {"provider": result.provider, "run_id": run_id}
                await connection.execute(self._db.insert(price_active, ("run_id",)), row)
                await bump(connection, self._db, "prices")
            await self._forget_old(connection, result.provider)
        return run_id

    async def _insert_run(self, connection: AsyncConnection, result: Result) -> int:
        values = {
            "provider": result.provider, "started": result.started, "finished": int(time.time()),
            "status": result.status, "rows_in": result.rows_in, "rows_ok": result.rows_ok,
            "report": json.dumps(result.report, ensure_ascii=False),
        }  # fmt: skip
        key = (await connection.execute(insert(price_run).values(values))).inserted_primary_key
        assert key is not None  # noqa: S101 - an insert of one row always has one
        return int(key[0])

    async def _forget_old(self, connection: AsyncConnection, provider: str) -> None:
        """Keep the last KEEP accepted runs, the one in force, and the last KEEP that were not accepted."""
        keep = set((await connection.execute(
            select(price_active.c.run_id).where(price_active.c.provider == provider))).scalars())  # fmt: skip
        mine = select(price_run.c.id).where(price_run.c.provider == provider).order_by(price_run.c.id.desc())
        keep |= set((await connection.execute(mine.where(price_run.c.status == "accepted").limit(KEEP))).scalars())
        keep |= set((await connection.execute(mine.where(price_run.c.status != "accepted").limit(KEEP))).scalars())
        old = [run for run in (await connection.execute(mine)).scalars() if run not in keep]
        for table in (price_point, hourly_point, exchange_rate):
            await connection.execute(delete(table).where(table.c.run_id.in_(old)))
        await connection.execute(delete(price_run).where(price_run.c.id.in_(old)))

    async def runs(self, most: int = 20, provider: str | None = None) -> list[Run]:
        """The last runs, newest first."""
        statement = (
            select(price_run, price_active.c.run_id)
            .outerjoin(price_active, price_active.c.run_id == price_run.c.id)
            .order_by(price_run.c.id.desc())
            .limit(most)
        )
        if provider:
            statement = statement.where(price_run.c.provider == provider)
        async with self._db.read() as connection:
            rows = (await connection.execute(statement)).all()
        return [
            Run(row.id, row.provider, row.started, row.finished, row.status, row.rows_in, row.rows_ok,
                json.loads(row.report), row.run_id is not None)
            for row in rows
        ]  # fmt: skip

    async def rollback(self, provider: str | None = None) -> list[str]:
        """Put the accepted run before the one in force back, of one source or of the last refreshed; its names.

        The run left behind is marked and never comes back by itself.
        """
        async with self._db.write() as connection:
            statement = (
                select(price_active.c.provider, price_active.c.run_id).order_by(price_active.c.run_id.desc()).limit(1)
            )
            if provider:
                statement = statement.where(price_active.c.provider == provider)
            done = []
            for name, run_id in (await connection.execute(statement)).all():
                await connection.execute(update(price_run).where(price_run.c.id == run_id).values(status="rolled back"))
                before = (
                    await connection.execute(
                        select(func.max(price_run.c.id)).where(
                            price_run.c.provider == name, price_run.c.status == "accepted", price_run.c.id < run_id
                        )
                    )
                ).scalar()
                if before is None:
                    await connection.execute(delete(price_active).where(price_active.c.provider == name))
                else:
                    await connection.execute(
                        update(price_active).where(price_active.c.provider == name).values(run_id=before)
                    )
                done.append(str(name))
            if done:
                await bump(connection, self._db, "prices")
            return done

    # --- prices ---

    async def active(self, provider: str | None = None) -> list[Checked]:
        """The points in force, of one source or of all."""
        statement = (
            select(price_point)
            .join(price_active, price_active.c.run_id == price_point.c.run_id)
            .where(price_point.c.state == "accepted")
            .order_by(price_point.c.id)
        )
        if provider:
            statement = statement.where(price_active.c.provider == provider)
        async with self._db.read() as connection:
            return [_checked(row) for row in (await connection.execute(statement)).all()]

    async def history(self, gpu: str) -> list[Checked]:
        """Every accepted point of a card in the runs kept, newest first; each observation once."""
        statement = (
            select(price_point)
            .where(price_point.c.gpu == gpu, price_point.c.state == "accepted")
            .order_by(price_point.c.as_of.desc(), price_point.c.id.desc())
        )
        async with self._db.read() as connection:
            found = [_checked(row) for row in (await connection.execute(statement)).all()]
        return list(dict.fromkeys(found))

    async def kept(self) -> list[Checked]:
        """Every accepted point of the accepted runs kept, newest run first; each observation once."""
        statement = (
            select(price_point)
            .join(price_run, price_run.c.id == price_point.c.run_id)
            .where(price_point.c.state == "accepted", price_run.c.status == "accepted")
            .order_by(price_point.c.id.desc())
        )
        async with self._db.read() as connection:
            found = [_checked(row) for row in (await connection.execute(statement)).all()]
        return list(dict.fromkeys(found))

    async def hourly(self) -> list[CloudPrice]:
        """Rental prices in force."""
        statement = select(hourly_point).join(price_active, price_active.c.run_id == hourly_point.c.run_id)
        async with self._db.read() as connection:
            rows = (await connection.execute(statement)).all()
        return [
            CloudPrice(row.gpu, row.kind, row.usd_median, row.usd_low, row.usd_high, row.n, row.as_of, row.source)
            for row in rows
        ]

    async def rates(self) -> list[Rate]:
        """Exchange rates in force; the newest of each currency."""
        statement = (
            select(exchange_rate)
            .join(price_active, price_active.c.run_id == exchange_rate.c.run_id)
            .order_by(exchange_rate.c.as_of)
        )
        async with self._db.read() as connection:
            rows = (await connection.execute(statement)).all()
        newest = {row.currency: Rate(row.currency, row.per_usd, row.as_of, row.source) for row in rows}
        return list(newest.values())

    async def quarantine(self) -> list[Waiting]:
        """Prices of the runs in force that wait for a person."""
        statement = (
            select(price_point, price_run.c.provider)
            .join(price_run, price_run.c.id == price_point.c.run_id)
            .join(price_active, price_active.c.run_id == price_point.c.run_id)
            .where(price_point.c.state == "quarantined")
            .order_by(price_point.c.id)
        )
        async with self._db.read() as connection:
            rows = (await connection.execute(statement)).all()
        return [Waiting(row.id, row.provider, _checked(row)) for row in rows]

    async def approve(self, ids: Sequence[int]) -> list[Checked]:
        """Believe quarantined prices: each replaces the one in force under its key. Returns those that changed."""
        wanted = {waiting.id: waiting for waiting in await self.quarantine()}
        done = []
        async with self._db.write() as connection:
            for point_id in ids:
                if point_id not in wanted:
                    continue
                point = wanted[point_id].point
                run = (await connection.execute(
                    select(price_point.c.run_id).where(price_point.c.id == point_id))).scalar_one()  # fmt: skip
                same = and_(
                    price_point.c.run_id == run, price_point.c.gpu == point.gpu, price_point.c.state == "accepted",
                    price_point.c.condition == point.condition, price_point.c.region == point.region,
                )  # fmt: skip
                await connection.execute(delete(price_point).where(same))
                await connection.execute(
                    update(price_point).where(price_point.c.id == point_id).values(state="accepted", reason=None)
                )
                done.append(point)
            if done:
                await bump(connection, self._db, "prices")
        return done


async def _insert_all(connection: AsyncConnection, table: Any, rows: Iterable[dict[str, Any]]) -> None:
    values = list(rows)
    if values:
        await connection.execute(insert(table), values)


def _point_row(run_id: int, point: Checked) -> dict[str, Any]:
    return {
        "run_id": run_id, "state": point.state, "gpu": point.gpu, "condition": point.condition,
        "region": point.region, "currency": point.currency, "low_minor": point.low_minor,
        "typical_minor": point.typical_minor, "n": point.n, "as_of": point.as_of, "source": point.source,
        "kind": point.kind, "reason": point.reason[:200] or None,
    }  # fmt: skip


def _hourly_row(run_id: int, price: CloudPrice) -> dict[str, Any]:
    return {
        "run_id": run_id, "gpu": price.gpu, "kind": price.kind, "usd_median": price.usd_per_hour,
        "usd_low": price.low, "usd_high": price.high, "n": price.n, "as_of": price.as_of, "source": price.source,
    }  # fmt: skip


def _rate_row(run_id: int, rate: Rate) -> dict[str, Any]:
    return {
        "run_id": run_id, "currency": rate.currency, "per_usd": rate.per_usd, "as_of": rate.as_of,
        "source": rate.source,
    }  # fmt: skip


def _checked(row: Row[Any]) -> Checked:
    return Checked(
        row.gpu, row.condition, row.region, row.currency, row.low_minor, row.as_of, row.source, row.typical_minor,
        row.n, row.kind, row.state, row.reason or "",
    )  # fmt: skip
