"""data/performance.yaml: assumptions, coefficients and errors of the performance model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.hardware.calibration import GROUP_OF, GROUPS, Calibration
from bot.hardware.decode import DecodeFamily
from bot.hardware.throughput import FEATURES, Assumptions, Coefficients, Settings
from bot.tables import DataError, read_yaml


@dataclass(frozen=True, slots=True)
class ErrorRules:
    """Half-widths of the stated range, in percent: four of five cards lie within."""

    measured: float
    measured_elsewhere: float
    """Measured only in other suites than the main ones, tied to the reference through other cards."""
    estimated: Mapping[str, float]
    """By class or benchmark."""
    plain: float
    """Cards without tensor cores."""
    laptop: float
    new_architecture: float
    """No run of the card's architecture in the group."""
    bandwidth_only: float
    wider: Mapping[str, float]
    """Maker or architecture -> what its few runs allow to say."""
    inference_factor: float


@dataclass(frozen=True, slots=True)
class PerformanceTable:
    """Everything of data/performance.yaml."""

    reference: str
    settings: Settings
    assumptions: Assumptions
    software: Mapping[str, float]
    """Architecture -> share of the estimate that its software reaches in training, where nothing is measured."""
    bandwidth_only: Mapping[str, float]
    """Vendor -> factor on the bandwidth ratio, for cards whose compute rate is not published."""
    errors: ErrorRules
    families: Mapping[str, DecodeFamily]
    special: Mapping[str, str]
    """Card or architecture -> decode family."""
    calibration: Calibration
    fitted_on: str


def parse_performance(text: str, where: str) -> PerformanceTable:
    """The table. Raises DataError: a part or a figure is missing or is not a number."""
    content = read_yaml(text, where)
    if not isinstance(content, dict):
        raise DataError(where, 1, None, "this is not a mapping", "Restore the file from the repository")
    at = _Reader(content, where)
    assumed, errors, fitted = at.part("assumptions"), at.part("errors_pct"), at.part("fitted")
    settings = at.part("settings")
    groups = {}
    for group in GROUPS:
        entry = fitted.part("groups").part(group)
        deviations = entry.part("deviations")
        groups[group] = Coefficients(
            exponents=entry.part("exponents").all_of(FEATURES),
            deviations={b: deviations.part(b).all_of(FEATURES) for b, g in GROUP_OF.items() if g == group},
            architectures=entry.part("architectures").numbers(),
            levels=entry.part("levels").numbers(),
        )
    families = {}
    for name in at.part("decode").content:
        family = at.part("decode").part(name)
        figures = family.all_of(("efficiency", "attention", "overhead_ms", "error_pct"))
        factors = family.part("architectures").numbers()
        families[name] = DecodeFamily(**figures, basis=family.text("basis"), architectures=factors)
    cards = fitted.part("cards")
    return PerformanceTable(
        reference=at.text("reference"),
        settings=Settings(**settings.all_of(("exponent", "deviation", "architecture", "huber"))),
        assumptions=Assumptions(
            boards={k: int(v) for k, v in assumed.part("boards").numbers().items()},
            matrix_share=assumed.part("matrix_share").numbers(),
            vector_share=assumed.part("vector_share").numbers(),
            power_w=assumed.part("power_w").numbers(),
        ),
        software=assumed.part("software").numbers(),
        bandwidth_only=assumed.part("bandwidth_only").numbers(),
        errors=ErrorRules(
            **errors.all_of(
                (
                    "measured",
                    "measured_elsewhere",
                    "plain",
                    "laptop",
                    "new_architecture",
                    "bandwidth_only",
                    "inference_factor",
                )
            ),
            estimated=errors.part("estimated").numbers(),
            wider=errors.part("wider").numbers(),
        ),
        families=families,
        special={str(k): str(v) for k, v in at.part("decode_special").content.items()},
        calibration=Calibration(groups, {n: cards.part(n).numbers() for n in (*GROUPS, *GROUP_OF)}),
        fitted_on=fitted.text("fitted_on"),
    )


class _Reader:
    """A mapping of the file, with errors that say where."""

    def __init__(self, content: Mapping[str, Any], where: str) -> None:
        self.content, self.where = content, where

    def _get(self, key: str) -> Any:
        if key not in self.content:
            line = getattr(self.content, "line", None)
            raise DataError(self.where, line, key, "this is missing", "Add it, or fit the model anew")
        return self.content[key]

    def _fail(self, key: str, problem: str) -> DataError:
        lines = getattr(self.content, "lines", {})
        return DataError(self.where, lines.get(key), key, problem, "Correct it, or fit the model anew")

    def part(self, key: str) -> _Reader:
        value = self._get(key)
        if not isinstance(value, dict):
            raise self._fail(key, "this is not a mapping")
        return _Reader(value, self.where)

    def text(self, key: str) -> str:
        value = self._get(key)
        if not isinstance(value, str) or not value:
            raise self._fail(key, "this is not a text")
        return value

    def number(self, key: str) -> float:
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._fail(key, f"{value!r} is not a number")
        return float(value)

    def numbers(self) -> dict[str, float]:
        return {str(key): self.number(key) for key in self.content}

    def all_of(self, keys: tuple[str, ...]) -> dict[str, float]:
        return {key: self.number(key) for key in keys}
