"""How much GPU memory a model needs: running it, fine-tuning it, training it.

GB are as card sellers say them: a "24 GB" card holds 24 x 2^30 bytes, and figures here are bytes / 2^30.
Running a language model in a known runtime gives one figure with a margin; fine-tuning gives a range, and
`deciding` names what decides where in it the truth lies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.hardware import diffusion_memory as pictures
from bot.hardware.inference_memory import (
    cache_bytes as kv_bytes,
)
from bot.hardware.inference_memory import (
    default_context,
    llama_buffer,
    torch_buffer,
    unpacking,
    weight_bytes,
)
from bot.hardware.models import Model
from bot.hardware.runtimes import (
    ATTENTIONS,
    LOSS_BYTES,
    OPTIMIZER_BYTES,
    TASKS,
    Framework,
    Precision,
    Runtimes,
    UnknownOptionError,
    cache_bytes,
)
from bot.hardware.training_memory import TrainingSetup, default_lora_params, training_bytes

GIB = 2.0**30
INFERENCE_MARGIN = 0.06
TRAINING_MARGIN = 0.20
DEFAULT_TRAINING_TOKENS = 1024
CUDA_CONTEXT_GB = 0.35

Assumption = tuple[str, Mapping[str, object]]
"""A code of bot/advice/fit_codes.py with its parameters."""


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked of the model. None: not said.

    `context_tokens` counts prompt and answer, or the training sequence. `batch` is sequences or images per GPU
    (inference: at the same time). `size`: "1024px", "832x480x81f" for pictures and films.
    `sharded`: weights and states are spread over the cards (FSDP, ZeRO-3) instead of copied.
    """

    task: str = "inference"
    precision: str | None = None
    batch: int | None = None
    context_tokens: int | None = None
    kv_cache: str | None = None
    framework: str | None = None
    count: int = 1
    checkpointing: bool | None = None
    attention: str | None = None
    loss: str | None = None
    optimizer: str | None = None
    lora_params_m: float | None = None
    sharded: bool = False
    size: str | int | None = None
    unified: bool = False
    """Memory shared with the CPU: no CUDA context, and the embedding counts too."""


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """GB in all (inference) or per GPU (training). `parts` add up to `likely_gb`; every further card adds `each_gb`."""

    low_gb: float
    likely_gb: float
    high_gb: float
    parts: Mapping[str, float]
    assumptions: tuple[Assumption, ...]
    deciding: str
    one_figure: bool
    precision: str
    context_tokens: int | None = None
    batch: int = 1
    sources: tuple[str, ...] = ()
    each_gb: float = field(default=0.0)


class MemoryModel:
    """The estimator. Made once; `estimate` is pure."""

    def __init__(self, runtimes: Runtimes) -> None:
        self.runtimes = runtimes

    def estimate(self, model: Model, options: Options, ranged: bool = True) -> MemoryEstimate:
        """The memory of the model under these options. `ranged` False: only `likely_gb` of training is needed.

        Raises UnknownOptionError for a precision, cache format, runtime, task or attention that is not known."""
        if options.task not in TASKS:
            raise UnknownOptionError("task", options.task, TASKS)
        for value, option, known in (
            (options.attention, "attention", ATTENTIONS),
            (options.loss, "loss", tuple(LOSS_BYTES)),
            (options.optimizer, "optimizer", tuple(OPTIMIZER_BYTES)),
        ):
            if value is not None and value not in known:
                raise UnknownOptionError(option, value, known)
        task = self._task(model, options.task)
        said = self.runtimes.precision(options.precision) if options.precision else None
        framework = self.runtimes.framework(options.framework) if options.framework else None
        precision = said or self._default_precision(model, task, framework)
        if task == "full" and model.acts_m:
            return self._network(model, options, precision, said is not None)
        if task == "inference" and model.components and (said or "inference" not in model.needs):
            return self._pictures(model, options, precision, said is not None, framework)
        if task in model.needs and not (model.layers and framework):
            return self._reported(model, options, task, precision, said)
        if not model.layers and model.params_b is None:
            raise UnknownOptionError("model", model.name, ())
        if task == "inference":
            return self._inference(model, options, precision, said is not None, framework)
        return self._training(model, options, task, precision, said is not None, framework, ranged)

    @staticmethod
    def _task(model: Model, asked: str) -> str:
        """The task as this model knows it: pictures and reported models have fewer ways than language models."""
        task = "full" if asked == "train" else asked
        if model.layers or task in model.needs or (task == "full" and model.acts_m):
            return task
        for other in ("lora", "full") if task == "qlora" else ():
            if other in model.needs:
                return other
        if task != "inference" or not (model.components or model.params_b):
            raise UnknownOptionError("task", asked, tuple(model.needs))
        return task

    def _default_precision(self, model: Model, task: str, framework: Framework | None) -> Precision:
        if model.kind in ("llm", "vlm") and task == "inference":
            gguf = framework is not None and framework.id == "llama.cpp"
            return self.runtimes.precision(model.checkpoint or ("q4_k_m" if gguf else "fp16"))
        if task == "qlora":
            return self.runtimes.precision("nf4")
        small = model.kind in ("encoder", "vision") and task != "inference"
        return self.runtimes.precision("fp32" if small else "bf16")

    # --- running a language model -------------------------------------------------------------------------------

    def _inference(
        self, model: Model, options: Options, precision: Precision, said: bool, framework: Framework | None
    ) -> MemoryEstimate:
        context = options.context_tokens if options.context_tokens is not None else default_context(model)
        batch = options.batch or 1
        element = cache_bytes(options.kv_cache or "fp16")
        if framework is None and precision.family == "gguf":
            framework = self.runtimes.framework("llama.cpp")
        gguf = framework is not None and framework.id == "llama.cpp"
        weights = weight_bytes(model, precision, cpu_embedding=gguf and not options.unified)
        cache, cache_high = kv_bytes(model, context, batch, element)
        attention = options.attention or (framework.attention if framework else "sdpa")
        if gguf:
            buffer = llama_buffer(model, context, attention == "flash")
        else:
            eager = attention == "eager" and (framework is None or framework.long_prompts)
            buffer = torch_buffer(model, context, batch, eager)
        context_gb = 0.0 if options.unified else CUDA_CONTEXT_GB
        if framework is not None:
            kv = cache * framework.kv_factor
            overhead = framework.overhead_gb.get("inference", 0.3) * GIB
            if precision.family == "bnb":
                overhead += unpacking(model)
            if gguf:
                overhead = context_gb * GIB
            likely = weights + kv + buffer + overhead
            low = likely * (1 - INFERENCE_MARGIN)
            high = likely * (1 + INFERENCE_MARGIN) + (cache_high - cache)
        else:
            kv, overhead = cache, 0.5 * GIB
            likely = weights + kv + buffer + overhead
            low = 0.96 * weights + 0.9 * cache
            prompt = 4.0 * context * model.vocab * batch  # logits of the whole prompt, as older code keeps them
            high = 1.04 * weights + 2.2 * cache_high + buffer + prompt + 1.3 * GIB
            if model.generic:
                low, high = low * 0.93, high * 1.07
            high = max(likely, min(high, 2 * low))
        if model.generic and framework is not None:
            low, high = low * 0.93, high * 1.07
        each = 0.0 if options.unified else (context_gb if gguf else CUDA_CONTEXT_GB + buffer / GIB * 0.5)
        extra = each * GIB * (options.count - 1)
        parts = {
            "weights": weights,
            "kv_cache": kv,
            "activations": buffer,
            "optimizer": 0.0,
            "overhead": overhead + extra,
        }
        assumptions = self._said(model, options, precision, said, context, batch, framework)
        deciding = "context" if cache > 0.15 * likely else "precision"
        return _result(
            low + extra, likely + extra, high + extra, parts, assumptions, deciding, framework is not None,
            precision, context, batch, (model.source, precision.source), each,
        )  # fmt: skip

    # --- fine-tuning and training -------------------------------------------------------------------------------

    def _training(
        self, model: Model, options: Options, task: str, precision: Precision, said: bool,
        framework: Framework | None, ranged: bool,
    ) -> MemoryEstimate:  # fmt: skip
        tokens = options.context_tokens or (384 if model.kind == "encoder" else DEFAULT_TRAINING_TOKENS)
        batch = options.batch or (8 if model.kind == "encoder" else 1)
        known = framework or self.runtimes.framework("pytorch" if model.kind == "encoder" else "peft")
        over = options.count if options.sharded and options.count > 1 else 1

        setup = TrainingSetup(
            task=task, precision=precision, sequences=batch, tokens_each=tokens,
            checkpointing=known.checkpointing if options.checkpointing is None else options.checkpointing,
            attention=options.attention or known.attention, loss=options.loss or known.loss,
            optimizer=options.optimizer or self._optimizer(known, task, precision),
            activation_factor=known.activation.get(task, 1.0), fp32_embeddings=known.fp32_embeddings,
            lora_params=(options.lora_params_m or 0.0) * 1e6 or default_lora_params(model), states_over=over,
        )  # fmt: skip
        main = training_bytes(model, setup)
        overhead = known.overhead_gb.get(task, 0.5) * GIB
        total = main.total + overhead
        low, high = total * (1 - TRAINING_MARGIN), total * (1 + TRAINING_MARGIN)
        if framework is None and ranged:
            low, high = _extremes(model, options, setup, total)
        parts = {"weights": main.weights, "kv_cache": 0.0, "activations": main.activations + main.logits,
                 "optimizer": main.states, "overhead": overhead}  # fmt: skip
        assumptions = list(self._said(model, options, precision, said, tokens, batch, framework))
        if options.checkpointing is None:
            assumptions.append(("checkpointing", {"on": setup.checkpointing}))
        if task == "full" and options.optimizer is None:
            assumptions.append(("optimizer", {"name": setup.optimizer, "bytes": OPTIMIZER_BYTES[setup.optimizer]}))
        if options.count > 1:
            assumptions.append(("sharded" if over > 1 else "copied", {"count": options.count}))
        deciding = "optimizer" if task == "full" and main.states > main.activations + main.logits else "checkpointing"
        if options.checkpointing is not None and deciding == "checkpointing":
            deciding = "context"
        return _result(
            low, total, high, parts, tuple(assumptions), deciding, False, precision, tokens, batch,
            (model.source, known.source), 0.0,
        )  # fmt: skip

    @staticmethod
    def _optimizer(known: Framework, task: str, precision: Precision) -> str:
        if task == "full" and known.full_optimizer:
            return known.full_optimizer
        if task == "full" and known.id in ("pytorch", "hf", "peft"):
            return "adamw_fp32" if precision.bits > 16 else "adamw_amp" if precision.id in ("amp", "fp16") else "adamw"
        return known.optimizer

    # --- pictures, films, convolutional networks, and what is only reported ------------------------------------

    def _pictures(
        self, model: Model, options: Options, precision: Precision, said: bool, framework: Framework | None
    ) -> MemoryEstimate:
        default_px = 512 if "1.5" in model.name else 1024
        pixels, frames = pictures.megapixels(options.size or options.context_tokens, default_px)
        batch = options.batch or 1
        parts = pictures.component_bytes(model, precision)
        work = pictures.picture_activations(model, precision, pixels, frames, batch)
        weights = sum(parts.values())
        likely = weights + work
        margin = 0.12 if framework else 0.2
        low = (
            likely * (1 - margin) if framework else max(pictures.offloaded_bytes(model, precision, work), 0.6 * likely)
        )
        high = likely * (1 + margin)
        assumptions: list[Assumption] = [
            ("resident", {}),
            ("pixels", {"megapixels": round(pixels, 2), "frames": frames}),
        ]
        if not said:
            assumptions.append(("precision", {"precision": precision.id}))
        return _result(
            low, likely, high,
            {"weights": weights, "kv_cache": 0.0, "activations": work, "optimizer": 0.0, "overhead": 0.0},
            tuple(assumptions), "resident", framework is not None, precision, None, batch,
            (model.source, "Hugging Face blog, diffusers quantization, 2025-05"), 0.0,
        )  # fmt: skip

    def _network(self, model: Model, options: Options, precision: Precision, said: bool) -> MemoryEstimate:
        pixels, _ = pictures.megapixels(options.size or options.context_tokens, 224)
        batch = options.batch or 32
        states, activations = pictures.cnn_training(model, precision, batch, pixels)
        likely = states + activations + pictures.CNN_FIXED
        assumptions: list[Assumption] = [("pixels", {"megapixels": round(pixels, 3), "frames": 1})]
        if options.batch is None:
            assumptions.append(("batch", {"batch": batch}))
        if not said:
            assumptions.append(("precision", {"precision": precision.id}))
        return _result(
            likely * 0.88, likely, likely * 1.12,
            {"weights": states / 4, "kv_cache": 0.0, "activations": activations, "optimizer": states * 0.75,
             "overhead": pictures.CNN_FIXED},
            tuple(assumptions), "batch", False, precision, None, batch,
            (model.source, "lambdal/deeplearning-benchmark memory logs, 2020 to 2023"), 0.0,
        )  # fmt: skip

    def _reported(
        self, model: Model, options: Options, task: str, precision: Precision, said: Precision | None
    ) -> MemoryEstimate:
        need = model.needs[task]
        factor = 1.0
        if said is not None and task == "inference" and said.bits < 16:
            factor = 0.35 + 0.65 * said.bits / 16
        elif said is not None and task == "inference" and said.bits > 16:
            factor = 1.7
        assumptions: list[Assumption] = [("reported", {"uncertain": need.uncertain})]
        low, likely, high = need.low_gb * factor * GIB, need.likely_gb * factor * GIB, need.high_gb * factor * GIB
        return _result(
            low, likely, high, {"weights": min((model.params_b or 0.0) * 2e9, likely), "kv_cache": 0.0,
                                "activations": max(likely - (model.params_b or 0.0) * 2e9, 0.0), "optimizer": 0.0,
                                "overhead": 0.0},
            tuple(assumptions), "reported", False, precision, options.context_tokens, options.batch or 1,
            (model.source,), 0.0,
        )  # fmt: skip

    @staticmethod
    def _said(
        model: Model, options: Options, precision: Precision, said: bool, context: int, batch: int,
        framework: Framework | None,
    ) -> tuple[Assumption, ...]:  # fmt: skip
        """The context is always stated; the rest where it was not said."""
        found: list[Assumption] = [("context", {"tokens": context, "said": options.context_tokens is not None})]
        if not said:
            found.append(("precision", {"precision": precision.id}))
        if options.batch is None:
            found.append(("batch", {"batch": batch}))
        if options.task == "inference" and options.kv_cache is None and model.layers and model.kind != "encoder":
            found.append(("kv_cache", {"kind": "fp16"}))
        if framework is None:
            found.append(("framework", {}))
        if model.generic:
            found.append(("size_only", {"name": model.name}))
        if model.attention == "unknown":
            found.append(("cache_unknown", {}))
        if model.moe:
            found.append(("moe_total", {"total_b": model.params_b, "active_b": model.active_b}))
        return tuple(found)


def _extremes(model: Model, options: Options, setup: TrainingSetup, total: float) -> tuple[float, float]:
    """The range of a training run in an unnamed program: everything that saves memory, and nothing that does."""
    encoder = model.kind == "encoder"

    def with_open(**values: object) -> dict[str, object]:
        return {name: value for name, value in values.items() if getattr(options, name) is None}

    saving = with_open(checkpointing=not encoder, attention="sdpa", loss="fused", optimizer=_lean_optimizer(setup.task))
    wasting = with_open(
        checkpointing=False, attention="unfused" if encoder else "sdpa", loss="hf5",
        optimizer="adamw_amp" if encoder else _rich_optimizer(setup.task),
    )  # fmt: skip
    lean = replace(setup, **saving, activation_factor=1.0 if encoder else 0.4, fp32_embeddings=False)  # type: ignore[arg-type]
    rich = replace(setup, **wasting, activation_factor=max(setup.activation_factor, 1.2))  # type: ignore[arg-type]
    low = 0.97 * training_bytes(model, lean).total
    high = training_bytes(model, rich).total + (5.0 if setup.task == "full" else 2.0) * GIB
    return min(low, total * 0.85), max(high, total * 1.3)


def _lean_optimizer(task: str) -> str:
    return "adamw_bf16" if task == "full" else "paged_adamw_8bit"


def _rich_optimizer(task: str) -> str:
    return "adamw_mixed_ds" if task == "full" else "adamw"


def _result(
    low: float, likely: float, high: float, parts: Mapping[str, float], assumptions: tuple[Assumption, ...],
    deciding: str, one_figure: bool, precision: Precision, context: int | None, batch: int, sources: tuple[str, ...],
    each_gb: float,
) -> MemoryEstimate:  # fmt: skip
    return MemoryEstimate(
        low / GIB, likely / GIB, high / GIB, {k: v / GIB for k, v in parts.items()}, assumptions, deciding, one_figure,
        precision.id, context, batch, tuple(dict.fromkeys(s for s in sources if s)), each_gb,
    )  # fmt: skip
