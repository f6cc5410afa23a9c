"""Figures in texts come from the catalogue."""

from __future__ import annotations

import pytest

from bot.facts.entries import parse_knowledge
from bot.facts.render import resolve, resolve_text
from tests.facts.small import entry_text, find


@pytest.mark.parametrize(
    ("text", "chinese", "shown"),
    [
        ("It has {RTX 3090|bandwidth_gbs}.", False, "It has 936 GB/s."),
        ("{RTX 3090|memory_gb} and {RTX 3060|memory_gb}", False, "24 GB and 12 GB"),
        ("{RTX 3090|fp16_tensor_tflops}", False, "about 71.2 TFLOPS"),
        ("{RTX 3090|fp16_tensor_tflops}", True, "约 71.2 TFLOPS"),
        ("{RTX 3090|architecture}, {RTX 3090|released}", False, "Ampere, 2020-09"),
        ("no reference", False, "no reference"),
    ],
)
def test_references_are_filled_in(text: str, chinese: bool, shown: str) -> None:
    assert resolve_text(text, find, chinese=chinese) == (shown, [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{RTX 9999|memory_gb}", "not in the catalogue"),
        ("{RTX 3090|colour}", "unknown field"),
        ("{RTX 3090|nvlink_gbs}", "does not know this figure"),
        ("{RTX 3090}", "not a reference"),
    ],
)
def test_dead_references_are_told(text: str, problem: str) -> None:
    _, problems = resolve_text(text, find, chinese=False)
    assert len(problems) == 1
    assert problem in problems[0]


def test_a_base_is_resolved_in_answers_thens_and_notes() -> None:
    text = entry_text(
        answer='answer: {en: "{RTX 3090|tdp_w}", zh: "{RTX 3090|tdp_w}"}',
        then='then: {guides: [g], en: "{RTX 3090|memory_gb}", zh: "{RTX 3060 12GB|memory_gb}"}',
        when="when: {multi_gpu: true}",
        note='note: {en: "{RTX 3090|memory_type}", zh: "{RTX 3090|nothing}"}',
    )
    base, faults = resolve(parse_knowledge([(text, "k.yaml")]), find)
    (entry,) = base.entries
    assert entry.answer_text("en") == "350 W"
    assert entry.then_text("zh-CN") == "12 GB"
    assert base.by_id["bandwidth"] is entry
    assert base.noted == (entry,)
    assert [(fault.where, fault.field) for fault in faults] == [("k.yaml", "note.zh")]
    assert faults[0].line == entry.lines["note"]
