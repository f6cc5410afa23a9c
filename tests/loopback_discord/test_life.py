"""`run` as a whole: starting, refusals, stopping in the middle of an answer, what is left on disk."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.discord_app import exits
from bot.discord_app.health import health_file, ill
from bot.discord_app.running import Life, open_storage
from bot.feeds.files import FileSource
from bot.feeds.setup import price_desk
from bot.settings import Secret, Settings
from tests.loopback_discord.people import Person
from tests.loopback_discord.server import Server

pytestmark = pytest.mark.usefixtures("server")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """With a token."""
    return replace(settings, discord_token=Secret("a.token.of-tests"))


@asynccontextmanager
async def living(settings: Settings) -> AsyncIterator[tuple[Life, asyncio.Task[int]]]:
    """A life that is ready."""
    life = Life(settings, guild_ready_timeout=0.02)
    task = asyncio.create_task(life.run())
    try:
        async with asyncio.timeout(10):
            await until(lambda: task.done() or (life.client is not None and life.client.application is not None))
            assert life.client is not None
            await life.client.wait_until_ready()
        yield life, task
    finally:
        life.stop.set()
        await task


async def until(true: Callable[[], object]) -> None:
    """Let others run until something holds."""
    while not true():
        await asyncio.sleep(0.002)


async def test_a_question_is_answered_and_on_disk_after_the_stop(server: Server, settings: Settings) -> None:
    async with living(settings) as (life, task):
        await Person(server).slash("ask", question="which GPU for NLP under $800?")
        life.stop.set()
        assert await task == exits.STOPPED
    store = await open_storage(settings)
    stats = await store.stats(0)
    await store.close()
    assert stats.questions == 1


async def test_the_bot_writes_that_it_is_well(settings: Settings) -> None:
    async with living(settings):
        path = health_file(settings.state_dir, ())
        async with asyncio.timeout(5):
            await until(path.exists)
        assert ill(path) == ""


async def test_an_answer_in_the_making_still_goes_out(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.discord_app import send

    async with living(settings) as (life, task):
        begun, may_go = asyncio.Event(), asyncio.Event()
        respond = send.respond

        async def slow(*args: object, **more: object) -> None:
            begun.set()
            await may_go.wait()
            await respond(*args, **more)  # type: ignore[arg-type]

        monkeypatch.setattr("bot.discord_app.client.respond", slow)
        asking = asyncio.create_task(Person(server).slash("ask", question="how much VRAM does a 4090 have?"))
        async with asyncio.timeout(5):
            await begun.wait()
            life.stop.set()
            await until(lambda: all(socket.closed for socket in server.sockets.values()))
            assert not task.done()
            may_go.set()
            assert "24 GB" in (await asking).text
            assert await task == exits.STOPPED


async def test_start_sends_no_commands_but_says_that_they_are_missing(
    server: Server, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Fault #26 (discord.py#9573): a start makes no PUT."""
    with caplog.at_level(logging.WARNING):
        async with living(settings), asyncio.timeout(5):
            await until(lambda: "whichgpu sync" in caplog.text)
    assert not [call for call in server.calls if call.method == "PUT"]


async def test_a_refused_token_ends_with_its_code_and_brakes_the_next_start(
    server: Server, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """Fault #31: never restart in a tight loop."""
    server.fail("GET", "/users/@me", 401, {"message": "401: Unauthorized", "code": 0})
    assert await Life(settings).run() == exits.TOKEN_REFUSED
    assert "Developer Portal" in caplog.text
    assert settings.discord_token.value not in caplog.text
    calls = len(server.calls)
    life = Life(settings)
    again = asyncio.create_task(life.run())
    async with asyncio.timeout(5):
        await until(lambda: "waiting" in caplog.text)
        life.stop.set()
        assert await again == exits.STOPPED
    assert len(server.calls) == calls


@pytest.mark.parametrize(
    ("close", "code"), [(4004, exits.TOKEN_REFUSED), (4013, exits.INTENTS), (4014, exits.INTENTS), (4011, exits.SHARDS)]
)
async def test_a_refusal_at_the_gateway_ends_with_its_code(
    server: Server, settings: Settings, close: int, code: int
) -> None:
    async with living(settings) as (_, task):
        await server.close_socket(close)
        async with asyncio.timeout(5):
            assert await task == code


async def test_discord_slowing_down_the_login_has_its_own_code(server: Server, settings: Settings) -> None:
    """Fault #31: a ban by Cloudflare comes without the Via header, and trying again makes it longer."""
    server.fail("GET", "/users/@me", 429, {"message": "banned", "code": 0}, Via="")
    assert await Life(settings).run() == exits.SLOWED_DOWN


async def test_a_state_folder_that_cannot_be_written_is_told(settings: Settings) -> None:
    settings.state_dir.write_text("a file is in the way", encoding="utf-8")
    assert await Life(settings).run() == exits.FOLDER


async def test_prices_that_another_process_refreshed_are_taken_over(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("gpu,condition,price,currency,as_of,source\nRTX 3090,used,871,USD,2026-11-30,my list\n")
    async with living(settings) as (life, _):
        await asyncio.to_thread(
            lambda: price_desk(settings).refresh(lambda _: None, force=True, sources=[FileSource(path)])
        )

        def known() -> bool:
            assert life.client is not None
            assert life.client.admin is not None
            assistant: Any = life.client.service.brain.assistant
            points = assistant.library.world.book.history("RTX 3090")
            return any(point.money.amount == 871 for point in points)

        async with asyncio.timeout(5):
            await until(known)
