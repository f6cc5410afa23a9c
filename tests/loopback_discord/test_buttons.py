"""Buttons, menus and modals: while the bot runs, after a restart, pressed by others, under answers long gone."""

from __future__ import annotations

from typing import Any

import pytest

from bot.discord_app.client import WhichGpuClient
from tests.loopback_discord.conftest import Start
from tests.loopback_discord.people import Person, Reply
from tests.loopback_discord.server import CHANNEL, STRANGER, Server

QUESTION = "which GPU for NLP under $1500?"
ASKING = ("cheaper", "memory", "used", "compare")


async def _asked(person: Person, question: str = QUESTION) -> tuple[Reply, dict[str, Any]]:
    reply = await person.slash("ask", question=question)
    return reply, person.server.message(person.channel, reply.data, bot_message=True)


@pytest.mark.parametrize("where", ["guild", "dm", "private", "foreign"])
async def test_every_button_after_a_restart(server: Server, start: Start, where: str) -> None:
    """Fault #27 (buttons die with the process): the second bot knows the answer of the first."""
    person = Person(server, where=where)
    first = await start()
    reply, message = await _asked(person)
    await first.service.log.flush()
    await first.close()
    await start()
    assert {*ASKING, "why", "whynot", "good", "bad", "delete"} <= set(reply.ids)
    for action in ASKING:
        pressed = await person.press(reply.ids[action], message)
        assert pressed.kind == 4, action
        assert pressed.embed["title"], action
        assert "good" in pressed.ids, action
    assert (await person.press(reply.ids["why"], message)).ephemeral
    assert (await person.press(reply.ids["good"], message)).ephemeral
    modal = await person.press(reply.ids["whynot"], message)
    assert modal.kind == 9
    sent = await person.submit(modal.data, "RTX 3090", message)
    assert "3090" in sent.text
    assert (await person.press(reply.ids["delete"], message)).kind == 6
    await server.call("DELETE", "/messages/@original")


@pytest.mark.parametrize("locale", ["zh-CN", "zh-TW"])
async def test_buttons_in_chinese(server: Server, client: WhichGpuClient, locale: str) -> None:
    person = Person(server, locale=locale)
    reply = await person.slash("recommend", workload="nlp", budget=20000.0)
    message = server.message(CHANNEL, reply.data, bot_message=True)
    for action in set(ASKING) & set(reply.ids):
        pressed = await person.press(reply.ids[action], message)
        assert pressed.embed["title"], action
        exchange = await client.service.log.exchange(pressed.ids["good"].split(":")[2])
        assert exchange is not None
        assert exchange.language == locale, action


async def test_what_the_buttons_ask(asker: Person, client: WhichGpuClient) -> None:
    reply, message = await _asked(asker)
    first = (await _request(client, reply)).budget
    assert first is not None
    cheaper = (await _request(client, await asker.press(reply.ids["cheaper"], message))).budget
    assert cheaper is not None
    assert cheaper.max is not None
    assert first.max is not None
    assert cheaper.max < first.max
    more = await _request(client, await asker.press(reply.ids["memory"], message))
    best = client.service.again(await _exchange(client, reply)).answer.picks[0]
    assert more.memory_gb[-1] > best.memory_gb * best.count
    assert (await _request(client, await asker.press(reply.ids["used"], message))).condition in ("any", "used")
    pair = await _request(client, await asker.press(reply.ids["compare"], message))
    assert len(pair.gpus) == 2
    assert pair.kind == "compare"


async def _exchange(client: WhichGpuClient, reply: Reply) -> Any:
    exchange = await client.service.log.exchange(reply.ids["good"].split(":")[2])
    assert exchange is not None
    return exchange


async def _request(client: WhichGpuClient, reply: Reply) -> Any:
    return client.service.again(await _exchange(client, reply)).answer.request


async def test_a_chain_of_presses_stays_inside_the_limits(asker: Person) -> None:
    """Each press leans on the one before; twenty of them break nothing (the server checks each body)."""
    reply, message = await _asked(asker)
    for turn in range(20):
        action = next((one for one in (ASKING[turn % 4], *ASKING) if one in reply.ids), None)
        if action is None:
            break
        reply = await asker.press(reply.ids[action], message)
        message = asker.server.message(CHANNEL, reply.data, bot_message=True)
        assert reply.text


async def test_someone_else_presses(server: Server, client: WhichGpuClient) -> None:
    """Others see their own answer alone, and cannot delete what they did not ask for."""
    reply, message = await _asked(Person(server))
    other = Person(server, STRANGER)
    assert (await other.press(reply.ids["cheaper"], message)).ephemeral
    refused = await other.press(reply.ids["delete"], message)
    assert refused.ephemeral
    assert "asked" in refused.text
    assert not [call for call in server.calls if call.method == "DELETE"]


async def test_an_answer_that_is_no_longer_kept(asker: Person, client: WhichGpuClient) -> None:
    """Fault #43 (dead buttons): the asker is told, in words."""
    reply, message = await _asked(asker)
    await client.service.log.delete(client.service.pseudonym(asker.id))
    for action in (*ASKING, "why", "whynot"):
        gone = await asker.press(reply.ids[action], message)
        assert gone.ephemeral
        assert "ask it again" in gone.text, action
    assert (await asker.press(reply.ids["good"], message)).ephemeral


async def test_the_message_is_gone_before_it_is_deleted(asker: Person) -> None:
    reply, message = await _asked(asker)
    asker.server.fail("DELETE", "/messages/@original", 404, {"message": "Unknown Message", "code": 10008})
    assert (await asker.press(reply.ids["delete"], message)).kind == 6
    assert (await asker.slash("ask", question="3090 price")).kind == 4


async def test_menu_values_are_unique(asker: Person) -> None:
    """Fault #38 (duplicate values in a menu)."""
    for question in ("rtx 6000", "hello", "which gpu", "3080", "what can I run on 12 GB?"):
        reply = await asker.slash("ask", question=question)
        for row in reply.data.get("components") or []:
            for part in row["components"]:
                values = [option["value"] for option in part.get("options", ())]
                assert len(values) == len(set(values))


async def test_forged_ids_do_no_harm(asker: Person) -> None:
    """A custom_id that the bot never made: refused in words or ignored, never a fault."""
    _, message = await _asked(asker)
    for forged in ("g1:cheaper:ffffffffff:1", "g1:why:0000000000:99999999999999999999", "g1:menu:ffffffffff:1"):
        row = {"type": 1, "id": 1, "components": [{"type": 2, "id": 2, "style": 2, "label": "x", "custom_id": forged}]}
        reply = await asker.press(forged, {**message, "components": [row]}) if "menu" not in forged else None
        assert reply is None or reply.ephemeral
    empty = await asker.submit({"custom_id": "g1:modal:ffffffffff:1", "components": [
        {"component": {"custom_id": "gpu"}}]}, "", message)  # fmt: skip
    assert empty.ephemeral
