"""Tokens per second of one user: every token reads all weights in use and the KV cache once, and each layer costs a
little time of its own.

milliseconds = weights / (efficiency . bandwidth) + attention . cache / bandwidth + overhead . layers
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log

from bot.hardware.gpu import Gpu
from bot.hardware.measured import LlmRun

CACHE_BYTES_PER_LAYER = 4096.0
"""KV cache of one token and layer: 8 heads of 128, keys and values in 16 bit, as in most models of today."""


@dataclass(frozen=True, slots=True)
class DecodeFamily:
    """What one kind of memory and maker reaches."""

    efficiency: float
    attention: float
    overhead_ms: float
    """Per layer."""
    error_pct: float
    basis: str
    """What the figures rest on, with a date."""
    architectures: Mapping[str, float] = field(default_factory=dict)
    """Factor on the speed of single architectures."""


def family_of(gpu: Gpu, special: Mapping[str, str]) -> str:
    """The family's id: nvidia-gddr, nvidia-hbm, apple, amd-gddr ... `special` maps architectures that differ."""
    if gpu.architecture.name in special:
        return special[gpu.architecture.name]
    if gpu.vendor == "apple":
        return "apple"
    return f"{gpu.vendor}-{'hbm' if gpu.memory_type.startswith('HBM') else 'gddr'}"


def layers_of(params_b: float) -> int:
    """Layers of a usual model of that size (billions of parameters), where nobody says."""
    return max(4, round(32 * exp(0.42 * log(params_b / 8.0))))


def tokens_per_s(
    family: DecodeFamily, gpu: Gpu, weights_gb: float, layers: int, context_tokens: float, boards: int = 1
) -> float:
    """Tokens per second; `weights_gb` is what one token reads, `boards` the GPUs that share the card's bandwidth.
    The card's bandwidth has to be known."""
    bandwidth = (gpu.bandwidth_gbs or 0.0) / boards
    cache_gb = context_tokens * layers * CACHE_BYTES_PER_LAYER / 1e9
    ms = 1000.0 * (weights_gb / family.efficiency + family.attention * cache_gb) / bandwidth
    return 1000.0 / (ms + family.overhead_ms * layers) * family.architectures.get(gpu.architecture.name, 1.0)


def predict(family: DecodeFamily, run: LlmRun) -> float:
    """What the family says of a measured run; its context grew from nothing, so half counts."""
    return tokens_per_s(family, run.gpu, run.params_b * run.bytes_per_weight, run.layers, run.tokens / 2)


def fit_family(runs: Sequence[LlmRun], error_pct: float = 0.0, basis: str = "") -> DecodeFamily:
    """Least squares on relative errors, none of the three figures below zero; then each architecture's factor, drawn
    to 1 as if one more card of it had none. ValueError without runs."""
    rows = []
    for run in runs:
        bandwidth = run.gpu.bandwidth_gbs or 1.0
        cache_gb = run.tokens / 2 * run.layers * CACHE_BYTES_PER_LAYER / 1e9
        weights_gb = run.params_b * run.bytes_per_weight
        ms = 1000.0 / run.decode
        rows.append([1000 * weights_gb / bandwidth / ms, 1000 * cache_gb / bandwidth / ms, run.layers / ms])
    best: tuple[float, list[float]] | None = None
    for active in ((0, 1, 2), (0, 1), (0, 2), (0,)) if rows else ():
        solution = _least_squares([[row[i] for i in active] for row in rows])
        if solution is None or min(solution) < 0:
            continue
        full = [0.0, 0.0, 0.0]
        for i, value in zip(active, solution, strict=True):
            full[i] = value
        off = sum((sum(a * b for a, b in zip(row, full, strict=True)) - 1.0) ** 2 for row in rows)
        if best is None or off < best[0]:
            best = (off, full)
    if best is None:
        raise ValueError("no run to fit")
    weights, attention, overhead = best[1]
    family = DecodeFamily(1.0 / weights, attention, overhead, error_pct, basis)
    cards: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        own = cards.setdefault(run.gpu.architecture.name, {}).setdefault(run.gpu.name, [])
        own.append(log(run.decode / predict(family, run)))
    factors = {
        name: exp(sum(sum(values) / len(values) for values in own.values()) / (len(own) + 1))
        for name, own in cards.items()
    }
    return replace(family, architectures=factors)


def _least_squares(rows: Sequence[Sequence[float]]) -> list[float] | None:
    """x with rows . x near 1, by Gaussian elimination; None where the rows do not tell."""
    n = len(rows[0])
    table = [[sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] for r in rows)] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(table[k][i]))
        table[i], table[pivot] = table[pivot], table[i]
        if abs(table[i][i]) < 1e-12:
            return None
        for k in range(n):
            if k != i:
                factor = table[k][i] / table[i][i]
                table[k] = [a - factor * b for a, b in zip(table[k], table[i], strict=True)]
    return [table[i][n] / table[i][i] for i in range(n)]
