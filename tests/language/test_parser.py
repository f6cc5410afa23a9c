"""Whole turns: roles, models, slots, follow-ups, and that no text is too strange."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cli.scoring import parse_questions, score
from bot.language.normalise import language_of
from bot.language.parser import Understanding
from bot.language.understood import understood
from bot.loading import load_understanding, load_workloads
from bot.request import KINDS, Request

QUESTIONS = Path(__file__).with_name("questions.yaml")
KEYS = {
    "workload", "budget", "gpus", "unknown_gpus", "memory_gb", "count", "vendor", "not_vendor", "condition", "mode",
    "model", "form_factor", "as_of", "level",
}  # fmt: skip


def roles(request: Request) -> dict[str, str]:
    return {gpu.name: gpu.role for gpu in request.gpus}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i have a 3090, would a 4090 be faster", {"RTX 3090": "owned", "RTX 4090": "candidate"}),
        ("currently on a GTX 1080, which card for 800 usd", {"GTX 1080": "owned"}),
        ("我的3090能跑70b吗", {"RTX 3090": "owned"}),
        ("老1050ti炼lora爆显存，求推荐", {"GTX 1050 Ti": "owned"}),
        ("not the 4080, which card for 1500 usd should i buy", {"RTX 4080": "excluded"}),
        ("the 4090 is too expensive, what else", {"RTX 4090": "excluded"}),
        ("torn between 4070 super and 3090", {"RTX 4070 Super": "candidate", "RTX 3090": "candidate"}),
    ],
)
def test_roles(understanding: Understanding, text: str, expected: dict[str, str]) -> None:
    assert roles(understanding.understand(text)) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("run llama2 7B, 13B and 70B locally", ["Llama 2 7B", "Llama 2 13B", "Llama 2 70B"]),
        ("qwen2 72B qlora", ["Qwen2 72B"]),
        ("R1 671b needs what", ["DeepSeek-R1 671B"]),
        ("speed of 70B models on a 4090", ["70B"]),
        ("700亿参数的模型", ["70B"]),
        ("OOM with BERT-base", ["BERT base"]),
        ("sdxl lora", ["SDXL"]),
        ("whisper and flux", ["Whisper", "FLUX"]),
        ("falcon-7b on a T4", ["Falcon 7B"]),
    ],
)
def test_model_names(understanding: Understanding, text: str, names: list[str]) -> None:
    assert [model.name for model in understanding.understand(text).models] == names


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("NOT nvidia please, for pytorch", "not_vendor", "nvidia"),
        ("A卡能跑comfyui吗", "vendor", "amd"),
        ("around 500 usd, new only, no ebay", "condition", "new"),
        ("二手也收", "condition", "used"),
        ("laptop for sdxl", "form_factor", "laptop"),
        ("半高卡跑whisper", "form_factor", "small"),
        ("vicuna + LoRA finetune", "mode", "finetuning"),
        ("training unet for days", "mode", "training"),
        ("serve a 7b in production", "mode", "inference"),
        ("phd student, which card", "level", "research"),
    ],
)
def test_slots(understanding: Understanding, text: str, slot: str, value: str) -> None:
    assert understood(understanding.understand(text))[slot] == value


def test_typing_slips_are_read(understanding: Understanding) -> None:
    request = understanding.understand("finetunnig bert on a secondhnad labtop")
    assert request.modes == ("finetuning",)
    assert request.condition == "used"
    assert request.form_factors == ("laptop",)


@pytest.mark.parametrize("word", ["content", "situation", "missing", "latest", "smart", "execution", "conversation"])
def test_everyday_words_stay_themselves(understanding: Understanding, word: str) -> None:
    assert understanding.understand(f"the {word}").workloads == ()
    assert understanding.understand(f"the {word}").modes == ()


def test_a_new_amount_keeps_task_and_currency(understanding: Understanding) -> None:
    request = understanding.understand("and with 1200?", ["which GPU for NLP under $800?"])
    assert request.kind == "recommend"
    assert request.workloads == ("nlp",)
    assert "workloads" in request.inherited
    assert request.budget is not None
    assert (request.budget.max, request.budget.currency) == (1200, "USD")


def test_another_frame_keeps_the_rest(understanding: Understanding) -> None:
    request = understanding.understand("same but laptop", ["which gpu for stable diffusion under 800 eur"])
    assert request.workloads == ("image_gen",)
    assert request.form_factors == ("laptop",)
    assert request.budget is not None
    assert request.budget.max == 800


def test_an_answered_need_keeps_the_mode(understanding: Understanding) -> None:
    request = understanding.understand(
        "6 gigs then? enough?", ["finetuning gpt-2 on a 4GB gpu OOMs, any way round it?"]
    )
    assert "llm" in request.workloads
    assert (list(request.memory_gb), list(request.modes)) == ([6], ["finetuning"])


def test_a_question_of_its_own_takes_over_nothing_of_another_task(understanding: Understanding) -> None:
    request = understanding.understand(
        "which card would you buy for training yolo on 100k images of traffic at night in a big city",
        ["best gpu for llms under 500 usd"],
    )
    assert request.workloads == ("cv",)
    assert request.budget is None


@pytest.mark.parametrize(
    ("text", "locale", "language"),
    [
        ("which gpu", None, "en"),
        ("which gpu", "zh-TW", "en"),
        ("显卡推荐", None, "zh-CN"),
        ("顯卡推薦", None, "zh-TW"),
        ("4090 多少", "zh-TW", "zh-TW"),
        ("昇腾910B能跑吗", None, "zh-CN"),
        ("is the 3090 (魔改) any good for training models", None, "en"),
        ("4090?", "zh-CN", "zh-CN"),
        ("カードは何がいい", None, "en"),
    ],
)
def test_languages(text: str, locale: str | None, language: str) -> None:
    assert language_of(text, locale) == language


@pytest.mark.parametrize(
    "text",
    ["", " ", "?", "\ud800", "\udc00 3090", "9" * 100_000, "a" * 100_000, "\x00\x01", "\u202e3090", "1,1," * 900,
     "½ ٣٤٥ 𝟛𝟘𝟡𝟘", "3090 " * 800, "z̷̧̛a̶l̷g̶o̵ 3090", "((((" * 900, "千" * 4000, "-" * 4000],
)  # fmt: skip
def test_strange_texts_are_understood_as_something(understanding: Understanding, text: str) -> None:
    request = understanding.understand(text, [text])
    assert request.kind in KINDS
    assert set(understood(request)) == KEYS


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=30), max_size=2))
def test_any_text_gives_a_request(text: str, before: list[str]) -> None:
    request = load_understanding().understand(text, before)
    assert request.text == text
    assert 0.0 <= request.kind_confidence <= 1.0
    assert request.kinds[0] == request.kind


_WORDS = st.sampled_from(
    ["3090", "4090", "24gb", "$800", "under", "budget", "7b", "llama", "70b", "two", "8x", "or", "vs", "64gb", "ram",
     "预算", "三千", "以内", "张", "显卡", "1万5", "6000", "k", "w", ",", "，", ".", "-", "per", "hour"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(_WORDS, max_size=14), st.sampled_from([" ", ""]))
def test_any_mixture_of_its_own_words_gives_a_request(words: list[str], joint: str) -> None:
    request = load_understanding().understand(joint.join(words))
    assert request.budget is None or (request.budget.max or request.budget.min or 0) > 0
    assert all(count > 0 for count in request.counts)


def test_the_product_s_own_questions_are_understood(understanding: Understanding) -> None:
    questions = parse_questions(QUESTIONS.read_text(encoding="utf-8"), "questions.yaml")

    def understand(question: object) -> tuple[str, dict[str, object]]:
        request = understanding.understand(question.text, question.turns_before)  # type: ignore[attr-defined]
        return request.kind, understood(request)

    result = score(questions, understand)
    assert result.kind.share >= 0.93, [miss for miss in result.misses if miss[1] == "kind"]
    assert result.slots["budget"].share >= 0.97, [miss for miss in result.misses if miss[1] == "budget"]


def test_every_workload_is_complete() -> None:
    workloads = load_workloads()
    cued = {phrase.value for phrase in workloads.phrases}
    assert cued == set(workloads.by_id)
