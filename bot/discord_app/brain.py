"""The assistant as the shell holds it: answers kept for a while, prices and knowledge exchanged while it runs."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from bot.answers.as_json import answer_json
from bot.answers.blocks import Answer
from bot.discord_app.render import render
from bot.discord_app.send import Fitted
from bot.request import Question

KEPT = 512


class Answers(Protocol):
    """What is used of the assistant; tests put hand-made answers here."""

    def answer(self, question: Question) -> Answer: ...


@dataclass(slots=True)
class Prepared:
    """An answer with its embeds and its entry for the log, each made once."""

    answer: Answer
    _short: Fitted | None = None
    _full: Fitted | None = None
    _json: str | None = None

    def embed(self, *, full: bool = False) -> Fitted:
        """The embed, short or with everything."""
        if full:
            self._full = self._full or Fitted.of(render(self.answer, full=True))
            return self._full
        self._short = self._short or Fitted.of(render(self.answer))
        return self._short

    def json(self) -> str:
        """The answer as the log keeps it."""
        if self._json is None:
            self._json = json.dumps(answer_json(self.answer), ensure_ascii=False)
        return self._json


class Brain:
    """Answers questions. `put` exchanges what is behind it in one step: no answer sees half of an exchange."""

    def __init__(self, assistant: Answers) -> None:
        self._assistant = assistant
        self._kept: OrderedDict[tuple[object, ...], Prepared] = OrderedDict()

    @property
    def assistant(self) -> Answers:
        """What answers now."""
        return self._assistant

    def put(self, assistant: Answers) -> None:
        """Answer from another assistant from now on."""
        self._assistant = assistant
        self._kept.clear()

    def answer(
        self,
        text: str,
        today: date,
        turns_before: Sequence[str] = (),
        locale: str | None = None,
        currency: str | None = None,
    ) -> Prepared:
        """The answer; the same question of the same day is not worked out twice."""
        key = (text, today, tuple(turns_before), locale, currency)
        found = self._kept.get(key)
        if found is None:
            question = Question(text, today, tuple(turns_before), locale=locale, currency=currency)
            found = self._kept[key] = Prepared(self._assistant.answer(question))
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return found


def reload_files() -> None:
    """Forget everything that was read from data/ and knowledge/; the next load reads it anew. Blocks briefly."""
    from bot import loading

    for value in vars(loading).values():
        forget: Callable[[], None] | None = getattr(value, "cache_clear", None)
        if forget is not None and getattr(value, "__module__", "") == loading.__name__:
            forget()
