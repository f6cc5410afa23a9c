"""The seam between the price desk and where prices come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.market.points import PricePoint

Progress = Callable[[str], None]
"""Told one short sentence at each step, for live progress; called from any thread."""


class SourceError(Exception):
    """A source could not be read. The message names the source and says what to do."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one source gave: checked points, and the rows that were refused with the reason."""

    source: str
    points: tuple[PricePoint, ...]
    refused: tuple[str, ...] = ()


class PriceSource(Protocol):
    """Where prices come from. `fetch` may block; the desk runs it outside the event loop."""

    @property
    def name(self) -> str:
        """Short name for progress and errors."""

    def fetch(self, progress: Progress) -> Fetched:
        """Read and check. Raises SourceError when nothing can be had."""
