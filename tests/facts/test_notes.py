"""A note is shown when all its conditions hold."""

from __future__ import annotations

from typing import Any

import pytest

from bot.facts.notes import notes_for
from bot.request import GpuMention
from tests.facts.small import entry_text, find, request, small_base

NOTE = 'note: {en: "Mind this.", zh: "注意显存。"}'


@pytest.mark.parametrize(
    ("when", "asked", "shown"),
    [
        ("{multi_gpu: true}", {"multi_gpu": True}, True),
        ("{multi_gpu: true}", {"count": 2}, True),
        ("{multi_gpu: true}", {"count": 1}, False),
        ("{multi_gpu: false}", {}, True),
        ("{gpus: [RTX 3090]}", {"gpus": ("RTX 3090",)}, True),
        ("{gpus: [RTX 3090]}", {"gpus": ("RTX 3060",)}, False),
        ("{gpus: [RTX 3060 12GB]}", {"gpus": ("RTX 3060",)}, True),
        ("{gpus: [RTX 3060]}", {"gpus": ("RTX 3060 12GB",)}, True),
        ("{architectures: [Ampere]}", {"gpus": ("RTX 3090",)}, True),
        ("{architectures: [Turing]}", {"gpus": ("RTX 3090",)}, False),
        ("{architectures: [Ampere]}", {"gpus": ("unknown",)}, False),
        ("{vendors: [amd]}", {"vendors": ("amd",)}, True),
        ("{vendors: [nvidia]}", {"gpus": ("RTX 3090",)}, True),
        ("{vendors: [amd]}", {"gpus": ("RTX 3090",)}, False),
        ("{workloads: [llm, nlp], modes: [training]}", {"workloads": ("nlp",), "modes": ("training",)}, True),
        ("{workloads: [llm], modes: [training]}", {"workloads": ("llm",)}, False),
        ("{operating_system: [windows]}", {"operating_system": "windows"}, True),
        ("{level: [research]}", {"level": "hobby"}, False),
        ("{condition: [used]}", {"condition": "used"}, True),
        ("{methods: [lora]}", {"method": "lora"}, True),
        ("{form_factors: [laptop]}", {"form_factors": ("laptop",)}, True),
        ("{asks: [psu]}", {"asks": ("psu",)}, True),
        ("{asks: [psu]}", {}, False),
    ],
)
def test_all_conditions_must_hold(when: str, asked: dict[str, Any], shown: bool) -> None:
    base = small_base(entry_text("noted", when=f"when: {when}", note=NOTE))
    found = notes_for(request(**asked), base, find)
    assert [(entry.id, note) for entry, note in found] == ([("noted", "Mind this.")] if shown else [])


def test_a_count_beside_a_card_makes_several() -> None:
    base = small_base(entry_text("noted", when="when: {multi_gpu: true}", note=NOTE))
    two = request().__class__(text="", language="zh-CN", kind="concept", gpus=(GpuMention("RTX 3090", count=2),))
    assert notes_for(two, base, find)[0][1] == "注意显存。"


def test_the_most_specific_note_comes_first() -> None:
    base = small_base(
        entry_text("broad", when="when: {multi_gpu: true}", note=NOTE),
        entry_text("narrow", when="when: {gpus: [RTX 3090], multi_gpu: true}", note=NOTE),
    )
    asked = request(gpus=("RTX 3090",), multi_gpu=True)
    assert [entry.id for entry, _ in notes_for(asked, base, find)] == ["narrow", "broad"]
    assert len(notes_for(asked, base, find, limit=1)) == 1
