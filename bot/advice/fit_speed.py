"""How fast a model that fits writes its answer, from the performance model."""

from __future__ import annotations

from bot.advice.fit import Speed
from bot.hardware.gpu import Gpu
from bot.hardware.models import Model
from bot.hardware.performance import Estimate, PerformanceModel
from bot.hardware.runtimes import Runtimes


def decode_speed(performance: PerformanceModel, runtimes: Runtimes) -> Speed:
    """The speed function of a Fitter: tokens per second of one user, or None where nothing can be said.

    Other than language models are not decoded token by token: no figure.
    """

    def speed(model: Model, precision: str, gpu: Gpu, count: int) -> Estimate | None:
        if model.kind not in ("llm", "vlm") or not model.params_b or not model.layers:
            return None
        bytes_per_weight = runtimes.precision(precision).bits / 8
        return performance.tokens_per_s(
            gpu, model.params_b, bytes_per_weight, model.layers, active_params_b=model.active_b, count=count
        )

    return speed
