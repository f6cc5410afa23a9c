"""The small parts: conversations, cooldowns, owners, autocomplete, ids of components."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discord_app.admin import may_administer
from bot.discord_app.brain import KEPT, Brain
from bot.discord_app.components import BUTTON_ID, MENU_ID, MODAL_ID, option_value
from bot.discord_app.conversations import FORGET_AFTER, MOST, TURNS, Conversations
from bot.discord_app.cooldowns import Cooldown
from bot.discord_app.errors import Refused, sentence_for
from bot.discord_app.next_steps import ACTIONS, rounded
from bot.discord_app.shelf import Suggester, squeeze
from tests.discord_app.test_render import TODAY, answer


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_conversations_are_bounded_and_expire() -> None:
    clock = Clock()
    kept = Conversations(clock)
    for turn in range(TURNS + 3):
        kept.add((1, 2), str(turn))
    assert kept.turns((1, 2)) == tuple(str(turn) for turn in range(3, TURNS + 3))
    clock.now = FORGET_AFTER + 1
    assert kept.turns((1, 2)) == ()
    for person in range(MOST + 10):
        kept.add((1, person), "x")
    assert len(kept) == MOST
    kept.forget_person(MOST)
    assert kept.turns((1, MOST)) == ()


@given(st.integers(1, 5), st.integers(1, 60), st.lists(st.floats(0, 20), max_size=60))
def test_never_more_than_allowed_in_any_window(count: int, seconds: int, pauses: list[float]) -> None:
    clock = Clock()
    cooldown = Cooldown(count, seconds, clock)
    allowed: list[float] = []
    for pause in pauses:
        clock.now += pause
        if not cooldown.wait(7):
            cooldown.use(7)
            allowed.append(clock.now)
    for place in range(len(allowed) - count):
        assert allowed[place + count] - allowed[place] >= seconds - 1e-6


def test_the_wait_that_is_told_is_long_enough() -> None:
    clock = Clock()
    cooldown = Cooldown(1, 10, clock)
    cooldown.use(1)
    clock.now = 3.3
    clock.now += cooldown.wait(1)
    assert cooldown.wait(1) == 0
    assert cooldown.wait(2) == 0


def _application(**team: Any) -> Any:
    return SimpleNamespace(owner=SimpleNamespace(id=1), team=SimpleNamespace(**team) if team else None)


def _member(user_id: int, role: str, state: discord.TeamMembershipState) -> Any:
    return SimpleNamespace(id=user_id, role=SimpleNamespace(value=role), membership_state=state)


ACCEPTED, INVITED = discord.TeamMembershipState.accepted, discord.TeamMembershipState.invited


@pytest.mark.parametrize(
    ("user", "allowed"), [(10, True), (11, True), (12, True), (13, False), (14, False), (1, False), (99, True)]
)
def test_who_may_administer_in_a_team(user: int, allowed: bool) -> None:
    """The team's owner, accepted admins and developers; nobody who is only invited or may only read."""
    members = [
        _member(11, "admin", ACCEPTED), _member(12, "developer", ACCEPTED), _member(13, "admin", INVITED),
        _member(14, "read_only", ACCEPTED),
    ]  # fmt: skip
    application = _application(owner_id=10, members=members)
    assert may_administer(application, user, (99,)) is allowed


def test_who_may_administer_without_a_team() -> None:
    assert may_administer(_application(), 1)
    assert not may_administer(_application(), 2)
    assert not may_administer(None, 1)


def test_suggestions_are_ranked() -> None:
    names = Suggester(["RTX 3080 Ti", "RTX 3080 10GB", "RTX 3080", "Quadro RTX 8000"], ("Quadro RTX 8000",))
    assert [name for name, _ in names.find("3080")] == ["RTX 3080 Ti", "RTX 3080 10GB", "RTX 3080"]
    assert names.find("rtx3080")[0][0] == "RTX 3080"
    assert names.find("")[0][0] == "Quadro RTX 8000"
    assert [name for name, _ in names.find("ti 3080")] == ["RTX 3080 Ti"]
    assert names.find("nothing") == []


@given(st.text(max_size=200))
def test_suggestions_never_fail(text: str) -> None:
    assert len(Suggester(["RTX 3090"]).find(text)) <= 1
    assert squeeze(text) == squeeze(squeeze(text)) or not text.isascii()


def test_ids_are_told_apart_and_short_enough() -> None:
    answer_id, asker = "0123456789", 2**64 - 1
    for action in ACTIONS:
        custom_id = f"g1:{action}:{answer_id}:{asker}"
        assert len(custom_id) <= 100
        assert BUTTON_ID.fullmatch(custom_id)
        assert not MENU_ID.fullmatch(custom_id)
    for other in (f"g1:menu:{answer_id}:{asker}", f"g1:modal:{answer_id}:{asker}", "g1:topics:1"):
        assert not BUTTON_ID.fullmatch(other)
    assert MODAL_ID.fullmatch(f"g1:modal:{answer_id}:{asker}")
    assert len(option_value(24, "x" * 200)) <= 100


@pytest.mark.parametrize(("amount", "shown"), [(547.5, 550), (1485, 1500), (97.2, 97), (0.17, 1), (23456, 23000)])
def test_budgets_are_said_in_round_figures(amount: float, shown: float) -> None:
    assert rounded(amount) == shown


def test_faults_and_their_sentences() -> None:
    assert sentence_for(Refused("error.owners_only")) == ("error.owners_only", False)
    assert sentence_for(discord.app_commands.CheckFailure()) == ("error.rights", False)
    assert sentence_for(RuntimeError()) == ("error.unexpected", True)


class Counting:
    def __init__(self) -> None:
        self.asked = 0

    def answer(self, _question: object) -> Any:
        self.asked += 1
        return answer(title=str(self.asked))


def test_the_same_question_is_worked_out_once_until_something_is_exchanged() -> None:
    first, second = Counting(), Counting()
    brain = Brain(first)
    for _ in range(3):
        brain.answer("q", TODAY)
    assert first.asked == 1
    brain.answer("q", TODAY, ("before",))
    brain.answer("q", TODAY, locale="zh-CN")
    assert first.asked == 3
    brain.put(second)
    brain.answer("q", TODAY)
    assert second.asked == 1
    for number in range(KEPT + 5):
        brain.answer(str(number), TODAY)
    brain.answer("q", TODAY)
    assert second.asked == KEPT + 7
