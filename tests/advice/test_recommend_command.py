"""The commands recommend, price and backtest, as they are called from outside."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from bot.cli.main import main

PICK_KEYS = {"gpu", "count", "condition", "price", "total", "memory_gb", "role", "reasons", "warnings"}


def test_recommend_prints_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", "--workload", "llm", "--budget", "1200", "--condition", "used", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert {"picks", "sources", "notes"} <= set(answer)
    first = answer["picks"][0]
    assert set(first) >= PICK_KEYS
    assert first["role"] == "best"
    assert first["price"]["currency"] == "USD"
    assert first["total"]["amount"] <= 1200


def test_recommend_in_another_currency_and_for_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", "--model", "Llama 3 70B", "--budget", "3000", "--currency", "EUR", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["picks"][0]
    assert first["total"]["currency"] == "EUR"
    assert first["memory_gb"] >= 40


def test_lines_come_back_with_their_ids(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        {"id": "a", "workload": "kaggle", "budget": 400},
        {"id": "b", "workload": ["cv", "nlp"], "level": "research", "as_of": "2019-04"},
        {"id": "c", "level": "wizard"},
        {"id": "d", "budget": {"min": 600, "max": 800}, "multi_gpu": True, "min_memory": 8},
        "not an object",
    ]
    text = "\n".join(json.dumps(line) for line in lines) + "\n\nnot json\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["recommend", "--jsonl"]) == 1
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["id"] for answer in answers] == ["a", "b", "c", "d", None, None]
    assert answers[0]["picks"]
    assert answers[1]["picks"][0]["gpu"] == "RTX 2080 Ti"
    assert "wizard" in answers[2]["error"]
    assert "error" in answers[4]


@pytest.mark.parametrize(
    "options",
    [
        ["--workload", "knitting"],
        ["--budget", "lots"],
        ["--budget", "-5"],
        ["--currency", "XAU", "--budget", "5"],
        ["--level", "wizard"],
        ["--as-of", "April"],
        ["--count", "1.5"],
        ["--vendor", "3dfx"],
        ["--model", "No Such Model"],
    ],
)
def test_bad_options_get_a_sentence_and_exit_code_2(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", *options]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith("whichgpu recommend: ")
    assert err.rstrip().endswith(".")


def test_recommend_tells_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", "--budget", "700"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("best: ")
    assert "(NVIDIA preferred" in text


def test_price_lists_points_with_dates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["price", "RTX 3090", "--condition", "used", "--currency", "EUR", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["points"]
    for point in answer["points"]:
        assert point["currency"] == "EUR"
        assert point["condition"] in ("used", "any")
        assert point["as_of"]
        assert point["source"]


def test_price_of_no_card_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["price", "RTX 9999"]) == 2
    assert "catalogue" in capsys.readouterr().err


def test_backtest_prints_rows_and_sums(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows, prices = tmp_path / "rows.yaml", tmp_path / "prices.csv"
    rows.write_text(
        "- {id: x, as_of: 2018-08, profile: {budget: {max: 300}}, pick: [GTX 1060 6GB]}\n", encoding="utf-8"
    )
    prices.write_text(
        "as_of,gpu,condition,price_usd,source\n2018-08,GTX 1060 6GB,new,280,x\n2018-08,Voodoo 2,new,99,x\n",
        encoding="utf-8",
    )
    assert main(["backtest", str(rows), "--prices", str(prices), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["right"], answer["total"]) == (1, 1)
    assert answer["rows"][0]["picks"] == ["GTX 1060 6GB"]
    assert "Voodoo 2" in answer["notes"][0]


def test_backtest_with_a_broken_file_says_where(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = tmp_path / "rows.yaml"
    rows.write_text("- {id: x}\n", encoding="utf-8")
    assert main(["backtest", str(rows)]) == 3
    assert "rows.yaml, line 1, field as_of" in capsys.readouterr().err
