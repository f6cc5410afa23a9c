"""What a named model asks of the cards to buy."""

from __future__ import annotations

from dataclasses import dataclass

from bot.advice.fit import Fitter
from bot.hardware.runtimes import UnknownOptionError

_TASKS = {"inference": "inference", "finetuning": "qlora", "training": "full"}


@dataclass(frozen=True, slots=True)
class ModelNeed:
    """`gb`: memory to look for, on one card, or together where `shardable`."""

    model: str
    task: str
    gb: float
    shardable: bool


def model_need(
    fitter: Fitter, name: str, mode: str | None, method: str | None = None, precision: str | None = None
) -> ModelNeed | None:
    """The memory that running (or tuning) the model takes: in 4 bits where no format is said; None when unknown.

    Fine-tuning means QLoRA where no method is said, or LoRA for models that have no such figures.
    """
    model = fitter.models.resolve(name)
    if model is None:
        return None
    first = (
        method if method in ("lora", "qlora", "full", "dreambooth") else _TASKS.get(mode or "inference", "inference")
    )
    for task in dict.fromkeys((first, "lora", "full", "inference")):
        try:
            needed = fitter.what_needed(model, task, precision)
        except UnknownOptionError:
            continue
        return ModelNeed(model.name, task, needed.card_gb, needed.pooled)
    return None
