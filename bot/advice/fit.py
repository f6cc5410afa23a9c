"""Will it fit: a model on given cards, what given cards can run, and what a model needs.

Running a language model spreads its layers over any mix of cards. Training puts a whole copy on every card unless it
is sharded (FSDP, ZeRO-3); pictures and small networks run on one card. A mixture of experts fits by all its
parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.advice.fit_remedies import Remedy, remedies_for
from bot.hardware.gpu import Gpu
from bot.hardware.machine import MachineRules, compute_capability, unified, usable_gb
from bot.hardware.memory import MemoryEstimate, MemoryModel, Options
from bot.hardware.models import Model, ModelTable

Verdict = Literal["fits", "tight", "no"]
Note = tuple[str, Mapping[str, object]]
Speed = Callable[[Model, str, Gpu, int], object]
"""(model, precision, card, count) -> the speed estimate of bot/hardware/performance.py, or None."""
FITS_SHARE = 0.94
"""Up to here it fits with room; above, up to all of the memory, it is tight."""
LADDER = ("fp16", "q8_0", "q6_k", "q5_k_m", "q4_k_m")
COUNTS = (1, 2, 3, 4, 6, 8, 16)
CARD_SIZES = (8, 12, 16, 24, 32, 48, 80, 96, 141)
SIZES_B = (3.0, 8.0, 14.0, 24.0, 32.0, 70.0, 123.0, 235.0, 405.0, 671.0)
SHOWN: Mapping[str, tuple[str, ...]] = {
    "llm": ("Llama 3.2 3B", "Qwen3 8B", "Qwen3 14B", "gpt-oss 20B", "Mistral Small 24B", "Qwen3 30B-A3B", "Qwen3 32B",
            "Llama 3.3 70B", "gpt-oss 120B", "Qwen3 235B-A22B", "Llama 3.1 405B", "DeepSeek-R1 671B"),
    "image": ("SD 1.5", "SDXL", "SD3.5 Medium", "Z-Image", "FLUX", "Qwen-Image"),
    "video": ("AnimateDiff", "Wan2.1 1.3B", "LTX-Video 2B", "FramePack", "CogVideoX 5B", "Wan2.1 14B", "HunyuanVideo"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FitResult:
    """`usable_gb`: what counts together for this task; `need_gb`: what is compared with it."""

    model: str
    verdict: Verdict
    estimate: MemoryEstimate
    need_gb: float
    usable_gb: float
    per_card: tuple[tuple[str, int, float], ...]
    """(card, count, usable GB of each)."""
    pooled: bool
    remedies: tuple[Remedy, ...]
    ladder: tuple[tuple[str, float, Verdict], ...]
    """(format, GB, verdict) of the formats tried where none was asked for."""
    notes: tuple[Note, ...]
    also_speed: object | None = None


@dataclass(frozen=True, slots=True)
class Runs:
    """One thing that the cards can run."""

    model: str
    precision: str
    gb: float
    verdict: Verdict
    params_b: float | None


@dataclass(frozen=True, slots=True)
class NeedRow:
    """What one format takes: total GB and how many cards of which size hold it (count, GB each)."""

    precision: str
    estimate: MemoryEstimate
    cards: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Needed:
    """`card_gb`: the memory to look for, on one card or together where `pooled`."""

    model: str
    task: str
    rows: tuple[NeedRow, ...]
    card_gb: float
    pooled: bool


class Fitter:
    """The engine of fit questions. Made once; its methods are pure."""

    def __init__(
        self, memory: MemoryModel, models: ModelTable, rules: MachineRules, speed: Speed | None = None
    ) -> None:
        self.memory, self.models, self.rules, self.speed = memory, models, rules, speed

    def fit(self, model: Model, gpus: Sequence[tuple[Gpu, int]], options: Options | None = None) -> FitResult:
        """Whether the model fits these cards. Where no format is asked for, the best that fits is taken.

        Raises bot.hardware.runtimes.UnknownOptionError; ValueError without cards.
        """
        if not gpus or any(count < 1 for _, count in gpus):
            raise ValueError("at least one card is needed")
        options = options or Options()
        cards = [(gpu, usable_gb(gpu, self.rules)) for gpu, count in gpus for _ in range(count)]
        options = replace(options, count=len(cards), unified=all(unified(gpu) for gpu, _ in gpus))
        pooled = _pooled(model, options)
        if not pooled and not options.sharded and options.task == "inference":
            options = replace(options, count=1)
        ladder: tuple[tuple[str, float, Verdict], ...] = ()
        if options.precision is None and options.task == "inference" and model.kind in ("llm", "vlm") and model.layers:
            options, ladder = self._best_format(model, cards, options, pooled)
        estimate = self.memory.estimate(model, options)
        verdict, need, usable = self._verdict(model, cards, options, estimate, pooled)
        remedies: tuple[Remedy, ...] = ()
        if verdict != "fits":
            remedies = remedies_for(self.memory, self.models, model, options, cards, usable, estimate, pooled)
        speed = None
        if self.speed is not None and options.task == "inference" and verdict != "no" and len(gpus) == 1:
            speed = self.speed(model, estimate.precision, gpus[0][0], gpus[0][1])
        return FitResult(
            model.name, verdict, estimate, need, usable,
            tuple((gpu.name, count, usable_gb(gpu, self.rules)) for gpu, count in gpus), pooled, remedies, ladder,
            self._notes(gpus, options, estimate, pooled, verdict), speed,
        )  # fmt: skip

    def what_fits(
        self, gpus: Sequence[tuple[Gpu, int]], task: str = "inference", kinds: Sequence[str] = ("llm",)
    ) -> tuple[Runs, ...]:
        """What these cards run or train, largest first: shown models with the best format that fits."""
        cards = [(gpu, usable_gb(gpu, self.rules)) for gpu, count in gpus for _ in range(count)]
        base = Options(task=task, count=len(cards), unified=all(unified(gpu) for gpu, _ in gpus))
        found = []
        for name in (n for kind in kinds for n in SHOWN.get(kind, ())):
            model = self.models.get(name)
            if model is None:
                continue
            runs = self._runs(model, cards, base)
            if runs is not None:
                found.append(runs)
        return tuple(sorted(found, key=lambda r: -(r.params_b or 0.0)))

    def largest_size(self, gpus: Sequence[tuple[Gpu, int]], task: str = "inference") -> Runs | None:
        """The largest of the usual sizes (3B to 671B) that these cards take at 4 bits or better."""
        cards = [(gpu, usable_gb(gpu, self.rules)) for gpu, count in gpus for _ in range(count)]
        base = Options(task=task, count=len(cards), unified=all(unified(gpu) for gpu, _ in gpus))
        for size in reversed(SIZES_B):
            runs = self._runs(self.models.generic(size), cards, base)
            if runs is not None:
                return runs
        return None

    def what_needed(
        self, model: Model, task: str = "inference", precision: str | None = None, options: Options | None = None
    ) -> Needed:
        """What the model takes, by format where none is said (language models: 16, 8 and 4 bits)."""
        base = replace(options or Options(), task=task)
        language = model.kind in ("llm", "vlm") and bool(model.layers)
        formats: tuple[str | None, ...] = (precision,)
        if precision is None and task == "inference" and language:
            formats = ("fp16", "q8_0", "q4_k_m") if not model.checkpoint else (model.checkpoint, "q4_k_m")
        pooled = _pooled(model, base) or (language and task in ("lora", "qlora", "full", "train"))
        rows = []
        for name in formats:
            estimate = self.memory.estimate(model, replace(base, precision=name))
            rows.append(NeedRow(estimate.precision, estimate, self._cards_for(model, base, name, estimate, pooled)))
        last = rows[-1]
        share, reserve = self.rules.memory["driver_share"], self.rules.memory["reserve_gb"]
        return Needed(model.name, task, tuple(rows), (last.estimate.likely_gb + reserve) / share, pooled)

    # --- inside -------------------------------------------------------------------------------------------------

    def _runs(self, model: Model, cards: list[tuple[Gpu, float]], base: Options) -> Runs | None:
        pooled = _pooled(model, base)
        formats: tuple[str | None, ...] = (None,)
        if base.task == "inference" and model.kind in ("llm", "vlm"):
            formats = (model.checkpoint, "q4_k_m") if model.checkpoint else LADDER
        elif base.task == "inference" and model.components:
            formats = ("fp16", "fp8", "int4")
        for name in formats:
            options = replace(base, precision=name, count=base.count if pooled else 1)
            estimate = self.memory.estimate(model, options)
            verdict, need, _ = self._verdict(model, cards, options, estimate, pooled)
            if verdict != "no":
                return Runs(model.name, estimate.precision, need, verdict, model.params_b)
        return None

    def _best_format(
        self, model: Model, cards: list[tuple[Gpu, float]], options: Options, pooled: bool
    ) -> tuple[Options, tuple[tuple[str, float, Verdict], ...]]:
        formats: tuple[str, ...] = (model.checkpoint, "q4_k_m") if model.checkpoint else LADDER
        if options.framework is not None and not self._runs_in(options, "llama.cpp"):
            formats = ("fp16", "int8", "awq")
        usable = sum(gb for _, gb in cards)
        tried: list[tuple[str, float, Verdict]] = []
        for name in formats:
            bits = self.memory.runtimes.precision(name).bits
            if (model.params_b or 0.0) * bits / 8 * 0.93 > 1.4 * usable and name != formats[-1]:
                continue  # far too large: not worth an estimate
            trial = replace(options, precision=name)
            estimate = self.memory.estimate(model, trial)
            verdict, need, _ = self._verdict(model, cards, trial, estimate, pooled)
            tried.append((estimate.precision, need, verdict))
            if verdict == "fits":
                return trial, (*tried, *self._last_step(model, options, formats[-1], name, usable))
        tight = next((t for t in tried if t[2] == "tight"), tried[-1])
        return replace(options, precision=tight[0]), tuple(tried)

    def _last_step(
        self, model: Model, options: Options, last: str, found: str, usable: float
    ) -> tuple[tuple[str, float, Verdict], ...]:
        """The smallest usual format after the one found: what it would leave free is worth knowing."""
        if found == last:
            return ()
        need = self.memory.estimate(model, replace(options, precision=last)).likely_gb
        return ((last, need, "fits" if need <= FITS_SHARE * usable else "tight"),)

    def _verdict(
        self, model: Model, cards: list[tuple[Gpu, float]], options: Options, estimate: MemoryEstimate, pooled: bool
    ) -> tuple[Verdict, float, float]:
        sizes = [gb for _, gb in cards]
        if pooled:
            # A layer is not cut in two: each further card loses half a layer on average.
            layer = estimate.parts["weights"] / max(model.layers, 1)
            usable = sum(sizes) - 0.5 * layer * (len(sizes) - 1)
        elif options.task == "inference":
            usable = max(sizes)
        else:
            usable = min(sizes)
        need = estimate.likely_gb
        if need <= FITS_SHARE * usable:
            return "fits", need, usable
        ranged = options.task != "inference" or not estimate.one_figure
        if need <= usable or (ranged and estimate.low_gb <= FITS_SHARE * usable):
            return "tight", need, usable
        return "no", need, usable

    def _cards_for(
        self, model: Model, base: Options, precision: str | None, estimate: MemoryEstimate, pooled: bool
    ) -> tuple[tuple[int, int], ...]:
        share, reserve = self.rules.memory["driver_share"], self.rules.memory["reserve_gb"]
        found: list[tuple[int, int]] = []
        for size in CARD_SIZES:
            usable = size * share - reserve
            most = (found[-1][0] - 1) if found else _most_cards(size) if pooled else 1
            for count in (c for c in COUNTS if c <= min(most, _most_cards(size))):
                need = estimate.likely_gb + estimate.each_gb * (count - 1)
                if base.task != "inference" and count > 1:
                    sharded = replace(base, precision=precision, count=count, sharded=True)
                    need = count * self.memory.estimate(model, sharded, ranged=False).likely_gb
                if need <= count * usable:
                    found.append((count, size))
                    break
            if found and found[-1][0] == 1:
                break
        return tuple(found)

    def _runs_in(self, options: Options, framework: str) -> bool:
        return options.framework is not None and self.memory.runtimes.framework(options.framework).id == framework

    def _notes(
        self,
        gpus: Sequence[tuple[Gpu, int]],
        options: Options,
        estimate: MemoryEstimate,
        pooled: bool,
        verdict: Verdict,
    ) -> tuple[Note, ...]:
        notes: list[Note] = []
        count = sum(n for _, n in gpus)
        if count > 1:
            notes.append(("layer_split" if pooled else "not_pooled", {"count": count}))
            if not pooled and len(gpus) > 1:
                weakest = min(gpus, key=lambda g: g[0].memory_gb)[0]
                notes.append(("weakest_card", {"gpu": weakest.name, "usable_gb": usable_gb(weakest, self.rules)}))
        for gpu, _ in gpus:
            if gpu.vendor == "apple":
                notes.append(("wired_limit", {"usable_gb": usable_gb(gpu, self.rules), "memory_gb": gpu.memory_gb}))
            compute = compute_capability(gpu)
            floor = self.rules.minimum_compute["vllm"]
            if self._runs_in(options, "vllm") and compute is not None and compute < floor:
                notes.append(("vllm_compute", {"gpu": gpu.name, "compute": compute, "needed": floor}))
            if estimate.precision == "bf16" and gpu.supports("bf16") in ("no", "slow") and options.precision:
                notes.append(("no_bf16", {"gpu": gpu.name}))
            if estimate.precision == "fp8" and gpu.supports("fp8") == "no" and options.precision:
                notes.append(("no_fp8", {"gpu": gpu.name}))
        return tuple(notes)


def _most_cards(size_gb: float) -> int:
    """How many cards of that size one still puts together."""
    return 2 if size_gb < 24 else 8 if size_gb < 80 else 16


def _pooled(model: Model, options: Options) -> bool:
    """Whether several cards hold one copy together."""
    if options.task == "inference":
        return model.kind in ("llm", "vlm") and bool(model.layers)
    return False
