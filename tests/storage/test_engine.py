"""Opening, migrating, backing up; and what is said when the disk or the file is not as it should be."""

import asyncio
import os
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from bot.storage import engine
from bot.storage.engine import Database, StorageError, backup, backups, database_url, expire_backups, told
from bot.storage.querylog import GuildSettings
from bot.storage.schema import HEAD, metadata
from bot.storage.store import Store
from bot.storage.writer import Writer
from tests.storage.samples import exchange


async def test_the_migrations_lead_to_the_schema(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "log.db")
    async with database.read() as connection:
        different = await connection.run_sync(lambda sync: compare_metadata(MigrationContext.configure(sync), metadata))
        version = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar_one()
        mode = (await connection.execute(text("PRAGMA journal_mode"))).scalar_one()
    await database.close()
    assert different == []
    assert version == HEAD
    assert mode == "wal"


async def test_opening_again_changes_nothing_and_makes_no_backup(tmp_path: Path) -> None:
    for _ in range(2):
        await (await Database.open(tmp_path / "log.db")).close()
    assert backups(tmp_path / "log.db") == []


async def test_an_old_file_is_checked_and_backed_up_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.db"
    store = await Store.open(path)
    store.record(exchange())
    await store.close()
    monkeypatch.setattr(engine, "HEAD", "9999")
    monkeypatch.setattr(engine, "_upgrade", lambda connection: None)
    await (await Database.open(path)).close()
    (copy,) = backups(path)
    assert copy.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT question FROM query").fetchone() == ("question 1",)
    connection.close()


async def test_failed_migration_leaves_the_old_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.db"
    await (await Database.open(path)).close()

    def broken(connection: object) -> None:
        connection.execute(text("CREATE TABLE half (x INTEGER)"))  # type: ignore[attr-defined]
        connection.execute(text("DROP TABLE query"))  # type: ignore[attr-defined]
        raise RuntimeError("power cut")

    monkeypatch.setattr(engine, "HEAD", "9999")
    monkeypatch.setattr(engine, "_upgrade", broken)
    with pytest.raises(StorageError):
        await Database.open(path)
    with sqlite3.connect(path) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    connection.close()
    assert "query" in tables
    assert "half" not in tables


async def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    await (await Database.open(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    store = await Store.open(path)
    assert "newer version" in store.problem
    await store.close()


def test_backups_two_are_kept_and_old_ones_go(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    sqlite3.connect(path).close()
    for _ in range(4):
        backup(path, "test")
    assert len(backups(path)) == 2
    now = datetime.now(UTC)
    assert expire_backups(path, now + timedelta(days=29)) == 0
    assert expire_backups(path, now + timedelta(days=31)) == 2
    assert backups(path) == []


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("", "sqlite+aiosqlite:///state/whichgpu.sqlite"),
        ("postgres://u:p@h/d", "postgresql+asyncpg://u:p@h/d"),
        ("postgresql://u:p@h/d", "postgresql+asyncpg://u:p@h/d"),
        ("postgresql+asyncpg://u:p@h/d", "postgresql+asyncpg://u:p@h/d"),
    ],
)
def test_addresses(given: str, used: str) -> None:
    assert database_url(given, Path("state")) == used


def test_no_message_holds_a_password() -> None:
    url = "postgresql+asyncpg://bot:hunter2@db.example/log"
    for error in (OSError("Connect call failed"), ValueError(url), StorageError("x")):
        assert "hunter2" not in told(error, url)


async def _answers_go_on(store: Store, problem: str) -> None:
    """The bot's calls work from memory, and the operator is told."""
    sent = exchange(77)
    store.record(sent)
    assert await store.exchange(sent.id) is not None
    assert await store.exchange("unknown") is None
    assert store.guild(1) == GuildSettings()
    assert not store.opted_out("ann")
    async with asyncio.timeout(5):
        while problem not in store.problem:
            await asyncio.sleep(0.01)
    assert not store.feedback(sent.id, "ann", True).done()


async def test_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    path.write_bytes(b"no database, whatever its name says. " * 500)
    store = await Store.open(path)
    await _answers_go_on(store, "damaged")
    with pytest.raises(StorageError, match="damaged"):
        await store.set_guild(1, GuildSettings("en"))
    await store.close()
    assert path.read_bytes().startswith(b"no database")  # left for a person to look at


async def test_damage_in_the_middle_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    store = await Store.open(path)
    for number in range(500):
        store.record(exchange(number))
    await store.close()
    raw = bytearray(path.read_bytes())
    raw[4096 : len(raw) - 4096] = os.urandom(len(raw) - 8192)
    path.write_bytes(raw)
    store = await Store.open(path)
    await _answers_go_on(store, "")
    with pytest.raises(StorageError):
        await (await _opened(path)).quick_check()
    await store.close()


async def _opened(path: Path) -> Database:
    return Database(engine.sqlite_url(path))


async def test_full_disk_the_log_waits_and_is_written_later(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "log.db")
    assert store.database
    async with store.database.write() as connection:
        await connection.execute(text("PRAGMA max_page_count = 40"))
    store.record(exchange(1, question="x" * 500_000))
    store.record(exchange(2))
    await _answers_go_on(store, "disk is full")
    async with store.database.read() as connection:
        assert (await connection.execute(text("SELECT COUNT(*) FROM query"))).scalar_one() == 0
    async with store.database._writer.connect() as connection:
        await connection.execute(text("PRAGMA max_page_count = 1000000"))
    await store.flush()
    assert store.problem == ""
    assert (await store.stats(0)).questions == 3
    await store.close()


async def test_locked_by_another_process_the_log_waits(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    store = await Store.open(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store.record(exchange(1))
    await asyncio.sleep(0.1)
    # Readers are not held up.
    assert await store.exchange("unknown") is None
    other.execute("ROLLBACK")
    other.close()
    await store.flush()
    assert (await store.stats(0)).questions == 1
    await store.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to read-only files")
async def test_read_only_file(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    await (await Database.open(path)).close()
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    store = await Store.open(path)
    await _answers_go_on(store, "read-only")
    tmp_path.chmod(0o700)
    await store.close()


async def test_read_only_database(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "log.db")
    assert store.database
    async with store.database._writer.connect() as connection:
        await connection.execute(text("PRAGMA query_only = ON"))
    store.record(exchange(1))
    await _answers_go_on(store, "read-only")
    await store.close()
    assert store.dropped == 3


async def test_database_that_comes_back_is_used_again(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.write_text("a file where the folder should be")
    store = await Store.open(folder / "log.db", poll_seconds=0.02)
    assert store.problem
    store.record(exchange(1))
    folder.unlink()
    async with asyncio.timeout(10):
        await store.flush()
    assert store.problem == ""
    assert (await store.stats(0)).questions == 1
    await store.close()


async def test_a_wish_said_while_the_disk_is_away_holds_and_is_written_later(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.write_text("a file where the folder should be")
    store = await Store.open(folder / "log.db", poll_seconds=0.02)
    with pytest.raises(StorageError):
        await store.opt_out("ann", True)
    assert store.opted_out("ann")
    store.record(exchange(1))
    folder.unlink()
    async with asyncio.timeout(10):
        while store.problem or store._unsaved:
            await asyncio.sleep(0.01)
    await store.close()
    again = await Store.open(folder / "log.db")
    assert again.opted_out("ann")
    assert (await again.stats(0)).questions == 0
    await again.close()


async def test_queue_is_bounded_and_the_oldest_go_first() -> None:
    writer = Writer(lambda: None, queue=10)
    lost = asyncio.get_running_loop().create_future()
    writer.put(exchange(0), lost)
    for number in range(1, 31):
        writer.put(exchange(number))
    assert writer.dropped == 21
    assert await lost is False
    await writer.close()
    assert writer.dropped == 31
