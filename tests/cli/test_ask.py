"""`whichgpu ask`: text, JSON, JSON lines; what is typed wrongly gets a sentence."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from bot.cli.main import main

KEYS = {
    "id", "language", "kind", "understood", "title", "text", "picks", "facts", "sources", "confidence", "abstained",
    "suggestions", "took_ms",
}  # fmt: skip
UNDERSTOOD = {
    "workload", "budget", "gpus", "unknown_gpus", "memory_gb", "count", "vendor", "not_vendor", "condition", "mode",
    "model", "form_factor", "as_of", "level",
}  # fmt: skip
PICK = {"gpu", "count", "condition", "price", "total", "memory_gb", "role", "reasons", "warnings"}


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Standard input as a pipe."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogatepass"))))


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["ask", "--json", *arguments]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_the_json_object_has_every_key_always(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("which GPU for NLP under $800?", "hi", "RTX 4095?", "什么是张量核心", "xyzzy"):
        answer = asked(capsys, text)
        assert set(answer) == KEYS
        assert set(answer["understood"]) == UNDERSTOOD
        assert answer["title"]
        assert answer["title"] in answer["text"]
        assert "\n" not in answer["title"]
        assert 0 <= answer["confidence"] <= 1
        assert all(set(source) == {"title", "ref", "as_of"} for source in answer["sources"])
        assert all(source["as_of"] for source in answer["sources"])


def test_a_recommendation_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, "which GPU for NLP under $800?")
    assert answer["kind"] == "recommend"
    assert answer["understood"]["workload"] == ["nlp"]
    assert answer["understood"]["budget"] == {
        "min": None,
        "max": 800,
        "currency": "USD",
        "approx": False,
        "scope": "gpu",
    }
    best = answer["picks"][0]
    assert set(best) == PICK
    assert best["role"] == "best"
    assert best["price"]["amount"] <= 800
    assert best["price"]["currency"] == "USD"
    assert best["price"]["kind"] in ("street", "msrp", "guide")
    assert {pick["role"] for pick in answer["picks"]} <= {"best", "cheaper", "more_memory", "faster", "rent"}


def test_the_plain_answer_is_the_text_of_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    text = asked(capsys, "what is a tensor core")["text"]
    assert main(["ask", "what is a tensor core"]) == 0
    assert capsys.readouterr().out.strip() == text


def test_json_lines_keep_order_ids_and_conversation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        {"id": "a", "text": "which GPU for NLP under $800?"},
        {"id": "b", "text": "and with 1200?", "turns_before": ["which GPU for NLP under $800?"]},
        {"id": "c", "text": "最近预算8k，跑大模型", "locale": "zh-CN", "as_of": None},
    ]
    feed(monkeypatch, "\n".join(json.dumps(line) for line in lines) + "\n\n")
    assert main(["ask", "--jsonl"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["id"] for answer in answers] == ["a", "b", "c"]
    assert answers[1]["understood"]["budget"]["max"] == 1200
    assert answers[1]["picks"][0]["total"]["currency"] == "USD"
    assert answers[2]["language"] == "zh-CN"


def test_a_broken_json_line_is_told_and_the_rest_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(monkeypatch, '{"text": "hi"\n[1]\n{"id": 7, "text": "hi"}\n')
    assert main(["ask", "--jsonl"]) == 1
    first, second, third = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["error"].startswith("line 1 is not a JSON object")
    assert second["error"].startswith("line 2 is not a JSON object")
    assert third["id"] == 7


def test_as_of_answers_from_that_day(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, "--as-of", "2019-04", "best card for deep learning research, no tight budget")
    assert answer["understood"]["as_of"] == "2019-04"
    assert "RTX 3090" not in {pick["gpu"] for pick in answer["picks"]}
    assert answer["picks"]


def test_a_wrong_month_gets_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--as-of", "soon", "x"]) == 2
    assert "is not a month. Write it like 2019-04." in capsys.readouterr().err


def test_the_question_may_come_from_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, "hi\n")
    assert main(["ask"]) == 0
    assert capsys.readouterr().out.startswith("Hello")


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_nothing_asked_gets_help(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    feed(monkeypatch, text)
    assert main(["ask"]) == 0
    assert "budget" in capsys.readouterr().out


def test_a_text_too_long_is_refused_kindly(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, "gpu " * 2000)
    assert answer["abstained"]
    assert "I read up to 4000" in answer["title"]


def test_chat_remembers_the_turns_before(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, "which GPU for NLP under $800?\n\nand with 1200?\n/new\nand with 1200?\nquit\nhi\n")
    assert main(["chat"]) == 0
    output = capsys.readouterr().out
    assert output.count("as of") >= 2
    assert "Hello" not in output
