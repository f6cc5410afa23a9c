"""The catalogue's loader and what its figures must agree on."""

from __future__ import annotations

import pytest

from bot.hardware.catalogue import ARCHITECTURE_COLUMNS, GPU_COLUMNS, Catalogue, parse_catalogue
from bot.loading import load_catalogue
from bot.tables import DataError

ARCHITECTURES = (
    ",".join(ARCHITECTURE_COLUMNS)
    + "\nAda,nvidia,2022-09,8.9,yes,yes,yes,yes,yes,no,yes,full,All,全部,Maker's table (2022-09),2026-11\n"
)


def _row(**cells: str) -> str:
    row = {
        "name": "RTX 1", "vendor": "nvidia", "architecture": "Ada", "segment": "consumer", "released": "2023-01",
        "memory_gb": "8", "sources": "Maker's datasheet (2023-01)",
    } | cells  # fmt: skip
    return ",".join(row.get(column, "") for column in GPU_COLUMNS)


def _parse(*rows: str) -> Catalogue:
    return parse_catalogue("\n".join([",".join(GPU_COLUMNS), *rows]), "gpus.csv", ARCHITECTURES, "architectures.csv")


def test_every_card_of_a_kind_is_there() -> None:
    catalogue = load_catalogue()
    assert len(catalogue.gpus) >= 190
    wanted = (
        "GTX 970", "GTX 1060 3GB", "GTX 1650 Ti", "RTX 2060 12GB", "RTX 3090", "RTX 4090 D", "RTX 5090", "Titan V",
        "Quadro P6000", "RTX A6000", "RTX 6000 Ada", "RTX PRO 6000", "K80", "P40", "V100 32GB", "T4", "A10G",
        "A100 SXM 80GB", "H20", "B200", "L40S", "CMP 40HX", "GTX 480", "RTX 4090 Laptop", "RX 7900 XTX", "MI50 32GB",
        "MI300X", "Arc B580", "M3 Ultra", "DGX Spark", "Strix Halo", "TPU v3", "Ascend 910B 64GB", "MTT S80",
    )  # fmt: skip
    assert [name for name in wanted if name not in catalogue.by_name] == []


def test_figures_that_every_guide_quotes() -> None:
    catalogue = load_catalogue()
    quoted = {
        "GTX 1080": (8, 320, 180), "GTX 1080 Ti": (11, 484, 250), "RTX 2080 Ti": (11, 616, 250),
        "RTX 3090": (24, 936, 350), "RTX 4090": (24, 1008, 450), "RTX 5090": (32, 1792, 575),
        "A100 80GB": (80, 1935, 300), "H100 SXM 80GB": (80, 3350, 700), "MI300X": (192, 5300, 750),
    }  # fmt: skip
    for name, (memory, bandwidth, watts) in quoted.items():
        gpu = catalogue.by_name[name]
        assert (gpu.memory_gb, gpu.bandwidth_gbs, gpu.tdp_w) == (memory, bandwidth, watts), name


def test_geforce_tensor_figures_are_with_fp32_accumulation() -> None:
    gpus = load_catalogue().by_name
    assert gpus["RTX 4090"].fp16_tensor_tflops == 165.2
    assert gpus["RTX 4090"].fp16_tensor_fp16acc_tflops == 330.3
    assert gpus["RTX A6000"].fp16_tensor_tflops == pytest.approx(4 * 38.7, rel=0.01)
    assert gpus["RTX 3060 12GB"].marks["fp16_tensor_tflops"] == "computed"
    assert gpus["GTX 1080 Ti"].fp16_tensor_tflops is None


def test_groups_and_their_default() -> None:
    catalogue = load_catalogue()
    assert catalogue.is_group("RTX 3060")
    assert not catalogue.is_group("RTX 3090")
    default = catalogue.get("RTX 3060")
    assert default is not None
    assert default.name == "RTX 3060 12GB"
    assert catalogue.cards("RTX 3060")[0] is default
    assert {gpu.memory_gb for gpu in catalogue.cards("RTX 3060")} == {12, 8}
    assert [gpu.name for gpu in catalogue.cards("RTX 3090")] == ["RTX 3090"]
    assert catalogue.get("rtx 3090") is None
    assert catalogue.cards("no such card") == ()


def test_formats_of_the_generations() -> None:
    gpus = load_catalogue().by_name
    assert gpus["RTX 4090"].supports("fp8") == "yes"
    assert gpus["RTX 3090"].supports("fp8") == "no"
    assert gpus["V100 16GB"].supports("bf16") == "no"
    assert gpus["P40"].supports("fp16") == "slow"
    assert gpus["K80"].architecture.software == "dropped"
    assert gpus["GTX 1660"].architecture.tensor_cores is False


@pytest.mark.parametrize(
    ("rows", "field", "part"),
    [
        ([_row(), _row()], "name", "twice"),
        ([_row(architecture="Nothing")], "architecture", "architectures.csv"),
        ([_row(memory_gb="")], "memory_gb", "empty"),
        ([_row(memory_gb="-4")], "memory_gb", "outside"),
        ([_row(tdp_w="nan")], "tdp_w", "outside"),
        ([_row(tdp_w="many")], "tdp_w", "not a number"),
        ([_row(cuda_cores="12.5")], "cuda_cores", "whole"),
        ([_row(released="soon")], "released", "date"),
        ([_row(segment="toaster")], "segment", "not known"),
        ([_row(cooler="ice")], "cooler", "not known"),
        ([_row(sources="")], "sources", "no source"),
        ([_row(group="RTX G")], "default_of_group", "exactly one default"),
        ([_row(group="RTX G", default_of_group="yes"), _row(name="RTX G")], "group", "also the name of a card"),
    ],
)
def test_faults_are_told_with_file_line_and_field(rows: list[str], field: str, part: str) -> None:
    with pytest.raises(DataError) as error:
        _parse(*rows)
    assert error.value.field == field
    assert part in str(error.value)
    assert error.value.where == "gpus.csv"
    assert error.value.line is not None


def test_marks_are_kept_and_taken_off_the_figure() -> None:
    gpu = _parse(_row(fp32_tflops="10.5~", tdp_w="200?", bandwidth_gbs="300")).gpus[0]
    assert (gpu.fp32_tflops, gpu.tdp_w) == (10.5, 200)
    assert gpu.marks == {"fp32_tflops": "computed", "tdp_w": "uncertain"}


def test_an_architecture_given_twice_is_an_error() -> None:
    doubled = ARCHITECTURES + ARCHITECTURES.splitlines()[1] + "\n"
    with pytest.raises(DataError, match="twice"):
        parse_catalogue(",".join(GPU_COLUMNS) + "\n", "gpus.csv", doubled, "architectures.csv")
