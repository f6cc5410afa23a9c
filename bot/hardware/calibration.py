"""From measured runs to the coefficients of the performance model: which runs inform what, and the fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.hardware.gpu import Gpu
from bot.hardware.measured import LlmRun, TrainingRun
from bot.hardware.throughput import Assumptions, Coefficients, Observation, Settings, fit, residual, uses_tensor_cores

GROUP_OF = {"resnet50": "cnn", "ssd": "cnn", "bert_base": "transformer", "bert_large": "transformer", "gnmt": "rnn"}
"""Benchmarks that are estimated on their own, and the group that lends them its exponents."""
GROUPS = ("cnn", "transformer", "rnn", "prefill")
MAIN_SUITES = ("pytorch-2020", "pytorch-2022", "pytorch-2024")
"""One set of programs over the years: its benchmarks are those of GROUP_OF. All other suites inform cnn as a whole."""
SAME_LEVEL = {"tensorflow-2017": "lambda-2019-03"}
"""The same program (tf_cnn_benchmarks, FP32, batch 64) on TensorFlow 1.1 and 1.12: taken as one, for no card ran both
and Kepler and the P100 have no other tie to the rest."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Coefficients of each group, and where the reference card stands in each group and benchmark (log)."""

    groups: Mapping[str, Coefficients]
    anchors: Mapping[str, float]


def observe(training: Sequence[TrainingRun], llm: Sequence[LlmRun]) -> dict[str, list[Observation]]:
    """The runs that inform each group."""
    found: dict[str, list[Observation]] = {group: [] for group in GROUPS}
    for run in training:
        main = run.suite in MAIN_SUITES
        if main and run.precision != "fp16":
            continue
        group = GROUP_OF[run.benchmark] if main else "cnn"
        level = f"{run.benchmark} {SAME_LEVEL.get(run.suite, run.suite)} {run.precision}"
        family = run.benchmark if main else f"{run.suite} {run.precision}"
        own = run.benchmark if main else ""
        found[group].append(Observation(run.gpu, own, level, run.precision, run.value, family))
    for prompt in llm:
        # The A100 SXM row in 16 bit is a known outlier: five times below its PCIe twin.
        if prompt.prompt and prompt.tokens <= 1024 and (prompt.gpu.name, prompt.quant) != ("A100 SXM 80GB", "F16"):
            level = f"{prompt.model} {prompt.quant} {prompt.tokens} {prompt.as_of}"
            found["prefill"].append(Observation(prompt.gpu, "", level, "fp16", prompt.prompt, "prefill"))
    for group, runs in found.items():
        cards = Counter(level for level, _ in {(o.level, o.gpu.name) for o in runs})
        found[group] = [o if cards[o.level] > 1 else replace(o, shared=False) for o in runs]
    return found


def calibrate(
    observations: Mapping[str, Sequence[Observation]],
    settings: Settings,
    assumptions: Assumptions,
    reference: Gpu,
    without: str = "",
) -> Calibration:
    """The fit of all groups, `without` one card. Groups other than cnn take from cnn what they cannot tell."""
    groups: dict[str, Coefficients] = {}
    for group in GROUPS:
        groups[group] = fit(observations[group], settings, assumptions, without, groups.get("cnn"))
    return Calibration(groups, anchors_of(groups, observations, assumptions, reference))


def anchors_of(
    groups: Mapping[str, Coefficients],
    observations: Mapping[str, Sequence[Observation]],
    assumptions: Assumptions,
    reference: Gpu,
) -> dict[str, float]:
    """The reference card's measured log throughput, levels taken off, by group and by benchmark."""
    anchors: dict[str, float] = {}
    for group, coefficients in groups.items():
        for name in (group, *(b for b, g in GROUP_OF.items() if g == group)):
            benchmark = name if name in GROUP_OF else ""
            predicted = coefficients.predict(reference, "fp16", benchmark, assumptions) or 0.0
            off = mean_residual(coefficients, observations[group], reference, benchmark, assumptions)
            anchors[name] = predicted - (off or 0.0)
    return anchors


def mean_residual(
    coefficients: Coefficients,
    observations: Sequence[Observation],
    gpu: Gpu,
    benchmark: str,
    assumptions: Assumptions,
) -> float | None:
    """Mean log of predicted over measured of one card, families alike; None without a run that counts.

    `benchmark` "" takes all runs of the group. Runs in FP32 count only for cards without tensor cores: the others
    are used in mixed precision.
    """
    families: dict[str, list[float]] = {}
    for o in observations:
        if o.gpu.name != gpu.name or not o.shared or (benchmark and o.benchmark != benchmark):
            continue
        if o.precision == "fp32" and uses_tensor_cores(gpu):
            continue
        off = residual(coefficients, o, assumptions)
        if off is not None:
            families.setdefault(o.family, []).append(off)
    if not families:
        return None
    return sum(sum(values) / len(values) for values in families.values()) / len(families)
