"""Amounts in every notation, which of them is a budget, and which is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.language.amounts import parse_currencies
from bot.language.numerals import chinese_number
from bot.language.parser import Understanding
from bot.request import Budget, Money
from bot.tables import DataError


@pytest.mark.parametrize(
    ("text", "low", "high", "currency"),
    [
        ("which gpu under $2K for nlp", None, 2000, "USD"),
        ("best card, 933$ for a laptop", None, 933, "USD"),
        ("gpu for pytorch up to $1,066.67", None, 1066.67, "USD"),
        ("sub $5K workstation", None, 5000, "USD"),
        ("a card for about 1000€", None, 1000, "EUR"),
        ("we have around 30 kEuro for a cluster", None, 30000, "EUR"),
        ("budget 5k£ for training", None, 5000, "GBP"),
        ("gpus for 15k-20k usd", 15000, 20000, "USD"),
        ("budget 40k INR for yolo", None, 40000, "INR"),
        ("£450 max for kaggle", None, 450, "GBP"),
        ("800 bucks for llms", None, 800, "USD"),
        ("best gpu under 1k", None, 1000, None),
        ("budget 7 or 8 hundred", 700, 800, None),
        ("€500-2k for a card", 500, 2000, "EUR"),
        ("between 500 and 700 euros for sdxl", 500, 700, "EUR"),
        ("budget isnt 500 its 900", None, 900, None),
        ("6000以内跑大模型", None, 6000, "CNY"),
        ("预算8k买显卡", None, 8000, "CNY"),
        ("800刀买什么卡", None, 800, "USD"),
        ("1万5的预算", None, 15000, "CNY"),
        ("一万左右的显卡", None, 10000, "CNY"),
        ("三千块买卡", None, 3000, "CNY"),
        ("4到6千买什么卡", 4000, 6000, "CNY"),
        ("預算 NT$25000，9070 XT 如何", None, 25000, "TWD"),
        ("台幣3萬以內買卡", None, 30000, "TWD"),
        ("預算兩萬", None, 20000, "TWD"),
    ],
)
def test_a_budget_in_its_notation(
    understanding: Understanding, text: str, low: float | None, high: float, currency: str | None
) -> None:
    budget = understanding.understand(text).budget
    assert budget is not None
    assert (budget.min, budget.max, budget.currency) == (low, high, currency)


@pytest.mark.parametrize(
    "text",
    [
        "P6000 for $400 or 3090 for $700?",
        "4 x T4 = $1.40 per hour, 1 x A100 = $2.93, which is better",
        "i have $3k in credit on a cloud, what can i train",
        "is 650$ for a used 3090 a fair price",
        "$1700 for an $800 card is madness, is the 7900 XTX ok?",
        "my 800€ 9070XT hangs in comfyui",
        "T400 (EUR 184) should be enough?",
        "ryzen 7 7800x3d or i7 14700k?",
        "llama with 128k context on a 3090",
        "200K photos, train a detector on a 2070",
        "不超过32k上下文，3w张图，450W电源",
        "相中一张1899的3060 12g，够吗",
        "4K 120帧 2K屏",
        "in 2021 the 3090 was good",
        "the 3060 is 80 dollars less than the 4060",
    ],
)
def test_numbers_that_are_no_budget(understanding: Understanding, text: str) -> None:
    assert understanding.understand(text).budget is None


def test_full_width_punctuation_never_joins_numbers(understanding: Understanding) -> None:
    request = understanding.understand("不超过5000，4060够用吗")
    assert request.budget == Budget(max=5000, currency="CNY")
    assert [gpu.name for gpu in request.gpus] == ["RTX 4060"]


def test_prices_stand_with_their_card(understanding: Understanding) -> None:
    request = understanding.understand("2x 3090 at $700 each or 1x 4090 for $1600")
    assert [(gpu.count, gpu.asking_price) for gpu in request.gpus] == [
        (2, Money(700.0, "USD")),
        (1, Money(1600.0, "USD")),
    ]


def test_rates_are_told_apart(understanding: Understanding) -> None:
    request = understanding.understand("power is 0.35 € per kWh, cloud at $1.5 per hour, 20 hours a week, buy or rent?")
    assert request.electricity_per_kwh == Money(0.35, "EUR")
    assert request.cloud_price_per_hour == Money(1.5, "USD")
    assert request.hours_per_week == 20
    assert "rent_or_buy" in request.asks


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("dont want to spend more than 300ish dollars", Budget(max=300, currency="USD", approx=True)),
        ("I'd rather not go over 400 pounds", Budget(max=400, currency="GBP")),
        ("the card must cost more than 1000 dollars", Budget(min=1000, currency="USD")),
        ("UK, under a grand, a gpu for flux", Budget(max=1000, currency="GBP")),
        ("two thousand dollars for a gpu", Budget(max=2000, currency="USD")),
        ("the department gave us 9000. now it is only 6000", Budget(max=6000)),
        ("千元左右的二手卡", Budget(max=1000, currency="CNY", approx=True)),
        ("budget around 1,5k euro", Budget(max=1500, currency="EUR", approx=True)),
        ("budget of 1.500 euro", Budget(max=1500, currency="EUR")),
        ("budget 1.200,50 €", Budget(max=1200.5, currency="EUR")),
        ("max 2'000 CHF", Budget(max=2000, currency="CHF")),
        ("budget 800, no wait 950", Budget(max=950)),
        ("not under 500 dollars", Budget(min=500, currency="USD")),
        ("ryzen 9 7950x and 64gb, 1500 for gpu", Budget(max=1500)),
        ("i have only a ryzen 3600, which gpu", None),
        ("up to epyc 7402, gpu for llm", None),
        ("around 1200 residues, gpu?", None),
        ("the readme says it cost them $5000 to train", None),
        ("I have $3k in google cloud credits", None),
        ("a hundred images, which gpu", None),
    ],
)
def test_sums_as_people_write_them(understanding: Understanding, text: str, budget: Budget | None) -> None:
    assert understanding.understand(text).budget == budget


@pytest.mark.parametrize(
    ("text", "prices"),
    [
        ("4080 or an a5000 24g (second hand from the uni, 1100 chf)?", [None, Money(1100, "CHF")]),
        ("V100 32GB, 2 for $900, vs one 3090?", [Money(450, "USD"), None]),
        ("my limit is 25k INR, the 3060 is 27k here", [Money(27000, "INR")]),
        ("is $300 ok for a 2080ti 11gb", [Money(300, "USD")]),
        ("P40 24g 闲鱼800收的", [Money(800, "CNY")]),
        ("K80 24gb ok? 24 gigs for 60 bucks seems unreal", [Money(60, "USD")]),
        ("3080 20g魔改，闲鱼20g的要2800", [Money(2800, "CNY")]),
    ],
)
def test_an_offer_is_no_budget(understanding: Understanding, text: str, prices: list[Money | None]) -> None:
    request = understanding.understand(text)
    assert [gpu.asking_price for gpu in request.gpus] == prices
    assert request.budget is None or request.budget.max == 25000


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("price in euros of a 4090?", "EUR"), ("3090多少台币", "TWD"), ("how much is that in CAD", "CAD"),
        ("I use cad on a 4090", None), ("most bang for the buck", None), ("4090 for 900 euros?", None),
    ],
)  # fmt: skip
def test_a_currency_without_an_amount(understanding: Understanding, text: str, currency: str | None) -> None:
    assert understanding.understand(text).currency == currency


@pytest.mark.parametrize(
    ("text", "scope"), [("整机预算一万五", "system"), ("build a pc for $2000", "system"), ("gpu for $2000", "gpu")]
)
def test_scope(understanding: Understanding, text: str, scope: str) -> None:
    budget = understanding.understand(text).budget
    assert budget is not None
    assert budget.scope == scope


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("三千五", (3500, 3500)), ("一百二", (120, 120)), ("两万", (20000, 20000)), ("一万零五十", (10050, 10050)),
        ("半万", (5000, 5000)), ("六七千", (6000, 7000)), ("一万五", (15000, 15000)), ("壹万伍仟", (15000, 15000)),
    ],
)  # fmt: skip
def test_chinese_numerals(text: str, value: tuple[float, float]) -> None:
    assert chinese_number(text) == value


@given(st.text("零一二两三四五六七八九十百千万半", max_size=9))
def test_any_numeral_is_read_or_refused(text: str) -> None:
    value = chinese_number(text)
    assert value is None or 0 <= value[0] <= value[1]


def test_a_broken_currency_says_where() -> None:
    with pytest.raises(DataError, match=r"money.yaml, line 1, field USD"):
        parse_currencies("USD: {before: [$]}", "money.yaml")
