"""Looks for faults in the catalogue that its loader lets through: figures that contradict each other, names that
clash, rows that public tables put differently."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.hardware.catalogue import Catalogue
from bot.hardware.gpu import Gpu
from bot.hardware.names import NameResolver

_BANDWIDTH = 0.02
"""How far bandwidth may lie from bus x rate / 8; makers of whole systems round more."""
_BANDWIDTH_OF_SYSTEMS = 0.03
EPOCH = {
    "Memory (bytes)": ("memory_gb", 1e9, 0.04),
    "Memory bandwidth (byte/s)": ("bandwidth_gbs", 1e9, 0.03),
    "TDP (W)": ("tdp_w", 1, 0.05),
    "FP32 (single precision) performance (FLOP/s)": ("fp32_tflops", 1e12, 0.05),
    "Tensor-FP16/BF16 performance (FLOP/s)": ("fp16_tensor_tflops", 1e12, 0.05),
    "FP8 performance (FLOP/s)": ("fp8_tflops", 1e12, 0.05),
}
"""Column of Epoch AI's hardware table to our field, its unit in ours, and the tolerated difference."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something to mend, or (`hint`) only to look at."""

    line: int
    gpu: str
    text: str
    hint: bool = False


def check_catalogue(catalogue: Catalogue, resolver: NameResolver) -> list[Fault]:
    """All faults, in the order of the table's lines. Empty when the catalogue is sound."""
    faults = [fault for gpu in catalogue.gpus for fault in _of_one(gpu)]
    faults += _names(catalogue, resolver)
    return sorted(faults, key=lambda fault: (fault.line, fault.text))


def _of_one(gpu: Gpu) -> Iterator[Fault]:
    def fault(text: str) -> Fault:
        return Fault(gpu.line, gpu.name, text)

    if gpu.bandwidth_gbs and gpu.bus_width_bits and gpu.memory_rate_gbps:
        computed = gpu.bus_width_bits * gpu.memory_rate_gbps / 8
        tolerated = _BANDWIDTH_OF_SYSTEMS if gpu.segment == "system" else _BANDWIDTH
        if abs(computed - gpu.bandwidth_gbs) > tolerated * gpu.bandwidth_gbs:
            yield fault(f"bandwidth {gpu.bandwidth_gbs:g} GB/s, but bus x rate / 8 is {computed:.4g}")
    pairs = (
        ("fp16_tensor_fp16acc_tflops", gpu.fp16_tensor_fp16acc_tflops, "fp16_tensor_tflops", gpu.fp16_tensor_tflops),
        ("fp8_tflops", gpu.fp8_tflops, "fp16_tensor_tflops", gpu.fp16_tensor_tflops),
        ("fp4_tflops", gpu.fp4_tflops, "fp8_tflops", gpu.fp8_tflops),
        ("fp16_tensor_tflops", gpu.fp16_tensor_tflops, "fp32_tflops", gpu.fp32_tflops),
    )
    for larger, more, smaller, less in pairs:
        if more is not None and less is not None and more < 0.99 * less:
            yield fault(f"{larger} {more:g} is below {smaller} {less:g}")
    formats = (("fp8", gpu.fp8_tflops), ("fp4", gpu.fp4_tflops))
    for name, figure in formats:
        if figure is not None and gpu.architecture.formats[name] != "yes":
            yield fault(f"{name} figure given, but {gpu.architecture.name} has no {name}")
    if gpu.fp16_tensor_tflops is not None and not gpu.architecture.tensor_cores:
        yield fault(f"tensor figure given, but {gpu.architecture.name} has no matrix units")
    if gpu.vendor != gpu.architecture.vendor:
        yield fault(f"vendor {gpu.vendor}, but {gpu.architecture.name} is of {gpu.architecture.vendor}")
    width = min(len(gpu.released), len(gpu.architecture.released))
    if gpu.released[:width] < gpu.architecture.released[:width]:
        yield fault(f"released {gpu.released}, before {gpu.architecture.name} ({gpu.architecture.released})")
    if bool(gpu.fault) != bool(gpu.fault_zh):
        yield fault("the fault is given in one language only")
    for source in gpu.sources:
        if not any(c.isdigit() for c in source[-9:]):
            yield fault(f"the source has no date: {source}")


def _names(catalogue: Catalogue, resolver: NameResolver) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for gpu in catalogue.gpus:
        for name in (gpu.name, *gpu.aliases):
            key = "".join(c for c in name.casefold() if c.isalnum())
            if key in seen and seen[key] != gpu.name:
                yield Fault(gpu.line, gpu.name, f"the name {name} also stands for {seen[key]}")
            seen[key] = gpu.name
        for alias in gpu.aliases:
            found = resolver.one(alias)
            if found != gpu and found != gpu.group:
                yield Fault(gpu.line, gpu.name, f"the alias {alias} does not lead to this card")
        if gpu.group and gpu.group in catalogue.by_name:
            yield Fault(gpu.line, gpu.name, f"the group {gpu.group} is also the name of a card")
    for name, members in catalogue.groups.items():
        if len(members) < 2:
            yield Fault(members[0].line, members[0].name, f"the group {name} has one member only", hint=True)


def compare_epoch(catalogue: Catalogue, resolver: NameResolver, text: str) -> Iterable[Fault]:
    """Where Epoch AI's hardware table (its CSV as text) differs from ours. Differences are hints: both can err."""
    rows: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(text.splitlines(keepends=True)):
        found = resolver.one(row.get("Hardware name", ""))
        if isinstance(found, Gpu):
            rows.setdefault(found.name, []).append(row)
    for name, same in rows.items():
        gpu = catalogue.by_name[name]
        for row in same:
            for column, (field, unit, tolerance) in EPOCH.items():
                ours, theirs = getattr(gpu, field), _figure(row.get(column, ""))
                if ours is None or theirs is None:
                    continue
                theirs /= unit
                if abs(ours - theirs) > tolerance * max(ours, theirs):
                    yield Fault(gpu.line, name, f"{field} {ours:g}, Epoch AI has {theirs:.4g}", hint=True)


def _figure(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
