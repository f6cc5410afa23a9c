"""When Discord refuses, is slow or gone: each is told once in the log, and the next question is answered."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from datetime import UTC, datetime
from typing import Any

import discord
import pytest

from bot.discord_app import client as client_module
from bot.discord_app.client import WhichGpuClient
from bot.settings import Settings
from tests.loopback_discord.conftest import Start, running_client
from tests.loopback_discord.people import Person, ids
from tests.loopback_discord.server import BOT, CHANNEL, GUILD, OTHER_GUILD, Server

MENTION = f"<@{BOT}> which GPU for NLP under $800?"


async def _works(person: Person) -> None:
    assert (await person.slash("ask", question="3090 price")).kind == 4


async def test_interaction_that_discord_no_longer_knows(asker: Person, caplog: pytest.LogCaptureFixture) -> None:
    """Faults #2 and #3 (10062): logged once, no error, no further call."""
    caplog.set_level(logging.INFO)
    await asker.slash("ask", state="gone", question="3090 price")
    await _works(asker)
    assert caplog.text.count("10062") == 1
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_interaction_answered_by_another_process(asker: Person) -> None:
    """Fault #28 (40060): nothing is sent a second time."""
    reply = await asker.slash("ask", state="answered", question="3090 price")
    await _works(asker)
    assert len([call for call in asker.server.calls if reply.token in call.path]) == 1


async def test_fault_before_the_answer(asker: Person, client: WhichGpuClient, caplog: pytest.LogCaptureFixture) -> None:
    """The asker gets a sentence with a number; the log has the same number and no text of the question."""

    def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("inside")

    client.service.tell = broken  # type: ignore[assignment, method-assign]
    reply = await asker.slash("ask", question="SECRET QUESTION")
    number = reply.text.rsplit(" ", 1)[-1]
    assert reply.ephemeral
    assert number in caplog.text
    assert "SECRET" not in caplog.text


async def test_fault_after_the_answer(asker: Person, client: WhichGpuClient) -> None:
    """Fault #28: the error goes out as a follow-up, since the interaction is answered."""
    original = client.answer_interaction

    async def answers_then_breaks(interaction: discord.Interaction[Any], *args: Any, **more: Any) -> None:
        await original(interaction, *args, **more)
        raise RuntimeError("after")

    client.answer_interaction = answers_then_breaks  # type: ignore[method-assign]
    reply = await asker.slash("ask", question="3090 price")
    follow_up = await asker.server.call("POST", f"/webhooks/.*/{reply.token}")
    assert "number" in follow_up.body["content"]
    assert int(follow_up.body["flags"]) & 64


async def test_stale_command(asker: Person) -> None:
    """A command that the bot no longer has: Discord's copy is old, and the asker is told."""
    reply = await asker.slash("oldcommand")
    assert reply.ephemeral
    assert "reload" in reply.text.lower()


@pytest.mark.parametrize(("status", "code"), [(403, 50013), (403, 50001), (404, 10003), (400, 10008), (403, 200000)])
async def test_a_channel_that_refuses(asker: Person, status: int, code: int) -> None:
    """Fault #30 (one 403 wedges all)."""
    asker.server.fail("POST", f"/channels/{CHANNEL}/messages", status, {"message": "no", "code": code})
    await asker.write(MENTION)
    await asker.server.call("POST", f"/channels/{CHANNEL}/messages")
    await _works(asker)
    assert (await asker.say(MENTION))["embeds"]


async def test_direct_messages_that_are_closed(server: Server, client: WhichGpuClient) -> None:
    person = Person(server, where="dm")
    server.fail("POST", f"/channels/{person.channel}/messages", 403, {"message": "no", "code": 50007})
    await person.write("hello")
    await server.call("POST", f"/channels/{person.channel}/messages")
    await _works(person)


async def test_rate_limit_is_waited_for(asker: Person) -> None:
    """429 with the headers discord.py expects: the same message comes again, once."""
    asker.server.fail(
        "POST", f"/channels/{CHANNEL}/messages", 429,
        {"message": "You are being rate limited.", "retry_after": 0.02, "global": False},
        X_RateLimit_Limit="1", X_RateLimit_Remaining="0", X_RateLimit_Reset_After="0.02", X_RateLimit_Bucket="b",
        Retry_After="1",
    )  # fmt: skip
    await asker.write(MENTION)
    tries = await asker.server.until(lambda: _posts(asker.server) if len(_posts(asker.server)) == 2 else None)
    assert tries[0].body["embeds"] == tries[1].body["embeds"]


def _posts(server: Server) -> list[Any]:
    return [call for call in server.calls if call.path == f"/channels/{CHANNEL}/messages"]


async def test_discord_breaks_and_mends(asker: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """5xx: discord.py tries again by itself; its pauses are cut short here."""
    monkeypatch.setattr("discord.http.asyncio.sleep", _no_sleep)
    asker.server.fail("POST", f"/channels/{CHANNEL}/messages", 502, times=2)
    await asker.write(MENTION)
    await asker.server.until(lambda: len(_posts(asker.server)) == 3)
    monkeypatch.setattr("discord.webhook.async_.asyncio.sleep", _no_sleep)
    asker.server.fail("POST", "/callback", 503, times=1)
    reply = await asker.slash("ask", question="3090 price")
    await asker.server.until(lambda: sum(reply.token in call.path for call in asker.server.calls) >= 2)
    await _works(asker)


_SLEEP = asyncio.sleep


async def _no_sleep(_seconds: float, result: Any = None) -> Any:
    await _SLEEP(0)
    return result


async def test_body_that_discord_refuses(asker: Person, caplog: pytest.LogCaptureFixture) -> None:
    """50035: told as a fault with its number, in a second message."""
    asker.server.fail("POST", "/callback", 400, {"message": "Invalid Form Body", "code": 50035, "errors": {}})
    first = await asker.slash("ask", question="3090 price")
    call = await asker.server.until(
        lambda: next((one for one in asker.server.calls if first.token in one.path and one is not first.call), None)
    )
    assert "number" in call.body["data"]["content"]
    await _works(asker)


# --- cooldowns ---


async def test_cooldowns_answer_kindly(server: Server, start: Start) -> None:
    await start(user_limit=(2, 30.0))
    person = Person(server)
    for _ in range(2):
        assert not (await person.slash("ask", question="3090 price")).ephemeral
    told = await person.slash("ask", question="3090 price")
    assert told.ephemeral
    assert "30 s" in told.text
    assert "quick" in (await person.say(MENTION))["content"]
    other = Person(server, person.id + 50)
    assert not (await other.slash("ask", question="3090 price")).ephemeral


# --- gateway ---


@pytest.mark.parametrize("code", [1006, 4000, 1001])
async def test_connection_drops_in_the_middle_of_an_answer(
    server: Server, client: WhichGpuClient, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault #32: the answer of before still arrives, the session is resumed, nothing is lost."""
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _self: 0.0)
    person = Person(server)
    after = len(server.calls)
    await person.write(MENTION)
    await server.close_socket(code if code != 1006 else 1011)
    await server.call("POST", f"/channels/{CHANNEL}/messages", after)
    await server.until(lambda: server.resumes)
    await _works(person)


async def test_events_missed_while_away_are_replayed(
    server: Server, client: WhichGpuClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _self: 0.0)
    person = Person(server)
    await server.close_socket(4000)
    await person.write(MENTION)
    await server.call("POST", f"/channels/{CHANNEL}/messages")
    assert server.resumes


@pytest.mark.parametrize(("op", "data"), [(7, None), (9, True), (9, False)])
async def test_discord_asks_to_reconnect(
    server: Server, client: WhichGpuClient, op: int, data: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _self: 0.0)
    monkeypatch.setattr("discord.shard.asyncio.sleep", _no_sleep)
    monkeypatch.setattr("discord.gateway.asyncio.sleep", _no_sleep)
    await server.gateway_op(op, data)
    await server.until(lambda: server.resumes or len(server.identifies) > 1)
    assert len(server.identifies) == (1 if server.resumes else 2)
    await _works(Person(server))


async def test_two_shards(server: Server, start: Start) -> None:
    server.shards = 2
    client = await start()
    assert sorted(shard for shard, _ in (one["shard"] for one in server.identifies)) == [0, 1]
    assert len(client.guilds) == len({GUILD, OTHER_GUILD})
    for shard in (0, 1):
        person = Person(server)
        data = person._interaction(2, {"id": "1", "name": "help", "type": 1})
        after = len(server.calls)
        await server.dispatch("INTERACTION_CREATE", data, shard)
        await server.call("POST", "/callback", after)


async def test_some_of_the_shards(server: Server, start: Start) -> None:
    """`--shard-ids 1 --shard-count 4`: this process takes its part alone."""
    await start(shard_ids=(1,), shard_count=4)
    assert [one["shard"] for one in server.identifies] == [[1, 4]]


# --- start ---


async def test_start_uploads_no_commands(server: Server, client: WhichGpuClient) -> None:
    """Fault #26 (duplicate commands): only `whichgpu sync` uploads."""
    assert not [call for call in server.calls if call.method in ("PUT", "POST", "DELETE")]


@pytest.mark.parametrize(
    ("code", "kind"), [(4014, discord.PrivilegedIntentsRequired), (4004, discord.ConnectionClosed)]
)
async def test_refused_by_the_gateway(server: Server, settings: Settings, code: int, kind: type[Exception]) -> None:
    server.accept_identify = lambda _data: code
    with pytest.raises(kind):
        async with running_client(settings):
            pass
    assert len(server.identifies) == 1


async def test_token_refused(server: Server, settings: Settings) -> None:
    """One call, then an end: no loop of refused logins."""
    server.fail("GET", "/users/@me", 401, {"message": "401: Unauthorized", "code": 0})
    with pytest.raises(discord.LoginFailure):
        async with running_client(settings):
            pass
    assert len(server.calls) == 1


async def test_intents_are_not_privileged(server: Server, client: WhichGpuClient) -> None:
    assert server.identifies[0]["intents"] == 1 | 1 << 9 | 1 << 12
    assert not client_module.intents().message_content


# --- disk and clock ---


async def test_fifty_asks_while_another_process_holds_the_database(
    server: Server, client: WhichGpuClient, settings: Settings
) -> None:
    """Fault #21 (database is locked): every question is answered, and every one is in the log afterwards."""
    await client.service.log.flush()
    files = list(settings.state_dir.glob("*.sqlite*"))
    holder = sqlite3.connect(next(path for path in files if path.suffix == ".sqlite"), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    person = Person(server)
    try:
        for _ in range(50):
            assert (await person.slash("ask", question="3090 price")).kind == 4
    finally:
        holder.rollback()
        holder.close()
    data = await client.service.log.export(client.service.pseudonym(person.id))
    assert len(data["questions"]) == 50


async def test_times_are_aware(server: Server, client: WhichGpuClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault #36 (naive against aware): the day is that of UTC, whatever the machine's zone."""
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    client.service.now = lambda: datetime(2026, 12, 31, 23, 59, tzinfo=UTC)
    assert client.service.today().isoformat() == "2026-12-31"
    answer = await Person(server, where="dm").say("3090 price")
    exchange = await client.service.log.exchange(ids(answer)["good"].split(":")[2])
    assert exchange is not None
    assert exchange.at == int(datetime(2026, 12, 31, 23, 59, tzinfo=UTC).timestamp())


async def test_a_quiet_log(asker: Person, caplog: pytest.LogCaptureFixture) -> None:
    """No text of a question, no token."""
    caplog.set_level(logging.INFO)
    await asker.slash("ask", question="which GPU for ZEBRAS under $800?")
    await asker.say(f"<@{BOT}> which GPU for ZEBRAS?")
    await Person(asker.server, where="dm").say("ZEBRAS")
    assert "ZEBRAS" not in caplog.text
    assert "token" not in caplog.text
