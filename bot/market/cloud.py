"""What renting a GPU costs by the hour: medians of published offers, by kind of provider."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from bot.tables import read_rows

COLUMNS = ("gpu", "kind", "usd_per_hour", "low", "high", "n", "as_of", "source")
CloudKind = Literal["marketplace", "cloud", "hyperscaler"]
"""marketplace: other people's machines; cloud: GPU clouds; hyperscaler: the three or four largest providers."""
_KINDS: tuple[CloudKind, ...] = ("marketplace", "cloud", "hyperscaler")


@dataclass(frozen=True, slots=True)
class CloudPrice:
    """The median price of one GPU for one hour, on demand, in US dollars, with the range of `n` providers."""

    gpu: str
    kind: CloudKind
    usd_per_hour: float
    low: float
    high: float
    n: int
    as_of: str
    source: str


class CloudPrices:
    """All hourly prices, by GPU."""

    def __init__(self, prices: Iterable[CloudPrice]) -> None:
        self._by_gpu: dict[str, dict[CloudKind, CloudPrice]] = {}
        for price in prices:
            self._by_gpu.setdefault(price.gpu, {})[price.kind] = price

    @property
    def gpus(self) -> tuple[str, ...]:
        return tuple(self._by_gpu)

    def of(self, gpu: str) -> tuple[CloudPrice, ...]:
        """Prices of one GPU: GPU clouds first, then market places, then hyperscalers."""
        mine = self._by_gpu.get(gpu, {})
        order: tuple[CloudKind, ...] = ("cloud", "marketplace", "hyperscaler")
        return tuple(mine[kind] for kind in order if kind in mine)

    def typical(self, gpu: str) -> CloudPrice | None:
        """The price to reckon with: of GPU clouds where known, else of the next kind."""
        return next(iter(self.of(gpu)), None)


def parse_cloud_prices(text: str, where: str, resolve: Callable[[str], str | None]) -> CloudPrices:
    """The rows of the table of hourly prices. Raises DataError as `parse_prices` does."""
    prices: list[CloudPrice] = []
    seen: set[tuple[str, str]] = set()
    for row in read_rows(text, where, COLUMNS):
        written = row.required("gpu")
        gpu = resolve(written)
        if gpu is None:
            raise row.fail(
                "gpu", f"{written!r} is not in the catalogue", "Use a name of data/gpus, or add the GPU there"
            )
        kind = next(kind for kind in _KINDS if kind == row.choice("kind", _KINDS))
        if (gpu, kind) in seen:
            raise row.fail("gpu", f"{gpu} stands twice as {kind}", "Keep one row")
        seen.add((gpu, kind))
        median, low, high = (row.number(name, 0.005, 200) for name in ("usd_per_hour", "low", "high"))
        if median is None or low is None or high is None or not low <= median <= high:
            raise row.fail("usd_per_hour", "median, low and high do not fit together", "Fill all three in, in order")
        prices.append(
            CloudPrice(
                gpu, kind, median, low, high, row.whole("n", 1) or 1, row.year_month("as_of"), row.required("source")
            )
        )
    return CloudPrices(prices)
