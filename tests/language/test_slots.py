"""Makers turned away, money that is no matter, programs, sums that are no budget, names with their sizes."""

from __future__ import annotations

import pytest

from bot.language.parser import Understanding
from bot.language.understood import understood


@pytest.mark.parametrize(
    ("text", "maker"),
    [
        ("NOT buying nvidia again, 24gb for llama.cpp", "nvidia"),
        ("never AMD again, 600 usd", "amd"),
        ("done with nvidia drivers, 16 gb", "nvidia"),
        ("anything but apple, portable", "apple"),
        ("不想再买N卡了，24g", "nvidia"),
        ("N卡就算了，有什么推荐", "nvidia"),
        ("nvidia? no thanks. 800 eur", "nvidia"),
    ],
)
def test_a_maker_is_turned_away(understanding: Understanding, text: str, maker: str) -> None:
    request = understanding.understand(text)
    assert request.not_vendors == (maker,)
    assert maker not in request.vendors


@pytest.mark.parametrize(
    "text", ["why not amd?", "is amd good now, not too slow?", "nvidia card for llms, no idea which"]
)
def test_a_maker_is_not_turned_away(understanding: Understanding, text: str) -> None:
    assert understanding.understand(text).not_vendors == ()


@pytest.mark.parametrize(
    "text",
    [
        "best laptop if money really isnt an issue",
        "budget is no object, flux",
        "不差钱，最快的单卡",
        "cost no issue, go",
    ],
)
def test_money_is_no_matter(understanding: Understanding, text: str) -> None:
    request = understanding.understand(text)
    assert request.wants_no_limit
    assert request.budget is None


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        ("8x A10 with vllm", "vllm"),
        ("24gb for llama.cpp", "llama.cpp"),
        ("用ollama跑32b", "ollama"),
        ("kohya on a 3060", "kohya"),
        ("3090 for sdxl", None),
    ],
)
def test_a_program_is_named(understanding: Understanding, text: str, framework: str | None) -> None:
    assert understanding.understand(text).framework == framework


@pytest.mark.parametrize(
    "text",
    [
        "best perf per watt, electricity is 0.42€ here",
        "gtx 980 ti vs gtx 1060 6gb, both used, 40 bucks apart",
        "5060ti 16G跟5070 12G差3000，選哪張",
        "mi50 32gb from alibaba for like 150$, or p40?",
        "arc b580 or 3060 12gb, both ~250",
        "i have 240v so power isnt the blocker for 4x 3090",
        "will a k40 work, they're 50 bucks",
        "and 2 of them? nvlink bridge is 80 quid",
        "fair price for a used 3090, local guy wants 780 usd",
        "h100 pcie or sxm, reseller quotes 6k less for pcie",
    ],
)
def test_sums_that_are_no_budget(understanding: Understanding, text: str) -> None:
    assert understanding.understand(text).budget is None


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("€250 tops, second hand is fine", 250.0),
        ("1000 or less for llm", 1000.0),
        ("實驗室老師給15萬，整台機器", 150_000.0),
    ],
)
def test_bounds_behind_and_before(understanding: Understanding, text: str, most: float) -> None:
    budget = understanding.understand(text).budget
    assert budget is not None
    assert budget.max == most


@pytest.mark.parametrize(
    ("text", "prices"),
    [
        ("local guy wants 780 usd for his 3090", [780.0]),
        ("闲鱼上2080ti 22g现在啥价位，两千二贵不贵", [2200.0]),
        ("arc b580 or 3060 12gb, both ~250", [250.0, 250.0]),
        ("P100 16g洋垃圾400块跟M40 24g哪个值得", [400.0, None]),
    ],
)
def test_prices_go_to_their_cards(understanding: Understanding, text: str, prices: list[float | None]) -> None:
    found = understanding.understand(text).gpus
    assert [card.asking_price.amount if card.asking_price else None for card in found] == prices


@pytest.mark.parametrize(
    ("text", "before", "most", "currency"),
    [
        ("改成两万呢？别的不变", "预算一万二，双卡跑32B模型推理，推荐一下显卡", 20_000.0, "CNY"),
        ("make it 900", "best gpu for llms under £700", 900.0, "GBP"),
        ("提高到3万", "预算两万台币，跑SD", 30_000.0, "TWD"),
    ],
)
def test_a_later_budget_keeps_the_currency(
    understanding: Understanding, text: str, before: str, most: float, currency: str
) -> None:
    request = understanding.understand(text, (before,))
    assert request.kind == "recommend"
    assert request.budget is not None
    assert (request.budget.max, request.budget.currency) == (most, currency)


@pytest.mark.parametrize(
    ("text", "before", "kind"),
    [
        ("same but with lora at bf16?", "how much vram do i need to full finetune a 7b w/ adamw", "fit"),
        ("and 2 of them? nvlink bridge is 80 quid", "can my 3090 fine tune llama 3 70b?", "fit"),
        ("hm and versus an m4 max?", "is the m4 pro mac mini ok for 32b models or better a used 3090", "compare"),
        ("那换成4bit呢，够了吧？", "一张3090能lora微调llama3 70b吗？", "fit"),
    ],
)
def test_a_follow_up_keeps_the_kind(understanding: Understanding, text: str, before: str, kind: str) -> None:
    assert understanding.understand(text, (before,)).kind == kind


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("train a unet on CT slices", "U-Net"),
        ("deepseek r1 蒸馏32b", "DeepSeek-R1-Distill-Qwen 32B"),
        ("can I load a 120b (mistral large) in 96gb?", "Mistral Large 123B"),
        ("能跑flux吗，我试schnell直接卡死", "FLUX.1 schnell"),
        ("训练yolov8x，图片1280", "YOLOv8x"),
        ("qwen3 235b a22b on a 3090", "Qwen3 235B-A22B"),
        ("funasr实时转写", "FunASR"),
    ],
)
def test_models_are_called_what_people_call_them(understanding: Understanding, text: str, model: str) -> None:
    assert understood(understanding.understand(text))["model"] == model


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("orin agx 64 vs an rtx 4000 ada", ["Jetson AGX Orin 64GB", "RTX 4000 Ada"]),
        ("is 5070ti better than 5060ti 16 for flux", ["RTX 5070 Ti", "RTX 5060 Ti 16GB"]),
        ("rtx 3060 8 hours a day", ["RTX 3060"]),
        ("a6000 ada tdp", ["RTX 6000 Ada"]),
    ],
)
def test_cards_with_a_bare_size(understanding: Understanding, text: str, names: list[str]) -> None:
    assert [card.name for card in understanding.understand(text).gpus] == names


def test_a_card_called_by_two_names_is_corrected(understanding: Understanding) -> None:
    (fault,) = understanding.understand("a6000 ada tdp and how many slots").corrections
    assert (fault.said, fault.actual, fault.neighbours) == ("a6000 ada", "RTX 6000 Ada", ("RTX A6000",))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("公司有A30兩張，想架gemma3 27b", 2),
        ("手上v100 32g一张，够不够", 1),
        ("8x A10 24g on aws", 8),
        ("and 2 of them?", 2),
    ],
)
def test_counts_beside_and_behind(understanding: Understanding, text: str, count: int) -> None:
    assert understanding.understand(text).count == count


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("why do my losses go nan on V100", "training"),
        ("bert-large SQuAD on 2x GTX 1080", "finetuning"),
        ("訓練BERT做中文情緒分析", "finetuning"),
        ("pretrain BERT from scratch on 4 A100", "training"),
        ("rl in isaac lab, 4096 envs", "training"),
    ],
)
def test_modes(understanding: Understanding, text: str, mode: str) -> None:
    assert understanding.understand(text).modes[0] == mode


@pytest.mark.parametrize(
    ("text", "form"),
    [("is my 5090 mobile able to do flux", "laptop"), ("own a thinkpad with mx450", "laptop"),
     ("25k usd, has to be rack mounted", "server"), ("on prem LLM for 60 employees", "server")],
)  # fmt: skip
def test_forms(understanding: Understanding, text: str, form: str) -> None:
    assert form in understanding.understand(text).form_factors


@pytest.mark.parametrize(
    ("text", "ask"),
    [
        ("are you a real person?", "who"), ("who made you", "who"), ("你是真人吗", "who"),
        ("3090首发建议售价多少", "msrp"), ("retail price of the 5070 ti", "msrp"),
    ],
)  # fmt: skip
def test_who_answers_and_first_prices_are_asked(understanding: Understanding, text: str, ask: str) -> None:
    assert ask in understanding.understand(text).asks


@pytest.mark.parametrize("text", ["something cheaper?", "anything cheaper", "a cheaper one", "有更便宜的吗"])
def test_cheaper_is_a_wish(understanding: Understanding, text: str) -> None:
    assert understanding.understand(text, ("gpu for sdxl under 900 dollars",)).wants_cheapest


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("留着3090还是换5080", "owned"),
        ("can I use an eGPU with a 3090", "candidate"),
        ("the 4070 is 550 here", "candidate"),
    ],
)
def test_kept_and_wanted_cards(understanding: Understanding, text: str, role: str) -> None:
    assert understanding.understand(text).gpus[0].role == role


def test_small_talk_lends_no_kind_to_the_next_turn(understanding: Understanding) -> None:
    assert understanding.understand("will it run on mine?", ("hello there",)).kind == "ambiguous"
