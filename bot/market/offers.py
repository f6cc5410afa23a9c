"""Many asking prices to one low and one typical price. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

SPREAD = 3.5
"""Offers further from the median than so many (scaled) median deviations are no prices of the thing."""
_SCALE = 0.6745
_LEAST_SPREAD = 0.05
"""Share of the median that deviations are taken to be at least: identical prices must not cast the rest out."""


def without_outliers(prices: Sequence[float]) -> list[float]:
    """The prices within SPREAD median absolute deviations, in order."""
    if len(prices) < 3:
        return sorted(prices)
    middle = median(prices)
    deviation = max(median(abs(price - middle) for price in prices), _LEAST_SPREAD * middle)
    return sorted(price for price in prices if _SCALE * abs(price - middle) / deviation <= SPREAD)


def low_and_typical(prices: Sequence[float]) -> tuple[float, float]:
    """The 25th percentile (a good price that can be had) and the median. Never the minimum, which one slip decides."""
    order = sorted(prices)
    place = 0.25 * (len(order) - 1)
    below = int(place)
    above = min(below + 1, len(order) - 1)
    return order[below] + (order[above] - order[below]) * (place - below), median(order)
