"""Faults reported of other memory estimators, each with a test that would have caught it."""

from __future__ import annotations

import dataclasses
import math

import pytest

from bot.advice.fit import Fitter
from bot.hardware.gpu import Gpu
from bot.hardware.inference_memory import cache_bytes, cache_bytes_per_token, llama_buffer
from bot.hardware.machine import modded
from bot.hardware.memory import Options
from bot.hardware.models import Model
from bot.loading import load_catalogue, load_fitter, load_memory_model, load_models

MEMORY, TABLE = load_memory_model(), load_models()
FITTER: Fitter = load_fitter()
GIB, MIB, KIB = 2**30, 2**20, 2**10


def model(name: str) -> Model:
    return TABLE.models[name]


def gpu(name: str) -> Gpu:
    found = load_catalogue().get(name)
    assert found is not None
    return found


def gb(name: str, **options: object) -> float:
    return MEMORY.estimate(model(name), Options(**options)).likely_gb  # type: ignore[arg-type]


def test_gpustack_532_the_context_asked_for_counts() -> None:
    assert gb("Llama 3.1 8B", context_tokens=65536) > gb("Llama 3.1 8B", context_tokens=8192) + 5


def test_llmfit_302_the_full_context_is_never_the_default() -> None:
    estimate = MEMORY.estimate(model("Qwen3-Coder 480B-A35B"), Options())
    assert model("Qwen3-Coder 480B-A35B").context == 262144
    assert estimate.context_tokens == 8192


@pytest.mark.parametrize("name", [n for n, m in TABLE.models.items() if m.kind == "llm" and m.moe])
def test_llmfit_230_and_497_mixtures_fit_by_all_their_parameters(name: str) -> None:
    total = model(name).params_b or 0
    assert gb(name, precision="fp16", framework="hf") * GIB >= total * 2e9


def test_llmfit_474_speed_is_asked_for_by_active_parameters() -> None:
    asked: list[Model] = []
    fitter = Fitter(MEMORY, TABLE, FITTER.rules, speed=lambda m, precision, card, count: asked.append(m))
    fitter.fit(model("Qwen3 30B-A3B"), [(gpu("RTX 3090"), 1)])
    assert asked[0].active_b == pytest.approx(3.3)


@pytest.mark.parametrize(
    ("name", "active"),
    [("gpt-oss 120B", 5.1), ("gpt-oss 20B", 3.6), ("Qwen3 235B-A22B", 22), ("DeepSeek-V3 671B", 37),
     ("Llama 4 Scout", 17), ("Mixtral 8x7B", 12.9), ("GLM-4.5-Air", 12), ("Kimi K2", 32)],
)  # fmt: skip
def test_llmfit_544_active_parameters_are_those_of_the_model_card(name: str, active: float) -> None:
    assert model(name).active_b == pytest.approx(active, rel=0.03)


def test_llmfit_570_a_mac_does_not_lend_all_its_memory() -> None:
    mac = modded(gpu("M3 Max"), 64)
    assert FITTER.fit(model("Llama 3 70B"), [(mac, 1)], Options(precision="q6_k")).verdict == "no"
    assert FITTER.fit(model("Llama 3 70B"), [(mac, 1)], Options(precision="q4_k_m")).usable_gb == pytest.approx(48)


def test_ollama_6160_7965_10128_a_quantised_cache_counts() -> None:
    whole = MEMORY.estimate(model("Mistral Small 22B"), Options(precision="q6_k", context_tokens=49152))
    small = MEMORY.estimate(
        model("Mistral Small 22B"), Options(precision="q6_k", context_tokens=49152, kv_cache="q8_0")
    )
    assert small.parts["kv_cache"] == pytest.approx(whole.parts["kv_cache"] * 0.531, rel=0.01)


def test_ollama_10968_each_card_adds_its_own_overhead() -> None:
    one, four = (gb("Llama 3 70B", precision="q4_k_m", count=n) for n in (1, 4))
    assert one + 0.5 < four < one + 4


def test_ollama_4212_a_context_that_spills_says_so() -> None:
    result = FITTER.fit(
        model("Llama 3.1 8B"), [(gpu("RTX 3060 12GB"), 1)], Options(precision="q8_0", context_tokens=131072)
    )
    assert result.verdict == "no"
    assert {"offload", "shorten"} & {r.code for r in result.remedies}


def test_ollama_17201_the_compute_buffer_counts_and_heads_have_their_own_size() -> None:
    assert llama_buffer(model("Llama 3 8B"), 8192, flash=False) / MIB == pytest.approx(762.5)
    qwen = model("Qwen3 32B")
    assert qwen.heads * qwen.head_dim != qwen.hidden
    assert cache_bytes_per_token(qwen, 2.0)[0] == 256 * KIB


def test_unsloth_4757_windows_hybrids_and_latent_caches() -> None:
    gemma = cache_bytes(model("Gemma 3 27B"), 131072, 1, 2.0)[0]
    every = dataclasses.replace(model("Gemma 3 27B"), attention="full", full_layers=62)
    assert gemma < 0.2 * cache_bytes(every, 131072, 1, 2.0)[0]
    assert cache_bytes_per_token(model("Qwen3.5 27B"), 2.0)[0] == 64 * KIB
    assert cache_bytes_per_token(model("DeepSeek-V3 671B"), 2.0)[0] / KIB == pytest.approx(68.6, rel=0.01)


def test_unsloth_11043_the_compute_buffer_is_not_inflated() -> None:
    assert llama_buffer(model("Llama 3 70B"), 131072, flash=True) < 821 * MIB


@pytest.mark.parametrize("name", [n for n, m in TABLE.models.items() if m.attention == "mla"])
def test_lmcache_694_gguf_parser_8_sparkrun_247_latent_attention_is_not_counted_by_heads(name: str) -> None:
    m = model(name)
    by_heads = 2 * m.layers * m.kv_heads * m.head_dim * 2.0
    assert 0 < cache_bytes_per_token(m, 2.0)[0] < 0.35 * by_heads


def test_toolchest_58_gemma_4_does_not_need_58_gb() -> None:
    assert gb("Gemma 4 26B-A4B", precision="q4_k_m", context_tokens=32768, framework="llama.cpp") < 24


def test_lilbee_721_a_hybrid_with_a_quantised_cache() -> None:
    need = gb("Qwen3.5 27B", precision="q4_k_m", context_tokens=65536, kv_cache="q8_0")
    assert need == pytest.approx(17.6, rel=0.05)


def test_hf_mem_60_sliding_layers_are_not_left_out() -> None:
    gemma = model("Gemma 2 9B")
    full_only = 2 * gemma.full_layers * gemma.kv_heads * gemma.head_dim * 8192 * 2.0
    assert cache_bytes(gemma, 8192, 1, 2.0)[0] > 1.4 * full_only


def test_hilbertraum_412_bytes_are_counted_once() -> None:
    measured = 0.742 * GIB  # RTX 3090 log: 160 MiB in 5 global layers, 600 MiB in 25 sliding ones
    assert cache_bytes(model("Gemma 4 26B-A4B"), 8192, 1, 2.0)[0] < 1.15 * measured


def test_ollama37_451_memory_does_not_fall_with_context() -> None:
    needs = [gb("Llama 3 70B", precision="q4_k_m", context_tokens=2**i) for i in range(8, 18)]
    assert needs == sorted(needs)


def test_odysseus_377_active_parameters_never_exceed_the_total() -> None:
    for m in TABLE.models.values():
        assert m.active_b is None or m.active_b < (m.params_b or 0), m.name


def test_koboldcpp_1480_more_layers_stay_on_the_card_with_a_quantised_cache() -> None:
    def share(cache: str) -> float:
        options = Options(precision="q4_k_m", context_tokens=16384, kv_cache=cache)
        remedies = FITTER.fit(model("Llama 3 70B"), [(gpu("RTX 3090"), 1)], options).remedies
        return next(float(str(r.parameters["share"])) for r in remedies if r.code == "offload")

    assert share("q8_0") > share("fp16")


def test_llamaforge_4_experts_can_wait_in_system_memory() -> None:
    result = FITTER.fit(model("Qwen3 235B-A22B"), [(gpu("RTX 4090"), 4)])
    assert "expert_offload" in {r.code for r in result.remedies}


def test_deepspeed_4527_4093_2797_states_are_not_all() -> None:
    estimate = MEMORY.estimate(model("Llama 3.1 8B"), Options(task="full", count=8, sharded=True, context_tokens=8192))
    assert estimate.parts["activations"] > 1


def test_llmfit_3_and_475_equal_machines_get_equal_verdicts() -> None:
    one = FITTER.fit(model("Llama 3 70B"), [(gpu("RTX 3090"), 1), (gpu("RTX 4090"), 1)])
    other = FITTER.fit(model("Llama 3 70B"), [(gpu("RTX 4090"), 1), (gpu("RTX 3090"), 1)])
    twice = FITTER.fit(model("Llama 3 70B"), [(gpu("RTX 3090"), 2)])
    apart = FITTER.fit(model("Llama 3 70B"), [(gpu("RTX 3090"), 1), (gpu("RTX 3090"), 1)])
    assert one.verdict == other.verdict
    assert one.usable_gb == pytest.approx(other.usable_gb)
    assert twice.verdict == apart.verdict
    assert twice.usable_gb == pytest.approx(apart.usable_gb)


def test_gollama_117_every_row_gives_sane_figures() -> None:
    for m in TABLE.models.values():
        if m.params_b is None:
            continue
        estimate = MEMORY.estimate(m, Options())
        assert 0 < estimate.low_gb <= estimate.likely_gb <= estimate.high_gb < math.inf, m.name


def test_unknown_caches_are_ranged() -> None:
    estimate = MEMORY.estimate(model("DeepSeek-V4-Pro"), Options(context_tokens=131072, framework="vllm"))
    assert ("cache_unknown", {}) in estimate.assumptions
    assert estimate.high_gb > 1.06 * estimate.likely_gb
