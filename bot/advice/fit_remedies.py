"""What to change so that a model fits, cheapest first, each with what it costs in speed or quality."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.hardware.diffusion_memory import GIB, offloaded_bytes
from bot.hardware.gpu import Gpu
from bot.hardware.inference_memory import default_context
from bot.hardware.memory import MemoryEstimate, MemoryModel, Options
from bot.hardware.models import Model, ModelTable

_QUALITY = {"same": "none", "near": "none", "good": "slight_quality", "fair": "some_quality", "poor": "much_quality"}
_STEPS = ("q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
_TORCH_STEPS = ("int8", "awq")
MORE_CARDS = (2, 3, 4, 6, 8, 16)


@dataclass(frozen=True, slots=True)
class Remedy:
    """A code of fit_codes.REMEDIES with parameters, the GB it leads to, and its cost (fit_codes.COSTS)."""

    code: str
    parameters: Mapping[str, object]
    gb: float
    cost: str


def remedies_for(
    memory: MemoryModel, models: ModelTable, model: Model, options: Options, cards: list[tuple[Gpu, float]],
    usable: float, estimate: MemoryEstimate, pooled: bool,
) -> tuple[Remedy, ...]:  # fmt: skip
    """Each remedy alone makes it fit; only what does is listed."""
    ask = _Asker(memory, model, options, usable, estimate)
    if options.task != "inference":
        return _training(ask, models, cards)
    found: list[Remedy] = []
    if model.kind in ("llm", "vlm") and model.layers:
        _language(ask, found)
    elif model.components:
        _pictures(ask, found)
    _smaller(ask, models, found)
    _hardware(ask, found, cards, pooled)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Asker:
    memory: MemoryModel
    model: Model
    options: Options
    usable: float
    now: MemoryEstimate

    def gb(self, **changes: object) -> float | None:
        """GB with these options changed, where that fits; else None."""
        changed = replace(self.options, **changes)  # type: ignore[arg-type]
        got = self.memory.estimate(self.model, changed, ranged=False).likely_gb
        return got if got <= self.usable else None


def _pictures(ask: _Asker, found: list[Remedy]) -> None:
    """Whole pipeline on the card at fewer bits, or text encoders and decoder moved out while the main part runs."""
    now = ask.memory.runtimes.precision(ask.now.precision)
    for name, cost in ((now.id, "none"), ("fp8", "none"), ("int4", "slight_quality")):
        step = ask.memory.runtimes.precision(name)
        if step.bits > now.bits or (step.bits == now.bits and name != now.id):
            continue
        whole = ask.memory.estimate(ask.model, replace(ask.options, precision=name))
        if whole.likely_gb <= ask.usable:
            parameters = {"precision": name, "gb": whole.likely_gb, "quality": cost}
            found.append(Remedy("quantise", parameters, whole.likely_gb, cost))
            return
        part = offloaded_bytes(ask.model, step, whole.parts["activations"] * GIB) / GIB
        if part <= ask.usable and not any(r.code.endswith("offload_text") for r in found):
            code = "offload_text" if name == now.id else "quantise_offload_text"
            parameters = {"gb": part} if name == now.id else {"precision": name, "gb": part}
            found.append(Remedy(code, parameters, part, "slower"))


def _language(ask: _Asker, found: list[Remedy]) -> None:
    model, options, runtimes = ask.model, ask.options, ask.memory.runtimes
    now = runtimes.precision(options.precision or model.checkpoint or "fp16")
    other = options.framework is not None and runtimes.framework(options.framework).id != "llama.cpp"
    room = ask.usable * GIB * 8 / ((model.params_b or 1.0) * 0.9e9)  # bits per weight that could fit at all
    for name in _TORCH_STEPS if other else _STEPS:
        step = runtimes.precision(name)
        if step.bits < min(now.bits - 0.05, room) and (gb := ask.gb(precision=name)) is not None:
            cost = _QUALITY[step.quality]
            found.append(Remedy("quantise", {"precision": name, "gb": gb, "quality": cost}, gb, cost))
            break
    cache = ask.now.parts["kv_cache"]  # nothing saves more than all of it and its buffers
    saves = ask.now.likely_gb - 1.1 * cache - ask.now.parts["activations"] <= ask.usable
    if saves and options.kv_cache is None and (gb := ask.gb(kv_cache="q8_0" if not other else "fp8")) is not None:
        found.append(Remedy("kv_cache", {"kind": "q8_0" if not other else "fp8", "gb": gb}, gb, "none"))
    tokens = options.context_tokens or default_context(model)
    while tokens > 2048 and saves:
        tokens //= 2
        if (gb := ask.gb(context_tokens=tokens)) is not None:
            found.append(Remedy("shorten", {"tokens": tokens, "gb": gb}, gb, "shorter"))
            break
    over = ask.now.likely_gb - ask.usable
    share = max(0.0, min(1.0, 1 - over / max(ask.now.parts["weights"], 1e-9)))
    if over > 0 and share > 0.05:
        parameters: dict[str, object] = {"gb": ask.usable, "ram_gb": over * 1.1}
        if model.moe:
            cost = "slower" if share > 0.4 else "much_slower"
            found.append(Remedy("expert_offload", parameters, ask.usable, cost))
        else:
            cost = "slower" if share > 0.9 else "much_slower"
            found.append(Remedy("offload", {**parameters, "share": share}, ask.usable, cost))


def _smaller(ask: _Asker, models: ModelTable, found: list[Remedy]) -> None:
    size = ask.model.params_b or 0.0
    smaller = [m for m in models.siblings(ask.model) if (m.params_b or 0.0) < size]
    for member in smaller[:4]:
        estimate = ask.memory.estimate(member, ask.options, ranged=False)
        if estimate.likely_gb <= ask.usable:
            parameters = {"model": member.name, "precision": estimate.precision, "gb": estimate.likely_gb}
            found.append(Remedy("smaller", parameters, estimate.likely_gb, "smaller"))
            return


def _hardware(ask: _Asker, found: list[Remedy], cards: list[tuple[Gpu, float]], pooled: bool) -> None:
    estimate = ask.now
    gpu, each = min(cards, key=lambda c: c[1])
    if pooled and len({g.name for g, _ in cards}) == 1 and gpu.segment not in ("system", "laptop"):
        for count in MORE_CARDS:
            need = estimate.likely_gb + estimate.each_gb * (count - len(cards))
            if count > len(cards) and need <= 0.97 * count * each:
                found.append(Remedy("more_cards", {"gpu": gpu.name, "count": count, "gb": need}, need, "money"))
                break
    for size in (8, 12, 16, 24, 32, 48, 80, 96, 141, 192):
        if estimate.likely_gb <= size * 0.985 - 0.3:
            if size > gpu.memory_gb:
                parameters = {"memory_gb": size, "gb": estimate.likely_gb}
                found.append(Remedy("bigger_card", parameters, estimate.likely_gb, "money"))
            break


def _training(ask: _Asker, models: ModelTable, cards: list[tuple[Gpu, float]]) -> tuple[Remedy, ...]:
    options, model, found = ask.options, ask.model, list[Remedy]()
    transformer = bool(model.layers)
    all_weights = options.task in ("full", "train")
    # GB of one byte a parameter on each card: what is hopeless is not worth an estimate.
    byte_gb = (model.params_b or 0.0) * 1e9 / GIB / (options.count if options.sharded else 1)
    adapters = all_weights and (model.kind in ("llm", "vlm", "encdec") or "lora" in model.needs)
    quantised = options.task != "qlora" and (model.kind in ("llm", "vlm") or "qlora" in model.needs)
    several = transformer and len(cards) > 1 and not options.sharded
    lean = {"optimizer": "paged_adamw_8bit_fused", "checkpointing": True, "loss": "chunked"}
    tried: tuple[tuple[str, bool, dict[str, object], str], ...] = (
        ("checkpointing", transformer and options.checkpointing is not True, {"checkpointing": True, "loss": "chunked"},
         "slower"),
        ("batch_one", (options.batch or 1) > 1, {"batch": 1}, "slower"),
        ("lean_optimizer", transformer and all_weights and 2 * byte_gb < ask.usable, dict(lean), "slight_quality"),
        ("lora", adapters and 2 * byte_gb < ask.usable, {"task": "lora", "optimizer": None}, "slight_quality"),
        ("qlora", quantised and 0.5 * byte_gb < ask.usable, {"task": "qlora", "optimizer": None, "precision": None},
         "slight_quality"),
        ("shard", several, {"sharded": True, "count": len(cards)}, "slower"),
    )  # fmt: skip
    for code, sensible, changes, cost in tried:
        if sensible and (gb := ask.gb(**changes)) is not None:
            more: dict[str, object] = {"count": len(cards)} if code == "shard" else {}
            found.append(Remedy(code, {**more, "gb": gb}, gb, cost))
    if transformer and not any(r.code == "shard" for r in found):
        states = ask.now.parts["weights"] + ask.now.parts["optimizer"]
        for count in (2, 4, 8, 16, 32):
            sensible = count > len(cards) and states / count < ask.usable
            if sensible and (gb := ask.gb(sharded=True, count=count)) is not None:
                parameters = {"gpu": cards[0][0].name, "count": count, "gb": gb}
                found.append(Remedy("more_cards", parameters, gb, "money"))
                break
    if transformer and not any(r.code in ("shard", "checkpointing") for r in found):
        parts = ask.now.parts
        gb = parts["activations"] + parts["overhead"] + 2 * parts["weights"] / model.layers
        if gb <= ask.usable:
            ram = (parts["weights"] + parts["optimizer"]) * 1.1
            found.append(Remedy("train_offload", {"gb": gb, "ram_gb": ram}, gb, "much_slower"))
    _smaller(ask, models, found)
    likely = ask.now.likely_gb
    size = next((s for s in (8, 12, 16, 24, 32, 48, 80, 96, 141) if likely <= s * 0.985 - 0.3), None)
    if size is not None and size > cards[0][0].memory_gb and not math.isclose(size, cards[0][0].memory_gb):
        found.append(Remedy("bigger_card", {"memory_gb": size, "gb": likely}, likely, "money"))
    return tuple(found)
