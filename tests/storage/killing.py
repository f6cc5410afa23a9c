"""Kills a writing process at a random moment and looks at what is left. Used by the tests and the benchmark."""

import random
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.storage.writing_process import PRICES

ROOT = Path(__file__).parents[2]
ALLOWED_MS = 250


@dataclass
class Left:
    """What a kill cost. `lost_ms`: age of the oldest exchange that is missing, at the moment of the kill."""

    recorded: int = 0
    lost: int = 0
    lost_ms: float = 0.0
    thumbs: int = 0
    settings: int = 0
    runs: int = 0


def kill_once(path: Path, chance: random.Random, turn: int, longest: float = 0.4) -> Left:
    """Start, wait a random time, SIGKILL, check. Raises AssertionError when a promise is broken."""
    start = turn * 1_000_000
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "tests.storage.writing_process", str(path), str(start)],
        stdout=subprocess.PIPE, cwd=ROOT, text=True,
    )  # fmt: skip
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    killer_waits = chance.uniform(0.0, longest)
    # Read on meanwhile: a full pipe would hold the process up.
    timer = threading.Timer(killer_waits, process.send_signal, (signal.SIGKILL,))
    timer.start()
    lines = process.stdout.read().splitlines()
    timer.join()
    process.wait()
    process.stdout.close()
    killed_at = max((float(line.split()[1]) for line in lines if line.startswith("t ")), default=0.0)
    return _look(path, lines, killed_at)


def _look(path: Path, lines: list[str], killed_at: float) -> Left:
    said: dict[str, list[list[str]]] = {"t": [], "f": [], "g": [], "p": []}
    for line in lines:
        parts = line.split()
        said[parts[0]].append(parts[1:])
    left = Left(len(said["t"]), thumbs=len(said["f"]), settings=len(said["g"]), runs=len(said["p"]))
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = {row[0] for row in database.execute("SELECT id FROM query")}
        answers = {row[0] for row in database.execute("SELECT query_id FROM answer")}
        assert kept == answers
        for moment, number in said["t"]:
            if f"{int(number):010x}" not in kept:
                left.lost += 1
                left.lost_ms = max(left.lost_ms, (killed_at - float(moment)) * 1000)
        assert left.lost_ms <= ALLOWED_MS, left
        thumbs = {row[0] for row in database.execute("SELECT query_id FROM feedback")}
        assert all(f"{int(number):010x}" in thumbs for (number,) in said["f"])
        guilds = {row[0] for row in database.execute("SELECT id FROM guild")}
        assert all(int(number) in guilds for (number,) in said["g"])
        _whole_runs(database, [int(amount) for (amount,) in said["p"]])
    return left


def _whole_runs(database: sqlite3.Connection, confirmed: list[int]) -> None:
    """Every run has all its points, and the one in force is the last confirmed or the one after it."""
    counts: Counter[int] = Counter(row[0] for row in database.execute("SELECT run_id FROM price_point"))
    runs = {row[0] for row in database.execute("SELECT id FROM price_run")}
    assert set(counts) == runs
    assert all(count == PRICES for count in counts.values())
    active = database.execute("SELECT DISTINCT low_minor FROM price_point JOIN price_active USING (run_id)").fetchall()
    if confirmed:
        assert len(active) == 1
        assert active[0][0] in (confirmed[-1], confirmed[-1] + 1)
