"""What the bot asks of its storage. Writes return at once and are done in order; reads wait for them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and what was answered. `user` is a pseudonym, never a Discord id; no channel is kept."""

    id: str
    at: int
    """Unix time in seconds."""
    user: str
    surface: str
    """slash, button, menu, mention, reply or dm."""
    question: str
    turns_before: tuple[str, ...] = ()
    locale: str | None = None
    currency: str | None = None
    language: str = "en"
    kind: str = ""
    confidence: float = 0.0
    abstained: bool = False
    took_ms: float = 0.0
    answer: Callable[[], str] | str = "{}"
    """The answer as JSON text, or a function that makes it when it is written."""
    guild: str | None = None
    """The server's pseudonym, where it is kept."""


@dataclass(frozen=True, slots=True)
class GuildSettings:
    """What a server's managers have set. Empty means: as the asker, and everywhere."""

    language: str | None = None
    currency: str | None = None
    private: bool = False
    channels: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Questions that the bot declined, the most frequent first."""

    question: str
    times: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts since a time."""

    questions: int
    people: int
    abstained: int
    good: int
    bad: int
    by_kind: tuple[tuple[str, int], ...]
    p50_ms: float
    p99_ms: float


class QueryLog(Protocol):
    """The seam: the bot knows only this."""

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange. Never blocks; the answers of people who opted out stay in memory for their buttons."""

    def feedback(self, answer_id: str, user: str, good: bool) -> Awaitable[bool]:
        """Keep a thumb; a second one of the same person replaces the first. Await it before thanking: True says that
        it is on disk."""

    async def exchange(self, answer_id: str) -> Exchange | None:
        """The exchange behind a button, or None when it is deleted or too old."""

    def opted_out(self, user: str) -> bool:
        """Whether this person's questions must not be kept."""

    async def opt_out(self, user: str, out: bool) -> None:
        """Remember the wish; opting out also deletes what is kept."""

    async def export(self, user: str) -> dict[str, Any]:
        """Everything kept of a person, ready for JSON."""

    async def delete(self, user: str) -> int:
        """Delete everything kept of a person but the opt-out; how many rows went."""

    def guild(self, guild_id: int) -> GuildSettings:
        """A server's settings; from memory."""

    async def set_guild(self, guild_id: int, settings: GuildSettings) -> None:
        """Change a server's settings."""

    async def forget_guild(self, guild_id: int) -> None:
        """Delete a server's settings, when the bot has left it."""

    async def unanswered(self, most: int) -> list[Unanswered]:
        """What the bot could not answer."""

    async def stats(self, since: int) -> Stats:
        """Counts since a Unix time."""

    async def prune(self, before: int) -> int:
        """Delete exchanges older than a Unix time."""

    async def flush(self) -> None:
        """Wait until everything recorded so far is on disk."""

    async def close(self) -> None:
        """Write what is left and close; may be called twice."""
