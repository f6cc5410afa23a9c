"""The query log, preferences and settings on a database. It always opens: what is wrong with the disk is told, and
the bot goes on from memory."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Row, delete, select, update

from bot.storage import reports
from bot.storage.engine import Database, StorageError, expire_backups, sqlite_url, told
from bot.storage.querylog import Exchange, GuildSettings, Stats, Unanswered
from bot.storage.schema import answer, feedback, guild, person, query, state
from bot.storage.writer import Thumb, Writer

log = logging.getLogger(__name__)

REMEMBERED = 2000
"""Exchanges kept in memory for buttons and follow-ups."""
POLL_SECONDS = 2.0
"""How often another process's changes are looked for, and a database that was away is tried again."""
_NOTHING_SET = GuildSettings()


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person has set for all servers."""

    language: str | None = None
    currency: str | None = None


class Store:
    """See QueryLog. Open it with `await Store.open(path or address)`; `problem` is "" while all is well."""

    def __init__(self, url: str, poll_seconds: float = POLL_SECONDS) -> None:
        self.url = url
        self.database: Database | None = None
        self._open_problem = ""
        self._people: dict[str, tuple[bool, Preferences]] = {}
        self._unsaved: dict[str, tuple[bool, Preferences]] = {}
        """Wishes that could not be written when they were said: they hold all the same, and are written later."""
        self._guilds: dict[int, GuildSettings] = {}
        self._recent: OrderedDict[str, Exchange] = OrderedDict()
        self._seen: dict[str, str] = {}
        self._listeners: list[Callable[[str], None]] = []
        self._closed = False
        self._poll_seconds = poll_seconds
        self._writer = Writer(lambda: self.database)
        self._poller: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, where: Path | str, poll_seconds: float = POLL_SECONDS) -> Store:
        """Open, make or migrate. Never raises for what is wrong with the disk: see `problem`."""
        store = cls(where if isinstance(where, str) else sqlite_url(where), poll_seconds)
        await store._connect()
        store._poller = asyncio.create_task(store._poll(), name="storage poller")
        return store

    @property
    def problem(self) -> str:
        """A sentence for the operator, or ""."""
        return self._open_problem or self._writer.problem

    @property
    def dropped(self) -> int:
        """Entries lost because the database could not be written for long."""
        return self._writer.dropped

    def on_change(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with "prices" or "settings" when this or another process has changed them."""
        self._listeners.append(listener)

    async def _connect(self) -> None:
        try:
            database = await Database.open(self.url)
        except StorageError as error:
            if str(error) != self._open_problem:
                log.error("%s", error)
            self._open_problem = str(error)
            return
        try:
            await self._load(database)
        except Exception as error:  # noqa: BLE001,RUF100 - a damaged file raises whatever it likes
            self._open_problem = told(error, self.url)
            log.error("%s", self._open_problem)
            await database.close()
            return
        self._open_problem = ""
        self.database = database

    async def _load(self, database: Database) -> None:
        async with database.read() as connection:
            people = (await connection.execute(select(person))).all()
            guilds = (await connection.execute(select(guild.c.id, guild.c.settings))).all()
            self._seen = {row.name: row.value for row in await connection.execute(select(state))}
        self._people = {row.user_key: (row.opted_out, Preferences(row.language, row.currency)) for row in people}
        self._people |= self._unsaved
        self._guilds = {row.id: _guild_settings(row.settings) for row in guilds}

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self._poll_seconds)
            if self.database is None:
                await self._connect()
                continue
            with contextlib.suppress(Exception):
                for user, (out, _) in list(self._unsaved.items()):
                    await self._set_person(user)
                    if out:
                        await self.delete(user, preferences=False)
                await self.look()

    async def look(self) -> None:
        """Take over what other processes have changed since the last look."""
        if self.database is None:
            return
        async with self.database.read() as connection:
            found = {row.name: row.value for row in await connection.execute(select(state))}
        changed = [name for name in ("settings", "prices") if found.get(name) != self._seen.get(name)]
        if "settings" in changed:
            await self._load(self.database)
        self._seen = found
        for name in changed:
            for listener in self._listeners:
                listener(name)

    # --- writes that return at once ---

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange; of people who opted out only in memory, without their pseudonym."""
        out = self.opted_out(exchange.user)
        # Memory keeps what buttons need; the answer itself is worked out anew.
        self._recent[exchange.id] = replace(exchange, user="" if out else exchange.user, answer="{}")
        while len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)
        if not out:
            self._writer.put(exchange)

    def feedback(self, answer_id: str, user: str, good: bool) -> asyncio.Future[bool]:
        """Keep a thumb, without a name for people who opted out. The result: whether it is on disk."""
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        user = "" if self.opted_out(user) else user
        self._writer.put(Thumb(answer_id, user, good, int(time.time())), done)
        return done

    # --- reads and changes that wait ---

    def _need(self) -> Database:
        if self.database is None:
            raise StorageError(self._open_problem)
        return self.database

    async def exchange(self, answer_id: str) -> Exchange | None:
        """From memory, else from disk; None also while the disk is away."""
        if found := self._recent.get(answer_id):
            return found
        try:
            async with self._need().read() as connection:
                row = (await connection.execute(_exchanges().where(query.c.id == answer_id))).first()
        except Exception as error:  # noqa: BLE001,RUF100 - an old button must not break the bot
            log.warning("an old answer cannot be read: %s", told(error, self.url))
            return None
        return _exchange(row) if row else None

    def opted_out(self, user: str) -> bool:
        """Whether this person's questions must not be kept."""
        known = self._people.get(user)
        return known is not None and known[0]

    async def opt_out(self, user: str, out: bool) -> None:
        """Remember the wish, then delete what is kept. In memory it holds even while the disk is away."""
        wishes = self.preferences(user)
        self._people[user] = (out, wishes)
        await self._set_person(user)
        if out:
            await self.delete(user, preferences=False)

    def preferences(self, user: str) -> Preferences:
        """What a person has set; from memory."""
        known = self._people.get(user)
        return known[1] if known else Preferences()

    async def set_preferences(self, user: str, wishes: Preferences) -> None:
        """Change what a person has set; on disk when this returns."""
        self._people[user] = (self.opted_out(user), wishes)
        await self._set_person(user)

    async def _set_person(self, user: str) -> None:
        out, wishes = self._unsaved[user] = self._people[user]
        database = self._need()
        row = {"user_key": user, "opted_out": out, "language": wishes.language, "currency": wishes.currency}
        async with database.write() as connection:
            await connection.execute(database.insert(person, ("opted_out", "language", "currency")), row)
            await bump(connection, database, "settings")
        # A look at the database just before may have brought the old wish back.
        self._people[user] = (out, wishes)
        self._unsaved.pop(user, None)

    async def export(self, user: str) -> dict[str, Any]:
        """Everything kept of a person, and nothing of anyone else."""
        await self._writer.flush(10)
        async with self._need().read() as connection:
            rows = await connection.execute(
                select(query, answer.c.body)
                .outerjoin(answer, answer.c.query_id == query.c.id)
                .where(query.c.user_key == user)
                .order_by(query.c.at)
            )
            questions = [_exported(row) for row in rows.all()]
            thumbs = await connection.execute(select(feedback).where(feedback.c.user_key == user))
            given = [{"answer_id": row.query_id, "good": row.good, "at": row.at} for row in thumbs.all()]
        return {
            "pseudonym": user,
            "opted_out": self.opted_out(user),
            "preferences": asdict(self.preferences(user)),
            "questions": questions,
            "feedback": given,
        }

    async def delete(self, user: str, preferences: bool = True) -> int:
        """Delete a person's questions, answers, thumbs and preferences from memory and every table; the number of
        rows. The opt-out stays: it is what keeps them from being logged again."""
        for key in [key for key, entry in self._recent.items() if entry.user == user]:
            del self._recent[key]
        await self._writer.flush(10)
        mine = select(query.c.id).where(query.c.user_key == user)
        async with self._need().write() as connection:
            rows = (await connection.execute(delete(feedback).where(feedback.c.user_key == user))).rowcount
            await connection.execute(delete(feedback).where(feedback.c.query_id.in_(mine)))
            await connection.execute(delete(answer).where(answer.c.query_id.in_(mine)))
            rows += (await connection.execute(delete(query).where(query.c.user_key == user))).rowcount
            if preferences and user in self._people:
                out = self.opted_out(user)
                if out:
                    await connection.execute(
                        update(person).where(person.c.user_key == user).values(language=None, currency=None)
                    )
                    self._people[user] = (True, Preferences())
                else:
                    rows += (await connection.execute(delete(person).where(person.c.user_key == user))).rowcount
                    del self._people[user]
                await bump(connection, self._need(), "settings")
        await self._shrink_wal()
        return int(rows)

    async def _shrink_wal(self) -> None:
        """Deleted rows also leave SQLite's side file."""
        if self._need().sqlite:
            with contextlib.suppress(Exception):
                async with self._need().read() as connection:
                    await connection.rollback()
                    raw = await connection.get_raw_connection()
                    await raw.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]

    def guild(self, guild_id: int) -> GuildSettings:
        """A server's settings; from memory."""
        return self._guilds.get(guild_id, _NOTHING_SET)

    async def set_guild(self, guild_id: int, settings: GuildSettings) -> None:
        """Change a server's settings; on disk when this returns. Raises StorageError or SQLAlchemy's errors."""
        database = self._need()
        row = {"id": guild_id, "settings": json.dumps(asdict(settings))}
        async with database.write() as connection:
            await connection.execute(database.insert(guild, ("settings",)), row)
            await bump(connection, database, "settings")
        self._guilds[guild_id] = settings

    async def forget_guild(self, guild_id: int) -> None:
        """Delete a server's settings."""
        self._guilds.pop(guild_id, None)
        async with self._need().write() as connection:
            await connection.execute(delete(guild).where(guild.c.id == guild_id))
            await bump(connection, self._need(), "settings")

    async def state(self, name: str) -> str:
        """A remembered text, such as what was last sent to Discord as commands; "" when there is none."""
        async with self._need().read() as connection:
            found = (await connection.execute(select(state.c.value).where(state.c.name == name))).scalar()
        return str(found or "")

    async def set_state(self, name: str, value: str) -> None:
        """Remember a text."""
        async with self._need().write() as connection:
            await connection.execute(self._need().insert(state, ("value",)), {"name": name, "value": value})

    async def unanswered(self, most: int) -> list[Unanswered]:
        """Declined questions, like ones together; small talk and other subjects are no gaps of the knowledge."""
        await self._writer.flush(10)
        groups = await reports.unanswered(self._need(), most=most)
        return [Unanswered(group.question, group.times, group.last_at) for group in groups]

    async def stats(self, since: int) -> Stats:
        """Counts since a time."""
        await self._writer.flush(10)
        return await reports.stats(self._need(), since)

    async def prune(self, before: int) -> int:
        """Delete exchanges older than a Unix time with their answers and thumbs, and expired backups."""
        await self._writer.flush(10)
        for key in [key for key, entry in self._recent.items() if entry.at < before]:
            del self._recent[key]
        database = self._need()
        if database.file:
            expire_backups(database.file, datetime.now(UTC))
        gone = 0
        while True:
            # A thousand at a time: a long transaction would hold up the writer.
            async with database.write() as connection:
                ids = (await connection.execute(select(query.c.id).where(query.c.at < before).limit(1000))).scalars()
                old = list(ids)
                await connection.execute(delete(answer).where(answer.c.query_id.in_(old)))
                await connection.execute(delete(feedback).where(feedback.c.query_id.in_(old)))
                gone += (await connection.execute(delete(query).where(query.c.id.in_(old)))).rowcount
                if len(old) < 1000:
                    # Thumbs on answers that were never logged (their asker opted out).
                    known = select(query.c.id).where(query.c.id == feedback.c.query_id).exists()
                    await connection.execute(delete(feedback).where(feedback.c.at < before, ~known))
                    return gone

    async def flush(self) -> None:
        """Wait until everything recorded so far is on disk."""
        await self._writer.flush()

    async def close(self) -> None:
        """Write what is left and close."""
        if self._closed:
            return
        self._closed = True
        if self._poller:
            self._poller.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._poller
        await self._writer.close()
        if self.database:
            await self.database.close()


async def bump(connection: Any, database: Database, name: str) -> str:
    """Count a change up, in the same transaction as the change itself; the new value."""
    await connection.execute(database.insert(state), {"name": name, "value": "0"})
    current = (await connection.execute(select(state.c.value).where(state.c.name == name).with_for_update())).scalar()
    value = str(int(current or 0) + 1)
    await connection.execute(update(state).where(state.c.name == name).values(value=value))
    return value


def _exchanges() -> Any:
    return select(query, answer.c.body).outerjoin(answer, answer.c.query_id == query.c.id)


def _exchange(row: Row[Any]) -> Exchange:
    return Exchange(
        row.id, row.at, row.user_key, row.surface, row.question, tuple(json.loads(row.turns_before)), row.locale,
        row.currency, row.language, row.kind, row.confidence, row.abstained, row.took_ms, row.body or "{}",
        row.guild_key,
    )  # fmt: skip


def _exported(row: Row[Any]) -> dict[str, Any]:
    data = asdict(_exchange(row))
    data["answer"] = json.loads(row.body or "{}")
    return data


def _guild_settings(stored: str) -> GuildSettings:
    data = json.loads(stored)
    return GuildSettings(
        data.get("language"), data.get("currency"), bool(data.get("private")), tuple(data.get("channels") or ())
    )
