"""The commands as they are uploaded: limits, translations, contexts; and the texts of the shell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.discord_app.build import build_client
from bot.discord_app.client import WhichGpuClient
from bot.discord_app.compose import Composer
from bot.discord_app.limits import BUTTON_LABEL, CONTENT, PLACEHOLDER, command_faults, length
from bot.discord_app.locales import LANGUAGES, Translator, language_for, load_locales, parse_locale
from bot.discord_app.next_steps import ACTIONS
from bot.discord_app.shelf import load_shelf
from bot.loading import load_understanding
from bot.request import Budget, Language, Mode, Request
from bot.settings import Settings
from bot.tables import DataError

MODES: tuple[Mode | None, ...] = ("training", "finetuning", "inference", None)
HOME = 1100000000000000003


class NoLog:
    """Nothing is asked of it here."""


@pytest.fixture
async def client(tmp_path: Path) -> WhichGpuClient:
    settings = replace(Settings(), home_guild=HOME, state_dir=tmp_path)
    made = build_client(settings, NoLog(), b"k" * 32)  # type: ignore[arg-type]
    await made.tree.set_translator(Translator(load_locales()))
    return made


async def _payloads(client: WhichGpuClient) -> list[dict[str, Any]]:
    import discord

    return [*await client.payloads(None), *await client.payloads(discord.Object(HOME))]


async def test_commands_are_inside_the_limits(client: WhichGpuClient) -> None:
    for payload in await _payloads(client):
        assert command_faults(payload) == []


async def test_every_name_and_description_is_translated(client: WhichGpuClient) -> None:
    """Discord falls back to English in silence; here it is a fault. /admin speaks English only."""

    def untranslated(part: dict[str, Any], path: str) -> list[str]:
        path = f"{path} {part['name']}".strip()
        found = []
        for key in ("name", "description"):
            if part.get(key) and set(part.get(f"{key}_localizations") or ()) < {"zh-CN", "zh-TW"}:
                found.append(f"{path}.{key}: {part[key]}")
        for option in part.get("options") or ():
            found += untranslated(option, path)
        for choice in part.get("choices") or ():
            same_everywhere = choice["name"] == choice["value"] or choice["name"] in ("LoRA", "QLoRA", "English")
            if not same_everywhere and choice["name"].isascii() and not choice.get("name_localizations"):
                found.append(f"{path}: choice {choice['name']}")
        return found

    found = [fault for payload in await client.payloads(None) for fault in untranslated(payload, "")]
    assert found == []


async def test_no_translation_is_left_over(client: WhichGpuClient) -> None:
    """A key that no command has is a slip of the pen."""
    used: set[str] = set()

    def collect(part: dict[str, Any]) -> None:
        used.update((part["name"], part.get("description") or ""))
        used.update(choice["name"] for choice in part.get("choices") or ())
        for option in part.get("options") or ():
            collect(option)

    for payload in await client.payloads(None):
        collect(payload)
    for language in LANGUAGES[1:]:
        locale = load_locales().by_language[language]
        assert set(locale.names) - used == set()
        assert set(locale.commands) - used == set()


async def test_where_commands_may_be_used(client: WhichGpuClient) -> None:
    """Servers, direct messages, between people; by servers and by people; /settings and /admin in servers only."""
    for payload in await _payloads(client):
        in_server_only = payload["name"] in ("settings", "admin")
        assert payload["contexts"] == ([0] if in_server_only else [0, 1, 2]), payload["name"]
        assert payload["integration_types"] == ([0] if in_server_only else [0, 1]), payload["name"]
    names = {payload["name"] for payload in await client.payloads(None)}
    assert names == {
        "ask", "recommend", "gpu", "compare", "fit", "price", "topics", "help", "privacy", "settings",
        "Answer this question",
    }  # fmt: skip


async def test_without_a_home_server_there_is_no_admin(tmp_path: Path) -> None:
    made = build_client(replace(Settings(), state_dir=tmp_path), NoLog(), b"k" * 32)  # type: ignore[arg-type]
    assert not [command for command in made.tree.walk_commands() if command.qualified_name.startswith("admin")]


async def test_the_fingerprint_follows_the_commands(client: WhichGpuClient) -> None:
    before = await client.commands_hash()
    assert before == await client.commands_hash()
    client.tree.remove_command("ask")
    assert before != await client.commands_hash()


# --- texts ---


def test_texts_fit_where_they_are_shown() -> None:
    locales = load_locales()
    for language in LANGUAGES:
        for action in ACTIONS:
            if action not in ("good", "bad", "delete"):
                assert length(locales.say(language, f"button.{action}")) <= BUTTON_LABEL
        for key, text in locales.by_language[language].texts.items():
            assert length(text) < CONTENT - 300, key
            if key.startswith("menu."):
                assert length(text) <= PLACEHOLDER


def test_every_topic_has_a_name() -> None:
    for topic in load_shelf().topics:
        for language in LANGUAGES:
            assert load_locales().say(language, f"topic.{topic}")


@pytest.mark.parametrize(
    ("text", "field"),
    [("[]", "texts"), ("texts: 3", "texts"), ("texts: {a: 3}", "texts.a"), ("texts: {a: ''}", "texts.a")],
)
def test_broken_locale_files_say_what_is_wrong(text: str, field: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_locale(text, "data/locales/en.yaml")
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("locale", "override", "language"),
    [
        ("en-US", None, "en"),
        ("zh-CN", None, "zh-CN"),
        ("zh-TW", None, "zh-TW"),
        ("ja", None, "en"),
        (None, None, "en"),
        ("zh-CN", "en", "en"),
        ("de", "zh-TW", "zh-TW"),
    ],
)
def test_language(locale: str | None, override: str | None, language: str) -> None:
    assert language_for(locale, override) == language


# --- options as questions: what goes in must be what the core reads ---


def _read(text: str, language: Language) -> Request:
    return load_understanding().understand(text, (), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_recommend_is_read_as_it_was_meant(language: Language) -> None:
    composer, shelf = Composer(load_locales(), language), load_shelf()
    for condition in ("new", "used", "any", None):
        for mode in MODES:
            text = composer.recommend(
                shelf.workload_name("nlp", language), mode=mode, budget=1500, currency="EUR", condition=condition,
                memory=24, count=2, vendor="NVIDIA",
            )  # fmt: skip
            read = _read(text, language)
            found = (read.kind, read.language, read.workloads, read.budget, read.condition, read.memory_gb, read.count,
                     read.vendors, read.modes)  # fmt: skip
            assert found == (
                "recommend", language, ("nlp",), Budget(max=1500, currency="EUR"), condition, (24,), 2, ("nvidia",),
                (mode,) if mode else (),
            ), text  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_workload_is_read_back(language: Language) -> None:
    composer, shelf = Composer(load_locales(), language), load_shelf()
    missed = []
    for key in shelf.workloads:
        read = _read(composer.recommend(shelf.workload_name(key, language), budget=900, currency="USD"), language)
        if key not in (read.workloads or ("general_dl",)):
            missed.append(key)
    assert missed == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_commands_are_read_as_they_were_meant(language: Language) -> None:
    composer = Composer(load_locales(), language)
    assert _read(composer.gpu("RTX 3090"), language).kind == "spec"
    pair = _read(composer.compare("RTX 3090", "RTX 4090", "RTX 5090"), language)
    assert (pair.kind, [gpu.name for gpu in pair.gpus]) == ("compare", ["RTX 3090", "RTX 4090", "RTX 5090"])
    fit = _read(composer.fit("Llama 3 70B", "RTX 3090", 2, "q4_k_m", "", 32768), language)
    assert fit.kind == "fit"
    assert [(gpu.name, gpu.count) for gpu in fit.gpus] == [("RTX 3090", 2)]
    assert [model.name for model in fit.models] == ["Llama 3 70B"]
    assert (fit.precision, fit.context_tokens) == ("q4_k_m", 32768)
    for task in ("lora", "qlora", "full"):
        assert _read(composer.fit("Llama 3 8B", "RTX 3090", task=task), language).method == task
    used = _read(composer.price("RTX 3090", "used"), language)
    assert (used.kind, used.condition) == ("price", "used")
    assert _read(composer.price("RTX 3090"), language).kind == "price"


async def test_choices_have_the_type_of_their_option(client: WhichGpuClient) -> None:
    """Fault #25 (a choice of another type than its option is refused)."""
    types: dict[int, type] = {3: str, 4: int, 10: float}

    def check(part: dict[str, Any]) -> int:
        choices = part.get("choices") or ()
        assert all(isinstance(choice["value"], types[part["type"]]) for choice in choices), part["name"]
        return len(choices) + sum(check(option) for option in part.get("options") or ())

    assert sum([check(payload) for payload in await client.payloads(None)]) > 40
