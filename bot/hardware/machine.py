"""Rules of the machine around a card (data/machine_rules.yaml): usable memory, NVLink, cooling, software floors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.hardware.gpu import Gpu
from bot.tables import DataError, read_yaml


@dataclass(frozen=True, slots=True)
class Circuit:
    name: str
    continuous_w: float


@dataclass(frozen=True, slots=True)
class PowerRules:
    rest_w: float
    default_cpu_w: float
    headroom: float
    sizes_w: tuple[int, ...]
    spike_factor: float
    spike_limit: float
    efficiency: float
    circuits: tuple[Circuit, ...]
    source: str
    as_of: str


@dataclass(frozen=True, slots=True)
class MachineRules:
    """All groups of data/machine_rules.yaml. `raw` keeps what is only shown, by group."""

    memory: Mapping[str, float]
    power: PowerRules
    p2p_off: tuple[str, ...]
    passive: frozenset[str]
    blower_from: int
    minimum_compute: Mapping[str, float]
    raw: Mapping[str, Any]

    def source(self, group: str) -> tuple[str, str]:
        """(title, date) of one group's figures."""
        return str(self.raw[group]["source"]), str(self.raw[group]["as_of"])


def usable_gb(gpu: Gpu, rules: MachineRules) -> float:
    """GB of one card or system that a program gets, without raising limits by hand. Modded cards: see `modded`."""
    m = rules.memory
    if gpu.vendor == "apple":
        return gpu.memory_gb * (m["apple_small_share"] if gpu.memory_gb <= m["apple_small_gb"] else m["apple_share"])
    if unified(gpu):
        return gpu.memory_gb * m["unified_share"]
    if gpu.segment in ("datacenter", "cloud") and "GDDR" in gpu.memory_type:
        return gpu.memory_gb * m["datacenter_gddr_share"]
    return max(gpu.memory_gb * m["driver_share"] - m["reserve_gb"], 0.0)


def unified(gpu: Gpu) -> bool:
    """Whether CPU and GPU share one memory."""
    return gpu.segment == "system" or gpu.vendor == "apple"


def modded(gpu: Gpu, memory_gb: float) -> Gpu:
    """The card with another memory size (2080 Ti 22 GB, a Mac's chosen memory)."""
    return replace(gpu, memory_gb=memory_gb)


def compute_capability(gpu: Gpu) -> float | None:
    """CUDA compute capability as a number; None for other makers' cards."""
    if gpu.vendor != "nvidia":
        return None
    try:
        return float(gpu.compute_capability)
    except ValueError:
        return None


def machine_notes(gpu: Gpu, count: int, rules: MachineRules) -> tuple[tuple[str, Mapping[str, object]], ...]:
    """Codes of what building with `count` of this card must respect: cooling, links between cards, lanes."""
    notes: list[tuple[str, Mapping[str, object]]] = []
    if gpu.name in rules.passive or gpu.cooler == "passive":
        notes.append(("passive_cooling", {"gpu": gpu.name}))
    if count >= rules.blower_from and gpu.cooler == "axial":
        notes.append(("spacing", {"count": count, "slots": gpu.slots or 2}))
    elif count == 2 and gpu.cooler == "axial":
        notes.append(("gap", {"slots": gpu.slots or 2}))
    if count > 1:
        if gpu.nvlink_gbs:
            notes.append(("nvlink", {"gpu": gpu.name, "gbs": gpu.nvlink_gbs, "cards": 2}))
        elif gpu.vendor == "nvidia":
            notes.append(("no_nvlink", {"gpu": gpu.name}))
            if gpu.architecture.name in rules.p2p_off and gpu.segment == "consumer":
                notes.append(("no_p2p", {"gpu": gpu.name}))
        if count > 2 and gpu.segment in ("consumer", "workstation"):
            notes.append(("lanes", {"count": count}))
    return tuple(notes)


def parse_machine_rules(text: str, where: str) -> MachineRules:
    """data/machine_rules.yaml. Raises DataError."""
    data = read_yaml(text, where)
    try:
        power = data["power"]
        return MachineRules(
            memory={
                k: float(v) for k, v in data["usable_memory"].items() if k not in ("source", "as_of")
            },
            power=PowerRules(
                float(power["rest_w"]), float(power["default_cpu_w"]), float(power["headroom"]),
                tuple(int(w) for w in power["sizes_w"]), float(power["spike_factor"]), float(power["spike_limit"]),
                float(power["efficiency"]),
                tuple(Circuit(c["name"], float(c["continuous_w"])) for c in power["circuits"]),
                power["source"], power["as_of"],
            ),
            p2p_off=tuple(data["nvlink"]["p2p_off"]),
            passive=frozenset(data["cooling"]["passive"]), blower_from=int(data["cooling"]["blower_from"]),
            minimum_compute={
                k: float(v) for k, v in data["minimum_compute"].items() if k not in ("source", "as_of")
            },
            raw=data,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(where, None, str(error), "a rule is missing or not a number", "Restore it") from None
