"""What was measured: training throughput and tokens per second, one run a row, with source and date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.hardware.gpu import Gpu
from bot.tables import Row, read_rows

TRAINING_COLUMNS = ("gpu", "benchmark", "suite", "precision", "value", "unit", "source", "as_of")
LLM_COLUMNS = (
    "gpu", "model", "params_b", "layers", "quant", "bytes_per_weight", "tokens", "decode_tokens_per_s",
    "prompt_tokens_per_s", "source", "as_of",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """Throughput of one card in one benchmark of one suite. Values compare only within both."""

    gpu: Gpu
    benchmark: str
    suite: str
    precision: str
    """fp16 (mixed precision where the card has it) or fp32."""
    value: float
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class LlmRun:
    """One user, one card: `tokens` generated from an empty context."""

    gpu: Gpu
    model: str
    params_b: float
    layers: int
    quant: str
    bytes_per_weight: float
    tokens: int
    decode: float
    """Tokens per second."""
    prompt: float | None
    source: str
    as_of: str


def parse_training(text: str, where: str, find: Callable[[str], Gpu | None]) -> tuple[TrainingRun, ...]:
    """The rows of data/measured/training.csv; `find` looks a card up. Raises DataError."""
    return tuple(
        TrainingRun(
            gpu=_gpu(row, find),
            benchmark=row.required("benchmark"),
            suite=row.required("suite"),
            precision=row.choice("precision", ("fp16", "fp32")),
            value=_figure(row, "value"),
            source=row.required("source"),
            as_of=row.year_month("as_of"),
        )
        for row in read_rows(text, where, TRAINING_COLUMNS)
    )


def parse_llm(text: str, where: str, find: Callable[[str], Gpu | None]) -> tuple[LlmRun, ...]:
    """The rows of data/measured/llm.csv; `find` looks a card up. Raises DataError."""
    return tuple(
        LlmRun(
            gpu=_gpu(row, find),
            model=row.required("model"),
            params_b=_figure(row, "params_b"),
            layers=int(_figure(row, "layers")),
            quant=row.required("quant"),
            bytes_per_weight=_figure(row, "bytes_per_weight"),
            tokens=int(_figure(row, "tokens")),
            decode=_figure(row, "decode_tokens_per_s"),
            prompt=row.number("prompt_tokens_per_s", 0.01, 1e6),
            source=row.required("source"),
            as_of=row.year_month("as_of"),
        )
        for row in read_rows(text, where, LLM_COLUMNS)
    )


def _gpu(row: Row, find: Callable[[str], Gpu | None]) -> Gpu:
    gpu = find(row.required("gpu"))
    if gpu is None or gpu.name != row.text("gpu"):
        raise row.fail("gpu", f"{row.text('gpu')!r} is not a card of the catalogue", "Write the name in data/gpus.csv")
    return gpu


def _figure(row: Row, column: str) -> float:
    value = row.number(column, 1e-6, 1e9)
    if value is None:
        raise row.fail(column, "the cell is empty", "Fill it in")
    return value
