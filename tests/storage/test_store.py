"""The query log on SQLite: what is kept, found, changed, deleted."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import select, text

from bot.storage.engine import Database, sqlite_url
from bot.storage.querylog import GuildSettings, QueryLog
from bot.storage.schema import PERSONAL, metadata
from bot.storage.store import Preferences, Store
from tests.storage.samples import exchange


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "log.db")
    yield opened
    await opened.close()


async def _count(store: Store, table: str) -> int:
    assert store.database
    async with store.database.read() as connection:
        return int((await connection.execute(text(f"SELECT COUNT(*) FROM {table}"))).scalar_one())  # noqa: S608


async def test_store_is_a_query_log(store: Store) -> None:
    log: QueryLog = store
    log.record(exchange())
    await log.flush()
    assert await _count(store, "query") == 1
    assert await _count(store, "answer") == 1


async def test_exchange_comes_back_from_disk_as_it_was(tmp_path: Path) -> None:
    first = await Store.open(tmp_path / "log.db")
    sent = exchange(7, turns_before=("一", "two"), locale="zh-CN", currency="EUR", abstained=True, guild="g")
    first.record(sent)
    await first.close()
    second = await Store.open(tmp_path / "log.db")
    assert await second.exchange(sent.id) == sent
    assert await second.exchange("nothing") is None
    await second.close()


async def test_answer_is_made_when_it_is_written(store: Store) -> None:
    store.record(exchange(answer=lambda: json.dumps({"late": True})))
    await store.flush()
    assert store.database
    async with store.database.read() as connection:
        body = (await connection.execute(text("SELECT body FROM answer"))).scalar_one()
    assert json.loads(body) == {"late": True}


async def test_hostile_text_is_kept_in_a_form_every_database_takes(store: Store) -> None:
    store.record(exchange(question="a\ud800b\x00c"))
    await store.flush()
    assert store.problem == ""
    assert await _count(store, "query") == 1


async def test_same_exchange_twice_is_one_row(store: Store) -> None:
    store.record(exchange())
    await store.flush()
    store.record(exchange())
    await store.flush()
    assert await _count(store, "query") == 1


async def test_thumb_is_confirmed_when_on_disk_and_the_second_replaces_the_first(store: Store) -> None:
    store.record(exchange())
    assert await store.feedback(exchange().id, "ann", True)
    assert await store.feedback(exchange().id, "ann", False)
    stats = await store.stats(0)
    assert (stats.good, stats.bad) == (0, 1)


async def test_opting_out_deletes_and_keeps_nothing_more(store: Store) -> None:
    store.record(exchange(1))
    await store.set_preferences("ann", Preferences("en", "EUR"))
    await store.opt_out("ann", True)
    store.record(exchange(2))
    await store.feedback(exchange(2).id, "ann", True)
    await store.flush()
    assert store.opted_out("ann")
    assert await _count(store, "query") == 0
    found = await store.exchange(exchange(2).id)
    assert found is not None
    assert found.user == ""
    assert store.preferences("ann") == Preferences("en", "EUR")
    assert (await store.export("ann"))["feedback"] == []


async def test_opt_out_survives_a_restart_and_can_be_taken_back(tmp_path: Path) -> None:
    first = await Store.open(tmp_path / "log.db")
    await first.opt_out("ann", True)
    await first.close()
    second = await Store.open(tmp_path / "log.db")
    assert second.opted_out("ann")
    await second.opt_out("ann", False)
    assert not second.opted_out("ann")
    await second.close()


async def test_export_holds_all_and_only_the_persons_rows(store: Store) -> None:
    for number in range(4):
        store.record(exchange(number, user="ann" if number % 2 else "bob"))
    await store.feedback(exchange(0).id, "ann", True)
    await store.feedback(exchange(1).id, "bob", False)
    data = await store.export("ann")
    assert [entry["question"] for entry in data["questions"]] == ["question 1", "question 3"]
    assert [thumb["answer_id"] for thumb in data["feedback"]] == [exchange(0).id]
    assert "bob" not in json.dumps(data)


async def test_delete_leaves_no_trace_in_any_table_nor_in_the_files(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "log.db")
    words = "my-very-own-words"
    for number in range(300):
        store.record(exchange(number, user="ann-key", question=words, answer=json.dumps({"text": words})))
    store.record(exchange(999, user="bob-key"))
    await store.set_preferences("ann-key", Preferences("zh-CN"))
    await store.feedback(exchange(999).id, "ann-key", True)
    await store.feedback(exchange(1).id, "bob-key", True)
    assert await store.delete("ann-key") == 302
    assert store.database
    async with store.database.read() as connection:
        for name in PERSONAL:
            rows = (await connection.execute(select(metadata.tables[name]))).all()
            assert "ann-key" not in str(rows), name
            assert words not in str(rows), name
        assert len((await connection.execute(select(metadata.tables["query"]))).all()) == 1
    await store.close()
    for path in tmp_path.iterdir():
        assert words.encode() not in path.read_bytes(), path.name


async def test_a_deleted_answer_is_gone_from_memory_too(store: Store) -> None:
    store.record(exchange())
    await store.delete("ann")
    assert await store.exchange(exchange().id) is None


async def test_delete_keeps_the_opt_out(store: Store) -> None:
    await store.opt_out("ann", True)
    await store.delete("ann")
    assert store.opted_out("ann")


async def test_guild_settings(tmp_path: Path) -> None:
    first = await Store.open(tmp_path / "log.db")
    await first.set_guild(5, GuildSettings("zh-CN", "EUR", True, (1, 2)))
    await first.close()
    second = await Store.open(tmp_path / "log.db")
    assert second.guild(5) == GuildSettings("zh-CN", "EUR", True, (1, 2))
    assert second.guild(6) == GuildSettings()
    await second.forget_guild(5)
    assert second.guild(5) == GuildSettings()
    await second.close()


async def test_other_process_sees_changes_at_its_next_look(tmp_path: Path) -> None:
    one, two = await Store.open(tmp_path / "log.db"), await Store.open(tmp_path / "log.db")
    heard: list[str] = []
    two.on_change(heard.append)
    await one.set_guild(5, GuildSettings("en"))
    await one.opt_out("ann", True)
    await two.look()
    assert two.guild(5).language == "en"
    assert two.opted_out("ann")
    assert heard == ["settings"]
    await two.look()
    assert heard == ["settings"]
    await one.close()
    await two.close()


async def test_pruning_deletes_the_old_and_its_thumbs_and_answers(store: Store) -> None:
    for number in range(2500):
        store.record(exchange(number))
    await store.feedback(exchange(1).id, "ann", True)
    assert await store.prune(exchange(2400).at) == 2400
    assert await _count(store, "query") == 100
    assert await _count(store, "answer") == 100
    assert await _count(store, "feedback") == 0
    assert await store.exchange(exchange(1).id) is None


async def test_stats(store: Store) -> None:
    for number in range(100):
        store.record(
            exchange(number, user=f"u{number % 7}", took_ms=number / 10, abstained=number < 10,
                     kind="fit" if number < 30 else "spec")
        )  # fmt: skip
    stats = await store.stats(0)
    assert (stats.questions, stats.people, stats.abstained) == (100, 7, 10)
    assert stats.by_kind == (("spec", 70), ("fit", 30))
    assert stats.p50_ms == pytest.approx(5.0, abs=0.02)
    assert stats.p99_ms == pytest.approx(9.9, abs=0.02)
    assert (await store.stats(exchange(90).at)).questions == 10
    assert (await store.stats(exchange(500).at)).p99_ms == 0.0


async def test_state(store: Store) -> None:
    assert await store.state("commands") == ""
    await store.set_state("commands", "abc")
    await store.set_state("commands", "def")
    assert await store.state("commands") == "def"


async def test_closing_twice_is_harmless_and_writes_what_is_left(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "log.db")
    for number in range(50):
        store.record(exchange(number))
    await store.close()
    await store.close()
    database = await Database.open(sqlite_url(tmp_path / "log.db"))
    async with database.read() as connection:
        assert (await connection.execute(text("SELECT COUNT(*) FROM query"))).scalar_one() == 50
    await database.close()


async def test_many_tasks_at_once(store: Store) -> None:
    async def ask(number: int) -> None:
        store.record(exchange(number, user=f"u{number}"))
        if number % 5 == 0:
            await store.feedback(exchange(number).id, f"u{number}", True)
        if number % 10 == 0:
            await store.set_guild(number, GuildSettings("en"))

    await asyncio.gather(*(ask(number) for number in range(200)))
    stats = await store.stats(0)
    assert (stats.questions, stats.good) == (200, 40)
