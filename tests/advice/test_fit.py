"""Verdicts: what fits where, what to change, what is needed."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.advice.fit import FitResult
from bot.advice.fit_codes import ASSUMPTIONS, COSTS, NOTES, REMEDIES
from bot.hardware.gpu import Gpu
from bot.hardware.machine import machine_notes, modded, usable_gb
from bot.hardware.memory import Options
from bot.hardware.models import Model
from bot.loading import load_catalogue, load_fit_words, load_fitter, load_models

FITTER, TABLE = load_fitter(), load_models()
SHARED = Path(os.environ.get("WHICHGPU_SHARED", Path(__file__).resolve().parents[3] / "shared"))
RANK = {"no": 0, "tight": 1, "fits": 2}
language = st.sampled_from(sorted(n for n, m in TABLE.models.items() if m.kind == "llm" and m.layers))
cards = st.sampled_from(["RTX 3060 12GB", "RTX 3090", "RTX 4090", "P40", "A100 80GB", "RTX 2070", "H200", "T4"])


def model(name: str) -> Model:
    found = TABLE.resolve(name)
    assert found is not None
    return found


def gpu(name: str) -> Gpu:
    found = load_catalogue().get(name)
    assert found is not None
    return found


def fit(name: str, card: str, count: int = 1, **options: object) -> FitResult:
    return FITTER.fit(model(name), [(gpu(card), count)], Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "card", "count", "options", "verdicts"),
    [
        ("llama 3 70b", "RTX 3090", 2, {}, {"fits"}),
        ("llama 3 70b", "RTX 4090", 1, {}, {"no"}),
        ("llama 2 13b", "RTX 4090", 1, {"precision": "fp16"}, {"no"}),
        ("llama 2 7b", "RTX 4090", 1, {"precision": "fp16"}, {"fits"}),
        ("llama 7b", "RTX 3060 12GB", 1, {"precision": "fp16"}, {"no"}),
        ("llama 7b", "RTX 3060 12GB", 1, {"precision": "q4_k_m"}, {"fits"}),
        ("deepseek-r1 671b", "H20", 8, {}, {"fits", "tight"}),
        ("deepseek-r1 671b", "RTX 4090", 8, {}, {"no"}),
        ("llama 3 70b", "RTX 4090", 8, {"precision": "fp16"}, {"fits"}),
        ("qwen-image", "RTX 3090", 1, {"precision": "bf16"}, {"no"}),
        ("100B", "M2 Ultra", 1, {}, {"fits"}),
        ("qwen2 72b", "RTX 4090", 8, {"task": "qlora"}, {"no"}),
        ("llama 3 8b", "RTX 3090", 1, {"task": "qlora"}, {"fits"}),
        ("llama 3 70b", "RTX 3090", 1, {"task": "qlora"}, {"no"}),
        ("32B", "A100 80GB", 4, {"task": "full", "sharded": True}, {"no", "tight"}),
        ("sdxl", "RTX 3060 12GB", 1, {"task": "lora"}, {"tight"}),
        ("sdxl", "RTX 3060 12GB", 1, {}, {"fits"}),
        ("gr00t n1.5", "RTX A4000", 1, {"task": "full"}, {"no"}),
        ("gr00t n1.5", "RTX A4000", 1, {}, {"fits"}),
        ("nnu-net", "RTX 3080 10GB", 1, {"task": "full"}, {"fits", "tight"}),
        ("indextts", "RTX 3060 12GB", 1, {}, {"fits", "tight"}),
        ("faster-whisper", "GTX 1060 6GB", 1, {}, {"fits"}),
        ("gpt-2", "RTX 3060 12GB", 1, {"task": "full"}, {"fits"}),
        ("bert base", "RTX 2080 Ti", 1, {"task": "full"}, {"fits", "tight"}),
        ("flux", "RTX 4070 Ti Super", 1, {"task": "lora"}, {"tight"}),
    ],
)  # fmt: skip
def test_what_people_ask(name: str, card: str, count: int, options: dict[str, Any], verdicts: set[str]) -> None:
    assert fit(name, card, count, **options).verdict in verdicts


def test_without_a_format_the_best_that_fits_is_taken() -> None:
    result = fit("llama 3 8b", "RTX 3060 12GB")
    assert result.verdict == "fits"
    assert result.estimate.precision == "q8_0"
    assert [step[0] for step in result.ladder] == ["fp16", "q8_0", "q4_k_m"]


def test_training_copies_the_model_to_each_card_and_sharding_is_offered() -> None:
    result = fit("qwen2 72b", "RTX 4090", 8, task="qlora")
    assert ("not_pooled", {"count": 8}) in result.notes
    shard = next(r for r in result.remedies if r.code == "shard")
    assert shard.gb < 23
    assert fit("qwen2 72b", "RTX 4090", 8, task="qlora", sharded=True).verdict != "no"


def test_the_weakest_card_decides_where_memory_is_not_pooled() -> None:
    both = FITTER.fit(model("FLUX"), [(gpu("RTX 3090"), 1), (gpu("RTX 3060 12GB"), 1)], Options(task="lora"))
    assert both.usable_gb == pytest.approx(usable_gb(gpu("RTX 3060 12GB"), FITTER.rules))
    assert "weakest_card" in {code for code, _ in both.notes}


@given(language, cards, st.integers(1, 6), st.sampled_from(["q4_k_m", "q8_0", "fp16"]))
def test_more_cards_or_fewer_bits_never_make_it_worse(name: str, card: str, count: int, precision: str) -> None:
    one = fit(name, card, count, precision=precision)
    assert RANK[fit(name, card, count + 1, precision=precision).verdict] >= RANK[one.verdict]
    assert RANK[fit(name, card, count, precision="q2_k").verdict] >= RANK[one.verdict]


@given(language, cards, st.integers(1, 4), st.sampled_from(["inference", "qlora", "full"]))
def test_every_remedy_leads_to_less_and_every_code_is_known(name: str, card: str, count: int, task: str) -> None:
    result = fit(name, card, count, task=task)
    assert result.verdict in RANK
    assert result.verdict != "fits" or not result.remedies
    for remedy in result.remedies:
        assert remedy.cost in COSTS
        assert set(remedy.parameters) == set(REMEDIES[remedy.code])
        if remedy.cost != "money":
            assert remedy.gb <= result.usable_gb + 1e-6
    for code, values in result.estimate.assumptions:
        assert set(values) == set(ASSUMPTIONS[code])
    for code, values in result.notes:
        assert set(values) == set(NOTES[code])
    words = load_fit_words()
    for lang in ("en", "zh-CN"):
        texts = [words.verdict(result, lang), words.deciding(result.estimate, lang)]
        texts += [words.remedy(r, lang) for r in result.remedies] + [words.note(n, lang) for n in result.notes]
        texts += [words.assumption(a, lang) for a in result.estimate.assumptions]
        assert all(t and "{" not in t for t in texts)


def test_what_given_cards_run() -> None:
    twelve = {r.model: r.precision for r in FITTER.what_fits([(gpu("RTX 3060 12GB"), 1)])}
    assert "Qwen3 14B" in twelve
    assert "Llama 3.3 70B" not in twelve
    three = {r.model for r in FITTER.what_fits([(gpu("P40"), 3)])}
    assert {"Llama 3.3 70B", "gpt-oss 120B"} <= three
    largest = FITTER.largest_size([(gpu("RTX 3060 12GB"), 1)])
    assert largest is not None
    assert largest.model == "14B"
    assert FITTER.largest_size([(gpu("GT 1030"), 1)]) is None
    pictures = {r.model for r in FITTER.what_fits([(gpu("RTX 3060 12GB"), 1)], kinds=("image",))}
    assert "SDXL" in pictures
    assert "Qwen-Image" not in pictures


def test_what_a_model_needs() -> None:
    r1 = FITTER.what_needed(model("deepseek-r1 671b"))
    assert r1.rows[0].precision == "fp8"
    assert (8, 96) in r1.rows[0].cards
    assert (8, 80) not in r1.rows[0].cards
    seventy = FITTER.what_needed(model("llama 2 70b"), precision="q4_k_m")
    assert (2, 24) in seventy.rows[0].cards
    assert seventy.pooled
    full = FITTER.what_needed(model("llama 2 70b"), "full")
    assert full.card_gb > 1000
    assert (16, 80) in full.rows[0].cards
    assert FITTER.what_needed(model("bert base"), "full").rows[0].cards == ((1, 12),)


def test_vllm_says_which_cards_it_does_not_take() -> None:
    assert "vllm_compute" in {code for code, _ in fit("7B", "P40", framework="vllm").notes}
    assert "vllm_compute" not in {code for code, _ in fit("7B", "RTX 3090", framework="vllm").notes}


def test_usable_memory() -> None:
    rules = FITTER.rules
    assert usable_gb(gpu("RTX 3090"), rules) == pytest.approx(23.3, abs=0.3)
    assert usable_gb(gpu("A10G"), rules) == pytest.approx(22.5, abs=0.1)
    assert usable_gb(modded(gpu("RTX 2080 Ti"), 22), rules) == pytest.approx(21.4, abs=0.1)
    assert usable_gb(modded(gpu("M3 Max"), 36), rules) == pytest.approx(24.1, abs=0.1)
    assert usable_gb(modded(gpu("M2 Ultra"), 192), rules) == 144


def test_machine_notes() -> None:
    codes = {code for code, _ in machine_notes(gpu("RTX 4090"), 4, FITTER.rules)}
    assert codes == {"spacing", "no_nvlink", "no_p2p", "lanes"}
    assert "nvlink" in {code for code, _ in machine_notes(gpu("RTX 3090"), 2, FITTER.rules)}
    assert "passive_cooling" in {code for code, _ in machine_notes(gpu("P40"), 1, FITTER.rules)}


def test_no_card_is_an_error() -> None:
    with pytest.raises(ValueError, match="card"):
        FITTER.fit(model("70B"), [])


@pytest.mark.skipif(not (SHARED / "reference-data").exists(), reason="reference material is absent")
def test_measured_runs_and_failures_of_llama_cpp() -> None:
    from bot.cli.commands.fit import answer

    right = total = 0
    with (SHARED / "reference-data/llm_inference_measured.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if "XiongjieDai" not in row["source"] or not (row["note"] == "OOM" or row["tokens_per_s_generation"]):
                continue
            found = answer({"model": row["model"], "precision": row["quant"], "gpu": row["gpu"], "count": row["count"],
                            "context": row["n_tokens"], "framework": "llama.cpp"})  # fmt: skip
            total += 1
            right += (found["verdict"] == "no") == (row["note"] == "OOM")
    assert total > 300
    assert right / total >= 0.98
