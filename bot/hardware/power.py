"""Power: which supply a machine needs, which cards a supply takes, which circuit. Rules in data/machine_rules.yaml.

load = cards' board power + CPU + the rest (100 W); supply >= 1.2 x load, rounded up to a size that is sold. Supplies
older than ATX 3 must also bear the cards' millisecond spikes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.hardware.gpu import Gpu
from bot.hardware.machine import PowerRules

_CONNECTOR = re.compile(r"(?:(\d+)\s*x\s*)?(12V-2x6|12VHPWR|16-pin|12-pin|8-pin|6-pin|EPS)", re.I)


@dataclass(frozen=True, slots=True)
class PsuAdvice:
    """Watts. `psu_w` None: more than one supply sold can deliver. `notes`: codes with parameters."""

    load_w: float
    psu_w: int | None
    minimum_w: float
    spikes_w: float
    spikes_fit: bool
    wall_w: float
    circuits: tuple[str, ...]
    """Household circuits that carry it continuously."""
    connectors: Mapping[str, int]
    cpu_w: float
    cpu_assumed: bool
    notes: tuple[tuple[str, Mapping[str, object]], ...]
    source: str
    as_of: str


def psu(
    gpus: Sequence[tuple[Gpu, int]], rules: PowerRules, cpu_w: float | None = None,
    limit_w: float | None = None, atx3: bool = False,
) -> PsuAdvice:  # fmt: skip
    """Supply for these cards. `limit_w`: a power limit set per card. Cards of unknown power are named in a note."""
    cards_w = sum(_card_w(gpu, limit_w) * count for gpu, count in gpus)
    cpu = rules.default_cpu_w if cpu_w is None else cpu_w
    load = cards_w + cpu + rules.rest_w
    minimum = rules.headroom * load
    size = next((w for w in rules.sizes_w if w >= minimum - 1e-9), None)
    spikes = rules.spike_factor * cards_w + cpu + rules.rest_w
    fit = atx3 or (size is not None and spikes <= rules.spike_limit * size)
    wall = load / rules.efficiency
    notes: list[tuple[str, Mapping[str, object]]] = []
    unknown = [gpu.name for gpu, _ in gpus if gpu.tdp_w is None]
    if unknown:
        notes.append(("power_unknown", {"gpus": unknown}))
    if size is None:
        notes.append(("two_supplies", {"minimum_w": minimum}))
    elif not fit:
        notes.append(("spikes", {"spikes_w": spikes, "psu_w": size}))
    if limit_w is not None:
        notes.append(("limit", {"limit_w": limit_w}))
    if sum(count for _, count in gpus) > 1:
        notes.append(("separate_cables", {}))
    circuits = tuple(c.name for c in rules.circuits if wall <= c.continuous_w)
    if len(circuits) < len(rules.circuits):
        notes.append(("circuit", {"wall_w": wall, "enough": circuits}))
    return PsuAdvice(
        load, size, minimum, spikes, fit, wall, circuits, _connectors(gpus), cpu, cpu_w is None, tuple(notes),
        rules.source, rules.as_of,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PsuFit:
    """Whether a given supply takes one card. `verdict`: fits, tight (within its rating, less than the margin), no."""

    gpu: str
    advice: PsuAdvice
    verdict: str


def which_fit(gpus: Iterable[Gpu], psu_w: float, rules: PowerRules, cpu_w: float | None = None) -> tuple[PsuFit, ...]:
    """Which of these cards a supply of `psu_w` takes, in the order given."""
    found = []
    for gpu in gpus:
        advice = psu([(gpu, 1)], rules, cpu_w)
        spikes_ok = advice.spikes_w <= rules.spike_limit * psu_w
        if gpu.tdp_w is None:
            verdict = "unknown"
        elif advice.minimum_w <= psu_w and spikes_ok:
            verdict = "fits"
        elif advice.load_w <= 0.95 * psu_w and spikes_ok:
            verdict = "tight"
        else:
            verdict = "no"
        found.append(PsuFit(gpu.name, advice, verdict))
    return tuple(found)


def _card_w(gpu: Gpu, limit_w: float | None) -> float:
    board = gpu.tdp_w or 0.0
    return min(board, limit_w) if limit_w is not None and board else board


def _connectors(gpus: Sequence[tuple[Gpu, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for gpu, count in gpus:
        for name, n in _parse_connectors(gpu.power_connector).items():
            total[name] = total.get(name, 0) + n * count
    return total


def _parse_connectors(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, name in _CONNECTOR.findall(text):
        found[name] = found.get(name, 0) + int(number or 1)
    return found
