"""Killed at random moments: the database opens, what was confirmed is there, no price run is half. The full 200 kills
are in benchmarks/storage.py."""

import random
from pathlib import Path

from tests.storage.killing import kill_once

KILLS = 6


def test_killed_while_it_logs_and_refreshes(tmp_path: Path) -> None:
    chance = random.Random(7)
    results = [kill_once(tmp_path / "log.db", chance, turn) for turn in range(1, KILLS + 1)]
    assert sum(left.recorded for left in results) > 0  # how many depends on the machine
    assert sum(left.thumbs for left in results) > 0
    assert sum(left.settings for left in results) > 0
    assert sum(left.runs for left in results) > 0
