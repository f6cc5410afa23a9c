"""What the shell says in each language (data/locales), and the names of the commands for zh-CN and zh-TW."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Place

from bot.loading import files_root, read_file
from bot.request import Language
from bot.tables import DataError, read_yaml

LANGUAGES: tuple[Language, ...] = ("en", "zh-CN", "zh-TW")


@dataclass(frozen=True, slots=True)
class Locale:
    """One file: `texts` by key, and for Chinese `names` and `commands`: the English text -> its translation."""

    texts: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Locales:
    """Every language's texts. `say` never fails for a key that English has."""

    by_language: Mapping[Language, Locale]

    def say(self, language: Language, key: str, /, **values: object) -> str:
        """The text in that language, its placeholders filled in."""
        text = self.by_language[language].texts.get(key) or self.by_language["en"].texts[key]
        return text.format(**values) if values else text


def parse_locale(text: str, where: str) -> Locale:
    """A file of data/locales. Raises DataError."""
    data: Any = read_yaml(text, where)
    if not isinstance(data, dict) or not isinstance(data.get("texts"), dict):
        raise DataError(where, 1, "texts", "the mapping of texts is missing", "Restore the file from the repository")
    parts: dict[str, dict[str, str]] = {}
    for part in ("texts", "names", "commands"):
        parts[part] = {}
        for key, value in (data.get(part) or {}).items():
            if not isinstance(value, str) or not value.strip():
                raise DataError(where, None, f"{part}.{key}", "this is not a text", "Write it in quotes")
            # Texts keep their spaces: pieces of sentences begin with one.
            parts[part][str(key)] = value
    return Locale(parts["texts"], parts["names"], parts["commands"])


def placeholders(text: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@lru_cache(maxsize=1)
def load_locales() -> Locales:
    """data/locales/*.yaml; each Chinese file must have the keys and placeholders of the English. Raises DataError."""
    root = files_root()
    read: dict[Language, Locale] = {}
    for language in LANGUAGES:
        where = f"data/locales/{language}.yaml"
        read[language] = parse_locale(*read_file(root / where, root))
        english = read["en"].texts
        for key in english.keys() | read[language].texts.keys():
            mine = read[language].texts.get(key)
            if mine is None or key not in english or placeholders(mine) != placeholders(english[key]):
                raise DataError(
                    where, None, f"texts.{key}", "this text or one of its {placeholders} is missing here or in en.yaml",
                    "Write it in every language",
                )  # fmt: skip
    return Locales(read)


def language_for(locale: str | discord.Locale | None, override: str | None = None) -> Language:
    """The language the shell speaks to someone: what the server set, else what the person's Discord is set to."""
    place = str(override or locale or "").lower()
    if place.startswith(("zh-tw", "zh-hk", "zh-hant")):
        return "zh-TW"
    return "zh-CN" if place.startswith("zh") else "en"


class Translator(app_commands.Translator):
    """Names and descriptions of commands, at sync. Discord falls back to English for every other language."""

    def __init__(self, locales: Locales) -> None:
        self._locales = locales

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """The translation, or None where the file has none."""
        language: Literal["zh-CN", "zh-TW"]
        if locale is discord.Locale.chinese:
            language = "zh-CN"
        elif locale is discord.Locale.taiwan_chinese:
            language = "zh-TW"
        else:
            return None
        part = self._locales.by_language[language]
        names = (Place.command_name, Place.group_name, Place.parameter_name)
        return (part.names if context.location in names else part.commands).get(string.message)
