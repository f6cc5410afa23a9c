"""`whichgpu estimate`: the JSON form, wrong use, several cards."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from bot.cli.commands.estimate import answer
from bot.cli.jsonl import UsageError
from bot.cli.main import main


def test_a_relative_speed_has_the_agreed_keys() -> None:
    found = answer({"id": "a", "workload": "transformer", "gpu": ["RTX 4090", "RTX 5070"]})
    assert found["id"] == "a"
    first, second = found["gpus"]
    assert set(first) >= {"name", "relative", "tokens_per_s", "low", "high", "basis"}
    assert (first["name"], first["basis"], second["basis"]) == ("RTX 4090", "measured", "estimated")
    assert first["tokens_per_s"] is None
    assert second["low"] < second["relative"] < second["high"]
    assert all(source["title"] for source in found["sources"])


def test_a_model_gives_tokens_per_second() -> None:
    (entry,) = answer({"model": "Llama 3 8B", "quant": "q4_k_m", "gpu": "RTX 3090"})["gpus"]
    assert entry["relative"] is None
    assert entry["tokens_per_s"] == pytest.approx(111.7, abs=1)


def test_a_size_alone_is_enough_and_the_format_assumed_is_told() -> None:
    found = answer({"model": "13B", "gpu": "RTX 3060"})
    assert found["gpus"][0]["name"] == "RTX 3060 12GB"
    assert 15 < found["gpus"][0]["tokens_per_s"] < 50
    assert any("q4_k_m" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Tesla V100 SXM2/3 32GB", "V100 SXM2 32GB"),
        ("A100 PCIe 40GB", "A100 40GB"),
        ("H100 SXM5 80GB", "H100 SXM 80GB"),
        ("GeForce RTX 3090", "RTX 3090"),
    ],
)
def test_names_as_others_write_them_are_understood(written: str, name: str) -> None:
    assert answer({"benchmark": "gnmt", "gpu": written})["gpus"][0]["name"] == name


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        ({"workload": "cnn"}, "which card"),
        ({"gpu": "RTX 3090"}, "for what"),
        ({"gpu": "RTX 3090", "workload": "mining"}, "mining"),
        ({"gpu": "RTX 3090", "benchmark": "alexnet"}, "alexnet"),
        ({"gpu": "RTX 3090", "model": "no such model"}, "not known"),
        ({"gpu": "RTX 3090", "model": "8B", "quant": "q9_z"}, "q9_z"),
        ({"gpu": "RTX 3090", "model": "8B", "count": "x"}, "count"),
        ({"gpu": "RTX 3095", "workload": "cnn"}, "RTX 3095"),
        ({"gpu": "RTX 3090", "workload": "cnn", "mode": "sleeping"}, "sleeping"),
        ({"gpu": "RTX 3090", "model": "SDXL"}, "token by token"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(request_: dict[str, Any], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        answer(request_)


def test_wrong_use_on_the_command_line_exits_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "--workload", "cnn", "--gpu", "RTX 3095"]) == 2
    assert "RTX 3095" in capsys.readouterr().err


def test_the_plain_form_says_measured_or_how_far_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "--workload", "cnn", "--gpu", "RTX 4090", "RX 9070 XT", "TPU v3"]) == 0
    out = capsys.readouterr().out
    assert "measured" in out
    assert "estimated, about ±40 %" in out
    assert "unknown" in out


def test_json_lines_keep_order_and_ids(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = b'{"id": 1, "workload": "cnn", "gpu": "RTX 3095"}\nnonsense\n{"id": 3, "benchmark": "ssd", "gpu": ["T4"]}\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert main(["estimate", "--jsonl"]) == 1
    first, second, third = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["id"] == 1
    assert first["gpus"][0]["relative"] is None
    assert "error" in second
    assert third["id"] == 3
    assert third["gpus"][0]["relative"] > 0
