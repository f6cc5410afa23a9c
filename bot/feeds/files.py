"""Prices without a network: a file on this machine, or what someone attached in Discord."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bot.feeds.formats import parse_feed
from bot.feeds.source import Haul, Progress, SourceError
from bot.feeds.web import MAX_BYTES, Web


@dataclass(frozen=True)
class FileSource:
    """A CSV or JSON file in the form gpu-prices/1, or a table like data/prices.csv."""

    path: Path
    name: str = "file"
    market_place: bool = False
    cooldown_seconds: int = 0

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        """Read the file. Raises SourceError."""
        progress(f"{self.name}: reading {self.path.name}")
        return parse_feed(await asyncio.to_thread(self._read), self.path.name, self.path.name)

    def _read(self) -> str:
        try:
            if self.path.stat().st_size > MAX_BYTES:
                raise SourceError(f"{self.path.name} is larger than {MAX_BYTES // 1024} KiB; is it the right file?")
            return self.path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise SourceError(f"{self.path.name} cannot be read ({error.strerror}); check path and rights") from None
        except UnicodeDecodeError:
            raise SourceError(f"{self.path.name} is not UTF-8; save it as UTF-8") from None


@dataclass(frozen=True)
class TextSource:
    """Bytes that are here already, such as a Discord attachment (its size is to be checked before it is read)."""

    body: bytes
    title: str
    name: str = "file"
    market_place: bool = False
    cooldown_seconds: int = 0

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        """Parse the bytes. Raises SourceError."""
        if len(self.body) > MAX_BYTES:
            raise SourceError(f"{self.title} is larger than {MAX_BYTES // 1024} KiB")
        try:
            text = self.body.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise SourceError(f"{self.title} is not UTF-8; save it as UTF-8") from None
        return parse_feed(text, self.title, self.title)


@dataclass(frozen=True)
class FeedSource:
    """A document in the form gpu-prices/1 at an https address from the host's settings."""

    url: str
    name: str = "feed"
    market_place: bool = False
    cooldown_seconds: int = 0

    async def fetch(self, web: Web, progress: Progress) -> Haul:
        """Fetch and parse. Raises SourceError."""
        progress(f"{self.name}: asking for the feed")
        types = ("application/json", "text/csv", "text/plain")
        page = await web.get(self.url, "the feed", types)
        return parse_feed(page.text("the feed"), "the feed", "price feed")
