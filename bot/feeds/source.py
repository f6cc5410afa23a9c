"""The seam between the refresh and where prices come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.market.cloud import CloudPrice
from bot.market.points import PricePoint
from bot.market.rates import Rate
from bot.market.validation import Offer

if TYPE_CHECKING:
    from bot.feeds.web import Web

Progress = Callable[[str], None]
"""Told one short sentence at each step, for live progress; called from any thread."""


class SourceError(Exception):
    """A source could not be read. The message says what happened and what to do; it never holds a key."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one source gave, as the admin's report shows it: points, and the rows refused with the reason."""

    source: str
    points: tuple[PricePoint, ...]
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Haul:
    """What a source brought, not yet believed: offers, rental prices, exchange rates; and what it left out."""

    offers: Sequence[Offer] = ()
    hourly: Sequence[CloudPrice] = ()
    rates: Sequence[Rate] = ()
    refused: Sequence[str] = ()


class PriceSource(Protocol):
    """Where prices come from: a plug-in of one method."""

    @property
    def name(self) -> str:
        """Short name, unique: what the price runs are kept under."""

    @property
    def market_place(self) -> bool:
        """Whether its prices are of many offers, which then have to be enough."""

    @property
    def cooldown_seconds(self) -> int:
        """How long after a good run the source is left alone."""

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        """Read. Raises SourceError when nothing can be had."""
