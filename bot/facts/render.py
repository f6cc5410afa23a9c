"""Figures in the texts of entries come from the catalogue: `{RTX 3090|bandwidth_gbs}` becomes "936 GB/s".

So a corrected figure in data/ corrects every text, and a text cannot contradict the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from bot.facts.entries import Entry, KnowledgeBase, map_texts
from bot.hardware.gpu import Gpu
from bot.tables import DataError

FindGpu = Callable[[str], Gpu | None]
"""A card of the catalogue by its canonical name."""

REFERENCE = re.compile(r"\{([^{}|]+)\|([^{}|]+)\}")
_BRACES = re.compile(r"\{[^{}]*\}")

UNITS: dict[str, str] = {
    "memory_gb": "{:g} GB",
    "bandwidth_gbs": "{:,g} GB/s",
    "bus_width_bits": "{:g}-bit",
    "memory_rate_gbps": "{:g} Gbps",
    "l2_cache_mb": "{:g} MB",
    "cuda_cores": "{:,g}",
    "fp32_tflops": "{:g} TFLOPS",
    "fp16_tflops": "{:g} TFLOPS",
    "fp16_tensor_tflops": "{:g} TFLOPS",
    "fp16_tensor_fp16acc_tflops": "{:g} TFLOPS",
    "int8_tops": "{:g} TOPS",
    "fp8_tflops": "{:g} TFLOPS",
    "fp4_tflops": "{:g} TFLOPS",
    "tdp_w": "{:g} W",
    "nvlink_gbs": "{:g} GB/s",
    "launch_price_usd": "${:,g}",
    "slots": "{:g}",
    "released": "{}",
    "memory_type": "{}",
    "compute_capability": "{}",
    "power_connector": "{}",
    "architecture": "{}",
    "vendor": "{}",
    "cooler": "{}",
}
"""The fields that a text may name, and how each is shown."""
_ROUNDED = ("bandwidth_gbs", "launch_price_usd", "tdp_w")


def figure(gpu: Gpu, field: str, *, chinese: bool) -> str | None:
    """One field with its unit; "about" before computed and uncertain ones. None where it is unknown."""
    value = gpu.architecture.name if field == "architecture" else getattr(gpu, field)
    if value is None or value == "":
        return None
    if isinstance(value, float):
        value = round(value) if field in _ROUNDED and value >= 100 else round(value, 1)
    shown = UNITS[field].format(value).replace("-bit", " 位" if chinese else "-bit")
    if field in gpu.marks:
        return f"约 {shown}" if chinese else f"about {shown}"
    return shown


def resolve_text(text: str, find: FindGpu, *, chinese: bool) -> tuple[str, list[str]]:
    """The text with every reference filled in, and what is wrong with those that could not be."""
    if "{" not in text and "}" not in text:
        return text, []
    problems: list[str] = []

    def fill(match: re.Match[str]) -> str:
        name, field = match.group(1).strip(), match.group(2).strip()
        gpu = find(name)
        if gpu is None:
            problems.append(f"{match.group()} names a card that is not in the catalogue")
        elif field not in UNITS:
            problems.append(f"{match.group()} names an unknown field; fields: {', '.join(UNITS)}")
        else:
            shown = figure(gpu, field, chinese=chinese)
            if shown is not None:
                return shown
            problems.append(f"{match.group()}: the catalogue does not know this figure")
        return match.group()

    resolved = REFERENCE.sub(fill, text)
    problems += [f"{braces} is not a reference" for braces in _BRACES.findall(REFERENCE.sub("", text))]
    return resolved, problems


def resolve(base: KnowledgeBase, find: FindGpu) -> tuple[KnowledgeBase, list[DataError]]:
    """The base with all references filled in from the catalogue, and every dead one."""
    faults: list[DataError] = []
    entries: list[Entry] = []
    for entry in base.entries:

        def change(text: str, field: str, entry: Entry = entry) -> str:
            resolved, problems = resolve_text(text, find, chinese=field.endswith("zh"))
            line = entry.lines.get(field.partition(".")[0], entry.line)
            mend = "Write {canonical card name|field} as the catalogue has them"
            faults.extend(DataError(entry.where, line, field, problem, mend) for problem in problems)
            return resolved

        texts = (entry.answer, entry.then.text if entry.then else None, entry.note)
        if any(text and ("{" in text.en + text.zh or "}" in text.en + text.zh) for text in texts):
            entry = replace(entry, **map_texts(entry, change))  # type: ignore[arg-type]
        entries.append(entry)
    return KnowledgeBase.of(entries), faults
