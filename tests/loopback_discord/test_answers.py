"""Every command where it may be used, and what people write. Faults named are public reports on other bots."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.discord_app.client import WhichGpuClient
from tests.loopback_discord.people import Person, ids, read
from tests.loopback_discord.server import (
    ALL,
    BOT,
    CHANNEL,
    EMBED_LINKS,
    MANAGE_GUILD,
    OTHER_GUILD,
    OWNER,
    STRANGER,
    Server,
    user,
)

COMMANDS: list[tuple[str, dict[str, Any]]] = [
    ("ask", {"question": "which GPU for NLP under $800?"}),
    ("recommend", {"workload": "nlp", "budget": 800.0, "currency": "USD", "condition": "used"}),
    ("recommend", {}),
    ("gpu", {"name": "RTX 3090"}),
    ("compare", {"first": "RTX 3090", "second": "RTX 4090"}),
    ("fit", {"model": "Llama 3 8B", "gpu": "RTX 3090", "precision": "q4_k_m"}),
    ("price", {"gpu": "RTX 3090", "currency": "EUR"}),
    ("topics", {}),
    ("help", {}),
    ("privacy policy", {}),
    ("privacy export", {}),
    ("privacy delete", {}),
    ("privacy opt-out", {}),
    ("privacy opt-in", {}),
]


@pytest.mark.parametrize("where", ["guild", "dm", "private", "foreign"])
async def test_each_command_everywhere(server: Server, client: WhichGpuClient, where: str) -> None:
    """Faults #17 (guild is None in direct messages) and #39 (user-installed in a server without the bot)."""
    person = Person(server, where=where)
    for command, options in COMMANDS:
        reply = await person.slash(command, **options)
        assert reply.kind == 4, command
        assert len(reply.text) > 20, command
        assert "went wrong" not in reply.text, command


async def test_ask_answers_at_once_with_an_embed(asker: Person) -> None:
    """Fault #1 (no answer within three seconds): one callback, no deferral, no second call."""
    before = len(asker.server.calls)
    reply = await asker.slash("ask", question="which GPU for NLP under $800?")
    assert len(asker.server.calls) == before + 1
    assert reply.kind == 4
    assert reply.embed["title"]
    assert {"cheaper", "memory", "why", "whynot", "good", "bad", "delete", "menu"} & set(reply.ids) >= {"why", "good"}
    assert not reply.ephemeral


async def test_private_answer(asker: Person) -> None:
    assert (await asker.slash("ask", question="3090 price", private=True)).ephemeral


@pytest.mark.parametrize(("locale", "word"), [("zh-CN", "显存"), ("zh-TW", "顯示"), ("en-GB", "memory")])
async def test_commands_answer_in_the_askers_language(server: Server, client: Any, locale: str, word: str) -> None:
    reply = await Person(server, locale=locale).slash("compare", first="RTX 3090", second="RTX 4090")
    assert word in json.dumps(reply.data, ensure_ascii=False)


async def test_recommend_says_every_option_to_the_core(asker: Person, client: WhichGpuClient) -> None:
    reply = await asker.slash(
        "recommend", workload="nlp", budget=1500.0, currency="EUR", condition="used", memory=24.0, vendor="NVIDIA"
    )
    exchange = await client.service.log.exchange(reply.ids["good"].split(":")[2])
    assert exchange is not None
    request = client.service.again(exchange).answer.request
    assert request.workloads == ("nlp",)
    assert request.budget is not None
    assert (request.budget.max, request.budget.currency) == (1500, "EUR")
    assert (request.condition, request.memory_gb, request.vendors) == ("used", (24.0,), ("nvidia",))


async def test_price_in_the_currency_asked_for(asker: Person) -> None:
    assert "€" in (await asker.slash("price", gpu="RTX 3090", currency="EUR")).text


# --- autocomplete ---


@pytest.mark.parametrize(
    "text", ["", "4090", "ＲＴＸ ４０９０", "rtx-4090", "x" * 500, "💥", "zzz", "@everyone", "`*_"]
)
async def test_autocomplete_never_breaks_a_limit(asker: Person, text: str) -> None:
    """Fault #23 (blank or more than 25 choices): the server checks each body."""
    for command, option in (("gpu", "name"), ("fit", "model"), ("recommend", "workload"), ("topics", "topic")):
        choices = await asker.suggest(command, option, text)
        assert len(choices) <= 25
        if text == "":
            assert choices, command


@pytest.mark.parametrize("text", ["4090", "ＲＴＸ４０９０", "rtx-4090", "RTX4090", "rtx 4090"])
async def test_autocomplete_forgives_spelling(asker: Person, text: str) -> None:
    """Faults #8, #10, #41: width, hyphens and gaps."""
    assert "RTX 4090" in [choice["value"] for choice in await asker.suggest("gpu", "name", text)][:3]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("rtx3090", "RTX 3090"),
        ("geforce rtx 3090", "RTX 3090"),
        ("RX-7900 XTX", "RX 7900 XTX"),
        ("7900xtx", "RX 7900 XTX"),
        ("3080", "RTX 3080 10GB"),
        ("ＲＴＸ ４０９０", "RTX 4090"),
    ],
)
async def test_free_text_where_a_choice_was_expected(
    asker: Person, client: WhichGpuClient, written: str, name: str
) -> None:
    """Faults #6, #8, #11, #24: any text may arrive in an option with autocomplete."""
    reply = await asker.slash("gpu", name=written)
    exchange = await client.service.log.exchange(reply.ids["good"].split(":")[2])
    assert exchange is not None
    found = [gpu.name for gpu in client.service.again(exchange).answer.request.gpus]
    assert found in ([name], [name.removesuffix(" 10GB")])


async def test_workload_by_name_or_free_text(asker: Person) -> None:
    for workload in ("nlp", "NLP", "training BERT"):
        reply = await asker.slash("recommend", workload=workload, budget=900.0)
        assert reply.embed["title"]


async def test_unknown_card_is_named_as_unknown(asker: Person) -> None:
    """Fault #5: a name that is not known is said so, not replaced in silence."""
    reply = await asker.slash("gpu", name="RTX 4095")
    assert "4095" in reply.embed["title"]


async def test_several_cards_fit_a_name_and_a_menu_asks_which(asker: Person) -> None:
    """Fault #7 (an odd variant beats the main card): the bot asks."""
    reply = await asker.slash("ask", question="rtx 6000")
    message = asker.server.message(CHANNEL, reply.data, bot_message=True)
    menu = next(part for row in reply.data["components"] for part in row["components"] if part["type"] == 3)
    values = [option["value"] for option in menu["options"]]
    assert len(values) == len(set(values)) > 1
    chosen = await asker.choose(menu["custom_id"], values[1], message)
    assert menu["options"][1]["label"] in chosen.text


# --- what people write ---


async def test_direct_message_and_follow_up(server: Server, client: WhichGpuClient) -> None:
    person = Person(server, where="dm")
    first = await person.say("which GPU for NLP under $800?")
    second = await person.say("and with 400?")
    assert first["embeds"][0]["title"] != second["embeds"][0]["title"]
    exchange = await client.service.log.exchange(ids(second)["good"].split(":")[2])
    assert exchange is not None
    assert exchange.turns_before == ("which GPU for NLP under $800?",)


async def test_conversation_expires(server: Server, client: WhichGpuClient) -> None:
    person = Person(server, where="dm")
    now = 1000.0
    client.service.conversations._clock = lambda: now
    await person.say("which GPU for NLP under $800?")
    now += 3600
    answer = await person.say("and with 400?")
    exchange = await client.service.log.exchange(ids(answer)["good"].split(":")[2])
    assert exchange is not None
    assert exchange.turns_before == ()


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"sticker_items": [{"id": "1", "name": "s", "format_type": 1}]},
        {"attachments": [{"id": "1", "filename": "a.png", "size": 3, "url": "https://x.y/a", "proxy_url": "https://x.y/a"}]},
    ],
    ids=["empty", "sticker", "attachment"],
)  # fmt: skip
async def test_message_without_text_gets_help(server: Server, client: WhichGpuClient, more: dict[str, Any]) -> None:
    """Fault #18 (direct message ignored in silence)."""
    assert "/ask" in read(await Person(server, where="dm").say("", **more))


async def test_mention_is_answered_once_as_a_reply_that_pings_nobody(asker: Person) -> None:
    """Faults #15, #35: no ping, one message, one answer, also when the event comes twice."""
    message = await asker.write(f"<@{BOT}> which GPU for NLP under $800?")
    call = await asker.server.call("POST", f"/channels/{CHANNEL}/messages")
    await asker.server.dispatch("MESSAGE_CREATE", message)
    other = await asker.say(f"<@{BOT}> hello")
    assert str(call.body["message_reference"]["message_id"]) == message["id"]
    assert call.body["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert other["embeds"]
    answers = [one for one in asker.server.calls if one.path == f"/channels/{CHANNEL}/messages"]
    assert len(answers) == 2


async def test_unasked_messages_are_left_alone(asker: Person) -> None:
    """Faults #33 and #40: other people's talk, bots, webhooks, the bot itself, and a mere ping of a reply."""
    server = asker.server
    await asker.write("which GPU should I buy?")
    await asker.write(f"<@{BOT}> hi", author=user(BOT, "whichgpu", bot=True))
    await asker.write(f"<@{BOT}> hi", author=user(STRANGER, "robot", bot=True))
    await asker.write(f"<@{BOT}> hi", webhook_id="1100000000000000050")
    # Fault #34: a reply to someone else that happens to ping the bot.
    await asker.write("sure, which GPU?", mentions=[user(BOT, "whichgpu", bot=True)])
    answered = await asker.say(f"<@{BOT}> 3090 price")
    assert "3090" in read(answered)
    assert sum(one.method == "POST" for one in server.calls) == 1


async def test_reply_to_an_answer_is_a_follow_up(asker: Person, client: WhichGpuClient) -> None:
    first = await asker.say(f"<@{BOT}> which GPU for NLP under $800?")
    answer = asker.server.message(CHANNEL, first, bot_message=True)
    second = await asker.reply_to(answer, "and with 400?")
    exchange = await client.service.log.exchange(ids(second)["good"].split(":")[2])
    assert exchange is not None
    assert exchange.surface == "reply"
    assert exchange.turns_before == ("which GPU for NLP under $800?",)


async def test_context_menu_answers_someones_message(asker: Person) -> None:
    message = asker.server.message(CHANNEL, {"content": f"<@{STRANGER}> which GPU for NLP under $800?"})
    reply = await asker.menu("Answer this question", message)
    assert reply.embed["title"]
    empty = await asker.menu("Answer this question", asker.server.message(CHANNEL, {"content": f"<@{STRANGER}>"}))
    assert empty.ephemeral


@pytest.mark.parametrize(
    "hostile",
    [
        "@everyone which RTX 4095?",
        "@every@everyoneone RTX 4095",
        "<@&1100000000000000003> RTX 4095",
        "[free gpu](https://evil.example) RTX 4095",
        "``` RTX 4095 ``` ```",
        "*_~|`RTX 4095`|~_*",
        "# RTX 4095\n> quote",
        "RTX 4095 \u202egnorw\u202c",
        "RTX 4095 \ud83d\udca5" * 50,
        "\u0000RTX 4095\u0007",
    ],
)
async def test_hostile_text(asker: Person, hostile: str) -> None:
    """Faults #15, #16, #37: nothing of what people type pings, links or formats."""
    reply = await asker.slash("ask", question=hostile)
    assert reply.data["allowed_mentions"] == {"parse": []}
    for text in (reply.embed.get("title", ""), reply.embed.get("description", "")):
        assert "@everyone" not in text
        assert "](https://evil" not in text
        assert "\u202e" not in text


async def test_longest_question(asker: Person) -> None:
    assert (await asker.slash("ask", question="gpu " * 500)).text
    assert (await Person(asker.server, where="dm").say("显" * 4000))["embeds"]


# --- rights and settings ---


async def test_without_embed_links_the_answer_is_text(asker: Person) -> None:
    """Fault #29."""
    asker.server.bot_rights = ALL & ~EMBED_LINKS & ~8
    await asker.server.dispatch("GUILD_UPDATE", asker.server.guild(asker.guild_id))
    answer = await asker.say(f"<@{BOT}> which GPU for NLP under $800?")
    assert not answer.get("embeds")
    assert "GB" in answer["content"]


async def test_without_the_right_to_send_nothing_is_tried(asker: Person, client: WhichGpuClient) -> None:
    asker.server.bot_rights = EMBED_LINKS
    await asker.server.dispatch("GUILD_UPDATE", asker.server.guild(asker.guild_id))
    await asker.write(f"<@{BOT}> which GPU for NLP under $800?")
    answered = await asker.slash("ask", question="3090 price")
    assert answered.kind == 4
    assert not [one for one in asker.server.calls if one.path.startswith("/channels/")]


async def test_settings_are_for_managers(server: Server, client: WhichGpuClient) -> None:
    refused = await Person(server).slash("settings language", language="zh-CN")
    assert refused.ephemeral
    assert "manage" in refused.text
    manager = Person(server, rights=ALL & ~8 | MANAGE_GUILD)
    assert "zh-CN" in (await manager.slash("settings language", language="zh-CN")).text
    assert "CNY" in (await manager.slash("settings currency", currency="CNY")).text
    assert (await manager.slash("settings visibility", visibility="private")).ephemeral
    answer = await Person(server).slash("price", gpu="RTX 3090")
    assert answer.ephemeral
    assert "¥" in answer.text
    assert "价格" in answer.text
    assert (await manager.slash("settings show")).text.count("\n") == 3


async def test_settings_in_a_server_without_the_bot(server: Server, client: WhichGpuClient) -> None:
    person = Person(server, where="foreign", rights=ALL)
    assert "server" in (await person.slash("settings language", language="en")).text


async def test_channels_that_a_server_allows(server: Server, client: WhichGpuClient) -> None:
    manager = Person(server, rights=ALL & ~8 | MANAGE_GUILD)
    other = client.service.log.guild(manager.guild_id)
    await client.service.log.set_guild(manager.guild_id, type(other)(channels=(CHANNEL + 50,)))
    assert (await manager.slash("ask", question="3090 price")).ephemeral
    hint = await manager.say(f"<@{BOT}> 3090 price")
    assert f"<#{CHANNEL + 50}>" in hint["content"]
    await manager.slash("settings everywhere")
    assert not (await manager.slash("ask", question="3090 price")).ephemeral


async def test_a_server_that_removes_the_bot_leaves_nothing(server: Server, client: WhichGpuClient) -> None:
    manager = Person(server, rights=ALL & ~8 | MANAGE_GUILD)
    await manager.slash("settings currency", currency="EUR")
    await server.dispatch("GUILD_DELETE", {"id": str(manager.guild_id)})
    await Person(server, where="dm").say("hello")
    assert client.service.log.guild(manager.guild_id).currency is None


# --- privacy ---


async def test_export_holds_everything_and_only_mine(server: Server, client: WhichGpuClient) -> None:
    me, other = Person(server), Person(server, STRANGER)
    await me.slash("ask", question="which GPU for NLP under $800?")
    await other.slash("ask", question="3090 price")
    reply = await me.slash("privacy export")
    data = json.loads(reply.call.files[0])
    assert [one["question"] for one in data["questions"]] == ["which GPU for NLP under $800?"]
    assert data["questions"][0]["answer"]["title"]
    assert str(me.id) not in reply.call.files[0]
    assert reply.ephemeral


async def test_delete_and_opt_out(server: Server, client: WhichGpuClient) -> None:
    me = Person(server)
    await me.slash("ask", question="which GPU for NLP under $800?")
    assert "1" in (await me.slash("privacy delete")).text
    await me.slash("privacy opt-out")
    answer = await me.slash("ask", question="3090 price")
    data = await client.service.log.export(client.service.pseudonym(me.id))
    assert data["questions"] == []
    assert data["opted_out"]
    # The buttons go on working while the bot runs.
    message = server.message(CHANNEL, answer.data, bot_message=True)
    assert (await me.press(answer.ids["why"], message)).kind == 4
    await me.slash("privacy opt-in")
    await me.slash("ask", question="3090 price")
    assert len((await client.service.log.export(client.service.pseudonym(me.id)))["questions"]) == 1


# --- admin ---


async def test_admin_is_for_owners_in_the_home_server(
    server: Server, client: WhichGpuClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Faults #19 (usable in direct messages) and #20 (refused, yet run): no call of the desk is made."""
    assert client.admin is not None
    ran: list[str] = []
    for name in ("refresh", "rollback", "reload", "status"):
        monkeypatch.setattr(client.admin, name, lambda *_args, name=name: ran.append(name))
    for person in (
        Person(server, rights=ALL),
        Person(server, STRANGER, rights=ALL),
        Person(server, OWNER, where="dm"),
        Person(server, OWNER, guild_id=OTHER_GUILD),
    ):
        for command in ("admin prices refresh", "admin prices rollback", "admin knowledge reload", "admin stats"):
            reply = await person.slash(command)
            assert reply.kind == 4
            assert reply.ephemeral
            assert "bot" in reply.text
    assert ran == []


async def test_admin_counts_and_gaps(server: Server, client: WhichGpuClient) -> None:
    owner = Person(server, OWNER)
    reply = await owner.slash("ask", question="RTX 4095 @everyone?")
    message = server.message(CHANNEL, reply.data, bot_message=True)
    assert (await owner.press(reply.ids["good"], message)).ephemeral
    await owner.press(reply.ids["bad"], message)
    stats = (await owner.slash("admin stats", days=7)).text
    assert "1 questions of 1 people" in stats
    assert "👍 0 👎 1" in stats  # the later thumb counts
    assert "4095" in (await owner.slash("admin knowledge unanswered", most=5)).text


async def test_topics_menu(asker: Person) -> None:
    overview = await asker.slash("topics")
    assert "Memory" in overview.text
    for topic in ("memory", "Memory"):
        reply = await asker.slash("topics", topic=topic)
        menu = reply.data["components"][0]["components"][0]
        message = asker.server.message(CHANNEL, reply.data, bot_message=True)
        answer = await asker.choose(menu["custom_id"], menu["options"][0]["value"], message)
        assert answer.kind == 4
        assert answer.embed["title"]
    gone = await asker.choose(menu["custom_id"], "no-such-entry", message)
    assert gone.ephemeral


@pytest.mark.parametrize(
    ("written", "name"),
    [("rtx 4070 ti", "RTX 4070 Ti"), ("4070ti super", "RTX 4070 Ti Super"), ("4070 super", "RTX 4070 Super"),
     ("7900 xt", "RX 7900 XT"), ("7900 xtx", "RX 7900 XTX"), ("4070", "RTX 4070")],
)  # fmt: skip
async def test_suffixes_are_never_guessed(asker: Person, client: WhichGpuClient, written: str, name: str) -> None:
    """Fault #9 (a scorer gives every superset full marks): Ti, Super, XT and XTX are told apart."""
    reply = await asker.slash("ask", question=f"{written} specs")
    exchange = await client.service.log.exchange(reply.ids["good"].split(":")[2])
    assert exchange is not None
    assert [gpu.name for gpu in client.service.again(exchange).answer.request.gpus] == [name]


async def test_figures_name_card_and_source(asker: Person) -> None:
    """Fault #12 (the wrong product's figures): the exact name and a dated source are in the answer."""
    reply = await asker.slash("gpu", name="RTX 3090")
    assert "RTX 3090" in reply.text
    assert "936 GB/s" in reply.text
    assert "whitepaper (2021" in reply.text


async def test_prices_carry_condition_and_date(asker: Person) -> None:
    """Fault #13 (a reseller's price taken for the price)."""
    reply = await asker.slash("price", gpu="RTX 3090")
    assert "used" in reply.text
    assert "2026-" in reply.text
    assert "not live offers" in reply.embed["footer"]["text"]
