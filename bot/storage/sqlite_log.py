"""The query log in one SQLite file, through aiosqlite: one writer, batches, readers that never see a lock."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sqlite3
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import aiosqlite

from bot.storage.querylog import Exchange, GuildSettings, Stats, Unanswered

log = logging.getLogger(__name__)

REMEMBERED = 2000
"""Exchanges kept in memory for buttons and follow-ups."""
QUEUE = 20_000
"""Writes waiting at most; beyond it the oldest go, with a warning (a disk that is gone must not eat memory)."""
BATCH = 500
BUSY_MS = 2000
RETRY_SECONDS = (0.05, 0.2, 1.0, 3.0)

SCHEMA = """
CREATE TABLE IF NOT EXISTS exchange (
  id TEXT PRIMARY KEY, at INTEGER NOT NULL, user TEXT NOT NULL, surface TEXT NOT NULL, question TEXT NOT NULL,
  turns_before TEXT NOT NULL, locale TEXT, currency TEXT, language TEXT NOT NULL, kind TEXT NOT NULL,
  confidence REAL NOT NULL, abstained INTEGER NOT NULL, took_ms REAL NOT NULL, answer TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS exchange_user ON exchange (user);
CREATE INDEX IF NOT EXISTS exchange_at ON exchange (at);
CREATE TABLE IF NOT EXISTS feedback (
  answer_id TEXT NOT NULL, user TEXT NOT NULL, good INTEGER NOT NULL, PRIMARY KEY (answer_id, user));
CREATE TABLE IF NOT EXISTS opted_out (user TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS guild (id INTEGER PRIMARY KEY, settings TEXT NOT NULL);
PRAGMA user_version = 1;
"""
_COLUMNS = (
    "id, at, user, surface, question, turns_before, locale, currency, language, kind, confidence, abstained, took_ms, "
    "answer"
)
_INSERT = f"INSERT OR REPLACE INTO exchange ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"  # noqa: S608 - fixed text
_SELECT = f"SELECT {_COLUMNS} FROM exchange"  # noqa: S608 - fixed text
_FEEDBACK = "INSERT OR REPLACE INTO feedback (answer_id, user, good) VALUES (?,?,?)"

Write = tuple[str, Callable[[], tuple[Any, ...]]]


class SqliteLog:
    """See QueryLog. Open it with `await SqliteLog.open(path)`."""

    def __init__(self, db: aiosqlite.Connection, opted_out: set[str], guilds: dict[int, GuildSettings]) -> None:
        self._db = db
        self._opted_out = opted_out
        self._guilds = guilds
        self._recent: OrderedDict[str, Exchange] = OrderedDict()
        self._queue: list[Write] = []
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._lock = asyncio.Lock()
        self._closing = False
        self.dropped = 0
        self._task = asyncio.create_task(self._writer(), name="query log writer")

    @classmethod
    async def open(cls, path: Path) -> SqliteLog:
        """Open or make the file. Raises sqlite3.Error or OSError."""
        path.parent.mkdir(parents=True, exist_ok=True)
        db = await aiosqlite.connect(path, isolation_level=None)
        try:
            await db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            await db.execute("PRAGMA journal_mode = WAL")
            await db.execute("PRAGMA synchronous = NORMAL")
            await db.executescript(SCHEMA)
            out = {row[0] for row in await db.execute_fetchall("SELECT user FROM opted_out")}
            rows = await db.execute_fetchall("SELECT id, settings FROM guild")
            guilds = {row[0]: _guild_settings(row[1]) for row in rows}
        except BaseException:
            await db.close()
            raise
        return cls(db, out, guilds)

    # --- writes that return at once ---

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange; of people who opted out only in memory, without their pseudonym."""
        out = exchange.user in self._opted_out
        # Memory keeps what buttons need; the answer itself is worked out anew.
        self._recent[exchange.id] = replace(exchange, user="" if out else exchange.user, answer="{}")
        while len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)
        if not out:
            self._put((_INSERT, lambda: _row(exchange)))

    def feedback(self, answer_id: str, user: str, good: bool) -> None:
        """Keep a thumb, without a name for people who opted out."""
        user = "" if user in self._opted_out else user
        self._put((_FEEDBACK, lambda: (answer_id, user, int(good))))

    def _put(self, write: Write) -> None:
        self._queue.append(write)
        if len(self._queue) > QUEUE:
            del self._queue[0]
            self.dropped += 1
            if self.dropped % 1000 == 1:
                log.warning("the query log cannot write; %d entries dropped", self.dropped)
        self._idle.clear()
        self._wake.set()

    async def _writer(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                batch, self._queue = self._queue[:BATCH], self._queue[BATCH:]
                try:
                    await self._transaction(lambda batch=batch: self._write(batch))  # type: ignore[misc]
                except sqlite3.Error:
                    if self._closing:
                        log.exception("the query log lost %d entries", len(batch))
                        continue
                    log.warning("the query log is locked or unreachable; trying again")
                    self._queue[:0] = batch
                    await asyncio.sleep(RETRY_SECONDS[-1])
                await asyncio.sleep(0)
            self._idle.set()

    async def _write(self, batch: list[Write]) -> None:
        for statement in (_INSERT, _FEEDBACK):
            rows = [make() for text, make in batch if text is statement]
            if rows:
                await self._db.executemany(statement, rows)

    async def _transaction(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` in one transaction; a lock held by another process is waited for a few times."""
        for wait in (*RETRY_SECONDS, None):
            try:
                async with self._lock:
                    await self._db.execute("BEGIN IMMEDIATE")
                    try:
                        await work()
                    except BaseException:
                        await self._db.rollback()
                        raise
                    await self._db.commit()
            except sqlite3.OperationalError:
                if wait is None:
                    raise
                await asyncio.sleep(wait)
            else:
                return

    # --- reads and changes that wait ---

    async def exchange(self, answer_id: str) -> Exchange | None:
        """From memory, else from disk."""
        if found := self._recent.get(answer_id):
            return found
        rows = list(await self._db.execute_fetchall(f"{_SELECT} WHERE id = ?", (answer_id,)))
        return _exchange(rows[0]) if rows else None

    def opted_out(self, user: str) -> bool:
        """Whether this person's questions must not be kept."""
        return user in self._opted_out

    async def opt_out(self, user: str, out: bool) -> None:
        """Remember the wish, then delete what is kept."""
        if out:
            self._opted_out.add(user)
            await self._change("INSERT OR IGNORE INTO opted_out (user) VALUES (?)", (user,))
            await self.delete(user)
        else:
            self._opted_out.discard(user)
            await self._change("DELETE FROM opted_out WHERE user = ?", (user,))

    async def export(self, user: str) -> dict[str, Any]:
        """Everything kept of a person."""
        await self.flush()
        rows = await self._db.execute_fetchall(f"{_SELECT} WHERE user = ? ORDER BY at", (user,))
        thumbs = await self._db.execute_fetchall("SELECT answer_id, good FROM feedback WHERE user = ?", (user,))
        exchanges = []
        for row in rows:
            data = asdict(_exchange(row))
            data["answer"] = json.loads(row[-1])
            exchanges.append(data)
        return {
            "pseudonym": user,
            "opted_out": user in self._opted_out,
            "questions": exchanges,
            "feedback": [{"answer_id": row[0], "good": bool(row[1])} for row in thumbs],
        }

    async def delete(self, user: str) -> int:
        """Delete a person's exchanges and thumbs, in memory and on disk."""
        await self.flush()
        for key in [key for key, entry in self._recent.items() if entry.user == user]:
            del self._recent[key]
        rows = await self._change("DELETE FROM feedback WHERE user = ?", (user,))
        return rows + await self._change("DELETE FROM exchange WHERE user = ?", (user,))

    def guild(self, guild_id: int) -> GuildSettings:
        """A server's settings."""
        return self._guilds.get(guild_id, _NOTHING_SET)

    async def set_guild(self, guild_id: int, settings: GuildSettings) -> None:
        """Change a server's settings, on disk first."""
        text = json.dumps(asdict(settings))
        await self._change("INSERT OR REPLACE INTO guild (id, settings) VALUES (?, ?)", (guild_id, text))
        self._guilds[guild_id] = settings

    async def forget_guild(self, guild_id: int) -> None:
        """Delete a server's settings."""
        self._guilds.pop(guild_id, None)
        await self._change("DELETE FROM guild WHERE id = ?", (guild_id,))

    async def unanswered(self, most: int) -> list[Unanswered]:
        """Declined questions; small talk and other subjects are no gaps of the knowledge."""
        await self.flush()
        rows = await self._db.execute_fetchall(
            "SELECT question, COUNT(*) AS times, MAX(at) FROM exchange WHERE abstained = 1 AND kind NOT IN "
            "('smalltalk', 'out_of_scope') GROUP BY lower(question) ORDER BY times DESC, 3 DESC LIMIT ?",
            (most,),
        )
        return [Unanswered(*row) for row in rows]

    async def stats(self, since: int) -> Stats:
        """Counts since a time."""
        await self.flush()
        rows = list(
            await self._db.execute_fetchall(
                "SELECT COUNT(*), COUNT(DISTINCT user), COALESCE(SUM(abstained), 0) FROM exchange WHERE at >= ?",
                (since,),
            )
        )
        questions, people, abstained = rows[0]
        kinds = await self._db.execute_fetchall(
            "SELECT kind, COUNT(*) FROM exchange WHERE at >= ? GROUP BY kind ORDER BY 2 DESC", (since,)
        )
        thumbs = dict(
            tuple(row)
            for row in await self._db.execute_fetchall(
                "SELECT good, COUNT(*) FROM feedback JOIN exchange ON answer_id = id WHERE at >= ? GROUP BY good",
                (since,),
            )
        )
        times = [
            row[0]
            for row in await self._db.execute_fetchall(
                "SELECT took_ms FROM exchange WHERE at >= ? ORDER BY took_ms", (since,)
            )
        ]
        by_kind = tuple((str(row[0]), int(row[1])) for row in kinds)
        p50, p99 = (times[int(len(times) * part)] if times else 0.0 for part in (0.5, 0.99))
        return Stats(questions, people, abstained, thumbs.get(1, 0), thumbs.get(0, 0), by_kind, p50, p99)

    async def prune(self, before: int) -> int:
        """Delete what is older, and the thumbs on it."""
        await self.flush()
        for key in [key for key, entry in self._recent.items() if entry.at < before]:
            del self._recent[key]
        rows = await self._change("DELETE FROM exchange WHERE at < ?", (before,))
        await self._change("DELETE FROM feedback WHERE answer_id NOT IN (SELECT id FROM exchange)", ())
        return rows

    async def _change(self, statement: str, values: tuple[Any, ...]) -> int:
        count = 0

        async def work() -> None:
            nonlocal count
            async with self._db.execute(statement, values) as cursor:
                count = cursor.rowcount

        await self._transaction(work)
        return count

    async def flush(self) -> None:
        """Wait until everything recorded so far is on disk."""
        await self._idle.wait()

    async def close(self) -> None:
        """Write what is left and close."""
        if self._closing:
            return
        self._closing = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.flush(), 10)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await self._db.close()


_NOTHING_SET = GuildSettings()


def _row(entry: Exchange) -> tuple[Any, ...]:
    answer = entry.answer if isinstance(entry.answer, str) else entry.answer()
    turns = json.dumps(entry.turns_before, ensure_ascii=False)
    row = (
        entry.id, entry.at, entry.user, entry.surface, entry.question, turns, entry.locale, entry.currency,
        entry.language, entry.kind, entry.confidence, int(entry.abstained), entry.took_ms, answer,
    )  # fmt: skip
    # SQLite refuses lone surrogates, which a hostile message can hold.
    return tuple(v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in row)


def _exchange(row: Any) -> Exchange:
    values = list(row)
    values[5] = tuple(json.loads(values[5]))
    values[11] = bool(values[11])
    return Exchange(*values)


def _guild_settings(text: str) -> GuildSettings:
    data = json.loads(text)
    return GuildSettings(data.get("language"), data.get("currency"), bool(data.get("private")),
                         tuple(data.get("channels") or ()))  # fmt: skip
