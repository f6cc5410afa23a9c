"""The health file: the bot writes how it is, `whichgpu healthcheck` in the same container reads it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

EVERY = 15.0
"""Seconds between two writings."""
STALE = 60.0
"""Seconds after which a bot that no longer writes counts as hung."""
UNCONNECTED = 180.0
"""Seconds without Discord after which the bot counts as ill; a reconnect takes a few."""


@dataclass(frozen=True, slots=True)
class Health:
    """How the bot is. Times are Unix times."""

    at: float
    connected_at: float
    """When every shard of this process was last known connected."""
    shards: int = 0
    servers: int = 0
    problem: str = ""
    """A sentence of the storage; the bot still answers."""
    prices_at: float | None = None
    """When prices were last refreshed; None: only the shipped ones count."""


def health_file(folder: Path, shard_ids: tuple[int, ...]) -> Path:
    """One file for each process that shares a state folder."""
    name = f"health-{shard_ids[0]}.json" if shard_ids else "health.json"
    return folder / name


def write_health(path: Path, health: Health) -> None:
    """Replace the file in one step. Raises OSError."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(asdict(health)), encoding="utf-8")
    os.replace(part, path)


def ill(path: Path, now: Callable[[], float] = time.time) -> str:
    """Why the bot counts as ill, or ""."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        health = Health(**data)
    except FileNotFoundError:
        return "the bot does not run: it has written no health file"
    except (OSError, ValueError, TypeError):
        return "the health file cannot be read"
    silent, alone = now() - health.at, now() - health.connected_at
    if silent > STALE:
        return f"the bot has not reported for {silent:.0f} s"
    if alone > UNCONNECTED:
        return f"the bot has not been connected to Discord for {alone:.0f} s"
    return ""


def well(path: Path) -> str:
    """One line about a healthy bot."""
    data = json.loads(path.read_text(encoding="utf-8"))
    line = f"connected, {data['shards']} shards, {data['servers']} servers"
    return f"{line}; {data['problem']}" if data["problem"] else line
