"""Memory of fine-tuning and training a transformer: states, activations, logits. All figures in bytes.

Formulas: Korthikanti et al., arXiv 2205.05198 (activations); stas00/ml-engineering (states); can-i-finetune-this
(gated layers). Constants: bot/hardware/runtimes.py and data/frameworks.yaml.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.hardware.models import Model
from bot.hardware.runtimes import ADAPTER_BYTES, LOSS_BYTES, OPTIMIZER_BYTES, Precision


@dataclass(frozen=True, slots=True)
class TrainingSetup:
    """How a model is trained. `sequences` per GPU."""

    task: str
    precision: Precision
    sequences: float
    tokens_each: int
    checkpointing: bool
    attention: str
    loss: str
    optimizer: str
    activation_factor: float
    fp32_embeddings: bool
    lora_params: float
    states_over: int = 1
    """GPUs that share weights, gradients and optimizer state (ZeRO-3, FSDP)."""


@dataclass(frozen=True, slots=True)
class TrainingBytes:
    weights: float
    states: float
    activations: float
    logits: float

    @property
    def total(self) -> float:
        return self.weights + self.states + self.activations + self.logits


def default_lora_params(model: Model, rank: int = 16) -> float:
    """Adapter parameters at this rank on every linear layer of the blocks."""
    if not model.layers:
        return 0.006 * (model.params_b or 0.0) * 1e9
    q, kv = model.heads * model.head_dim, model.kv_heads * model.head_dim
    attention = 2 * (model.hidden + q) + 2 * (model.hidden + kv)
    mlp = (3 if model.gated else 2) * (model.hidden + model.ffn) * max(model.experts_active, 1)
    return float(rank * model.layers * (attention + mlp))


def training_bytes(model: Model, setup: TrainingSetup) -> TrainingBytes:
    """The parts of one training step's peak on one GPU."""
    params = (model.params_b or 0.0) * 1e9
    if setup.task in ("lora", "qlora"):
        weights, states = frozen_weights(model, setup), setup.lora_params * _adapter_bytes(setup.optimizer)
    else:
        each = OPTIMIZER_BYTES[setup.optimizer]
        stored = min(2.0 if setup.precision.bits <= 16 else 4.0, each)
        weights, states = params * stored, params * (each - stored)
    tokens = setup.sequences * setup.tokens_each
    logits = tokens * model.vocab * LOSS_BYTES[setup.loss] if model.kind in ("llm", "vlm", "encdec") else 0.0
    layer = layer_activations(model, setup)
    if setup.checkpointing:
        activations = 2.0 * model.hidden * model.layers * tokens + layer
    else:
        activations = layer * model.layers * (2.5 if model.kind == "encdec" else 1.0)
    over = max(setup.states_over, 1)
    return TrainingBytes(weights / over, states / over, activations, logits)


def frozen_weights(model: Model, setup: TrainingSetup) -> float:
    """Weights that are not trained, in the base's precision."""
    params = (model.params_b or 0.0) * 1e9
    if setup.task == "lora":
        return params * (2.0 if setup.precision.bits <= 16 else 4.0)
    embedding = min(model.embedding_params, 0.6 * params)
    width = 4.0 if setup.fp32_embeddings else 2.0
    return (params - embedding) * setup.precision.bits / 8 + embedding * width


def layer_activations(model: Model, setup: TrainingSetup) -> float:
    """What one block keeps for its backward pass."""
    tokens = setup.sequences * setup.tokens_each
    width = 4.0 if setup.precision.id in ("fp32", "tf32") else 2.0
    ffn = model.ffn * max(model.experts_active, 1)
    linear = (9 * model.hidden + (4.5 if model.gated else 2.0) * ffn) * tokens * width
    scores = 0.0
    if setup.attention in ("eager", "unfused"):
        squares = model.heads * setup.tokens_each**2 * setup.sequences
        scores = squares * (2.5 * width if setup.attention == "unfused" else 8.0)
    return (linear + scores) * setup.activation_factor


def _adapter_bytes(optimizer: str) -> float:
    if optimizer in ("paged_adamw_8bit", "adamw_8bit", "adamw_8bit_fused", "paged_adamw_8bit_fused"):
        return 10.0
    return 8.0 if optimizer == "adamw_fp16state" else ADAPTER_BYTES
