"""What is known of one GPU or system, and of its architecture. Plain data; units in the names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.tables import Mark

Segment = Literal["consumer", "workstation", "datacenter", "laptop", "system", "cloud", "mining"]
"""`system`: a whole machine with unified memory (Mac, DGX Spark); `cloud`: only to rent (TPU, A10G)."""
Software = Literal["full", "partial", "ending", "dropped", "other"]
FORMATS = ("fp16", "bf16", "tf32", "int8", "fp8", "fp4")


@dataclass(frozen=True, slots=True)
class Architecture:
    """A GPU generation: which number formats its matrix units take and where its software stands."""

    name: str
    vendor: str
    compute: str
    """Compute capability range or gfx name, as text."""
    formats: Mapping[str, str]
    """fp16, bf16, tf32, int8, fp8, fp4 -> "yes", "slow" (runs, no speed-up), "storage" or "no"."""
    tensor_cores: bool
    software: Software
    """Support in today's PyTorch builds."""
    software_note: str
    software_note_zh: str
    source: str
    as_of: str
    released: str = ""
    """Month of the first product: no card of it is older."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """One card, module, laptop chip or system. None means unknown: never a guess.

    Tensor figures are dense and, unless the name says otherwise, with FP32 accumulation.
    `marks` says which figures are computed or uncertain. `sources` give title and date.
    """

    name: str
    vendor: str
    architecture: Architecture
    segment: Segment
    released: str
    memory_gb: float
    memory_type: str
    bandwidth_gbs: float | None = None
    bus_width_bits: int | None = None
    memory_rate_gbps: float | None = None
    """Per pin, effective."""
    l2_cache_mb: float | None = None
    cuda_cores: int | None = None
    fp32_tflops: float | None = None
    fp16_tflops: float | None = None
    """Without tensor cores."""
    fp16_tensor_tflops: float | None = None
    fp16_tensor_fp16acc_tflops: float | None = None
    int8_tops: float | None = None
    fp8_tflops: float | None = None
    fp4_tflops: float | None = None
    tdp_w: float | None = None
    slots: float | None = None
    cooler: str = ""
    """axial, blower, passive, module, liquid, laptop, or "" where it varies."""
    power_connector: str = ""
    nvlink_gbs: float | None = None
    """Total of both directions; None: no NVLink."""
    compute_capability: str = ""
    launch_price_usd: float | None = None
    fault: str = ""
    """Something a buyer must know (3.5 + 0.5 GB; two GPUs of 12 GB on one board)."""
    fault_zh: str = ""
    aliases: tuple[str, ...] = ()
    group: str = ""
    """The name that variants share ("A100", "RTX 3060"); "" for a card that stands alone."""
    default_of_group: bool = False
    sources: tuple[str, ...] = ()
    marks: Mapping[str, Mark] = field(default_factory=dict)
    line: int = 0

    def supports(self, number_format: str) -> str:
        """ "yes", "slow", "storage" or "no" for one of FORMATS."""
        return self.architecture.formats.get(number_format, "no")
