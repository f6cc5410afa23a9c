"""The GPU catalogue: data/gpus.csv and data/architectures.csv, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from bot.hardware.gpu import FORMATS, Architecture, Gpu, Segment, Software
from bot.tables import Mark, Row, read_rows

ARCHITECTURE_COLUMNS = (
    "name", "vendor", "released", "compute", *FORMATS, "tensor_cores", "software", "software_note",
    "software_note_zh", "source", "as_of",
)  # fmt: skip
NUMBERS: Mapping[str, tuple[float, float]] = {
    "bandwidth_gbs": (1, 50_000),
    "memory_rate_gbps": (0.1, 64),
    "l2_cache_mb": (0.01, 1024),
    "fp32_tflops": (0.01, 1000),
    "fp16_tflops": (0.001, 2000),
    "fp16_tensor_tflops": (0.1, 20_000),
    "fp16_tensor_fp16acc_tflops": (0.1, 20_000),
    "int8_tops": (0.1, 40_000),
    "fp8_tflops": (0.1, 40_000),
    "fp4_tflops": (0.1, 100_000),
    "tdp_w": (1, 3000),
    "slots": (1, 5),
    "nvlink_gbs": (10, 5000),
    "launch_price_usd": (10, 1_000_000),
}
"""Figures of a card that may be unknown, with the range that a figure can lie in."""
WHOLES: Mapping[str, tuple[int, int]] = {"bus_width_bits": (16, 16_384), "cuda_cores": (8, 100_000)}
COOLERS = ("", "axial", "blower", "passive", "module", "liquid", "laptop")
TEXTS = ("memory_type", "cooler", "power_connector", "compute_capability", "fault", "fault_zh")
GPU_COLUMNS = (
    "name", "vendor", "architecture", "segment", "released", "memory_gb", "memory_type", "bandwidth_gbs",
    "bus_width_bits", "memory_rate_gbps", "l2_cache_mb", "cuda_cores", "fp32_tflops", "fp16_tflops",
    "fp16_tensor_tflops", "fp16_tensor_fp16acc_tflops", "int8_tops", "fp8_tflops", "fp4_tflops", "tdp_w", "slots",
    "cooler", "power_connector", "nvlink_gbs", "compute_capability", "launch_price_usd", "fault", "fault_zh",
    "aliases", "group", "default_of_group", "sources",
)  # fmt: skip
VENDORS = ("nvidia", "amd", "intel", "apple", "google", "huawei", "other")


@dataclass(frozen=True)
class Catalogue:
    """All cards and architectures. Names are canonical: `RTX 3090`, `RTX 3060 12GB`; groups as `RTX 3060`."""

    gpus: tuple[Gpu, ...]
    architectures: Mapping[str, Architecture]
    by_name: Mapping[str, Gpu]
    groups: Mapping[str, tuple[Gpu, ...]]
    """Group name to its variants, the default one first."""

    def get(self, name: str) -> Gpu | None:
        """The card of exactly this canonical name; for a group its default variant; else None."""
        gpu = self.by_name.get(name)
        if gpu is None and name in self.groups:
            return self.groups[name][0]
        return gpu

    def cards(self, name: str) -> tuple[Gpu, ...]:
        """All variants of a group, or the one card of that name; () when there is none."""
        if name in self.groups:
            return self.groups[name]
        gpu = self.by_name.get(name)
        return (gpu,) if gpu else ()

    def is_group(self, name: str) -> bool:
        """Whether the name stands for several variants."""
        return name in self.groups


def parse_catalogue(gpus_text: str, where: str, architectures_text: str, architectures_where: str) -> Catalogue:
    """The catalogue from the texts of its two tables; the other arguments name the files in errors.

    Raises DataError: unknown architecture, a name given twice, a figure out of range, a group without exactly one
    default.
    """
    architectures: dict[str, Architecture] = {}
    for row in read_rows(architectures_text, architectures_where, ARCHITECTURE_COLUMNS):
        architecture = _architecture(row)
        if architecture.name in architectures:
            raise row.fail("name", f"{architecture.name} stands twice", "Keep one of the rows")
        architectures[architecture.name] = architecture
    by_name: dict[str, Gpu] = {}
    groups: dict[str, list[Gpu]] = {}
    rows: dict[str, Row] = {}
    for row in read_rows(gpus_text, where, GPU_COLUMNS):
        gpu = _gpu(row, architectures)
        if gpu.name in by_name:
            raise row.fail("name", f"{gpu.name} stands twice (line {by_name[gpu.name].line})", "Keep one of the rows")
        by_name[gpu.name] = gpu
        if gpu.group:
            rows.setdefault(gpu.group, row)
            groups.setdefault(gpu.group, []).append(gpu)
    for name, members in groups.items():
        if name in by_name:
            raise rows[name].fail("group", f"{name} is also the name of a card", "Rename the card or the group")
        if sum(gpu.default_of_group for gpu in members) != 1:
            raise rows[name].fail(
                "default_of_group", f"{name} needs exactly one default", "Write yes at one of its variants"
            )
        members.sort(key=lambda gpu: not gpu.default_of_group)
    return Catalogue(
        tuple(by_name.values()), architectures, by_name, {name: tuple(members) for name, members in groups.items()}
    )


def _architecture(row: Row) -> Architecture:
    return Architecture(
        name=row.required("name"),
        vendor=row.choice("vendor", VENDORS),
        compute=row.text("compute"),
        formats={name: row.choice(name, ("yes", "slow", "storage", "no")) for name in FORMATS},
        tensor_cores=row.flag("tensor_cores"),
        software=cast("Software", row.choice("software", get_args(Software))),
        software_note=row.required("software_note"),
        software_note_zh=row.required("software_note_zh"),
        source=row.required("source"),
        as_of=row.year_month("as_of"),
        released=row.year_month("released"),
    )


def _gpu(row: Row, architectures: Mapping[str, Architecture]) -> Gpu:
    architecture = architectures.get(row.required("architecture"))
    if architecture is None:
        raise row.fail(
            "architecture", f"{row.text('architecture')!r} is not in architectures.csv",
            "Add it there, or write one of: " + ", ".join(architectures),
        )  # fmt: skip
    memory = row.number("memory_gb", 0.1, 2048)
    if memory is None:
        raise row.fail("memory_gb", "the cell is empty", "Fill it in")
    if row.text("cooler"):
        row.choice("cooler", COOLERS)
    sources = row.items("sources")
    if not sources:
        raise row.fail("sources", "no source is given", "Write title and date, such as Maker's datasheet (2021-04)")
    marks: dict[str, Mark] = {}
    for column in ("released", "memory_gb", *NUMBERS, *WHOLES):
        mark = row.mark(column)
        if mark:
            marks[column] = mark
    figures: dict[str, Any] = {column: row.text(column) for column in TEXTS}
    figures |= {column: row.number(column, low, high) for column, (low, high) in NUMBERS.items()}
    figures |= {column: row.whole(column, low, high) for column, (low, high) in WHOLES.items()}
    return Gpu(
        name=row.required("name"),
        vendor=row.choice("vendor", VENDORS),
        architecture=architecture,
        segment=cast("Segment", row.choice("segment", get_args(Segment))),
        released=row.year_month("released"),
        memory_gb=memory,
        aliases=row.items("aliases"),
        group=row.text("group"),
        default_of_group=row.flag("default_of_group"),
        sources=sources,
        marks=marks,
        line=row.line,
        **figures,
    )
