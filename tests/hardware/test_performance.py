"""The performance model: what it answers, that its stored fit is its fit, and how it predicts cards it has not seen."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.performance_model import decode_errors, errors, rule_errors
from bot.hardware.calibration import GROUP_OF, calibrate, observe
from bot.hardware.decode import layers_of
from bot.hardware.gpu import Gpu
from bot.hardware.measured import parse_llm, parse_training
from bot.hardware.performance import BENCHMARKS, WORKLOAD_CLASSES, PerformanceModel
from bot.hardware.performance_table import parse_performance
from bot.hardware.throughput import matrix_rate, percent
from bot.loading import files_root, load_catalogue, load_performance, read_file
from bot.tables import DataError

LLAMA_8B = (8.03, 0.611, 32)


@pytest.fixture(scope="module")
def model() -> PerformanceModel:
    return load_performance()


def card(name: str) -> Gpu:
    gpu = load_catalogue().get(name)
    assert gpu is not None, name
    return gpu


def speed(model: PerformanceModel, name: str, workload: str = "cnn") -> float:
    found = model.relative(card(name), workload)
    assert found is not None, name
    return found.value


@pytest.mark.parametrize("workload", WORKLOAD_CLASSES)
def test_the_reference_card_is_one(model: PerformanceModel, workload: str) -> None:
    assert speed(model, "RTX 3090", workload) == pytest.approx(1.0)


@pytest.mark.parametrize("workload", WORKLOAD_CLASSES)
def test_every_estimate_has_a_range_around_it_and_says_where_it_comes_from(
    model: PerformanceModel, workload: str
) -> None:
    for gpu in load_catalogue().gpus:
        found = model.relative(gpu, workload)
        if found is not None:
            assert 0 < found.low <= found.value <= found.high, gpu.name
            assert found.source, gpu.name
            if found.basis == "estimated":
                assert found.error_pct >= 8, gpu.name


@pytest.mark.parametrize("name", ["TPU v3", "Ascend 910", "MTT S80", "CMP 50HX"])
def test_nothing_is_said_of_cards_that_no_program_here_was_measured_on(model: PerformanceModel, name: str) -> None:
    assert model.relative(card(name), "cnn") is None
    assert model.tokens_per_s(card(name), *LLAMA_8B) is None


@pytest.mark.parametrize("workload", ["cnn", "transformer", "rnn", "llm-prefill", "diffusion"])
@pytest.mark.parametrize(
    "order",
    [
        ("GTX 1050 Ti", "GTX 1060 6GB", "GTX 1070", "GTX 1080", "GTX 1080 Ti"),
        ("GTX 980", "GTX 1070"),
        ("K80", "GTX 980 Ti", "GTX 1080 Ti"),
        ("RTX 2060 6GB", "RTX 2070", "RTX 2080", "RTX 2080 Ti", "Titan RTX"),
        ("RTX 3050 8GB", "RTX 3060 12GB", "RTX 3070", "RTX 3080 10GB", "RTX 3090", "RTX 3090 Ti"),
        ("RTX 4060", "RTX 4070", "RTX 4070 Ti Super", "RTX 4080", "RTX 4090"),
        ("RTX 5060", "RTX 5070", "RTX 5080", "RTX 5090"),
        ("RTX 2080 Ti", "RTX 3090", "RTX 4090", "RTX 5090"),
        ("P40", "V100 16GB", "A100 80GB", "H100 SXM 80GB", "B200"),
        ("T4", "A10", "A100 40GB"),
        ("MI50 16GB", "MI210", "MI300X"),
    ],
)
def test_faster_cards_are_faster(model: PerformanceModel, workload: str, order: tuple[str, ...]) -> None:
    speeds = [speed(model, name, workload) for name in order]
    assert speeds == sorted(speeds), list(zip(order, speeds, strict=True))


def test_cards_of_2017_keep_the_distances_of_their_time(model: PerformanceModel) -> None:
    assert 1.15 < speed(model, "GTX 1080") / speed(model, "GTX 1070") < 1.45
    assert 0.3 < speed(model, "GTX 980") / speed(model, "Titan X (Pascal)") < 0.45
    assert 0.8 < speed(model, "GTX 1060 6GB") / speed(model, "GTX 980") < 1.2
    # a board of two GPUs counts one of them
    assert speed(model, "K80") < speed(model, "K40")


def test_a_second_look_up_gives_the_same_object(model: PerformanceModel) -> None:
    assert model.relative(card("RTX 4070"), "cnn") is model.relative(card("RTX 4070"), "cnn")


def test_unknown_workloads_and_benchmarks_are_refused(model: PerformanceModel) -> None:
    with pytest.raises(KeyError):
        model.relative(card("RTX 4070"), "mining")
    with pytest.raises(KeyError):
        model.benchmark(card("RTX 4070"), "alexnet")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_measured_benchmarks_are_the_measured_ratio(model: PerformanceModel, name: str) -> None:
    found = model.benchmark(card("RTX 4090"), name)
    values = {r.gpu.name: r.value for r in model.training if (r.benchmark, r.suite) == (name, "pytorch-2022")}
    assert found is not None
    assert found.basis == "measured"
    assert found.value == pytest.approx(values["RTX 4090"] / values["RTX 3090"])


def test_exclude_measured_leaves_the_card_out_of_the_fit(model: PerformanceModel) -> None:
    with_it, without = (model.benchmark(card("RTX 4090"), "bert_base", exclude) for exclude in (False, True))
    assert with_it is not None
    assert without is not None
    assert without.basis == "estimated"
    assert without.value != with_it.value
    assert without.low < with_it.value < without.high


def test_inference_is_an_estimate_even_where_training_was_measured(model: PerformanceModel) -> None:
    training, inference = (model.relative(card("RTX 4090"), "cnn", mode) for mode in ("training", "inference"))
    assert training is not None
    assert inference is not None
    assert (training.basis, inference.basis) == ("measured", "estimated")
    assert inference.error_pct > training.error_pct


def test_decode_is_measured_where_the_same_model_and_format_was_run(model: PerformanceModel) -> None:
    found = model.tokens_per_s(card("RTX 3090"), *LLAMA_8B)
    assert found is not None
    assert (found.basis, found.unit) == ("measured", "tokens/s")
    assert found.value == pytest.approx(111.74)
    excluded = model.tokens_per_s(card("RTX 3090"), *LLAMA_8B, exclude_measured=True)
    assert excluded is not None
    assert excluded.basis == "estimated"
    assert excluded.value == pytest.approx(found.value, rel=0.15)


def test_decode_halves_with_twice_the_weights_and_slows_with_context(model: PerformanceModel) -> None:
    small, large, long = (
        model.tokens_per_s(card("RTX 4060 Ti 16GB"), params, 0.6, 32, context_tokens=context)
        for params, context in ((7.0, 512), (14.0, 512), (7.0, 16_384))
    )
    assert small
    assert large
    assert long
    assert 1.6 < small.value / large.value < 2.0
    assert long.value < small.value


def test_more_cards_give_room_not_speed(model: PerformanceModel) -> None:
    assert model.tokens_per_s(card("RTX 3090"), 70.6, 0.611, 80) is None
    two, four = (model.tokens_per_s(card("RTX 3090"), 70.6, 0.611, 80, count=count) for count in (2, 4))
    assert two is not None
    assert four is not None
    assert two.value == four.value == pytest.approx(16.3, rel=0.15)  # measured on two cards: 16.3


def test_a_mixture_of_experts_reads_only_its_active_weights(model: PerformanceModel) -> None:
    dense, sparse = (
        model.tokens_per_s(card("RTX 5090"), 30.5, 0.6, 48, active_params_b=active) for active in (None, 3.3)
    )
    assert dense
    assert sparse
    assert sparse.value > 3 * dense.value
    assert sparse.error_pct > dense.error_pct


def test_layers_grow_with_size() -> None:
    assert layers_of(8) == 32
    assert 70 < layers_of(70) < 90
    assert layers_of(0.001) == 4


def test_the_stored_fit_is_the_fit_of_the_stored_runs(model: PerformanceModel) -> None:
    fitted = calibrate(observe(model.training, model.llm), model.table.settings, model.table.assumptions)
    for group, coefficients in fitted.groups.items():
        stored = model.table.calibration.groups[group]
        assert stored.exponents == pytest.approx(coefficients.exponents, abs=1e-3), "run the benchmark with --write"
        assert stored.architectures == pytest.approx(coefficients.architectures, abs=1e-3)
    for name, cards in fitted.cards.items():
        assert model.table.calibration.cards[name] == pytest.approx(cards, abs=1e-3)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_cards_never_seen_are_predicted_within_ten_percent_and_better_than_rules_of_thumb(
    model: PerformanceModel, name: str
) -> None:
    own = statistics.median(percent(off) for *_, off in errors(model, name))
    runs = [o for o in observe(model.training, model.llm)[GROUP_OF[name]] if o.benchmark == name]
    assert own <= 10
    assert own < statistics.median(rule_errors(runs, lambda gpu: gpu.bandwidth_gbs or 1.0))
    assert own < statistics.median(rule_errors(runs, lambda gpu: matrix_rate(gpu) or 1.0))


def test_decode_of_cards_never_seen_is_predicted_within_six_percent(model: PerformanceModel) -> None:
    assert statistics.median(abs(off) for *_, off in decode_errors(model, "nvidia-gddr")) <= 6
    assert statistics.median(abs(off) for *_, off in decode_errors(model, "nvidia-hbm")) <= 10


TRAINING = "gpu,benchmark,suite,precision,value,unit,source,as_of\n"
RUN = "RTX 3090,resnet50,pytorch-2020,fp16,801,images/s,Somebody (2020-11),2020-11\n"


def test_a_training_run_is_read() -> None:
    (run,) = parse_training(TRAINING + RUN, "t.csv", load_catalogue().by_name.get)
    assert (run.gpu.name, run.value, run.as_of) == ("RTX 3090", 801.0, "2020-11")


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("RTX 3090", "RTX 3099", "gpu"),
        ("fp16", "fp12", "precision"),
        ("801", "", "value"),
        ("801", "-3", "value"),
        ("Somebody (2020-11),", ",", "source"),
        (",2020-11\n", ",soon\n", "as_of"),
    ],
)
def test_a_broken_run_is_told_by_line_and_field(old: str, new: str, field: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_training(TRAINING + RUN.replace(old, new), "t.csv", load_catalogue().by_name.get)
    assert (caught.value.line, caught.value.field) == (2, field)


@pytest.mark.parametrize("part", ["reference", "settings", "assumptions", "errors_pct", "decode", "fitted"])
def test_a_missing_part_of_the_table_is_named(part: str) -> None:
    root = files_root()
    text, _ = read_file(root / "data/performance.yaml", root)
    with pytest.raises(DataError, match=part):
        parse_performance(text.replace(f"\n{part}:", "\nelsewhere:"), "p.yaml")


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_with_a_data_error(text: str) -> None:
    for parse in (parse_training, parse_llm):
        with pytest.raises(DataError):
            parse("gpu," + text, "t.csv", load_catalogue().by_name.get)
    with pytest.raises(DataError):
        parse_performance(text, "p.yaml")
