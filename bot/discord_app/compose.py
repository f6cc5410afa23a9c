"""The options of a command as a question in the asker's language: the assistant has one door, and it takes text."""

from __future__ import annotations

from bot.discord_app.locales import Locales
from bot.request import Language

LONGEST = 120


class Composer:
    """Puts sentences together from the pieces in data/locales."""

    def __init__(self, locales: Locales, language: Language) -> None:
        self._locales, self._language = locales, language

    def _say(self, key: str, **values: object) -> str:
        return self._locales.say(self._language, "compose." + key, **values)

    def recommend(
        self,
        workload: str,
        *,
        mode: str | None = None,
        budget: float | None = None,
        currency: str | None = None,
        condition: str | None = None,
        memory: float | None = None,
        count: int | None = None,
        vendor: str | None = None,
    ) -> str:
        """ "Recommend a GPU for NLP, budget 800 USD, used, at least 24 GB of VRAM." """
        parts = [self._say("recommend", workload=workload[:LONGEST]) if workload else self._say("recommend.any")]
        if mode:
            parts.append(self._say(f"mode.{mode}"))
        if budget is not None:
            parts.append(self._say("budget", amount=f"{budget:.10g}", currency=currency or "").rstrip())
        if condition:
            parts.append(self._say(f"condition.{condition}"))
        if memory:
            parts.append(self._say("memory", memory=f"{memory:g}"))
        if count and count > 1:
            parts.append(self._say("count", count=count))
        if vendor:
            parts.append(self._say("vendor", vendor=vendor))
        return self._say("between").join(parts) + self._say("end")

    def gpu(self, name: str) -> str:
        """The figures of a card."""
        return self._say("gpu", gpu=name[:LONGEST])

    def compare(self, first: str, second: str, third: str = "", workload: str = "") -> str:
        """Two or three cards side by side."""
        cards = self._say("and").join(name[:LONGEST] for name in (first, second, third) if name)
        text = self._say("compare", cards=cards)
        return text + self._say("for", workload=workload[:LONGEST]) if workload else text

    def fit(
        self, model: str, gpu: str, count: int = 1, precision: str = "", task: str = "", context: int | None = None
    ) -> str:
        """Whether a model fits."""
        cards = self._say("cards", count=count, gpu=gpu[:LONGEST]) if count > 1 else gpu[:LONGEST]
        key = f"fit.{task}" if task and task != "inference" else "fit.inference"
        text = self._say(key, model=model[:LONGEST], gpu=cards)
        if precision:
            text += self._say("precision", precision=precision)
        if context:
            text += self._say("context", context=context)
        return text + self._say("question")

    def price(self, gpu: str, condition: str = "") -> str:
        """What a card costs."""
        text = self._say(f"price.{condition}" if condition in ("new", "used") else "price", gpu=gpu[:LONGEST])
        return text + self._say("question")
