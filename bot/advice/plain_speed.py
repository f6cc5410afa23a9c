"""Stand-in until the performance model is there: speed from the specification sheet alone."""

from __future__ import annotations

from dataclasses import dataclass

from bot.hardware.gpu import Gpu


@dataclass(frozen=True, slots=True)
class PlainSpeed:
    value: float
    basis: str = "estimated"


def plain_speed(gpu: Gpu, workload_class: str, mode: str | None) -> PlainSpeed | None:
    """Relative to an RTX 3090, from bandwidth and arithmetic."""
    if not gpu.bandwidth_gbs:
        return None
    bandwidth = gpu.bandwidth_gbs / 936
    if workload_class == "llm-decode":
        return PlainSpeed(bandwidth)
    arithmetic = max((gpu.fp16_tensor_tflops or 0) * 0.45, gpu.fp32_tflops or 0) / 35.6
    return PlainSpeed((arithmetic * bandwidth) ** 0.5) if arithmetic else None
