"""How far the memory estimates are from published measurements, beside two peers' formulas, in one run.

    python benchmarks/memory_model.py [--rows] [--fit]

Reads vram_measured.csv of the reference material (../shared/reference-data, or WHICHGPU_SHARED). `known`: the framework
and its settings are given, and the constants of data/frameworks.yaml are fitted anew without the row's group (same
source and model). `product`: the constants as shipped. `blind`: only model, task, precision, batch and length.
Peers, from their published descriptions: parameters x bytes x 1.2 (inference), accelerate's estimate-memory (weights;
training is four times that).
"""

from __future__ import annotations

import csv
import dataclasses
import os
import statistics
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bot.hardware.memory import GIB, MemoryModel, Options
from bot.hardware.models import Model
from bot.hardware.runtimes import Framework, UnknownOptionError
from bot.loading import load_memory_model, load_models

SOURCES = (
    ("litgpt", "litgpt"), ("QwenLM", "qwen"), ("torchtune", "torchtune"), ("can-i-finetune", "peft"),
    ("fitcheck", "peft"), ("ftuneai", "peft"), ("turboderp", "exllama"), ("GPTQ-for", "gptq-for-llama"),
    ("llm_tutorial", "hf"), ("model_memory", "hf"), ("ollama", "llama.cpp"), ("fitlab", "llama.cpp"),
    ("lilbee", "llama.cpp"), ("stas00", "deepspeed"), ("sample-datasets", "diffusers"),
    ("huggingface/blog", "diffusers"), ("genmodelfit", "comfyui"), ("lambdal", "pytorch"),
    ("HunyuanVideo", "diffusers"), ("FastVideo", "diffusers"), ("Wan2.1", "diffusers"),
)  # fmt: skip
TASKS = {"full-finetune": "full"}
NEUTRAL_ACTIVATION = {"lora": 1.0, "qlora": 1.5, "full": 1.0}
NEUTRAL_GB = {"inference": 0.3, "lora": 0.7, "qlora": 0.7, "full": 2.0}


@dataclasses.dataclass(frozen=True)
class Point:
    row: dict[str, str]
    model: Model
    task: str
    measured: float
    framework: str
    group: tuple[str, str]
    known: Options
    blind: Options

    @property
    def set(self) -> str:
        if "fitted" in self.model.note:  # its activation count comes from these very logs
            return "acts fitted"
        if self.task != "inference" and self.model.kind not in ("llm", "vlm"):
            return "train"
        return "pictures" if self.model.components else self.task


def shared() -> Path:
    return Path(os.environ.get("WHICHGPU_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def points() -> tuple[list[Point], int]:
    """Rows that say enough, and how many do not."""
    table, model_of_memory = load_models(), load_memory_model()
    found, left = [], 0
    with (shared() / "reference-data/vram_measured.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            point = _point(row, table.resolve(row["model"]), model_of_memory)
            if point is None:
                left += 1
            else:
                found.append(point)
    return found, left


def _point(row: dict[str, str], model: Model | None, memory: MemoryModel) -> Point | None:
    task = TASKS.get(row["task"], row["task"])
    if (
        model is None
        or task not in ("inference", "lora", "qlora", "full", "train")
        or not row["seq"]
        or not row["batch"]
    ):
        return None
    if (row["note"].startswith("per GPU") and "zero3" not in row["optim"]) or "flags" in row["note"] + row["attn"]:
        return None
    framework = next((name for part, name in SOURCES if part in row["source"]), "")
    if not framework:
        return None
    picture = bool(model.components) or bool(model.acts_m)
    gpus = int(row["ngpu"] or 1)
    precision, cache = row["precision"], None
    if "kv-int8" in precision:
        cache = "int8"
    elif "KV q8_0" in precision or "(q8_0)" in row["note"]:
        cache = "q8_0"
    try:
        memory.runtimes.precision(precision)
    except UnknownOptionError:
        return None
    shared_by = 1 if "zero3" in row["optim"] else gpus
    blind = Options(
        task=task, precision=precision, batch=max(int(row["batch"]) // shared_by, 1), kv_cache=cache,
        context_tokens=None if picture else int(row["seq"]), size=row["seq"] if picture else None,
    )  # fmt: skip
    measured = float(row["measured_gb"]) / (gpus if "total" in row["note"] else 1)
    known = dataclasses.replace(
        blind, framework=framework, count=gpus if task != "inference" else 1, sharded=gpus > 1,
        checkpointing={"on": True, "off": False}.get(row["ckpt"]), loss=row["loss"] or None,
        attention=row["attn"].replace("eager_hf", "eager") or None,
        optimizer=row["optim"] if row["optim"] not in ("", "flash", "zero3x8_cpuoffload") else None,
        lora_params_m=float(row["lora_m"]) if row["lora_m"] else None,
    )  # fmt: skip
    if "zero3x8" in row["optim"] or "zero3x8" in row["loss"] or "ZeRO-3x8" in precision:
        known = dataclasses.replace(known, optimizer="adamw_cpu_offload", loss="fused", attention="flash")
    return Point(
        row,
        model,
        task,
        measured,
        framework,
        (row["source"][:40], model.name),
        known,
        blind,
    )


def fitted(framework: Framework, task: str, kind: str, rows: list[Point], memory: MemoryModel) -> Framework:
    """The framework with the activation (or cache) factor and overhead that fit these rows best."""
    groups = {p.group for p in rows}
    if len(rows) < 2 or len(groups) < 1:
        return framework
    kv_step = [framework.kv_factor] if task != "inference" else [1.0 + 0.1 * i for i in range(16)]
    if all(p.model.acts_m for p in rows):
        return framework
    best, best_error = framework, float("inf")
    key = "full" if task == "train" else task
    acts = [framework.activation.get(key, 1.0)] if task == "inference" else [0.4 + 0.1 * i for i in range(24)]
    for factor in acts:
        for kv in kv_step:
            trial = dataclasses.replace(
                framework, kv_factor=kv, activation={**framework.activation, key: factor},
                overhead_gb={**framework.overhead_gb, key: 0.0},
            )  # fmt: skip
            bare = [estimate(p, p.known, trial, memory) for p in rows]
            for step in range(45 if framework.id != "llama.cpp" else 1):
                over = 0.1 * step
                errors = [abs(b + over - p.measured) / p.measured for b, p in zip(bare, rows, strict=True)]
                error = sum(min(e, 0.5) for e in errors) / len(errors) + 0.0005 * over + 0.001 * abs(factor - 1)
                if error < best_error:
                    best_error = error
                    best = dataclasses.replace(trial, overhead_gb={**framework.overhead_gb, key: over})
    return best


def estimate(point: Point, options: Options, framework: Framework | None, memory: MemoryModel) -> float:
    if framework is not None:
        memory = MemoryModel(_Runtimes(memory.runtimes, framework))  # type: ignore[arg-type]
    return memory.estimate(point.model, options).likely_gb


class _Runtimes:
    """The usual runtimes with one framework exchanged."""

    def __init__(self, usual: object, framework: Framework) -> None:
        self._usual, self._framework = usual, framework

    def precision(self, name: str) -> object:
        return self._usual.precision(name)  # type: ignore[attr-defined]

    def framework(self, name: str) -> Framework:
        found: Framework = self._usual.framework(name)  # type: ignore[attr-defined]
        return self._framework if found.id == self._framework.id else found


def main() -> None:
    memory = load_memory_model()
    found, left = points()
    known: dict[int, float] = {}
    buckets: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for i, p in enumerate(found):
        buckets[(p.framework, p.task, "cnn" if p.model.acts_m else p.set)].append(i)
    for (name, task, kind), rows in buckets.items():
        framework = memory.runtimes.framework(name)
        if "--fit" in sys.argv:
            best = fitted(framework, task, kind, [found[i] for i in rows], memory)
            key = "full" if task == "train" else task
            act, over = best.activation.get(key), best.overhead_gb.get(key)
            print(f"fit {name} {task} {kind}: act {act} kv {best.kv_factor:.1f} overhead {over} n {len(rows)}")
        for group in {found[i].group for i in rows}:
            rest = [found[i] for i in rows if found[i].group != group]
            model = fitted(framework, task, kind, rest, memory)
            for i in rows:
                if found[i].group == group:
                    known[i] = estimate(found[i], found[i].known, model, memory)
    print(f"{len(found)} rows, {left} left out (they do not say length, batch or settings)")
    print(
        f"{'set':11} {'n':>3} | {'known':>7} {'product':>7} | "
        f"{'blind':>6} {'inside':>6} {'width':>5} | {'x1.2':>6} {'accel.':>6}"
    )
    for kind in ("inference", "lora", "qlora", "full", "train", "acts fitted", "pictures"):
        ours = [i for i, p in enumerate(found) if p.set == kind]
        if ours:
            _line(kind, ours, found, known, memory)
    if "--rows" in sys.argv:
        for i, p in enumerate(found):
            e, r = memory.estimate(p.model, p.blind), memory.estimate(p.model, p.known)
            inside = e.low_gb <= p.measured <= e.high_gb
            print(
                f"{p.set:9} {p.model.name[:22]:22} {p.row['precision'][:12]:12} b{p.row['batch']:>3} "
                f"s{p.row['seq'][:9]:9} {p.framework:10} measured {p.measured:7.2f} known {known[i]:7.2f} "
                f"{known[i] / p.measured - 1:+.0%} product {r.likely_gb:7.2f} blind {e.low_gb:6.1f} "
                f"{e.likely_gb:6.1f} {e.high_gb:6.1f} {'' if inside else 'OUT'}"
            )


def _line(kind: str, ours: list[int], found: list[Point], known: dict[int, float], memory: MemoryModel) -> None:
    def error(values: dict[int, float]) -> float:
        return statistics.median(abs(values[i] - found[i].measured) / found[i].measured for i in ours)

    product = {i: memory.estimate(found[i].model, found[i].known).likely_gb for i in ours}
    blind = {i: memory.estimate(found[i].model, found[i].blind) for i in ours}
    inside = sum(blind[i].low_gb <= found[i].measured <= blind[i].high_gb for i in ours) / len(ours)
    width = statistics.median(blind[i].high_gb / blind[i].low_gb for i in ours)
    peers = {i: _peer_bytes(found[i], memory) for i in ours}
    peer = {i: peers[i] * 1.2 / GIB for i in ours}
    accelerate = {i: peers[i] * (4 if found[i].task in ("full", "train") else 1) / GIB for i in ours}
    print(
        f"{kind:11} {len(ours):3} | {error(known):7.1%} {error(product):7.1%} | "
        f"{error({i: e.likely_gb for i, e in blind.items()}):6.1%} {inside:6.0%} {width:5.2f} | "
        f"{error(peer):6.1%} {error(accelerate):6.1%}"
    )


def _peer_bytes(point: Point, memory: MemoryModel) -> float:
    bits = memory.runtimes.precision(point.row["precision"]).bits
    nominal = next((b for b in (4, 8, 16, 32) if bits <= b + 1), 32)
    return (point.model.params_b or 0.0) * 1e9 * nominal / 8


if __name__ == "__main__":
    main()
