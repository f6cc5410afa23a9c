"""How fast a card is: relative to an RTX 3090 in training and image work, and in tokens per second.

Measured where data/measured has the card, else estimated by the fitted model; every figure says which, how far it
may be off and where it comes from. None where nothing sensible is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Literal

from bot.hardware.calibration import GROUP_OF, MAIN_SUITES, Calibration, calibrate, observe
from bot.hardware.decode import family_of, fit_family, layers_of, tokens_per_s
from bot.hardware.gpu import Gpu
from bot.hardware.measured import LlmRun, TrainingRun
from bot.hardware.performance_table import PerformanceTable
from bot.hardware.throughput import matrix_rate, uses_tensor_cores
from bot.request import Mode

WORKLOAD_CLASSES = ("cnn", "transformer", "rnn", "llm-decode", "llm-prefill", "diffusion")
BENCHMARKS = tuple(GROUP_OF)
DEFAULT_CONTEXT = 512
"""Tokens of context at which speed is stated when nobody says: a short answer to a short question."""
_LLM = (8.03, 0.611, 32)  # Llama 3 8B in Q4_K_M: what llm-decode is compared on


@dataclass(frozen=True, slots=True)
class Estimate:
    """A speed with its range: four of five cards lie between `low` and `high`."""

    value: float
    low: float
    high: float
    basis: Literal["measured", "estimated"]
    error_pct: float
    source: str
    """Title and date of the measurement, or how it was estimated."""
    unit: str
    """ "relative" (1.0 = RTX 3090) or "tokens/s"."""


LONE_ERROR_PCT = 12.0
"""The least error stated for a comparison with an architecture of which one card was run."""


class PerformanceModel:
    """The speeds of all cards. Answers are kept by card, so that a second look-up costs nothing."""

    def __init__(
        self, table: PerformanceTable, training: Sequence[TrainingRun], llm: Sequence[LlmRun], reference: Gpu
    ) -> None:
        """`reference` is the card of speed 1.0, named in the table."""
        self.table, self.training, self.llm, self.reference = table, tuple(training), tuple(llm), reference
        self._observations = observe(training, llm)
        self._in_group = {
            group: {o.gpu.architecture.name for o in found} for group, found in self._observations.items()
        }
        self._cards = {group: {o.gpu.name for o in found} for group, found in self._observations.items()}
        self._main = {run.gpu.name for run in training if run.suite in MAIN_SUITES}
        self._runs: dict[str, list[LlmRun]] = {}
        for run in llm:
            self._runs.setdefault(run.gpu.name, []).append(run)
        self._relative: dict[tuple[str, str, bool, bool], Estimate | None] = {}
        self._without: dict[str, Calibration] = {}

    def relative(
        self, gpu: Gpu, workload_class: str, mode: Mode | None = "training", exclude_measured: bool = False
    ) -> Estimate | None:
        """Speed with 1.0 = RTX 3090, or None. `workload_class` is one of WORKLOAD_CLASSES; KeyError otherwise.

        `exclude_measured` answers as if the card had never been measured: it is left out of the fit too.
        """
        key = (gpu.name, workload_class, mode == "inference", exclude_measured)
        if key not in self._relative:
            self._relative[key] = self._speed(gpu, workload_class, mode == "inference", exclude_measured)
        return self._relative[key]

    def benchmark(self, gpu: Gpu, name: str, exclude_measured: bool = False) -> Estimate | None:
        """Training throughput in one of BENCHMARKS with 1.0 = RTX 3090, or None; KeyError for another name."""
        if name not in GROUP_OF:
            raise KeyError(name)
        return self._kept(gpu, name, exclude_measured)

    def tokens_per_s(
        self,
        gpu: Gpu,
        params_b: float,
        bytes_per_weight: float,
        layers: int | None,
        active_params_b: float | None = None,
        count: int = 1,
        context_tokens: float = DEFAULT_CONTEXT,
        exclude_measured: bool = False,
    ) -> Estimate | None:
        """Tokens per second of one user (decode), or None where the weights do not fit or nothing is known.

        `params_b` and `active_params_b` are in billions. A layer split over `count` cards gives room, not speed.
        """
        family = self.table.families.get(self.decode_family(gpu))
        if family is None or not gpu.bandwidth_gbs or self._crippled(gpu):
            return None
        if params_b * bytes_per_weight > gpu.memory_gb * count:
            return None
        runs = self._runs.get(gpu.name, []) if active_params_b in (None, params_b) and context_tokens <= 1024 else []
        for run in [] if exclude_measured else sorted(runs, key=lambda r: (r.tokens != 1024, r.tokens)):
            if abs(run.params_b / params_b - 1) < 0.015 and abs(run.bytes_per_weight / bytes_per_weight - 1) < 0.03:
                return _estimate(run.decode, self.table.errors.measured, "measured", run.source, "tokens/s")
        if exclude_measured and gpu.name in self._runs:
            others = [r for r in self._same_family(gpu) if r.gpu.name != gpu.name]
            family = fit_family(others, family.error_pct, family.basis) if others else family
        weights_gb = (active_params_b or params_b) * bytes_per_weight
        boards = self.table.assumptions.boards.get(gpu.name, 1)
        value = tokens_per_s(family, gpu, weights_gb, layers or layers_of(params_b), context_tokens, boards)
        error = family.error_pct * (1.3 if active_params_b not in (None, params_b) else 1.0)
        return _estimate(value, error, "estimated", family.basis, "tokens/s")

    def _same_family(self, gpu: Gpu) -> list[LlmRun]:
        name = self.decode_family(gpu)
        return [run for run in self.llm if self.decode_family(run.gpu) == name]

    def decode_family(self, gpu: Gpu) -> str:
        """The family of data/performance.yaml that a card decodes like."""
        return self.table.special.get(gpu.name) or family_of(gpu, self.table.special)

    def _crippled(self, gpu: Gpu) -> bool:
        """Mining cards from Turing on: their multiply-add units are cut, by how much differs by program."""
        return gpu.segment == "mining" and gpu.architecture.name != "Pascal"

    def _speed(self, gpu: Gpu, workload: str, inference: bool, exclude: bool) -> Estimate | None:
        if workload == "llm-decode":
            return self._decode(gpu, exclude)
        if workload == "diffusion":
            parts = [self._kept(gpu, name, exclude) for name in ("transformer", "prefill")]
            return self._blend([part for part in parts if part], "diffusion", gpu, "estimated from transformer "
                               "training and prompt processing: no measurement of image generation")  # fmt: skip
        if workload == "llm-prefill":
            return self._kept(gpu, "prefill", exclude)
        if workload == "rnn":
            measured = self._kept(gpu, "rnn", exclude)
            ratio = self._bandwidth_ratio(gpu)
            if measured is None or ratio is None:
                return None
            bandwidth = _estimate(ratio, measured.error_pct, "estimated", "bandwidth", "relative")
            return self._blend([measured, bandwidth], "rnn", gpu, "GNMT throughput and bandwidth, evenly: small "
                               "recurrent networks follow bandwidth")  # fmt: skip
        if workload not in ("cnn", "transformer"):
            raise KeyError(workload)
        found = self._kept(gpu, workload, exclude)
        if found is None or not inference:
            return found
        error = found.error_pct * self.table.errors.inference_factor
        source = f"training, taken for inference: {found.source}"
        return _estimate(found.value, error, "estimated", source, "relative")

    def _kept(self, gpu: Gpu, name: str, exclude: bool) -> Estimate | None:
        key = (gpu.name, f"throughput {name}", False, exclude)
        if key not in self._relative:
            self._relative[key] = self._throughput(gpu, name, exclude)
        return self._relative[key]

    def _throughput(self, gpu: Gpu, name: str, exclude: bool) -> Estimate | None:
        """Relative training throughput in a group or one benchmark."""
        group = GROUP_OF.get(name, name)
        benchmark = name if name in GROUP_OF else ""
        if gpu.name == self.reference.name:
            return _estimate(1.0, 0.0, "measured", "the reference: speeds are stated against this card", "relative")
        if gpu.vendor not in ("nvidia", "amd", "intel", "apple") or self._crippled(gpu):
            return None
        calibration = self.table.calibration
        if exclude and gpu.name in self._cards[group]:
            calibration = self.calibration_without(gpu.name)
        coefficients = calibration.groups[group]
        predicted = coefficients.predict(gpu, "fp16", benchmark, self.table.assumptions)
        base = coefficients.predict(self.reference, "fp16", benchmark, self.table.assumptions)
        if predicted is None or base is None:
            return self._by_bandwidth(gpu)
        cards = calibration.cards[name]
        value = exp(predicted - base - cards.get(self.reference.name, 0.0))
        if gpu.name in cards and not exclude:
            exact = self._same_suite(gpu, benchmark)
            main = exact is not None or gpu.name in self._main or name == "prefill"
            error = self.table.errors.measured if main else self.table.errors.measured_elsewhere
            value = exact or value * exp(cards[gpu.name])
            return _estimate(value, error, "measured", self._source(gpu, name), "relative")
        if gpu.architecture.name not in coefficients.architectures:
            value *= self.table.software.get(gpu.architecture.name, 1.0)
        return _estimate(value, self._error(gpu, name, group), "estimated", self.table.fitted_on, "relative")

    def _same_suite(self, gpu: Gpu, benchmark: str) -> float | None:
        """The ratio to the reference card in suites that hold both; None without one."""
        ratios = []
        for suite in MAIN_SUITES if benchmark else ():
            values = {
                r.gpu.name: r.value
                for r in self.training
                if r.suite == suite and r.benchmark == benchmark and r.precision == "fp16"
            }
            if gpu.name in values and self.reference.name in values:
                ratios.append(log(values[gpu.name] / values[self.reference.name]))
        return exp(sum(ratios) / len(ratios)) if ratios else None

    def _source(self, gpu: Gpu, name: str) -> str:
        if name == "prefill":
            return "; ".join(dict.fromkeys(r.source for r in self._runs.get(gpu.name, [])))
        runs = [r for r in self.training if r.gpu.name == gpu.name]
        wanted = [r for r in runs if r.benchmark == name and r.suite in MAIN_SUITES] or [
            r for r in runs if (GROUP_OF[r.benchmark] if r.suite in MAIN_SUITES else "cnn") == name
        ]
        return "; ".join(dict.fromkeys(r.source for r in wanted))

    def _error(self, gpu: Gpu, name: str, group: str) -> float:
        rules = self.table.errors
        errors = [rules.estimated[name], *(rules.wider.get(key, 0.0) for key in (gpu.vendor, gpu.architecture.name))]
        if gpu.vendor == "nvidia":
            if not uses_tensor_cores(gpu):
                errors.append(rules.plain)
            if gpu.architecture.name not in self._in_group[group]:
                errors.append(rules.new_architecture)
        if gpu.segment in ("laptop", "system"):
            errors.append(rules.laptop)
        return max(errors)

    def _bandwidth_ratio(self, gpu: Gpu) -> float | None:
        if not gpu.bandwidth_gbs or not self.reference.bandwidth_gbs:
            return None
        return gpu.bandwidth_gbs / self.table.assumptions.boards.get(gpu.name, 1) / self.reference.bandwidth_gbs

    def _by_bandwidth(self, gpu: Gpu) -> Estimate | None:
        ratio, factor = self._bandwidth_ratio(gpu), self.table.bandwidth_only.get(gpu.vendor)
        if ratio is None or factor is None or matrix_rate(gpu) is not None:
            return None
        source = "estimated from bandwidth alone: the maker publishes no compute rate"
        error = max(self.table.errors.bandwidth_only, self.table.errors.wider.get(gpu.vendor, 0.0))
        return _estimate(ratio * factor, error, "estimated", source, "relative")

    def _decode(self, gpu: Gpu, exclude: bool) -> Estimate | None:
        params, width, layers = _LLM
        # Compared on a model that fits everywhere: count keeps small cards in the comparison.
        own = self.tokens_per_s(gpu, params, width, layers, count=100, exclude_measured=exclude)
        base = self.tokens_per_s(self.reference, params, width, layers)
        if own is None or base is None:
            return None
        basis: Literal["measured", "estimated"] = own.basis
        value, error = own.value / base.value, own.error_pct
        if basis == "estimated" and (factor := self._lone_factor(gpu)) is not None:
            # A factor that rests on one card was run with newer programs than the reference: beside the reference it
            # would take the programs' progress for the card's.
            value, error = value / factor, max(error, LONE_ERROR_PCT)
        return _estimate(value, error, basis, own.source, "relative")

    def _lone_factor(self, gpu: Gpu) -> float | None:
        """The decode factor of the card's architecture where only one card of it was ever run, else None."""
        family = self.table.families.get(self.decode_family(gpu))
        architecture = gpu.architecture.name
        factor = family.architectures.get(architecture) if family else None
        cards = {run.gpu.name for run in self.llm if run.gpu.architecture.name == architecture}
        return factor if len(cards) == 1 else None

    def _blend(self, parts: Sequence[Estimate], name: str, gpu: Gpu, source: str) -> Estimate | None:
        if not parts:
            return None
        value = exp(sum(log(part.value) for part in parts) / len(parts))
        if gpu.name == self.reference.name:
            return _estimate(1.0, 0.0, "measured", parts[0].source, "relative")
        error = max(self.table.errors.estimated[name], *(part.error_pct for part in parts), 0.0)
        return _estimate(value, error, "estimated", source, "relative")

    def calibration_without(self, name: str) -> Calibration:
        """The fit that has never seen this card; kept, as it takes some hundredths of a second."""
        if name not in self._without:
            self._without[name] = calibrate(self._observations, self.table.settings, self.table.assumptions, name)
        return self._without[name]


def _estimate(value: float, error: float, basis: Literal["measured", "estimated"], source: str, unit: str) -> Estimate:
    factor = 1.0 + error / 100.0
    return Estimate(value, value / factor, value * factor, basis, error, source, unit)
