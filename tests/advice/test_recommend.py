"""The recommendation engine on the shipped data: what holds for every request, and the behaviour people rely on."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.advice.choice import Recommendation
from bot.advice.needs import Needs, needs_from_request
from bot.advice.reasons import Reason, reason
from bot.advice.recommend import recommend, why_not
from bot.loading import load_understanding, load_world
from bot.market.points import first_day
from bot.request import Budget, Condition, Level, Mode, Money, Vendor

TODAY = date(2026, 12, 1)
WORKLOADS = ("llm", "nlp", "cv", "image_gen", "kaggle", "transformer", "speech", "3d", "rl", "bio", "simulation")


def run(needs: Needs) -> Recommendation:
    return recommend(needs, load_world(), TODAY)


def dollars(amount: float, low: float | None = None) -> Budget:
    return Budget(max=amount, min=low, currency="USD")


budgets = st.one_of(
    st.none(),
    st.builds(
        Budget,
        max=st.floats(50, 40_000),
        currency=st.sampled_from(["USD", "EUR", "CNY", "JPY"]),
        scope=st.sampled_from(["gpu", "system"]),
    ),
)
conditions: st.SearchStrategy[Condition | None] = st.sampled_from([None, "new", "used", "any"])
modes: st.SearchStrategy[Mode | None] = st.sampled_from([None, "training", "finetuning", "inference"])
levels: st.SearchStrategy[Level | None] = st.sampled_from([None, "hobby", "beginner", "serious", "research"])
vendors: st.SearchStrategy[tuple[Vendor, ...]] = st.sampled_from([(), ("nvidia",), ("amd",), ("intel",), ("apple",)])
needs_ = st.builds(
    Needs,
    workloads=st.lists(st.sampled_from(WORKLOADS), max_size=2).map(tuple),
    mode=modes,
    shardable=st.booleans(),
    budget=budgets,
    count=st.sampled_from([None, 1, 2, 4]),
    multi_gpu=st.booleans(),
    min_memory_gb=st.sampled_from([None, 8.0, 16.0, 24.0, 48.0]),
    vendors=vendors,
    not_vendors=vendors,
    condition=conditions,
    form_factor=st.sampled_from([None, "desktop", "laptop", "server", "small"]),
    psu_watts=st.sampled_from([None, 450, 650, 850]),
    level=levels,
    value=st.booleans(),
    cheapest=st.booleans(),
    fastest=st.booleans(),
    large_data=st.booleans(),
    deployment=st.sampled_from([None, None, "datacenter", "cloud"]),
    as_of=st.sampled_from([None, "2017-03", "2019-04", "2020-02", "2023-01", "2025-08"]),
)


@settings(max_examples=150, deadline=None)
@given(needs_)
def test_whatever_is_asked_the_promises_hold(needs: Needs) -> None:
    world = load_world()
    result = run(needs)
    assert result == recommend(needs, load_world(), TODAY)
    day = result.day
    assert day is not None
    limit = None
    if needs.budget is not None and needs.budget.max is not None and needs.budget.currency is not None:
        limit = world.rates.convert(Money(needs.budget.max, needs.budget.currency), "USD").amount
    roles = [pick.role for pick in result.picks]
    assert len(roles) <= 5
    assert result.picks or result.none_reason is not None
    for pick in result.picks:
        assert pick.gpu.vendor not in needs.not_vendors
        if needs.vendors and pick.role != "rent":
            assert pick.gpu.vendor in needs.vendors
        if pick.point is None:
            assert pick.role == "rent" or needs.form_factor == "laptop"
            continue
        assert first_day(pick.point.as_of) <= day
        assert (first_day(pick.gpu.released) - day).days <= 62
        if needs.condition in ("new", "used"):
            assert pick.point.condition in (needs.condition, "any")
        if pick.condition == "new":
            assert pick.point.condition != "used"
        else:
            assert pick.point.condition == "used"
        if limit is not None:
            assert pick.point.money.amount * pick.count <= limit * 1.0001
        if pick.point.kind == "msrp":
            assert pick.check_price_first
        wished = needs.min_memory_gb or 0
        assert pick.gpu.memory_gb * (pick.count if needs.shardable else 1) >= wished


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.sampled_from(WORKLOADS), max_size=1).map(tuple),
    modes,
    levels,
    st.booleans(),
    st.sampled_from(["new", "any"]),
    st.floats(100, 8000),
    st.floats(1.0, 4.0),
)
def test_more_money_never_buys_a_slower_and_smaller_card(
    workloads: tuple[str, ...], mode: Mode | None, level: Level | None, value: bool, condition: Condition, less: float,
    times: float,
) -> None:  # fmt: skip
    def best(amount: float) -> tuple[float, float] | None:
        needs = Needs(
            workloads=workloads, mode=mode, level=level, value=value, condition=condition, budget=dollars(amount)
        )
        pick = run(needs).best
        return (pick.speed or 0, pick.memory_gb) if pick is not None and pick.role != "rent" else None

    poor, rich = best(less), best(less * times)
    if poor is not None:
        assert rich is not None
        assert not (rich[0] < poor[0] and rich[1] < poor[1])


def test_a_price_that_may_have_crossed_the_budget_is_marked() -> None:
    result = run(Needs(workloads=("image_gen",), budget=dollars(850)))
    best = result.best
    assert best is not None
    assert best.check_price_first
    assert "price_may_exceed" in [warning.code for warning in best.warnings]


def test_language_models_on_used_cards_want_24_gb() -> None:
    best = run(Needs(workloads=("llm",), mode="inference", condition="used", budget=dollars(1200))).best
    assert best is not None
    assert best.gpu.name == "RTX 3090"


def test_a_70b_model_needs_two_cards_and_says_that_they_do_not_merge() -> None:
    needs = Needs(workloads=("llm",), mode="inference", memory_need_gb=42, shardable=True, budget=dollars(2500))
    best = run(needs).best
    assert best is not None
    assert best.count == 2
    assert best.memory_gb >= 42
    assert "memory_not_pooled" in [warning.code for warning in best.warnings]


def test_a_job_that_cannot_be_split_gets_no_sum_of_memories() -> None:
    result = run(Needs(workloads=("image_gen",), memory_need_gb=30, count=2, budget=dollars(2000)))
    assert all(pick.role == "rent" or pick.gpu.memory_gb >= 30 for pick in result.picks)


def test_no_budget_does_not_mean_any_price() -> None:
    for level in (None, "hobby", "serious", "research"):
        best = run(Needs(level=level)).best
        assert best is not None
        assert best.total is not None
        assert best.total.amount < 2500
    hobby, research = run(Needs(level="hobby")).best, run(Needs(level="research", workloads=("cv",))).best
    assert hobby is not None
    assert research is not None
    assert (hobby.total or Money(0, "USD")).amount < (research.total or Money(0, "USD")).amount


def test_too_little_money_says_what_is_missing_and_offers_renting() -> None:
    result = run(Needs(budget=dollars(60)))
    assert result.none_reason is not None
    assert result.none_reason.code == "none_affordable"
    assert result.relaxation is not None
    assert result.relaxation.code == "relax_budget"
    assert [pick.role for pick in result.picks] == ["rent"]


def test_a_card_that_does_the_work_is_kept() -> None:
    needs = Needs(workloads=("llm",), mode="inference", owned=("RTX 3090",), budget=dollars(800))
    assert run(needs).none_reason is not None
    weak = Needs(workloads=("llm",), mode="inference", owned=("GTX 1060 6GB",), budget=dollars(800))
    assert run(weak).none_reason is None
    best = run(weak).best
    assert best is not None
    assert "upgrade_from" in [reason.code for reason in best.reasons]


def test_cheapest_means_the_lowest_price_with_the_memory_asked_for() -> None:
    result = run(Needs(min_memory_gb=24, cheapest=True))
    best = result.best
    assert best is not None
    prices = [
        point.money.amount
        for gpu in load_world().catalogue.gpus
        if gpu.vendor == "nvidia" and gpu.memory_gb >= 24 and gpu.cooler != "module"
        if (point := load_world().book.best(gpu.name, "any", TODAY))
    ]
    assert best.point is not None
    assert best.point.money.amount == min(prices)
    assert any(pick.gpu.name == "RTX 3090" for pick in result.picks)


def test_other_makers_come_when_asked_for_and_carry_a_warning() -> None:
    best = run(Needs(not_vendors=("nvidia",), budget=dollars(900))).best
    assert best is not None
    assert best.gpu.vendor == "amd"
    assert "rocm_needed" in [warning.code for warning in best.warnings]
    plain = run(Needs(workloads=("3d",), mode="training", budget=dollars(3000)))
    assert {pick.gpu.vendor for pick in plain.picks} == {"nvidia"}


def test_a_laptop_is_answered_with_laptop_chips_and_no_price() -> None:
    result = run(Needs(workloads=("image_gen",), form_factor="laptop", budget=dollars(933)))
    assert result.best is not None
    assert result.best.gpu.name == "RTX 5060 Laptop"
    assert {pick.gpu.segment for pick in result.picks} == {"laptop"}
    assert all(pick.total is None for pick in result.picks)


def test_data_centres_get_the_licensed_class() -> None:
    result = run(Needs(deployment="datacenter", workloads=("transformer",)))
    assert {pick.gpu.segment for pick in result.picks} == {"datacenter"}


def test_a_small_power_supply_rules_out_hot_cards() -> None:
    result = run(Needs(psu_watts=550, budget=dollars(900)))
    assert result.picks
    assert all((pick.gpu.tdp_w or 0) <= 235 for pick in result.picks)


def test_the_whole_computer_in_the_budget_leaves_less_for_the_card() -> None:
    card = run(Needs(budget=Budget(max=1000, currency="USD"))).best
    system = run(Needs(budget=Budget(max=1000, currency="USD", scope="system"))).best
    assert card is not None
    assert system is not None
    assert (system.total or Money(0, "")).amount < (card.total or Money(0, "")).amount


def test_answers_come_in_the_currency_of_the_budget() -> None:
    result = run(Needs(budget=Budget(max=6000, currency="CNY")))
    assert result.best is not None
    assert result.best.total is not None
    assert result.best.total.currency == "CNY"
    assert result.best.total.amount <= 6000
    assert result.price_state.rates_as_of


@pytest.mark.parametrize(
    ("gpu", "code"),
    [
        ("RTX 4090", "condition_not_wanted"),
        ("RTX 5080", "over_budget"),
        ("GTX 970", "has_fault"),
        ("H100 SXM 80GB", "not_a_card"),
        ("RX 9070 XT", "vendor_default"),
        ("RTX 5070", "less_memory_than"),
        ("GTX 1080 Ti", "outdated"),
        ("No such card", "not_in_catalogue"),
    ],
)
def test_why_not(gpu: str, code: str) -> None:
    found = why_not(gpu, Needs(budget=dollars(900), condition="new"), load_world(), TODAY)
    assert found is not None
    assert found.code == code


def test_why_not_of_the_pick_is_nothing() -> None:
    needs = Needs(budget=dollars(900))
    best = run(needs).best
    assert best is not None
    assert why_not(best.gpu.name, needs, load_world(), TODAY) is None


def test_cheap_alone_does_not_mean_a_card_without_a_fan() -> None:
    best = run(Needs(workloads=("image_gen",), mode="finetuning", cheapest=True)).best
    assert best is not None
    assert best.gpu.cooler != "passive"
    assert best.gpu.memory_gb >= 12


def test_fast_for_the_price_asks_for_value() -> None:
    both = run(Needs(workloads=("cv",), fastest=True, value=True)).best
    assert both == run(Needs(workloads=("cv",), value=True)).best


def test_a_card_kept_for_years_gets_more_memory() -> None:
    now, later = run(Needs(workloads=("cv",))), run(Needs(workloads=("cv",), keep_years=4))
    assert later.target_gb > now.target_gb


def test_an_external_card_is_a_desktop_card_in_a_box() -> None:
    best = run(Needs(workloads=("image_gen",), form_factor="egpu", budget=dollars(900))).best
    assert best is not None
    assert best.gpu.segment == "consumer"
    assert "egpu_enclosure" in [warning.code for warning in best.warnings]


def test_a_little_more_money_is_mentioned_when_it_buys_much_more() -> None:
    result = run(Needs(workloads=("llm",), mode="inference", condition="used", budget=dollars(760)))
    assert result.relaxation is not None
    assert (result.relaxation.code, result.relaxation.param("gpu")) == ("relax_budget", "RTX 3090")


def test_without_a_laptop_of_that_maker_renting_is_offered() -> None:
    result = run(Needs(workloads=("3d",), form_factor="laptop", vendors=("apple",)))
    assert result.none_reason is not None
    assert result.none_reason.code == "none_known"
    assert [pick.role for pick in result.picks] == ["rent"]


def codes(remarks: tuple[Reason, ...]) -> list[str]:
    return [remark.code for remark in remarks]


def asked(text: str) -> Needs:
    return needs_from_request(load_understanding().understand(text, (), None))


def test_memory_far_above_the_need_is_called_ample() -> None:
    best = run(Needs(workloads=("image_gen",), memory_need_gb=3.6, budget=dollars(900))).best
    assert best is not None
    assert "memory_ample" in codes(best.reasons)
    wished = run(Needs(min_memory_gb=24, budget=dollars(1200))).best
    assert wished is not None
    assert "memory_as_asked" in codes(wished.reasons)


def test_cheap_training_gets_no_card_that_software_leaves_behind() -> None:
    for needs in (
        Needs(workloads=("image_gen",), mode="finetuning", memory_need_gb=12.5, cheapest=True),
        Needs(workloads=("cv",), mode="training", condition="used", budget=dollars(350)),
    ):
        result = run(needs)
        assert result.picks
        for pick in result.picks:
            assert pick.gpu.architecture.software not in ("ending", "dropped")
            assert pick.gpu.cooler != "passive"


def test_an_assumed_budget_is_no_sharp_edge() -> None:
    result = run(Needs(level="kaggle"))
    assert result.best is not None
    ceiling = load_world().engine.grown(load_world().engine.ceiling["kaggle"], TODAY)
    for pick in result.picks:
        assert pick.point is not None
        limit = 1.5 if pick.role in ("more_memory", "faster") else 1.1
        assert pick.point.money.amount <= ceiling * limit
    assert "over_budget" not in codes(tuple(result.rejected.values()))


def test_two_cards_are_no_better_value_for_the_speed_of_one_language_model() -> None:
    llm = Needs(workloads=("llm",), mode="inference", shardable=True, multi_gpu=True, budget=dollars(2000))
    for pick in run(llm).picks:
        if pick.role == "several":
            assert pick.perf_per_dollar is not None
            assert pick.perf_per_dollar < 1.2


def test_a_new_price_below_a_later_used_one_is_doubted() -> None:
    best = run(Needs(workloads=("cv",), condition="new", budget=dollars(500))).best
    assert best is not None
    assert best.gpu.name == "RTX 5060 Ti 16GB"
    assert "price_overtaken" in codes(best.warnings)
    assert best.check_price_first
    less = run(Needs(workloads=("cv",), condition="new", budget=dollars(460)))
    assert all(pick.gpu.name != "RTX 5060 Ti 16GB" for pick in less.picks)


@settings(max_examples=60, deadline=None)
@given(needs_)
def test_a_pick_carries_few_remarks(needs: Needs) -> None:
    for pick in run(needs).picks:
        assert len(pick.reasons) <= 3
        assert len(pick.warnings) <= 3
        assert len(set(codes(pick.reasons))) == len(pick.reasons)
        assert not {"less_memory_than_best", "slower_than_best"} & set(codes(pick.reasons))


def test_only_cards_that_people_expect_are_rejected() -> None:
    result = run(Needs(workloads=("cv",), budget=dollars(900)))
    assert 0 < len(result.rejected) <= 3
    assert set(result.rejected) <= set(load_world().engine.popular)


def test_rent_is_a_gpu_cloud_and_no_old_card() -> None:
    for needs in (Needs(deployment="cloud", workloads=("llm",), mode="inference"), Needs(deployment="cloud")):
        best = run(needs).best
        assert best is not None
        assert best.role == "rent"
        assert best.gpu.architecture.name not in ("Turing", "Volta", "Pascal")


def test_a_memory_need_of_nothing_is_never_named() -> None:
    for needs in (Needs(form_factor="laptop", vendors=("apple",)), Needs(vendors=("intel",), deployment="datacenter")):
        none = run(needs).none_reason
        assert none is None or none.code != "none_fits_memory"


@pytest.mark.parametrize(
    ("text", "vendors", "form"),
    [
        ("training nerfs on my MacBook Pro takes ages, what hardware should I buy?", (), None),
        ("which MacBook for running local LLMs, budget 3000?", ("apple",), "laptop"),
        ("I use a MacBook M1, which eGPU for SDXL?", (), "egpu"),
    ],
)
def test_the_machine_that_is_owned_is_not_the_maker_that_is_wanted(
    text: str, vendors: tuple[str, ...], form: str | None
) -> None:
    needs = asked(text)
    assert (needs.vendors, needs.form_factor) == (vendors, form)


def test_why_not_asks_for_a_reason_and_excludes_nothing() -> None:
    needs = asked("why not the 4080? I have $1500 for image generation")
    assert needs.excluded == ()
    assert "RTX 4080" in run(needs).rejected


def test_value_is_not_the_lowest_price() -> None:
    assert not asked("预算很紧，训练扩散模型选什么卡最划算？").cheapest
    assert not asked("best performance per price for yolo").fastest


def test_large_tables_need_no_large_memory() -> None:
    assert run(Needs(workloads=("nlp",), large_data=True)).target_gb < run(Needs(large_data=True)).target_gb


def test_a_picture_model_at_full_size_is_not_the_measure_of_a_small_budget() -> None:
    flux = Needs(workloads=("image_gen",), mode="inference", model="FLUX.1-dev", memory_need_gb=37)
    result = run(replace(flux, budget=dollars(700)))
    assert result.best is not None
    assert result.best.role == "best"
    assert result.assumptions[0] == reason("assumed_quantised", need=37)
    rich = run(replace(flux, budget=dollars(12_000))).best
    assert rich is not None
    assert rich.gpu.memory_gb >= 37


def test_a_tight_sum_for_the_whole_computer_still_buys_the_cards() -> None:
    needs = Needs(workloads=("llm",), mode="inference", memory_need_gb=43.9, shardable=True, count=2)
    best = run(replace(needs, budget=Budget(max=2500, currency="USD", scope="system"))).best
    assert best is not None
    assert (best.gpu.name, best.count) == ("RTX 3090", 2)


def test_what_would_fit_counts_all_cards() -> None:
    needs = Needs(workloads=("llm",), mode="inference", memory_need_gb=43.9, shardable=True, count=2)
    none = run(replace(needs, budget=dollars(1200))).none_reason
    assert none is not None
    assert none.param("gpu") == "2x RTX 3090"


def test_the_price_of_a_mac_is_that_of_its_smallest_memory() -> None:
    best = run(Needs(workloads=("llm",), mode="inference", vendors=("apple",), budget=dollars(3000))).best
    assert best is not None
    assert best.warnings[0].code == "price_smallest"


def test_a_few_watts_are_meant_for_the_card() -> None:
    best = run(Needs(psu_watts=250, budget=dollars(2500))).best
    assert best is not None
    assert (best.gpu.tdp_w or 0) <= 250


def test_several_cards_are_of_the_maker_that_is_picked() -> None:
    result = run(Needs(workloads=("llm",), mode="inference", shardable=True, budget=dollars(420)))
    assert result.best is not None
    assert all(pick.gpu.vendor == result.best.gpu.vendor for pick in result.picks if pick.role == "several")


def test_cheap_language_models_do_not_begin_with_a_server_card() -> None:
    result = run(Needs(workloads=("llm",), mode="inference", cheapest=True, budget=dollars(800)))
    assert result.best is not None
    assert result.best.gpu.cooler != "passive"
    assert "cheapest_for_pc" in codes(result.best.reasons)
