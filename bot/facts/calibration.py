"""The fitted curve from a search's evidence to a probability, and the threshold below which the bot abstains.

data/facts_calibration.yaml holds the numbers; benchmarks/knowledge_search.py --fit writes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bot.tables import DataError, LineDict, read_yaml


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a search saw of its best entry."""

    score: float
    margin: float
    """Score above the next entry's."""
    unknown: float
    """Share of the question's mass that no entry holds."""
    log_mass: float
    """Logarithm of the question's whole mass."""
    content: float
    """Logarithm of the mass that question and entry share, everyday words left out."""
    chinese: bool
    anchors: int
    """Concepts of the field in the question that the entry's phrasings hold often."""
    exact: bool
    """The question is one of the entry's phrasings, word for word."""


FEATURES = ("bias", "score", "margin", "unknown", "log_mass", "content", "chinese", "chinese_score", "anchors")


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of a logistic curve over FEATURES."""

    weights: Mapping[str, float]
    threshold: float
    exact: float = 0.99
    """The confidence of a question that is a phrasing, word for word."""

    def confidence(self, evidence: Evidence) -> float:
        """The probability, in 0..1, that the entry answers the question."""
        if evidence.exact:
            return self.exact
        values = measured(evidence)
        total = sum(self.weights[name] * value for name, value in zip(FEATURES, values, strict=True))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def measured(evidence: Evidence) -> tuple[float, ...]:
    """The evidence in the order of FEATURES."""
    # Chinese texts have more features, most of them pairs across words, so their scores lie lower.
    chinese = float(evidence.chinese)
    scores = (evidence.score, evidence.margin, evidence.unknown, evidence.log_mass, evidence.content)
    return 1.0, *scores, chinese, chinese * evidence.score, math.log1p(evidence.anchors)


DEFAULT = Calibration(dict(zip(FEATURES, (-3.0, 12.0, 8.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0), strict=True)), 0.5)
"""Before anything was fitted."""


def parse_calibration(text: str, where: str) -> Calibration:
    """The fitted numbers. Raises DataError."""
    data = read_yaml(text, where)
    if not isinstance(data, LineDict):
        raise DataError(where, 1, None, "the file is not a mapping", "Write weights: and threshold:")
    weights, threshold = data.get("weights"), data.get("threshold")
    if not isinstance(weights, LineDict) or set(weights) != set(FEATURES):
        raise DataError(where, data.line, "weights", "the weights are not those known", "Give " + ", ".join(FEATURES))
    for name, value in [*weights.items(), ("threshold", threshold)]:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise DataError(where, weights.lines.get(name), name, f"{value!r} is not a number", "Write a plain number")
    if not 0 < float(str(threshold)) < 1:
        raise DataError(where, data.lines.get("threshold"), "threshold", "it is outside 0 to 1", "Write 0.5 or so")
    return Calibration({name: float(value) for name, value in weights.items()}, float(str(threshold)))
