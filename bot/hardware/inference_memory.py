"""Memory of running a language model: weights, KV cache, buffers. All figures in bytes."""

from __future__ import annotations

from bot.hardware.models import Model
from bot.hardware.runtimes import Precision

LLAMA_BATCH = 512
"""Tokens that llama.cpp works on at once by default."""
DEFAULT_CONTEXT = 8192


def default_context(model: Model) -> int:
    """The context assumed where none is said: never a long-context model's full one."""
    return min(model.context or DEFAULT_CONTEXT, DEFAULT_CONTEXT)


def weight_bytes(model: Model, precision: Precision, cpu_embedding: bool = False) -> float:
    """Weights of all experts. `cpu_embedding`: llama.cpp leaves the input embedding to the CPU where it is untied."""
    params = (model.params_b or 0.0) * 1e9
    if precision.embeddings_16bit:
        embedding = min(model.embedding_params, 0.6 * params)
        return (params - embedding) * precision.bits / 8 + embedding * 2.0
    total = params * precision.bits / 8
    if cpu_embedding and not model.tied and not model.generic:
        total -= model.vocab * model.hidden * min(precision.bits, 4.5 if precision.bits < 8 else 16.0) / 8
    return total


def cache_bytes_per_token(model: Model, element: float) -> tuple[float, float]:
    """Bytes per token in layers that keep everything, and in layers that keep only their window."""
    if model.attention == "mla":
        return model.layers * model.kv_rank * element, 0.0
    if not model.layers or model.kind == "encoder":
        return 0.0, 0.0
    width = model.kv_heads * model.head_dim
    full = 2 * model.full_layers * (model.full_kv_width or width) * element
    windowed = 2 * (model.layers - model.full_layers) * width * element if model.attention == "sliding" else 0.0
    return full, windowed


def cache_bytes(model: Model, context: int, sequences: int, element: float) -> tuple[float, float]:
    """(likely, high) KV cache. The two differ only where the kind of cache is unknown or only a size is known."""
    full, windowed = cache_bytes_per_token(model, element)
    kept = min(context, model.window + LLAMA_BATCH) if model.window else context
    likely = sequences * (full * context + windowed * kept)
    if model.attention == "unknown":  # between a compressed cache and one as large as MLA keeps
        return sequences * model.layers * 144 * element * context, sequences * model.layers * 576 * element * context
    if model.generic and (model.params_b or 0.0) < 60:  # older models of the size keep every head
        return likely, likely * 3.0
    return likely, likely


def llama_buffer(model: Model, context: int, flash: bool) -> float:
    """llama.cpp's compute buffer."""
    scores = 0 if flash else model.heads * context
    return 4.0 * LLAMA_BATCH * (model.vocab + scores)


def torch_buffer(model: Model, context: int, sequences: int, eager: bool) -> float:
    """Hidden states, last logits, and attention scores where they are written out."""
    hidden = 8.0 * sequences * context * model.hidden + 6.0 * sequences * model.vocab
    return hidden + (4.0 * model.heads * context * context if eager else 0.0)


def unpacking(model: Model) -> float:
    """Room in which bitsandbytes unpacks its largest matrices."""
    return 0.12 * 2**30 + 4.0 * model.hidden * model.ffn
