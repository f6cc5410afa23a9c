"""The commands for asking: /ask, /recommend, /gpu, /compare, /fit, /price, /topics, /help and the message menu.

English names and descriptions stand here; data/locales has the Chinese ones. Every command makes a text and hands it to
the one door.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.app_commands import Choice, Range, locale_str

from bot.discord_app.components import topic_controls
from bot.discord_app.compose import Composer
from bot.discord_app.escape import escape
from bot.discord_app.limits import fit_choices
from bot.discord_app.send import Outgoing, respond
from bot.request import Language

if TYPE_CHECKING:
    from bot.discord_app.client import WhichGpuClient
    from bot.discord_app.shelf import Shelf

    Interaction = discord.Interaction[WhichGpuClient]
else:
    Interaction = discord.Interaction

CURRENCIES = ("USD", "EUR", "GBP", "CNY", "TWD", "HKD", "JPY", "INR", "CAD", "AUD")
PRECISIONS = ("fp32", "fp16", "bf16", "fp8", "int8", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "int4", "nf4", "gptq", "awq")


def _choices(*pairs: tuple[str, str]) -> list[Choice[str]]:
    return [Choice(name=locale_str(name), value=value) for name, value in pairs]


CONDITION = _choices(("new", "new"), ("used", "used"), ("new or used", "any"))
VENDOR = _choices(("NVIDIA", "NVIDIA"), ("AMD", "AMD"), ("Intel", "Intel"), ("Apple", "Apple"))
MODE = _choices(("training", "training"), ("fine-tuning", "finetuning"), ("inference", "inference"))
TASK = _choices(("inference", "inference"), ("LoRA", "lora"), ("QLoRA", "qlora"), ("full fine-tuning", "full"))
CURRENCY = _choices(*((code, code) for code in CURRENCIES))
PRECISION = _choices(*((code, code) for code in PRECISIONS))


def _language(interaction: Interaction) -> Language:
    client = interaction.client
    return client.service.language(client.asker(interaction))


def _composer(interaction: Interaction) -> Composer:
    return Composer(interaction.client.service.locales, _language(interaction))


# --- autocomplete: suggestions only; any text may arrive ---


def _suggest(find: Callable[[Shelf, str, Language], list[tuple[str, str]]]) -> Callable[..., Any]:
    async def autocomplete(interaction: Interaction, current: str) -> list[Choice[str]]:
        found = find(interaction.client.shelf, current, _language(interaction))
        return [Choice(name=name, value=value) for name, value in found]

    return autocomplete


suggest_gpu = _suggest(lambda shelf, query, _language: shelf.gpus.find(query))
suggest_model = _suggest(lambda shelf, query, _language: shelf.models.find(query))
suggest_workload = _suggest(lambda shelf, query, language: shelf.find_workload(query, language))


async def suggest_topic(interaction: Interaction, current: str) -> list[Choice[str]]:
    """Topics of the knowledge."""
    query = current.strip().casefold()
    pairs = [(_topic_name(interaction, topic), topic) for topic in interaction.client.shelf.topics]
    return [
        Choice(name=name, value=value) for name, value in fit_choices([p for p in pairs if query in p[0].casefold()])
    ]


# --- the commands ---


@app_commands.command(description="Ask anything about GPUs for deep learning")
@app_commands.describe(question="Your question, in your own words", private="Show the answer to you alone")
async def ask(interaction: Interaction, question: Range[str, 1, 2000], private: bool = False) -> None:
    """Any question."""
    await interaction.client.answer_interaction(interaction, question, "slash", private=private)


@app_commands.command(description="Which GPU to buy or rent for your work and budget")
@app_commands.describe(
    workload="What it is for",
    budget="The most you want to spend",
    currency="Currency of the budget and of the prices shown",
    condition="New or used cards",
    memory="GPU memory that you need at least, in GB",
    count="How many cards",
    vendor="Only this maker's cards",
    mode="Training, fine-tuning or running models",
    private="Show the answer to you alone",
)
@app_commands.choices(currency=CURRENCY, condition=CONDITION, vendor=VENDOR, mode=MODE)
@app_commands.autocomplete(workload=suggest_workload)
async def recommend(
    interaction: Interaction,
    workload: Range[str, 1, 100] | None = None,
    budget: Range[float, 1, 10_000_000] | None = None,
    currency: str | None = None,
    condition: str | None = None,
    memory: Range[float, 1, 2000] | None = None,
    count: Range[int, 1, 16] | None = None,
    vendor: str | None = None,
    mode: str | None = None,
    private: bool = False,
) -> None:
    """A purchase for stated needs."""
    client, language = interaction.client, _language(interaction)
    if currency is None:
        server = client.service.guild(interaction.guild_id)
        currency = server.currency or {"zh-CN": "CNY", "zh-TW": "TWD"}.get(language, "USD")
    text = _composer(interaction).recommend(
        client.shelf.workload_name(workload or "", language),
        mode=mode, budget=budget, currency=currency, condition=condition, memory=memory, count=count, vendor=vendor,
    )  # fmt: skip
    await client.answer_interaction(interaction, text, "slash", private=private, currency=currency)


@app_commands.command(description="Figures of a card, with their sources")
@app_commands.describe(name="The card, such as RTX 3090", private="Show the answer to you alone")
@app_commands.autocomplete(name=suggest_gpu)
async def gpu(interaction: Interaction, name: Range[str, 1, 100], private: bool = False) -> None:
    """One card."""
    text = _composer(interaction).gpu(interaction.client.shelf.card(name))
    await interaction.client.answer_interaction(interaction, text, "slash", private=private)


@app_commands.command(description="Two or three cards side by side")
@app_commands.describe(
    first="One card",
    second="The other card",
    third="A third card",
    workload="What it is for",
    private="Show the answer to you alone",
)
@app_commands.autocomplete(first=suggest_gpu, second=suggest_gpu, third=suggest_gpu, workload=suggest_workload)
async def compare(
    interaction: Interaction,
    first: Range[str, 1, 100],
    second: Range[str, 1, 100],
    third: Range[str, 1, 100] | None = None,
    workload: Range[str, 1, 100] | None = None,
    private: bool = False,
) -> None:
    """Side by side."""
    shelf = interaction.client.shelf
    name = shelf.workload_name(workload or "", _language(interaction))
    text = _composer(interaction).compare(shelf.card(first), shelf.card(second), shelf.card(third or ""), name)
    await interaction.client.answer_interaction(interaction, text, "slash", private=private)


@app_commands.command(description="Does a model fit a card, and what would make it fit")
@app_commands.describe(
    model="The model, such as Llama 3 8B",
    gpu="The card, such as RTX 3090",
    count="How many of these cards",
    precision="Number format or quantisation",
    task="Running it, or how it is trained",
    context="Context length in tokens",
    private="Show the answer to you alone",
)
@app_commands.choices(precision=PRECISION, task=TASK)
@app_commands.autocomplete(model=suggest_model, gpu=suggest_gpu)
async def fit(
    interaction: Interaction,
    model: Range[str, 1, 100],
    gpu: Range[str, 1, 100],
    count: Range[int, 1, 64] = 1,
    precision: str | None = None,
    task: str | None = None,
    context: Range[int, 1, 10_000_000] | None = None,
    private: bool = False,
) -> None:
    """Whether it fits."""
    text = _composer(interaction).fit(
        model, interaction.client.shelf.card(gpu), count, precision or "", task or "", context
    )
    await interaction.client.answer_interaction(interaction, text, "slash", private=private)


@app_commands.command(description="Prices known for a card, with their dates")
@app_commands.describe(
    gpu="The card, such as RTX 3090",
    condition="New or used cards",
    currency="Currency of the budget and of the prices shown",
    private="Show the answer to you alone",
)
@app_commands.choices(condition=CONDITION, currency=CURRENCY)
@app_commands.autocomplete(gpu=suggest_gpu)
async def price(
    interaction: Interaction,
    gpu: Range[str, 1, 100],
    condition: str | None = None,
    currency: str | None = None,
    private: bool = False,
) -> None:
    """What it costs."""
    text = _composer(interaction).price(interaction.client.shelf.card(gpu), condition or "")
    await interaction.client.answer_interaction(
        interaction, text, "slash", private=private, currency=currency, chart=True
    )


@app_commands.command(description="What the bot knows, by topic")
@app_commands.describe(topic="One topic, to see its questions")
@app_commands.autocomplete(topic=suggest_topic)
async def topics(interaction: Interaction, topic: Range[str, 1, 100] | None = None) -> None:
    """Topics, or one topic's questions with a menu."""
    client, asker = interaction.client, interaction.client.asker(interaction)
    known = client.shelf.topics
    if topic not in known:
        by_name = {_topic_name(interaction, key).casefold(): key for key in known}
        topic = by_name.get((topic or "").strip().casefold())
    if topic is None:
        lines = [f"**{escape(_topic_name(interaction, key))}** {len(entries)}" for key, entries in known.items()]
        title, view = client.service.say(asker, "topics.title"), None
        text = client.service.say(asker, "topics.text") + "\n\n" + " · ".join(lines)
    else:
        language = _language(interaction)
        questions = [(key, question.in_language(language)) for key, question in known[topic]]
        title = _topic_name(interaction, topic)
        text = "\n".join(f"• {escape(question)}" for _, question in questions)
        view = topic_controls(asker.id, questions, client.service.say(asker, "menu.choose"))
    embed = {"type": "rich", "title": title, "description": text, "color": 0x14919B}
    await respond(interaction, Outgoing(embed, view=view), private=True)


def _topic_name(interaction: Interaction, topic: str) -> str:
    locales = interaction.client.service.locales
    key = f"topic.{topic}"
    if key in locales.by_language["en"].texts:
        return locales.say(_language(interaction), key)
    return topic.replace("-", " ").capitalize()


@app_commands.command(name="help", description="How to ask, with examples")
async def help_(interaction: Interaction) -> None:
    """Help."""
    client = interaction.client
    await respond(interaction, client.help(client.asker(interaction)), private=True)


@app_commands.context_menu(name="Answer this question")
async def answer_this(interaction: Interaction, message: discord.Message) -> None:
    """Someone's message as the question; the answer names nobody and is seen by all who may see the message."""
    client = interaction.client
    text = client.plain_question(message)
    if not text:
        asker = client.asker(interaction)
        await respond(interaction, Outgoing(content=client.service.say(asker, "menu.no_text")), private=True)
        return
    await client.answer_interaction(interaction, text, "menu")


PUBLIC: tuple[app_commands.Command[Any, ..., Any] | app_commands.ContextMenu, ...] = (
    ask,
    recommend,
    gpu,
    compare,
    fit,
    price,
    topics,
    help_,
    answer_this,
)
