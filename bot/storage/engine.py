"""The database itself: SQLite in one file by default, PostgreSQL by its address. Opening, migrating, backing up."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Insert, Table, event, inspect, text
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.storage.schema import HEAD

BUSY_MS = 2000
KEEP_BACKUPS = 2
BACKUP_DAYS = 30
"""A backup holds what people may since have deleted: it is gone after this time whatever happens."""
_ADVISORY = 7_411_093
RETRY_SECONDS = (0.05, 0.2, 0.5, 1.0)


class StorageError(Exception):
    """The database cannot be used. The message is for the operator and says what to do."""


class Database:
    """One database. Writing is one transaction at a time; reading never waits for it (WAL)."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.sqlite = url.startswith("sqlite")
        self.file = Path(url.split("///", 1)[1]) if self.sqlite else None
        self._lock = asyncio.Lock()
        self._reader = self._engine(url, "BEGIN")
        self._writer = self._engine(url, "BEGIN IMMEDIATE") if self.sqlite else self._reader

    def _engine(self, url: str, begin: str) -> AsyncEngine:
        if not self.sqlite:
            # A server that does not answer must hold up neither the start nor the writer for long.
            waits = {"timeout": 5, "command_timeout": 30}
            return create_async_engine(
                url, pool_size=4, max_overflow=2, pool_pre_ping=True, hide_parameters=True, connect_args=waits
            )
        engine = create_async_engine(url, hide_parameters=True, connect_args={"timeout": BUSY_MS / 1000})

        @event.listens_for(engine.sync_engine, "connect")
        def _connected(connection: Any, _: Any) -> None:
            # Transactions begin where we say so: the driver would begin them late, and only for some statements.
            connection.isolation_level = None
            cursor = connection.cursor()
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", f"busy_timeout = {BUSY_MS}",
                           "secure_delete = ON"):  # fmt: skip
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

        @event.listens_for(engine.sync_engine, "begin")
        def _begun(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return engine

    @classmethod
    async def open(cls, where: Path | str) -> Database:
        """Open, make or migrate. Raises StorageError, told for the operator."""
        url = where if isinstance(where, str) else sqlite_url(where)
        try:
            database = cls(url)
            if database.file:
                database.file.parent.mkdir(parents=True, exist_ok=True)
            try:
                await database.migrate()
            except BaseException:
                await database.close()
                raise
        except StorageError:
            raise
        except Exception as error:
            raise StorageError(told(error, url)) from error
        return database

    @contextlib.asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read from, in one consistent view."""
        async with self._reader.connect() as connection:
            yield connection

    @contextlib.asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction to write in; committed at the end, undone on any error. SQLite: one at a time."""
        async with self._lock if self.sqlite else contextlib.nullcontext():
            connection = await self._begin()
            try:
                yield connection
            except BaseException:
                with contextlib.suppress(DBAPIError):
                    await asyncio.shield(connection.rollback())
                raise
            else:
                await asyncio.shield(connection.commit())
            finally:
                await asyncio.shield(connection.close())

    async def _begin(self) -> AsyncConnection:
        """A begun transaction; a lock held by another process is waited for a few times."""
        for wait in (*RETRY_SECONDS, None):
            connection = await self._writer.connect()
            try:
                await connection.begin()
            except DBAPIError as error:
                await connection.close()
                if wait is None or "locked" not in str(error.orig):
                    raise
                await asyncio.sleep(wait)
            else:
                return connection
        raise AssertionError("unreachable")

    def insert(self, table: Table, replace: Sequence[str] | None = None) -> Insert:
        """An insert that leaves a row with the same key as it is, or changes the columns named in `replace`."""
        statement: Any = (sqlite_insert if self.sqlite else postgres_insert)(table)
        if replace is None:
            return statement.on_conflict_do_nothing()  # type: ignore[no-any-return]
        keys = [column.name for column in table.primary_key]
        changed = {name: statement.excluded[name] for name in replace}
        return statement.on_conflict_do_update(index_elements=keys, set_=changed)  # type: ignore[no-any-return]

    async def migrate(self) -> None:
        """Bring the tables to HEAD. Before an old file is touched it is checked, and a backup laid beside it."""
        async with self.read() as connection:
            at = await connection.run_sync(_revision)
        if at == HEAD:
            return
        if at is not None and at > HEAD:
            raise StorageError(f"the database was made by a newer version ({at}); update whichgpu, or restore a backup")
        if at is not None and self.file:
            await asyncio.to_thread(check_file, self.file)
            await asyncio.to_thread(backup, self.file, f"before-{HEAD}")
        async with self.write() as connection:
            if not self.sqlite:
                await connection.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY})"))
            await connection.run_sync(_upgrade)

    async def quick_check(self) -> None:
        """SQLite: look for damage. Raises StorageError."""
        if self.file and self.file.exists():
            await asyncio.to_thread(check_file, self.file)

    async def close(self) -> None:
        """Give back every connection."""
        await self._reader.dispose()
        if self._writer is not self._reader:
            await self._writer.dispose()


def sqlite_url(path: Path) -> str:
    """The address of a SQLite file."""
    return f"sqlite+aiosqlite:///{path}"


def database_url(text: str, state_dir: Path) -> str:
    """The address from the settings: empty means SQLite in the state folder; PostgreSQL's usual forms are accepted."""
    if not text:
        return sqlite_url(state_dir / "whichgpu.sqlite")
    return re.sub(r"^(postgres|postgresql)://", "postgresql+asyncpg://", text)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
    return str(row[0]) if row else None


def _upgrade(connection: Connection) -> None:
    if _revision(connection) == HEAD:  # another process was quicker
        return
    # Alembic takes a fifth of a second to load: only when there is something to do.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "bot.storage:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def check_file(path: Path) -> None:
    """Raises StorageError when SQLite finds damage."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise StorageError(told(error, str(path))) from error
    if found[0] != "ok":
        raise StorageError(_DAMAGED.format(name=path.name))


def backup(path: Path, label: str) -> Path:
    """A copy of a SQLite file beside it, readable by its owner only; the oldest and the expired ones go."""
    target = path.with_name(f"{path.name}.{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.{label}.backup")
    target.touch(mode=0o600)
    with contextlib.closing(sqlite3.connect(path)) as old, contextlib.closing(sqlite3.connect(target)) as new:
        old.backup(new)
    for stale in backups(path)[:-KEEP_BACKUPS]:
        stale.unlink(missing_ok=True)
    return target


def backups(path: Path) -> list[Path]:
    """The backups beside a file, oldest first."""
    return sorted(path.parent.glob(f"{path.name}.*.backup"))


def expire_backups(path: Path, now: datetime) -> int:
    """Delete backups older than BACKUP_DAYS; how many went."""
    gone = 0
    for found in backups(path):
        stamp = found.name.removeprefix(path.name + ".")[:15]
        with contextlib.suppress(ValueError):
            if now - datetime.strptime(stamp, "%Y%m%d-%H%M%S").replace(tzinfo=UTC) > timedelta(days=BACKUP_DAYS):
                found.unlink(missing_ok=True)
                gone += 1
    return gone


_DAMAGED = "{name} is damaged; stop the bot, move the file away and put a backup (*.backup) in its place"
_FAULTS: Mapping[str, str] = {
    "malformed": _DAMAGED,
    "not a database": _DAMAGED,
    "readonly": "{name} or its folder is read-only; give the bot's user the right to write there",
    "read-only": "{name} or its folder is read-only; give the bot's user the right to write there",
    "unable to open": "{name} cannot be opened; check that its folder exists and may be written to",
    "permission": "{name} cannot be opened; check the rights of file and folder",
    "is full": "the disk is full; free some space, the bot goes on and tries again",
    "disk i/o": "the disk of {name} reports errors or is full",
    "no space": "the disk is full; free some space, the bot goes on and tries again",
    "locked": "{name} is locked by another program; stop it, or wait",
    "connect call failed": "the database server does not answer; is it running?",
    "connection refused": "the database server does not answer; is it running?",
}


def told(error: BaseException, where: str) -> str:
    """A sentence for the operator: what is wrong and what to do. Never holds an address's password."""
    cause = getattr(error, "orig", None) or error
    name = "the database" if "@" in where else where.rsplit("/", 1)[-1]
    lower = str(cause).lower()
    for sign, sentence in _FAULTS.items():
        if sign in lower:
            return sentence.format(name=name)
    return f"{name} cannot be used ({type(cause).__name__})"
