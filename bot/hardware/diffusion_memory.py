"""Memory of making pictures and films, and of training convolutional networks. All figures in bytes.

Coefficients: fitted on huggingface/blog diffusers-quantization (2025-05), sayakpaul/sample-datasets and genmodelfit
0.10.1 (pictures); RegNet's activation counts and the memory logs of lambdal/deeplearning-benchmark (networks).
"""

from __future__ import annotations

import re

from bot.hardware.models import Model
from bot.hardware.runtimes import Precision

GIB = 2.0**30
_NUMBERS = re.compile(r"\d+")
UNQUANTISED = {"bnb": 0.17}
"""Share of a quantised pipeline that stays at 16 bits, where it is not 9 %."""
CNN_FACTOR = 2.4
CNN_FIXED = 1.5 * GIB


def megapixels(size: str | int | None, default_px: int) -> tuple[float, int]:
    """(megapixels, frames) of "1024px", "832x480x81f", 512; the default square where nothing is said."""
    numbers = [int(n) for n in _NUMBERS.findall(str(size))] if size is not None else []
    if len(numbers) >= 2:
        return numbers[0] * numbers[1] / 1e6, numbers[2] if len(numbers) > 2 else 1
    side = numbers[0] if numbers else default_px
    return side * side / 1e6, 1


def component_bytes(model: Model, precision: Precision) -> dict[str, float]:
    """Each part of the pipeline at this precision."""
    share = 0.0 if precision.bits >= 16 else UNQUANTISED.get(precision.family, 0.09)
    each = (1 - share) * precision.bits / 8 + share * 2.0
    return {part: size * 1e9 * each for part, size in model.components.items()}


def picture_activations(model: Model, precision: Precision, pixels: float, frames: int, batch: int) -> float:
    """What sampling and decoding add. `pixels` in millions."""
    main = max(model.components.values(), default=model.params_b or 1.0)
    width = max(precision.bits, 16.0) / 16
    if frames > 1:  # latent frames are four times fewer than the film's
        return (2.0 + 0.33 * pixels * frames / 4) * GIB * batch
    return (0.8 + (1.5 * width + min(0.19 * main, 2.4)) * pixels * batch) * GIB


def offloaded_bytes(model: Model, precision: Precision, work: float) -> float:
    """With only the part at work on the card, and the picture decoded in tiles."""
    return max(model.components.values(), default=0.0) * 1e9 * precision.bits / 8 + 0.6 * work


def cnn_training(model: Model, precision: Precision, batch: int, pixels: float) -> tuple[float, float]:
    """(states, activations) of training a network with a known activation count. `pixels` in millions per image."""
    width = 4.0 if precision.id in ("fp32", "tf32") else 2.0
    scale = pixels * 1e6 / 224**2
    return (model.params_b or 0.0) * 16e9, CNN_FACTOR * (model.acts_m or 0.0) * 1e6 * scale * batch * width
