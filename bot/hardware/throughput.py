"""Training throughput as a log-linear model of a card's figures, fitted by ridge regression. Plain Python.

log(throughput) = level of the suite + exponents . log(figures) + deviation of the benchmark + effect of the
architecture. Exponents are shared within a group of benchmarks (cnn, transformer, rnn); a benchmark's deviations and
an architecture's effect are held near zero, so that few measurements move them little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

from bot.hardware.gpu import Gpu

FEATURES = ("matrix", "bandwidth", "memory", "power", "vector", "plain", "plain_bandwidth")
"""Logs of the matrix rate, bandwidth, memory, board power and FP32 rate; `plain` is 1 where no tensor cores are
used, and lets bandwidth count differently there."""
_PASCAL_BANDWIDTH = 484.0  # GTX 1080 Ti: where the two kinds of cards are tied together
_VECTOR_OF_MATRIX = 1 / 30
"""FP32 over dense tensor rate of the data centre Blackwells, for those whose FP32 rate is not printed."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What the catalogue's figures do not tell, from data/performance.yaml."""

    boards: Mapping[str, int]
    """GPUs on one board of which a program sees one at a time."""
    matrix_share: Mapping[str, float]
    """Architecture -> share of the printed matrix rate that is reached."""
    vector_share: Mapping[str, float]
    power_w: Mapping[str, float]
    """Segment -> board power where the maker gives none."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured throughput. `weight` is its say in the fit."""

    gpu: Gpu
    benchmark: str
    """A benchmark with deviations of its own, or "" for one that only informs the group."""
    level: str
    """Suite and benchmark: throughputs of one level compare."""
    precision: str
    value: float
    family: str
    """Runs of one card in one family share a weight of 1."""
    shared: bool = True
    """Another card has a run of the same level: else the level only repeats this run."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Strength of the ridge penalties, and the residual (log) beyond which a run counts less."""

    exponent: float
    deviation: float
    architecture: float
    huber: float


@dataclass(frozen=True, slots=True)
class Coefficients:
    """A fitted group."""

    exponents: Mapping[str, float]
    deviations: Mapping[str, Mapping[str, float]]
    architectures: Mapping[str, float]
    levels: Mapping[str, float]

    def predict(self, gpu: Gpu, precision: str, benchmark: str, assumptions: Assumptions) -> float | None:
        """Log throughput without the level; None where the card's figures do not suffice."""
        figures = features(gpu, precision, assumptions)
        if figures is None:
            return None
        own = self.deviations.get(benchmark, {})
        value = sum((self.exponents[name] + own.get(name, 0.0)) * figures[name] for name in FEATURES)
        return value + self.architectures.get(gpu.architecture.name, 0.0)


def matrix_rate(gpu: Gpu, share: float = 1.0) -> float | None:
    """Dense FP16 rate with FP32 accumulation in TFLOPS. Cards without tensor cores gain the square root of what
    their printed FP16 rate promises. GeForce and workstation cards whose rate is not known get their generation's
    ratio to FP32 (2 and 4)."""
    if gpu.fp16_tensor_tflops:
        return gpu.fp16_tensor_tflops * share
    if not gpu.fp32_tflops:
        return None
    if gpu.architecture.tensor_cores and gpu.vendor == "nvidia":
        return gpu.fp32_tflops * (4.0 if gpu.segment in ("workstation", "datacenter") else 2.0) * share
    return gpu.fp32_tflops * sqrt(max((gpu.fp16_tflops or 0.0) / gpu.fp32_tflops, 1.0)) * share


def uses_tensor_cores(gpu: Gpu) -> bool:
    """Whether mixed precision runs on tensor cores whose rate is known or follows."""
    return bool(gpu.fp16_tensor_tflops) or (gpu.architecture.tensor_cores and gpu.vendor == "nvidia")


def features(gpu: Gpu, precision: str, assumptions: Assumptions) -> dict[str, float] | None:
    """The figures of one card as logs; None where FP32 or the bandwidth is not known."""
    boards = assumptions.boards.get(gpu.name, 1)
    architecture = gpu.architecture.name
    vector = gpu.fp32_tflops or (gpu.fp16_tensor_tflops or 0.0) * _VECTOR_OF_MATRIX
    rate = matrix_rate(gpu, assumptions.matrix_share.get(architecture, 1.0))
    if not vector or not rate or not gpu.bandwidth_gbs:
        return None
    vector *= assumptions.vector_share.get(architecture, 1.0) / boards
    rate /= boards
    plain = 1.0 if precision == "fp32" or not uses_tensor_cores(gpu) else 0.0
    if precision == "fp32":
        rate = vector
    bandwidth = gpu.bandwidth_gbs / boards
    power = gpu.tdp_w or assumptions.power_w.get(gpu.segment, 250.0)
    return {
        "matrix": log(rate),
        "bandwidth": log(bandwidth),
        "memory": log(gpu.memory_gb / boards),
        "power": log(power / boards),
        "vector": log(vector),
        "plain": plain,
        "plain_bandwidth": plain * log(bandwidth / _PASCAL_BANDWIDTH),
    }


def fit(
    observations: Sequence[Observation],
    settings: Settings,
    assumptions: Assumptions,
    without: str = "",
    prior: Coefficients | None = None,
) -> Coefficients:
    """The group's coefficients. `without` leaves one card out; `prior` gives what this group cannot tell: the
    bandwidth exponent of cards without tensor cores and the effect of architectures it holds no run of."""
    used = [o for o in observations if o.gpu.name != without]
    levels = sorted({o.level for o in used})
    benchmarks = sorted({o.benchmark for o in used if o.benchmark})
    architectures = sorted({o.gpu.architecture.name for o in used})
    at: dict[tuple[str, str], int] = {}
    penalty: list[float] = []
    for kind, names, strength in (
        ("level", levels, 1e-6),
        ("exponent", FEATURES, settings.exponent),
        *((benchmark, FEATURES, settings.deviation) for benchmark in benchmarks),
        ("architecture", architectures, settings.architecture),
    ):
        for name in names:
            at[kind, name] = len(penalty)
            penalty.append(strength)
    centre = [0.0] * len(penalty)
    if prior is not None:
        centre[at["exponent", "plain_bandwidth"]] = prior.exponents["plain_bandwidth"]
    share = Counter((o.gpu.name, o.family) for o in used)
    rows: list[tuple[list[tuple[int, float]], float, float]] = []
    for o in used:
        figures = features(o.gpu, o.precision, assumptions)
        if figures is None:
            continue
        cells = [(at["level", o.level], 1.0), (at["architecture", o.gpu.architecture.name], 1.0)]
        for name in FEATURES:
            cells.append((at["exponent", name], figures[name] - _CENTRE[name]))
            if o.benchmark:
                cells.append((at[o.benchmark, name], figures[name] - _CENTRE[name]))
        target = log(o.value) - sum(centre[i] * x for i, x in cells)
        rows.append((cells, target, 1.0 / share[o.gpu.name, o.family]))
    solution = [0.0] * len(penalty)
    weights = [weight for _, _, weight in rows]
    for _ in range(4):  # runs far off the rest count less each time
        solution = _solve([(c, t, w) for (c, t, _), w in zip(rows, weights, strict=True)], penalty)
        for i, (cells, target, weight) in enumerate(rows):
            off = abs(sum(solution[j] * x for j, x in cells) - target)
            weights[i] = weight * min(1.0, settings.huber / max(off, 1e-9))
    solution = [value + shift for value, shift in zip(solution, centre, strict=True)]
    exponents = {name: solution[at["exponent", name]] for name in FEATURES}
    deviations = {b: {name: solution[at[b, name]] for name in FEATURES} for b in benchmarks}
    effects = {name: solution[at["architecture", name]] for name in architectures}
    if prior is not None:
        effects = {**{k: v for k, v in prior.architectures.items() if k not in effects}, **effects}
    own = {o.level: deviations.get(o.benchmark, {}) for o in used}
    return Coefficients(
        exponents, deviations, effects,
        {
            level: solution[at["level", level]]
            - sum((exponents[n] + own[level].get(n, 0.0)) * _CENTRE[n] for n in FEATURES)
            for level in levels
        },
    )  # fmt: skip


_CENTRE = {
    "matrix": 4.26, "bandwidth": 6.84, "memory": 3.18, "power": 5.86, "vector": 3.57, "plain": 0.0,
    "plain_bandwidth": 0.0,
}  # fmt: skip
"""About an RTX 3090: penalties pull towards it, not towards a card of 1 TFLOPS."""


def residual(coefficients: Coefficients, o: Observation, assumptions: Assumptions) -> float | None:
    """Log of predicted over measured; None where the level was not fitted or the card's figures do not suffice."""
    predicted = coefficients.predict(o.gpu, o.precision, o.benchmark, assumptions)
    if predicted is None or o.level not in coefficients.levels:
        return None
    return predicted + coefficients.levels[o.level] - log(o.value)


def percent(difference: float) -> float:
    """A log difference as an absolute percentage."""
    return abs(exp(difference) - 1.0) * 100.0


def _solve(rows: Sequence[tuple[list[tuple[int, float]], float, float]], penalty: Sequence[float]) -> list[float]:
    """Weighted ridge regression by the normal equations and Cholesky."""
    n = len(penalty)
    matrix = [[0.0] * n for _ in range(n)]
    right = [0.0] * n
    for cells, target, weight in rows:
        for i, x in cells:
            right[i] += weight * x * target
            line = matrix[i]
            for j, y in cells:
                line[j] += weight * x * y
    for i in range(n):
        matrix[i][i] += penalty[i]
    for j in range(n):
        line = matrix[j]
        for k in range(j):
            factor = line[k]
            if factor:
                for i in range(j, n):
                    matrix[i][j] -= factor * matrix[i][k]
        root = sqrt(matrix[j][j])
        for i in range(j, n):
            matrix[i][j] /= root
    for i in range(n):
        right[i] = (right[i] - sum(matrix[i][k] * right[k] for k in range(i))) / matrix[i][i]
    for i in reversed(range(n)):
        right[i] = (right[i] - sum(matrix[k][i] * right[k] for k in range(i + 1, n))) / matrix[i][i]
    return right
