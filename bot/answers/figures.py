"""Figures of a card as text, with their marks: ~ computed, ? uncertain."""

from __future__ import annotations

from bot.hardware.gpu import Gpu
from bot.request import Language

_UNITS = {
    "memory_gb": "{:g} GB",
    "bandwidth_gbs": "{:g} GB/s",
    "tdp_w": "{:g} W",
    "fp32_tflops": "{:.4g} TFLOPS",
    "fp16_tflops": "{:.3g} TFLOPS",
    "fp16_tensor_tflops": "{:.4g} TFLOPS",
    "int8_tops": "{:.4g} TOPS",
    "fp8_tflops": "{:.4g} TFLOPS",
    "fp4_tflops": "{:.4g} TFLOPS",
    "nvlink_gbs": "{:g} GB/s",
    "l2_cache_mb": "{:g} MB",
    "cuda_cores": "{:g}",
    "slots": "{:g}",
    "bus_width_bits": "{:g} bit",
    "launch_price_usd": "${:,.0f}",
}
_SIGN = {"computed": "~", "uncertain": "?"}
_NAMES: dict[str, tuple[str, str]] = {
    "memory_gb": ("memory", "显存"),
    "bandwidth_gbs": ("bandwidth", "带宽"),
    "fp16_tensor_tflops": ("FP16 tensor (dense)", "FP16 张量（稠密）"),
    "fp32_tflops": ("FP32", "FP32"),
    "int8_tops": ("INT8 (dense)", "INT8（稠密）"),
    "fp8_tflops": ("FP8 (dense)", "FP8（稠密）"),
    "fp4_tflops": ("FP4 (dense)", "FP4（稠密）"),
    "tdp_w": ("board power", "功耗"),
    "nvlink_gbs": ("NVLink", "NVLink"),
    "l2_cache_mb": ("L2 cache", "L2 缓存"),
    "cuda_cores": ("CUDA cores (shaders)", "CUDA 核心（着色器）"),
    "slots": ("slots", "槽位"),
    "bus_width_bits": ("memory bus", "显存位宽"),
    "compute_capability": ("compute capability", "计算能力"),
    "power_connector": ("power connector", "供电接口"),
    "cooler": ("cooler", "散热"),
    "released": ("released", "发布"),
    "launch_price_usd": ("launch price", "首发价"),
    "architecture": ("architecture", "架构"),
}


def figure(gpu: Gpu, field: str) -> str:
    """One figure with unit and mark ("71 TFLOPS~"), or "" where nothing is known."""
    if field == "architecture":
        return gpu.architecture.name
    if field == "memory_gb":
        return f"{gpu.memory_gb:g} GB {gpu.memory_type}".strip() + _mark(gpu, field)
    value = getattr(gpu, field)
    if value in (None, ""):
        return ""
    return (_UNITS[field].format(value) if field in _UNITS else str(value)) + _mark(gpu, field)


def field_name(field: str, language: Language) -> str:
    """The figure's name in the language; Chinese in Simplified."""
    return _NAMES[field][0 if language == "en" else 1]


def headline_figures(gpu: Gpu) -> str:
    """What a person wants first: "24 GB GDDR6X, 936 GB/s, 350 W"."""
    parts = (figure(gpu, name) for name in ("memory_gb", "bandwidth_gbs", "tdp_w"))
    return ", ".join(part for part in parts if part)


def marked(gpus: tuple[Gpu, ...], fields: tuple[str, ...]) -> bool:
    """Whether any of these figures is computed or uncertain."""
    return any(field in gpu.marks for gpu in gpus for field in fields)


def _mark(gpu: Gpu, field: str) -> str:
    return _SIGN.get(gpu.marks.get(field, ""), "")
