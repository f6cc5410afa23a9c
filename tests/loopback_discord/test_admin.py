"""/admin at work: prices and knowledge exchanged while people ask."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import discord
import pytest

from bot.discord_app import admin_commands
from bot.discord_app.client import WhichGpuClient
from bot.feeds.files import TextSource
from bot.feeds.source import Haul, SourceError
from bot.feeds.web import MAX_BYTES
from tests.loopback_discord.conftest import Start
from tests.loopback_discord.people import Person
from tests.loopback_discord.server import OWNER, Server

HEAD = "gpu,condition,price,currency,as_of,n,kind,source\n"


def _prices(path: Path, amount: int) -> Path:
    path.write_text(HEAD + f"RTX 3090,used,{amount},USD,2026-11-30,9,street,test\n", encoding="utf-8")
    return path


async def _final(server: Server, token: str, word: str) -> str:
    """The text of the deferred answer, once it has that word."""

    def found() -> str | None:
        edits = [call for call in server.calls if call.method == "PATCH" and token in call.path]
        return edits[-1].body["content"] if edits and word in edits[-1].body["content"] else None

    text: str = await server.until(found, 10)
    return text


async def test_refresh_status_and_rollback(server: Server, start: Start, tmp_path: Path) -> None:
    path = _prices(tmp_path / "prices.csv", 777)
    await start(prices_file=path)
    owner, person = Person(server, OWNER), Person(server)
    before = await person.slash("price", gpu="RTX 3090", condition="used")
    assert "$777" not in before.text
    reply = await owner.slash("admin prices refresh")
    assert reply.kind == 5
    assert reply.ephemeral
    assert "in force" in await _final(server, reply.token, "✓")
    after = await person.slash("price", gpu="RTX 3090", condition="used")
    assert "$777" in after.text
    assert "2026-11-30" in after.text
    assert "<t:" in (await owner.slash("admin prices status")).text
    assert "Rolled back" in (await owner.slash("admin prices rollback")).text
    back = await person.slash("price", gpu="RTX 3090", condition="used")
    assert back.text == before.text


async def test_refreshed_prices_outlive_a_restart(server: Server, start: Start, tmp_path: Path) -> None:
    first = await start(prices_file=_prices(tmp_path / "prices.csv", 777))
    reply = await Person(server, OWNER).slash("admin prices refresh")
    await _final(server, reply.token, "✓")
    await first.close()
    await start()
    assert "$777" in (await Person(server).slash("price", gpu="RTX 3090", condition="used")).text


async def test_refresh_that_fails_names_the_source_and_keeps_the_prices(
    server: Server, start: Start, tmp_path: Path
) -> None:
    """Faults #14 and #42 (a failing refresh unseen, its reason hidden)."""
    await start(prices_file=tmp_path / "gone.csv")
    person = Person(server)
    before = (await person.slash("price", gpu="RTX 3090")).text
    reply = await Person(server, OWNER).slash("admin prices refresh")
    text = await _final(server, reply.token, "✗")
    assert "gone.csv" in text or "prices-file" in text or "file" in text
    assert (await person.slash("price", gpu="RTX 3090")).text == before


class Slow:
    """A source that waits, to see what happens meanwhile."""

    name = "slow"
    market_place = False
    cooldown_seconds = 0

    def __init__(self) -> None:
        self.go_on, self.begun = threading.Event(), threading.Event()

    async def fetch(self, _web: object, progress: Any) -> Haul:
        progress("half way")
        self.begun.set()
        await asyncio.to_thread(self.go_on.wait, 10)
        raise SourceError("nothing today; try again tomorrow")


async def test_people_are_answered_during_a_refresh_and_see_its_progress(
    server: Server, client: WhichGpuClient
) -> None:
    """Fault #4 (work blocks the event loop)."""
    assert client.admin is not None
    slow = Slow()
    client.admin.desk.sources = [slow]
    reply = await Person(server, OWNER).slash("admin prices refresh")
    assert "half way" in await _final(server, reply.token, "half way")
    for _ in range(5):
        assert (await Person(server).slash("ask", question="which GPU for NLP under $800?")).kind == 4
    slow.go_on.set()
    assert "tomorrow" in await _final(server, reply.token, "✗")


async def test_knowledge_is_read_anew(server: Server, client: WhichGpuClient) -> None:
    before = client.service.brain.assistant
    reply = await Person(server, OWNER).slash("admin knowledge reload")
    assert reply.kind == 5
    await _final(server, reply.token, "✓")
    assert client.service.brain.assistant is not before
    assert (await Person(server).slash("ask", question="3090 price")).kind == 4


async def test_broken_files_leave_the_old_knowledge_in_force(
    server: Server, client: WhichGpuClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.tables import DataError

    def broken() -> Any:
        raise DataError("knowledge/x.yaml", 3, "answer", "the text is missing", "Write it")

    assert client.admin is not None
    monkeypatch.setattr(client.admin, "load", broken)
    before = client.service.brain.assistant
    reply = await Person(server, OWNER).slash("admin knowledge reload")
    assert "x.yaml, line 3" in (await _final(server, reply.token, "✗")).replace("\\", "")
    assert client.service.brain.assistant is before


async def test_a_file_takes_the_place_of_the_sources_and_leaps_wait_for_a_person(
    server: Server, client: WhichGpuClient
) -> None:
    owner, person = Person(server, OWNER), Person(server)
    assert client.admin is not None
    body = (
        HEAD + "RTX 3090,used,780,USD,2026-11-30,9,street,test\nP40,used,21,USD,2026-11-30,9,street,test\n"
    ).encode()
    await client.admin.refresh(lambda _: None, [TextSource(body, "mine.csv")])
    assert "$780" in (await person.slash("price", gpu="RTX 3090", condition="used")).text
    waiting = (await owner.slash("admin prices quarantine")).text
    assert "P40 used: 21 USD against" in waiting
    number = waiting.split("`")[1]
    assert "None of these" in (await owner.slash("admin prices quarantine", approve="99999 x")).text
    assert "P40 used" in (await owner.slash("admin prices quarantine", approve=number)).text
    assert "No price waits" in (await owner.slash("admin prices quarantine")).text
    assert "$21" in (await person.slash("price", gpu="P40", condition="used")).text


async def test_attachment_that_is_too_large_is_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    async def tell(_interaction: object, text: str) -> None:
        told.append(text)

    monkeypatch.setattr(admin_commands, "_tell", tell)
    attachment = create_autospec(discord.Attachment, instance=True)
    attachment.size = MAX_BYTES + 1
    refresh: Any = admin_commands.refresh.callback
    await refresh(create_autospec(discord.Interaction, instance=True), attachment)
    assert "larger than" in told[0]
    attachment.read.assert_not_called()
