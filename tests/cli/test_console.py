"""The answer in a terminal: everything of the answer is there, at any width, without markup of its own."""

from __future__ import annotations

import io
from datetime import date

import pytest
from rich.console import Console

from bot.answers.blocks import Note, Picks, Table
from bot.cli.console import print_answer
from bot.loading import load_assistant
from bot.request import Question

QUESTIONS = [
    "which GPU for NLP under $800?",
    "3090 vs 4090 for llm training",
    "does llama 3 70B fit two 3090s?",
    "what was the advice for Kaggle in 2019?",
    "预算8k，想本地跑大模型",
    "預算 NT$25000，跑 Stable Diffusion 買哪張顯示卡？",
    "[bold]hi[/bold] :smile:",
]


def shown(text: str, width: int) -> str:
    stream = io.StringIO()
    answer = load_assistant().answer(Question(text, date(2026, 12, 1)))
    print_answer(answer, Console(file=stream, width=width, force_terminal=False, highlight=False))
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("text", QUESTIONS)
def test_nothing_is_lost_at_any_width(text: str, width: int) -> None:
    answer = load_assistant().answer(Question(text, date(2026, 12, 1)))
    together = "".join(shown(text, width).split())
    assert "".join(answer.title.split()) in together
    for block in answer.blocks:
        if isinstance(block, Note):
            assert "".join(block.text.split()) in together
        if isinstance(block, Picks):
            for pick in block.picks:
                assert all("".join(reason.split()) in together for reason in pick.reasons)
        if isinstance(block, Table) and width > 80:
            assert all("".join(cell.split()) in together for row in block.rows for cell in row)
    for source in answer.sources:
        assert "".join(source.title.split()) in together


@pytest.mark.parametrize("width", [40, 100, 300])
def test_lines_are_never_wider_than_the_terminal_or_than_is_comfortable(width: int) -> None:
    assert max(len(line.rstrip()) for line in shown(QUESTIONS[0], width).splitlines()) <= min(width, 100)
