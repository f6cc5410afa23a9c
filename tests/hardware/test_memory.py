"""Memory estimates: laws that hold for every model, and published measurements."""

from __future__ import annotations

import dataclasses
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.hardware.inference_memory import cache_bytes, default_context
from bot.hardware.memory import MemoryEstimate, Options
from bot.hardware.models import Model
from bot.hardware.runtimes import UnknownOptionError, parse_frameworks, parse_precisions
from bot.loading import load_memory_model, load_models
from bot.tables import DataError

MEMORY, TABLE = load_memory_model(), load_models()
LANGUAGE = sorted(n for n, m in TABLE.models.items() if m.kind in ("llm", "vlm") and m.layers)
MIB = 2**20
models = st.sampled_from(LANGUAGE).map(lambda n: TABLE.models[n])
frameworks = st.sampled_from([None, "llama.cpp", "vllm", "hf", "exllama"])
tasks = st.sampled_from(["inference", "lora", "qlora", "full"])


def estimate(model: Model | str, **options: object) -> MemoryEstimate:
    found = TABLE.resolve(model) if isinstance(model, str) else model
    assert found is not None
    return MEMORY.estimate(found, Options(**options))  # type: ignore[arg-type]


@given(models, tasks, frameworks, st.integers(1, 100_000), st.integers(1, 16))
def test_estimates_are_finite_positive_and_ordered(
    model: Any, task: Any, framework: Any, context: Any, batch: Any
) -> None:
    e = estimate(model, task=task, framework=framework, context_tokens=context, batch=batch)
    assert 0 < e.low_gb <= e.likely_gb <= e.high_gb < math.inf
    assert all(part >= 0 for part in e.parts.values())
    assert sum(e.parts.values()) == pytest.approx(e.likely_gb)


@given(models, tasks, frameworks, st.integers(1, 60_000), st.integers(1, 60_000))
def test_memory_never_falls_with_a_longer_context(model: Any, task: Any, framework: Any, one: Any, more: Any) -> None:
    shorter = estimate(model, task=task, framework=framework, context_tokens=one)
    longer = estimate(model, task=task, framework=framework, context_tokens=one + more)
    assert longer.likely_gb >= shorter.likely_gb
    assert longer.high_gb >= shorter.high_gb
    assert longer.low_gb >= shorter.low_gb


@given(models, tasks, frameworks, st.integers(1, 40), st.integers(1, 40))
def test_memory_rises_with_the_batch(model: Any, task: Any, framework: Any, one: Any, more: Any) -> None:
    assert (
        estimate(model, task=task, framework=framework, batch=one + more, context_tokens=512).likely_gb
        >= estimate(model, task=task, framework=framework, batch=one, context_tokens=512).likely_gb
    )


@given(models, st.sampled_from(["q2_k", "q3_k_m", "q4_k_m", "q5_k_m", "q6_k", "q8_0", "fp16"]), frameworks)
def test_memory_rises_with_the_bits(model: Any, precision: Any, framework: Any) -> None:
    order = ["q2_k", "q3_k_m", "q4_k_m", "q5_k_m", "q6_k", "q8_0", "fp16", "fp32"]
    more = order[order.index(precision) + 1]
    assert (
        estimate(model, precision=more, framework=framework or "llama.cpp").likely_gb
        > estimate(model, precision=precision, framework=framework or "llama.cpp").likely_gb
    )


@given(st.floats(0.2, 900), st.floats(1.01, 3), tasks)
def test_memory_rises_with_the_parameters(size: Any, factor: Any, task: Any) -> None:
    shape = TABLE.generic(size)
    larger = dataclasses.replace(shape, params_b=size * factor)
    assert estimate(larger, task=task).likely_gb > estimate(shape, task=task).likely_gb


@given(models, st.integers(1, 50_000))
def test_grouped_queries_never_need_more_than_full_heads(model: Any, context: Any) -> None:
    full = dataclasses.replace(model, kv_heads=model.heads, attention="full", full_layers=model.layers, full_kv_width=0)
    if model.attention == "full":
        assert cache_bytes(model, context, 1, 2.0)[0] <= cache_bytes(full, context, 1, 2.0)[0]


@given(models, st.integers(512, 30_000))
def test_an_8_bit_cache_is_about_half(model: Any, context: Any) -> None:
    whole, half = (cache_bytes(model, context, 1, b)[0] for b in (2.0, 1.0625))
    assert half == pytest.approx(whole * 0.53, rel=0.01)


@given(st.sampled_from(sorted(TABLE.models)), st.sampled_from(["inference", "full", "lora", "qlora"]))
def test_every_row_of_the_table_gives_an_estimate_or_says_why_not(name: Any, task: Any) -> None:
    try:
        e = estimate(TABLE.models[name], task=task)
    except UnknownOptionError as error:
        refused = error
    else:
        assert 0 < e.low_gb <= e.likely_gb <= e.high_gb
        return
    assert not TABLE.models[name].layers
    assert task not in refused.known


def test_a_task_that_a_model_does_not_have_is_refused_not_computed() -> None:
    assert estimate("SDXL", task="qlora").likely_gb == estimate("SDXL", task="lora").likely_gb
    with pytest.raises(UnknownOptionError):
        estimate("YOLOR", task="lora")
    with pytest.raises(UnknownOptionError):
        estimate("Stable Cascade", task="full")


def test_the_context_is_assumed_short_and_always_stated() -> None:
    for name in LANGUAGE:
        e = estimate(name)
        assert e.context_tokens == default_context(TABLE.models[name]) <= 8192
        assert ("context", {"tokens": e.context_tokens, "said": False}) in e.assumptions


def test_running_gives_one_figure_and_fine_tuning_a_range_with_its_reason() -> None:
    running = estimate("Llama 3 8B", precision="q4_k_m", framework="llama.cpp")
    assert running.one_figure
    assert running.high_gb / running.low_gb < 1.2
    tuning = estimate("Llama 3 8B", task="qlora")
    assert not tuning.one_figure
    assert tuning.high_gb > 2 * tuning.low_gb
    assert tuning.deciding == "checkpointing"
    assert estimate("Llama 3 8B", task="full").deciding == "optimizer"


@pytest.mark.parametrize(
    "options",
    [
        {"precision": "q17"}, {"kv_cache": "q7_x"}, {"framework": "frob"}, {"task": "dance"}, {"attention": "magic"},
        {"optimizer": "none"}, {"loss": "huge"},
    ],
)  # fmt: skip
def test_unknown_formats_and_programs_are_refused(options: Any) -> None:
    with pytest.raises(UnknownOptionError) as caught:
        estimate("Llama 3 8B", **options)
    assert caught.value.known


def test_sharding_divides_weights_and_states() -> None:
    whole = estimate("Llama 3 70B", task="full")
    eighth = estimate("Llama 3 70B", task="full", count=8, sharded=True)
    assert eighth.parts["weights"] == pytest.approx(whole.parts["weights"] / 8)
    assert eighth.parts["optimizer"] == pytest.approx(whole.parts["optimizer"] / 8)


def test_full_training_takes_about_16_bytes_a_parameter() -> None:
    states = estimate("Llama 2 70B", task="full", precision="bf16").parts
    assert (states["weights"] + states["optimizer"]) * 2**30 / 68.977e9 == pytest.approx(16)


# Published figures: (model, options, GB, share off)
MEASURED = [
    ("Llama 2 7B", {"precision": "bf16", "context_tokens": 256, "framework": "litgpt"}, 12.59, 0.03),
    ("LLaMA 33B", {"precision": "gptq", "context_tokens": 2048, "framework": "exllama"}, 20.06, 0.03),
    ("Qwen 7B", {"precision": "bf16", "context_tokens": 2048, "framework": "qwen"}, 16.99, 0.03),
    ("Mistral Small 22B", {"precision": "q6_k", "context_tokens": 49152, "kv_cache": "q8_0"}, 22.957, 0.03),
    ("FLUX", {"precision": "bf16", "size": "1024px", "framework": "diffusers"}, 36.166, 0.05),
    ("ResNet-50", {"task": "train", "precision": "amp", "batch": 288, "size": "224px"}, 15.44, 0.08),
    ("BERT base", {"task": "train", "precision": "fp32", "batch": 26, "context_tokens": 384, "framework": "pytorch"},
     22.456, 0.06),
    ("Llama 3.1 8B", {"task": "qlora", "precision": "nf4", "batch": 4, "context_tokens": 2048, "framework": "peft",
                      "lora_params_m": 6.8}, 24.3, 0.15),
]  # fmt: skip


@pytest.mark.parametrize(("model", "options", "gb", "off"), MEASURED)
def test_published_measurements(model: Any, options: Any, gb: Any, off: Any) -> None:
    assert estimate(model, **options).likely_gb == pytest.approx(gb, rel=off)


SHARED = Path(os.environ.get("WHICHGPU_SHARED", Path(__file__).resolve().parents[3] / "shared"))


@pytest.mark.skipif(not (SHARED / "reference-data/vram_measured.csv").exists(), reason="reference material is absent")
def test_the_benchmark_meets_its_bounds() -> None:
    from benchmarks.memory_model import points

    found, _ = points()
    bounds = {"inference": 0.03, "lora": 0.08, "qlora": 0.10, "full": 0.10, "train": 0.06}
    for kind, bound in bounds.items():
        mine = [p for p in found if p.set == kind]
        errors = sorted(abs(MEMORY.estimate(p.model, p.known).likely_gb / p.measured - 1) for p in mine)
        assert errors[len(errors) // 2] <= bound, kind
    running = [p for p in found if p.set == "inference"]
    blind = [MEMORY.estimate(p.model, p.blind) for p in running]
    inside = sum(e.low_gb <= p.measured <= e.high_gb for e, p in zip(blind, running, strict=True))
    assert inside >= 0.8 * len(running)
    assert all(e.high_gb <= 2.001 * e.low_gb for e in blind)


def test_bad_tables_say_what_is_wrong() -> None:
    header = "id,aliases,bits,embeddings,family,quality,source,as_of,note\n"
    good = "fp16,half,16,in,float,reference,IEEE,2026-11,\n"
    with pytest.raises(DataError, match="already stands"):
        parse_precisions(header + good + good.replace("fp16", "f16"), "q")
    with pytest.raises(DataError, match="bits"):
        parse_precisions(header + good.replace("16,in", ",in"), "q")
    with pytest.raises(DataError, match="incomplete"):
        parse_frameworks("x: {counter: process}", "f")
