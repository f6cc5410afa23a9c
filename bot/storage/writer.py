"""One writer for the log: a bounded queue, batches, one transaction a batch, off the answer's path."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.engine import Database, told
from bot.storage.querylog import Exchange
from bot.storage.schema import answer, feedback, query
from bot.text import fold

log = logging.getLogger(__name__)

QUEUE = 50_000
"""Writes waiting at most; beyond it the oldest go, counted (a disk that is gone must not eat the memory)."""
BATCH = 4000
LINGER = 0.03
"""Seconds that a batch gathers. With the time of a write it stays far below the 250 ms that a kill may cost."""
SLICE = 100
"""Rows made in one go (a few ms) before answers get their turn again. Each turn waits for every answer that is due, so
many short ones would write slower than a busy bot answers."""
LONG = 500
"""Entries waiting from which on an answer's text is made at once: as objects they would hold far more memory."""
RETRY_SECONDS = (0.2, 0.5, 1.0, 3.0)


@dataclass(frozen=True, slots=True)
class Thumb:
    """A judgement of an answer."""

    query_id: str
    user_key: str
    good: bool
    at: int


Entry = Exchange | Thumb
Waiting = tuple[Entry, "asyncio.Future[bool] | None"]


class Writer:
    """Takes entries at once, writes them in order. `problem` says what is wrong when they cannot be written."""

    def __init__(self, database: Callable[[], Database | None], queue: int = QUEUE) -> None:
        self._database = database
        self._most = queue
        self._queue: deque[Waiting] = deque()
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._closing = False
        self.dropped = 0
        self.written = 0
        self.problem = ""
        self._task = asyncio.create_task(self._run(), name="query log writer")

    def put(self, entry: Entry, done: asyncio.Future[bool] | None = None) -> None:
        """Queue an entry; `done` is told whether it is on disk."""
        if len(self._queue) >= LONG and isinstance(entry, Exchange):
            entry = replace(entry, answer=answer_text(entry))
        self._queue.append((entry, done))
        if len(self._queue) > self._most:
            self._drop(self._queue.popleft())
        self._idle.clear()
        self._wake.set()

    async def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything queued is on disk; False when it is not within `timeout` seconds."""
        try:
            await asyncio.wait_for(self._idle.wait(), timeout)
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Write what is left, trying once; what cannot be written is counted and told."""
        self._closing = True
        self._wake.set()
        await self.flush(10)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        while self._queue:
            self._drop(self._queue.popleft())
        if self.dropped:
            log.warning("the query log lost %d entries", self.dropped)

    def _drop(self, waiting: Waiting) -> None:
        self.dropped += 1
        _tell(waiting[1], False)
        if self.dropped % 1000 == 1:
            log.warning("the query log cannot write; %d entries dropped", self.dropped)

    async def _run(self) -> None:
        failures = 0
        while True:
            await self._wake.wait()
            self._wake.clear()
            if not self._closing:
                await asyncio.sleep(LINGER)
            while self._queue:
                batch = [self._queue.popleft() for _ in range(min(BATCH, len(self._queue)))]
                try:
                    await self._write(batch)
                except asyncio.CancelledError:
                    self._queue.extendleft(reversed(batch))
                    raise
                except Exception as error:  # noqa: BLE001,RUF100 - whatever it is, the bot goes on answering
                    self._failed(error)
                    if self._closing:
                        for waiting in batch:
                            self._drop(waiting)
                        continue
                    self._queue.extendleft(reversed(batch))
                    while len(self._queue) > self._most:
                        self._drop(self._queue.popleft())
                    await self._pause(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
                    failures += 1
                else:
                    failures = 0
                    self.problem = ""
                    self.written += len(batch)
                    for _, done in batch:
                        _tell(done, True)
                await asyncio.sleep(0)
            self._idle.set()

    async def _pause(self, seconds: float) -> None:
        """Wait before the next try, but not when the bot is closing."""
        end = time.monotonic() + seconds
        while not self._closing and time.monotonic() < end:
            await asyncio.sleep(0.02)

    def _failed(self, error: Exception) -> None:
        database = self._database()
        sentence = told(error, database.url if database else "")
        if sentence != self.problem:
            log.warning("the query log cannot be written: %s", sentence)
        self.problem = sentence

    async def _write(self, batch: list[Waiting]) -> None:
        database = self._database()
        if database is None:
            raise ConnectionError("the database is not open")
        queries: list[dict[str, Any]] = []
        answers: list[dict[str, Any]] = []
        thumbs: dict[tuple[str, str], dict[str, Any]] = {}
        for place, (entry, _) in enumerate(batch, 1):
            if isinstance(entry, Thumb):
                thumbs[entry.query_id, entry.user_key] = {
                    "query_id": entry.query_id, "user_key": entry.user_key, "good": entry.good, "at": entry.at,
                }  # fmt: skip
            else:
                queries.append(query_row(entry))
                answers.append({"query_id": entry.id, "body": answer_text(entry)})
            if place % SLICE == 0:
                await asyncio.sleep(0)
        async with database.write() as connection:
            await _insert(connection, database, query, queries, None)
            await _insert(connection, database, answer, answers, None)
            await _insert(connection, database, feedback, list(thumbs.values()), ("good", "at"))


async def _insert(
    connection: AsyncConnection, database: Database, table: Table, rows: list[dict[str, Any]], replace: Any
) -> None:
    if rows:
        await connection.execute(database.insert(table, replace), rows)


def _tell(done: asyncio.Future[bool] | None, good: bool) -> None:
    if done is not None and not done.done():
        done.set_result(good)


def clean(text: str) -> str:
    """Text that every database takes: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


def question_key(text: str) -> str:
    """The form that equal questions share: folded, spaces and closing marks evened out, at most 200 characters."""
    return clean(" ".join(fold(text).split()).rstrip(" ?!.。？！"))[:200]


def answer_text(entry: Exchange) -> str:
    """The answer's JSON."""
    return clean(entry.answer if isinstance(entry.answer, str) else entry.answer())


def query_row(entry: Exchange) -> dict[str, Any]:
    """A row of the table `query`."""
    return {
        "id": entry.id,
        "at": entry.at,
        "user_key": entry.user,
        "guild_key": entry.guild,
        "surface": entry.surface,
        "question": clean(entry.question),
        "question_key": question_key(entry.question),
        "turns_before": clean(json.dumps(entry.turns_before, ensure_ascii=False)),
        "locale": entry.locale,
        "currency": entry.currency,
        "language": entry.language,
        "kind": entry.kind,
        "confidence": entry.confidence,
        "abstained": entry.abstained,
        "took_ms": entry.took_ms,
    }
