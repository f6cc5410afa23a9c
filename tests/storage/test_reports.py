"""What curators read: gaps grouped by likeness, thumbs, stubs; and the commands that print them."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml

from bot.cli.commands.report import stubs
from bot.cli.main import main
from bot.facts.entries import parse_knowledge
from bot.storage.likeness import Group, group
from bot.storage.reports import Rate, report, unanswered
from bot.storage.store import Store
from tests.storage.samples import exchange


def test_like_wordings_are_one_group_and_others_are_not() -> None:
    groups = group(
        [
            ("which gpu for rwkv", 3, 10), ("which gpu for rwkv training", 2, 30), ("for rwkv which gpu", 1, 20),
            ("can i use a 3090 with thunderbolt", 4, 5), ("3090能用雷电吗", 2, 6), ("3090可以用雷电吗", 1, 7),
        ]
    )  # fmt: skip
    assert [(one.question, one.times, one.last_at) for one in groups] == [
        ("which gpu for rwkv", 6, 30), ("can i use a 3090 with thunderbolt", 4, 5), ("3090能用雷电吗", 3, 7),
    ]  # fmt: skip
    assert groups[0].wordings == (
        ("which gpu for rwkv", 3),
        ("which gpu for rwkv training", 2),
        ("for rwkv which gpu", 1),
    )


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "state/whichgpu.sqlite")
    yield opened
    await opened.close()


async def _fill(store: Store) -> None:
    number = 0
    for question, times, kind in (
        ("Which GPU for RWKV?", 3, "recommend"), ("which gpu for rwkv", 2, "recommend"),
        ("hello there", 9, "smalltalk"), ("how do I bake bread", 9, "out_of_scope"), ("3090能用雷电吗？", 1, "concept"),
    ):  # fmt: skip
        for _ in range(times):
            number += 1
            store.record(exchange(number, question=question, abstained=True, kind=kind, language="en"))
    for entry, good, count in (("tensor-cores", False, 2), ("tensor-cores", True, 1), ("nvlink", True, 3)):
        for _ in range(count):
            number += 1
            store.record(exchange(number, answer=json.dumps({"facts": [entry]}), kind="concept", language="zh-CN"))
            await store.feedback(f"{number:010x}", "bob", good)
    store.record(exchange(900, answer="broken", kind="fit"))
    await store.feedback(exchange(900).id, "bob", False)


async def test_report(store: Store) -> None:
    await _fill(store)
    assert store.database
    found = await report(store.database, 0)
    assert [(one.question, one.times) for one in found.unanswered] == [("which gpu for rwkv", 5), ("3090能用雷电吗", 1)]
    assert found.rates_by_entry == (Rate("tensor-cores", 1, 2), Rate("nvlink", 3, 0))
    assert found.rates_by_kind == (Rate("concept", 4, 2), Rate("fit", 0, 1))
    assert found.by_language == (("en", 25), ("zh-CN", 6))
    assert found.by_surface == (("slash", 31),)
    assert await unanswered(store.database, 10, since=exchange(10_000).at) == []
    assert [one.times for one in await store.unanswered(1)] == [5]


def test_stubs_become_entries_once_they_are_filled_in() -> None:
    groups = [
        Group("which gpu for rwkv", 5, 0, (("which gpu for rwkv", 3), ("gpu: rwkv # \"quoted\"\x1b[2J", 2))),
        Group("which gpu for rwkv", 1, 0, (("3090能用雷电吗", 1),)),
    ]  # fmt: skip
    text = stubs(groups)
    assert "\x1b" not in text
    data = yaml.safe_load(text)
    assert [entry["id"] for entry in data] == ["which-gpu-for-rwkv", "which-gpu-for-rwkv-2"]
    assert data[1]["question"] == {"en": "TODO", "zh": "3090能用雷电吗"}
    filled = text.replace("topic: TODO", "topic: apple").replace("as_of: TODO", "as_of: 2026-12")
    base = parse_knowledge([(filled, "stubs.yaml")])
    assert [entry.id for entry in base.entries] == ["which-gpu-for-rwkv", "which-gpu-for-rwkv-2"]


async def test_report_command(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import asyncio

    await _fill(store)
    await store.flush()
    assert store.database
    assert store.database.file
    monkeypatch.setenv("WHICHGPU_STATE_DIR", str(store.database.file.parent))
    assert await asyncio.to_thread(main, ["report", "--days", "3650"]) == 0
    shown = capsys.readouterr().out
    assert "31 questions of 1 people" in shown
    assert "5× which gpu for rwkv" in shown
    assert await asyncio.to_thread(main, ["report", "--days", "3650", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stats"]["questions"] == 31
    assert await asyncio.to_thread(main, ["report", "--days", "3650", "--stubs"]) == 0
    assert yaml.safe_load(capsys.readouterr().out)[0]["id"] == "which-gpu-for-rwkv"


def test_report_before_there_is_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHICHGPU_STATE_DIR", str(tmp_path))
    assert main(["report"]) == 1
    assert "no log yet" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["report", "--days", "0"]) == 2
