"""The commands fit and cost: options, JSON lines, faults told as sentences."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from bot.cli.main import main

KEYS = {"id", "low_gb", "likely_gb", "high_gb", "verdict", "assumptions", "remedies", "sources", "notes"}


def lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, *requests: object) -> Any:
    text = "\n".join(r if isinstance(r, str) else json.dumps(r) for r in requests)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code = main([command, "--jsonl"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_one_object_with_all_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "--model", "llama 3 70b", "--gpu", "RTX 3090", "--count", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) >= KEYS
    assert found["verdict"] == "fits"
    assert all({"title", "ref", "as_of"} == set(s) and s["as_of"] for s in found["sources"])


def test_plain_text_names_the_context_and_the_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "--model", "70B", "--gpu", "RTX 4090"]) == 0
    text = capsys.readouterr().out
    assert "8,192 tokens" in text
    assert "Sources:" in text
    assert "does not fit" in text


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ([], "which model"), (["--model", "frobnicate"], "frobnicate"),
        (["--model", "7B", "--gpu", "RTX 9999"], "9999"),
        (["--model", "7B", "--precision", "q99"], "q99"), (["--model", "7B", "--kv-cache", "q1"], "q1"),
        (["--model", "7B", "--context", "long"], "long"), (["--model", "7B", "--task", "sing"], "sing"),
        (["--model", "7B", "--count", "0", "--gpu", "P40"], "count"),
    ],
)  # fmt: skip
def test_faults_are_sentences_on_standard_error(options: Any, word: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert word in err
    assert err.strip().endswith(".")


def test_json_lines_keep_order_and_ids_and_go_on_after_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = lines(
        monkeypatch, capsys, "fit",
        {"id": "a", "model": "Llama 3 8B", "precision": "q4_k_m", "gpu": "RTX 3060", "context": "4096"},
        "not json", {"id": "b", "model": "nothing known"},
        {"id": "c", "model": "Qwen-7B", "precision": "bf16+kv-int8", "context": 8192, "framework": "odd one"},
        {"id": "d", "model": "resnet50", "task": "train", "precision": "amp", "batch": 112, "context": "224px"},
        {"id": "e", "model": "Llama-3-70B", "gpu": "M1 Max 32‑Core GPU 64GB", "precision": "Q4_K_M"},
        {"id": "f", "model": "7B", "gpu": ["RTX 3090", "2x RTX 3060 12GB"]},
        {"id": "g", "model": "7B", "gpu": "RTX 9999"}, {"id": "h", "model": "Llama 3 70B", "gpu": "RTX 3090 x2"},
    )  # fmt: skip
    assert code == 1
    assert [f["id"] for f in found] == ["a", None, "b", "c", "d", "e", "f", "g", "h"]
    assert found[0]["verdict"] == "fits"
    assert "error" in found[1]
    assert "error" in found[2]
    assert "framework_unknown" in {a["code"] for a in found[3]["assumptions"]}
    assert found[7]["verdict"] is None
    assert "gpu_unknown" in {a["code"] for a in found[7]["assumptions"]}
    assert found[8]["verdict"] == "fits"
    assert found[4]["likely_gb"] == pytest.approx(7.6, rel=0.1)
    assert found[5]["usable_gb"] == pytest.approx(48)
    assert found[6]["verdict"] == "fits"


def test_what_is_left_out_widens_the_range(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = lines(
        monkeypatch, capsys, "fit", {"model": "Llama 3 8B", "precision": "fp16"},
        {"model": "Llama 3 8B", "precision": "fp16", "framework": "exllama"},
    )  # fmt: skip
    blind, known = (f["high_gb"] / f["low_gb"] for f in found)
    assert known < blind <= 2.001


def test_spread_and_offloaded_training_is_read_from_the_precision(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request = {"model": "Llama-3.1-8B", "task": "full", "context": 32768, "framework": "deepspeed", "count": 8}
    _, found = lines(
        monkeypatch, capsys, "fit", {**request, "precision": "bf16"},
        {**request, "precision": "bf16 ZeRO-3x8 + CPU optim offload"},
    )  # fmt: skip
    assert found[1]["likely_gb"] == pytest.approx(25.8, rel=0.1)
    assert found[0]["likely_gb"] > 100


def test_a_fit_that_runs_says_how_fast(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", "--model", "llama 3 8b", "--precision", "q4_k_m", "--gpu", "RTX 3090", "--json"]) == 0
    speed = json.loads(capsys.readouterr().out)["tokens_per_s"]
    assert speed["low"] <= speed["value"] <= speed["high"]
    assert speed["basis"] in ("measured", "estimated")


def test_cost_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--price", "2200", "--kw", "0.45", "--electricity", "0.12", "--cloud-price", "2.14",
               "--hours-per-week", "25.2"]  # fmt: skip
    assert main(["cost", *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["break_even_hours"] == pytest.approx(1055, abs=1)
    assert found["verdict"] == "buy"


def test_cost_of_a_known_card_shows_where_its_prices_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", "--gpu", "RTX 4090", "--hours-per-week", "40"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(("Buy:", "Rent:"))
    assert "Sources:" in text
    assert "(20" in text


def test_cost_lines_and_faults(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = lines(
        monkeypatch, capsys, "cost", {"id": 1, "gpu": "RTX 3090", "price": 900, "cloud_price": 0.3},
        {"id": 2, "gpu": "RTX 3090", "price": "much"}, {"id": 3}, {"id": 4, "price": 500, "cloud_price": 0.01},
    )  # fmt: skip
    assert code == 1
    assert found[0]["break_even_hours"] > 0
    assert "much" in found[1]["error"]
    assert "error" in found[2]
    assert found[3]["break_even_hours"] is None
    assert found[3]["verdict"] == "rent"
    assert main(["cost", "--gpu", "RTX 9999"]) == 2
    assert "9999" in capsys.readouterr().err
