"""What the buttons under an answer ask: the question that one press stands for, from the answer and its language."""

from __future__ import annotations

from bot.answers.blocks import Answer
from bot.discord_app.locales import Locales
from bot.request import Money
from bot.storage.querylog import Exchange

LADDER = (8, 12, 16, 24, 32, 48, 64, 80, 96, 128, 192, 256)
"""Memory sizes that "more memory" steps through, in GB."""
CHEAPER = 0.75
LONGEST = 600
"""A question that grew longer by button presses is not appended to any more."""

ACTIONS = ("cheaper", "memory", "used", "compare", "why", "whynot", "good", "bad", "delete")
"""Actions of buttons. The first four and whynot ask a new question; the order is that of the rows."""


def actions_for(answer: Answer) -> tuple[str, ...]:
    """Which buttons fit under an answer."""
    picks = answer.picks
    buys = [pick for pick in picks if pick.role != "rent"]
    actions: list[str] = []
    if answer.kind == "recommend" and picks:
        if buys and _cost(answer):
            actions.append("cheaper")
        if _more(answer):
            actions.append("memory")
        if answer.request.condition not in ("used", "any"):
            actions.append("used")
    if len({pick.gpu for pick in buys}) >= 2:
        actions.append("compare")
    if answer.blocks and (picks or answer.sources):
        actions.append("why")
    if answer.kind == "recommend" and picks:
        actions.append("whynot")
    return (*actions, "good", "bad", "delete")


def _cost(answer: Answer) -> Money | None:
    for pick in answer.picks:
        if pick.role != "rent":
            return pick.total or (pick.price.money if pick.price else None)
    return None


def _more(answer: Answer) -> int | None:
    """The next memory size above the best pick's."""
    best = answer.picks[0]
    return next((size for size in LADDER if size > best.memory_gb * best.count + 0.5), None)


def rounded(amount: float) -> float:
    """An amount as people name budgets: two figures."""
    step = 10.0 ** (len(str(int(amount))) - 2)
    return max(1.0, round(amount / step) * step)


def next_question(
    action: str, exchange: Exchange, answer: Answer, locales: Locales, gpu: str = ""
) -> tuple[str, tuple[str, ...]] | None:
    """(text, turns before it) that a press asks, or None where the answer of today no longer offers it."""
    language = answer.language
    before = (*exchange.turns_before, exchange.question)
    if action == "cheaper" and (cost := _cost(answer)) is not None:
        amount = f"{rounded(cost.amount * CHEAPER):.0f} {cost.currency}"
        return locales.say(language, "ask.cheaper", amount=amount), before
    if action == "memory" and answer.picks and (size := _more(answer)):
        return _appended(exchange, locales.say(language, "ask.memory", size=size))
    if action == "used":
        return _appended(exchange, locales.say(language, "ask.used"))
    if action == "compare":
        names = list(dict.fromkeys(pick.gpu for pick in answer.picks if pick.role != "rent"))[:2]
        if len(names) == 2:
            return locales.say(language, "ask.compare", first=names[0], second=names[1]), before
    if action == "whynot" and gpu:
        best = answer.picks[0].gpu if answer.picks else ""
        key = "ask.whynot" if best and best.casefold() != gpu.casefold() else "ask.whynot.alone"
        return locales.say(language, key, gpu=gpu, best=best), before
    return None


def _appended(exchange: Exchange, more: str) -> tuple[str, tuple[str, ...]]:
    if len(exchange.question) > LONGEST:
        return more, (*exchange.turns_before, exchange.question)
    return f"{exchange.question} {more}", exchange.turns_before
