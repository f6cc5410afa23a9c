"""The catalogue check: it finds planted faults, and finds none in our table."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bot.hardware.catalogue import Catalogue
from bot.hardware.check import check_catalogue, compare_epoch
from bot.hardware.gpu import Gpu
from bot.hardware.names import NameResolver
from bot.loading import load_catalogue, load_resolver

SHARED = Path(os.environ.get("WHICHGPU_SHARED", Path(__file__).parents[2].parent / "shared"))
EPOCH = SHARED / "reference-data" / "epoch_ml_hardware.csv"


def _with(changed: Gpu) -> list[str]:
    """What the check says of one card after a change."""
    catalogue = load_catalogue()
    gpus = tuple(changed if gpu.name == changed.name else gpu for gpu in catalogue.gpus)
    altered = Catalogue(gpus, catalogue.architectures, {gpu.name: gpu for gpu in gpus}, catalogue.groups)
    resolver = NameResolver(altered, load_resolver().vocabulary)
    return [fault.text for fault in check_catalogue(altered, resolver) if fault.gpu == changed.name]


def test_our_table_is_sound() -> None:
    resolver = load_resolver()
    assert [fault for fault in check_catalogue(resolver.catalogue, resolver) if not fault.hint] == []


@pytest.mark.parametrize(
    ("name", "change", "part"),
    [
        ("RTX 3090", {"bandwidth_gbs": 760.0}, "bus x rate"),
        ("RTX 3090", {"fp16_tensor_fp16acc_tflops": 40.0}, "is below fp16_tensor_tflops"),
        ("RTX 3090", {"fp8_tflops": 142.0}, "has no fp8"),
        ("GTX 1080", {"fp16_tensor_tflops": 35.0}, "no matrix units"),
        ("RTX 3090", {"vendor": "amd"}, "vendor amd"),
        ("RTX 3090", {"released": "2019-01"}, "released 2019-01, before Ampere"),
        ("RTX 3090", {"fault": "hot"}, "one language only"),
        ("RTX 3090", {"sources": ("Somebody's page",)}, "no date"),
        ("RTX 3090", {"aliases": ("RTX 3080 Ti",)}, "also stands for RTX 3080 Ti"),
        ("RTX 3090", {"aliases": ("RTX 4090",)}, "does not lead to this card"),
    ],
)
def test_planted_faults_are_found(name: str, change: dict[str, object], part: str) -> None:
    gpu = replace(load_catalogue().by_name[name], **change)  # type: ignore[arg-type]
    catalogue_texts = _with(gpu)
    others = [text for text in catalogue_texts if part in text]
    if not others and "aliases" in change:
        # The clash is told at whichever of the two stands later.
        resolver = load_resolver()
        gpus = tuple(gpu if card.name == name else card for card in resolver.catalogue.gpus)
        altered = replace(resolver.catalogue, gpus=gpus, by_name={card.name: card for card in gpus})
        texts = [fault.text for fault in check_catalogue(altered, NameResolver(altered, resolver.vocabulary))]
        others = [text for text in texts if part in text or "also stands for RTX 3090" in text]
    assert others, catalogue_texts


def test_comparison_with_a_public_table() -> None:
    resolver = load_resolver()
    text = "Hardware name,Memory (bytes),TDP (W)\nNVIDIA GeForce RTX 3090,24000000000,420\nUnheard-of X9,1,1\n"
    faults = list(compare_epoch(resolver.catalogue, resolver, text))
    assert [(fault.gpu, fault.hint) for fault in faults] == [("RTX 3090", True)]
    assert "tdp_w 350, Epoch AI has 420" in faults[0].text


@pytest.mark.skipif(not EPOCH.exists(), reason="the public reference tables are not at hand (WHICHGPU_SHARED)")
def test_differences_from_epochs_table_are_known_ones() -> None:
    """Each difference was looked at: Epoch's errors (dies, FP16 accumulation) and figures marked uncertain here."""
    resolver = load_resolver()
    known = {
        "B200", "B300", "GB200", "MI355X", "MI308X", "MI300A", "H800 SXM", "A800 80GB", "RTX 4070", "RX 7900 XTX",
        "RTX 4090", "RTX 3090 Ti", "RTX 2080 Ti", "P40", "K80",
    }  # fmt: skip
    faults = compare_epoch(resolver.catalogue, resolver, EPOCH.read_text(encoding="utf-8"))
    assert {fault.gpu for fault in faults} <= known


def test_command_shows_lists_and_checks(capsys: pytest.CaptureFixture[str]) -> None:
    from bot.cli.main import main

    assert main(["catalogue", "show", "3060", "12gb"]) == 0
    shown = capsys.readouterr().out
    assert "RTX 3060 12GB" in shown
    assert "25.5~" in shown
    assert main(["catalogue", "show", "--json", "RTX", "3060"]) == 0
    assert [card["name"] for card in json.loads(capsys.readouterr().out)] == ["RTX 3060 12GB", "RTX 3060 8GB"]
    assert main(["catalogue", "list", "--vendor", "intel"]) == 0
    assert "Arc B580" in capsys.readouterr().out
    assert main(["catalogue", "check"]) == 0
    assert "0 faults" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "part"), [("rtx 6000", "Say which"), ("rtx 6090", "not in the catalogue"), ("", "Say which card")]
)
def test_command_refuses_in_a_sentence(name: str, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    from bot.cli.main import main

    assert main(["catalogue", "show", *name.split()]) == 2
    assert part in capsys.readouterr().err
