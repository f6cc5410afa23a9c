"""Buttons and menus under an answer. All they need stands in their custom_id and the log, so they survive restarts.

A custom_id is `g1:action:answer:asker`; g1 is the version of this form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self

import discord
from discord import ui

from bot.discord_app.limits import BUTTON_LABEL, BUTTONS, OPTION_LABEL, OPTION_VALUE, PLACEHOLDER, clip
from bot.discord_app.locales import Locales
from bot.discord_app.next_steps import ACTIONS, actions_for
from bot.request import Language

if TYPE_CHECKING:
    from bot.answers.blocks import Answer
    from bot.discord_app.client import WhichGpuClient

BUTTON_ID = re.compile(rf"g1:(?P<action>{'|'.join(ACTIONS)}):(?P<answer>[0-9a-f]{{10}}):(?P<asker>\d{{1,20}})")
MENU_ID = re.compile(r"g1:menu:(?P<answer>[0-9a-f]{10}):(?P<asker>\d{1,20})")
MODAL_ID = re.compile(r"g1:modal:(?P<answer>[0-9a-f]{10}):(?P<asker>\d{1,20})")
TOPIC_ID = re.compile(r"g1:topics:(?P<asker>\d{1,20})")
SIGNS = {
    "cheaper": "💸", "memory": "🧠", "used": "♻️", "compare": "⚖️", "why": "❓", "whynot": "🤔", "good": "👍",
    "bad": "👎", "delete": "🗑️",
}  # fmt: skip
WORDLESS = ("good", "bad", "delete")
WHYNOT_INPUT = "gpu"


class SentView(ui.View):
    """Rows of a message as Discord gets them. The library keeps no view for them: the dynamic items below answer by
    their custom_id, also after a restart."""

    def __init__(self, rows: list[list[dict[str, Any]]]) -> None:
        super().__init__(timeout=None)
        self._rows = [{"type": 1, "components": parts} for parts in rows if parts]

    def to_components(self) -> list[dict[str, Any]]:
        """The rows, made without an object for each button: they are in every answer."""
        return self._rows

    def has_components_v2(self) -> bool:
        """Never."""
        return False

    def is_finished(self) -> bool:
        """True, so that the library does not listen for it."""
        return True


class Action(ui.DynamicItem[ui.Button[Any]], template=BUTTON_ID):
    """One button."""

    def __init__(self, action: str, answer_id: str, asker: int) -> None:
        self.action, self.answer_id, self.asker = action, answer_id, asker
        super().__init__(ui.Button(custom_id=f"g1:{action}:{answer_id}:{asker}", emoji=SIGNS[action]))

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction, _item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """The button a press came from."""
        return cls(match["action"], match["answer"], int(match["asker"]))

    async def callback(self, interaction: discord.Interaction[WhichGpuClient]) -> None:  # type: ignore[override]
        """Do what the button stands for."""
        from bot.discord_app.presses import pressed

        await interaction.client.guarded(interaction, pressed(interaction, self.action, self.answer_id, self.asker))


class Menu(ui.DynamicItem[ui.Select[Any]], template=MENU_ID):
    """The menu of what is meant, or of what could be asked next."""

    def __init__(self, answer_id: str, asker: int) -> None:
        self.answer_id, self.asker = answer_id, asker
        super().__init__(ui.Select(custom_id=f"g1:menu:{answer_id}:{asker}"))

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction, _item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """The menu a choice came from."""
        return cls(match["answer"], int(match["asker"]))

    async def callback(self, interaction: discord.Interaction[WhichGpuClient]) -> None:  # type: ignore[override]
        """Answer what was chosen."""
        from bot.discord_app.presses import chosen

        values = payload(interaction).get("values") or [""]
        await interaction.client.guarded(
            interaction,
            chosen(interaction, str(values[0]), self.answer_id, self.asker),
        )


class TopicMenu(ui.DynamicItem[ui.Select[Any]], template=TOPIC_ID):
    """The menu of a topic's questions; values are the ids of knowledge entries."""

    def __init__(self, asker: int) -> None:
        self.asker = asker
        super().__init__(ui.Select(custom_id=f"g1:topics:{asker}"))

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction, _item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        """The menu a choice came from."""
        return cls(int(match["asker"]))

    async def callback(self, interaction: discord.Interaction[WhichGpuClient]) -> None:  # type: ignore[override]
        """Answer the question chosen."""
        from bot.discord_app.presses import topic_chosen

        values = payload(interaction).get("values") or [""]
        await interaction.client.guarded(interaction, topic_chosen(interaction, str(values[0])))


def controls(answer: Answer, answer_id: str, asker: int, locales: Locales, language: Language) -> SentView:
    """The rows under an answer: what to change about it, a menu of suggestions, thumbs and delete."""
    words: list[dict[str, Any]] = []
    wordless: list[dict[str, Any]] = []
    for action in actions_for(answer):
        part = {"type": 2, "style": 2, "custom_id": f"g1:{action}:{answer_id}:{asker}",
                "emoji": {"name": SIGNS[action]}}  # fmt: skip
        if action in WORDLESS:
            wordless.append(part)
        else:
            words.append({**part, "label": clip(locales.say(language, f"button.{action}"), BUTTON_LABEL)})
    options = [{"label": option.label, "value": option.value} for option in menu_options(answer)]
    menu = []
    if options:
        key = "menu.choose" if answer.abstained else "menu.next"
        menu = [{"type": 3, "custom_id": f"g1:menu:{answer_id}:{asker}", "options": options,
                 "placeholder": clip(locales.say(language, key), PLACEHOLDER)}]  # fmt: skip
    # Thumbs and delete stand behind the last words where there is room: fewer rows, less to scroll on a phone.
    rows = [words[:5], words[5:]]
    last = 1 if rows[1] else 0
    if len(rows[last]) + len(wordless) <= BUTTONS:
        rows[last] = rows[last] + wordless
        wordless = []
    return SentView([menu, *rows, wordless] if answer.abstained else [*rows, menu, wordless])


def topic_controls(asker: int, questions: list[tuple[str, str]], placeholder: str) -> SentView:
    """The menu under a topic; `questions` are (entry id, question)."""
    options = [{"label": clip(question, OPTION_LABEL), "value": key} for key, question in questions[:25]]
    return SentView([[{"type": 3, "custom_id": f"g1:topics:{asker}", "options": options,
                       "placeholder": clip(placeholder, PLACEHOLDER)}]])  # fmt: skip


def menu_options(answer: Answer) -> list[discord.SelectOption]:
    """The suggestions as options. A value is its place and label: the place alone would lie after a reload."""
    options = []
    for place, suggestion in enumerate(answer.suggestions[:25]):
        label = clip(suggestion.label.strip() or suggestion.question.strip(), OPTION_LABEL)
        if label:
            options.append(discord.SelectOption(label=label, value=option_value(place, label)))
    return options


def option_value(place: int, label: str) -> str:
    """What Discord sends back for an option."""
    return clip(f"{place}:{label}", OPTION_VALUE)


def chosen_question(answer: Answer, value: str) -> str | None:
    """The question that an option stands for, in the answer of today; None where it is gone."""
    for option, suggestion in zip(menu_options(answer), answer.suggestions, strict=False):
        if option.value == value or option.value.partition(":")[2] == value.partition(":")[2]:
            return suggestion.question
    return None


def whynot_modal(answer_id: str, asker: int, locales: Locales, language: Language) -> ui.Modal:
    """Asks which card. It is answered by its custom_id too, so it may be sent after a restart."""
    modal = _Modal(
        title=clip(locales.say(language, "modal.title"), 45), custom_id=f"g1:modal:{answer_id}:{asker}", timeout=None
    )
    field: ui.TextInput[Any] = ui.TextInput(
        custom_id=WHYNOT_INPUT,
        placeholder=locales.say(language, "modal.placeholder"),
        min_length=1,
        max_length=80,
    )
    modal.add_item(ui.Label(text=clip(locales.say(language, "modal.label"), 45), component=field))
    return modal


class _Modal(ui.Modal):
    def is_finished(self) -> bool:
        """True, so that the library keeps nothing for a modal that nobody sends."""
        return True


def payload(interaction: discord.Interaction[Any]) -> dict[str, Any]:
    """What came with an interaction; its keys depend on the kind."""
    return dict(interaction.data or {})


def modal_text(data: dict[str, Any]) -> str:
    """The text that came back with a modal, wherever Discord put it (in a row or in a label)."""
    for part in data.get("components") or ():
        inner = part.get("component")
        for field in (*(part.get("components") or ()), *([inner] if inner else ())):
            if field.get("custom_id") == WHYNOT_INPUT:
                return str(field.get("value") or "").strip()
    return ""
