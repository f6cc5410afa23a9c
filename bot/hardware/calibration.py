"""From measured runs to the coefficients of the performance model: which runs inform what, and the fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.hardware.measured import LlmRun, TrainingRun
from bot.hardware.throughput import Assumptions, Coefficients, Observation, Settings, fit, residual, uses_tensor_cores

GROUP_OF = {"resnet50": "cnn", "ssd": "cnn", "bert_base": "transformer", "bert_large": "transformer", "gnmt": "rnn"}
"""Benchmarks that are estimated on their own, and the group that lends them its exponents."""
GROUPS = ("cnn", "transformer", "rnn", "prefill")
MAIN_SUITES = ("pytorch-2020", "pytorch-2022", "pytorch-2024")
"""One set of programs over the years: its benchmarks are those of GROUP_OF. All other suites inform cnn as a whole."""
SAME_LEVEL = {"tensorflow-2017": "lambda-2019-03", "pytorch-2024": "pytorch-2022"}
"""Suites taken as one. TensorFlow 1.1 and 1.12 ran the same program (tf_cnn_benchmarks, FP32, batch 64), and Kepler and
the P100 have no other tie to the rest. The PyTorch containers of 2022 and 2024 ran the same programs, and the card in
both (H100) differs by 3 % at most; without the tie nothing would set B200 and H200 against older cards."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Coefficients of each group, and what was measured of each card in each group and benchmark."""

    groups: Mapping[str, Coefficients]
    cards: Mapping[str, Mapping[str, float]]
    """Group or benchmark -> card -> log of measured over predicted, freed from the levels of the suites."""


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
    without: str = "",
) -> Calibration:
    """The fit of all groups, `without` one card. Groups other than cnn take from cnn what they cannot tell."""
    groups: dict[str, Coefficients] = {}
    for group in GROUPS:
        groups[group] = fit(observations[group], settings, assumptions, without, groups.get("cnn"))
    cards = {}
    for group, coefficients in groups.items():
        runs = [o for o in observations[group] if o.shared and o.gpu.name != without]
        cards[group] = card_effects(coefficients, runs, assumptions)
        for benchmark in (b for b, g in GROUP_OF.items() if g == group):
            own = [o for o in runs if o.benchmark == benchmark]
            cards[benchmark] = card_effects(coefficients, own, assumptions)
    return Calibration(groups, cards)


def card_effects(
    coefficients: Coefficients, observations: Sequence[Observation], assumptions: Assumptions
) -> dict[str, float]:
    """Log of measured over predicted of each card, by a two-way fit: card plus level, so that a suite that ran only
    fast or only slow cards does not colour them. A card's families count alike.

    Runs in FP32 of cards with tensor cores help to set levels, but say nothing of the card: it is used in mixed
    precision.
    """
    rows: list[tuple[str, str, str, float]] = []
    for o in observations:
        off = residual(coefficients, o, assumptions)
        if off is not None:
            fp32 = o.precision == "fp32" and uses_tensor_cores(o.gpu)
            rows.append((o.gpu.name + (" fp32" if fp32 else ""), o.family, o.level, -off))
    share = Counter((card, family) for card, family, _, _ in rows)
    effects: dict[str, float] = dict.fromkeys((card for card, *_ in rows), 0.0)
    levels: dict[str, float] = {}
    for _ in range(30):
        levels = _means((level, y - effects[card], 1 / share[card, family]) for card, family, level, y in rows)
        effects = _means((card, y - levels[level], 1 / share[card, family]) for card, family, level, y in rows)
    return {card: value for card, value in effects.items() if not card.endswith(" fp32")}


def _means(weighted: Iterable[tuple[str, float, float]]) -> dict[str, float]:
    """Weighted mean by key, drawn to 0 as by a fifth of one more run: the model has a say of its own."""
    sums: dict[str, list[float]] = {}
    for key, value, weight in weighted:
        pair = sums.setdefault(key, [0.0, 0.2])
        pair[0] += value * weight
        pair[1] += weight
    return {key: total / weight for key, (total, weight) in sums.items()}
