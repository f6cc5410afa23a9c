"""The price desk: refresh, keep, roll back. What it keeps are dated files; the newest not rolled back counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bot.feeds.local_file import csv_of_points, read_points
from bot.feeds.source import Fetched, PriceSource, Progress, SourceError
from bot.market.points import PricePoint

KEEP = 10
"""Refreshes kept for rolling back."""
HIGHEST_CHANGE = 5.0
"""A price that moved by more than this factor since the last refresh is told apart, not trusted."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """What one refresh did."""

    points: tuple[PricePoint, ...]
    by_source: tuple[Fetched, ...]
    failed: tuple[str, ...] = ()
    """A sentence for each source that gave nothing; the others count all the same."""
    doubtful: tuple[str, ...] = ()
    file: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """What the desk holds."""

    file: str = ""
    """Name of the file in force; "" while only the prices shipped with the bot count."""
    at: datetime | None = None
    points: int = 0
    kept: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    last_error: str = ""


@dataclass
class PriceDesk:
    """Works on one folder. Every method may block: call it outside the event loop."""

    folder: Path
    resolve: Callable[[str], str | None]
    sources: Sequence[PriceSource] = ()
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    last_error: str = ""

    def refresh(self, progress: Progress) -> Refresh:
        """Ask every source, keep what is good. Raises SourceError when none gave anything; the old prices stay."""
        if not self.sources:
            raise SourceError("no price source is set up; set WHICHGPU_PRICES_FILE")
        got: list[Fetched] = []
        failed: list[str] = []
        for source in self.sources:
            try:
                got.append(source.fetch(progress))
            except SourceError as error:
                failed.append(f"{source.name}: {error}")
            except Exception as error:  # noqa: BLE001,RUF100 - one broken source must not take the others down
                failed.append(f"{source.name}: {type(error).__name__}")
        self.last_error = "; ".join(failed)
        if not got:
            raise SourceError("; ".join(failed))
        before = {(p.gpu, p.condition): p.money.amount for p in self.current()}
        merged: dict[tuple[str, str, str], PricePoint] = {}
        doubtful: list[str] = []
        for fetched in got:
            for point in fetched.points:
                old = before.get((point.gpu, point.condition))
                new = point.money.amount
                if old and max(new / old, old / new) > HIGHEST_CHANGE:
                    doubtful.append(f"{point.gpu} {point.condition}: {old:g} -> {new:g} {point.money.currency}")
                    continue
                merged[point.gpu, point.condition, point.as_of] = point
        points = tuple(merged.values())
        if not points:
            raise SourceError("every price moved beyond belief; nothing was taken over")
        name = self._write(points)
        progress(f"{len(points)} prices in force")
        return Refresh(points, tuple(got), tuple(failed), tuple(doubtful), name)

    def current(self) -> tuple[PricePoint, ...]:
        """The refreshed prices in force; () where there are none. A broken file is passed over for the one before."""
        for path in reversed(self._kept()):
            fetched = read_points(path.read_text(encoding="utf-8"), path.name, self.resolve)
            if fetched.points:
                return fetched.points
        return ()

    def rollback(self) -> Status:
        """Put the refresh before the last in force again; the last one is set aside. Raises SourceError."""
        kept = self._kept()
        if not kept:
            raise SourceError("there is no refresh to roll back")
        kept[-1].rename(kept[-1].with_suffix(".rolled-back"))
        return self.status()

    def status(self) -> Status:
        """What is in force and what is kept."""
        kept = self._kept()
        names = tuple(path.name for path in reversed(kept))
        sources = tuple(source.name for source in self.sources)
        if not kept:
            return Status(sources=sources, last_error=self.last_error)
        at = datetime.strptime(kept[-1].name[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
        return Status(names[0], at, len(self.current()), names, sources, self.last_error)

    def _kept(self) -> list[Path]:
        return sorted(self.folder.glob("????????-??????*.csv")) if self.folder.is_dir() else []

    def _write(self, points: tuple[PricePoint, ...]) -> str:
        self.folder.mkdir(parents=True, exist_ok=True)
        # The microseconds keep two refreshes within a second apart, and in order.
        path = self.folder / f"{self.now():%Y%m%d-%H%M%S-%f}.csv"
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8") as out:
            out.write(csv_of_points(points))
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
        for old in self._kept()[:-KEEP]:
            old.unlink()
        return path.name
