"""The engine's constants, read from data/engine.yaml, where each stands with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from bot.market.points import first_day
from bot.tables import DataError, LineDict, read_yaml

TIERS = ("minimum", "entry", "comfortable", "large", "huge")


@dataclass(frozen=True, slots=True)
class MemoryNeeds:
    """How much memory (GB) typical work asks for from one day on."""

    since: date
    minimum: float
    entry: float
    comfortable: float
    large: float
    huge: float

    def tier(self, name: str) -> float:
        return float(getattr(self, name))


@dataclass(frozen=True)
class Engine:
    """All constants of data/engine.yaml. Money in US dollars of 2019; `grown` brings it to another year."""

    memory_needs: tuple[MemoryNeeds, ...]
    small: frozenset[str]
    big: frozenset[str]
    hungry: frozenset[str]
    memory_first: frozenset[str]
    classes: Mapping[str, str]
    speed_exponent: float
    shortfall_exponent: float
    surplus_exponent: float
    surplus_cap: float
    used_factor: float
    mixed_factor: float
    sixteen_bit_since: date
    no_sixteen_bit_memory: float
    weight_value: float
    weight_budget: float
    weight_fastest: float
    growth: float
    beside: Mapping[str, float]
    ceiling: Mapping[str, float]
    host_price: Mapping[int, float]
    cards_per_host: int
    vendor_llm: Mapping[str, float]
    vendor_other: Mapping[str, float]
    software: Mapping[str, float]
    software_llm: Mapping[str, float]
    passive_at_home: float
    scaling_in_one_pc: float
    scaling_between_pcs: float
    cpu_watts: float
    board_watts: float
    psu_reserve: float
    small_case_watts: float
    needs_growth: float
    popular: tuple[str, ...]
    """Cards that people expect to see: a reason is given when one near the budget is not picked."""
    hard_to_rent: frozenset[str]
    """GPUs that come with an Arm processor: much software has to be built for it first."""
    dead_ends: frozenset[str]
    """Cards not to buy whatever they cost; the catalogue says what is wrong with them."""
    only_for: Mapping[str, str]
    """Cards made for one market only, with the currency that tells it."""
    laptop_ranks: tuple[tuple[float, int], ...]

    def needs_on(self, day: date) -> MemoryNeeds:
        """The row of memory needs that counts on that day."""
        found = self.memory_needs[0]
        for row in self.memory_needs:
            if row.since <= day:
                found = row
        return found

    def grown(self, amount: float, day: date) -> float:
        """An amount of 2019 in the money of `day`."""
        return float(amount * (1 + self.growth) ** (day.year - 2019))

    def tier_of(self, workloads: tuple[str, ...], mode: str | None, level: str | None) -> str:
        """The memory tier that work and level ask for; of several workloads the hungriest counts."""
        if not workloads:
            return "entry" if level in ("hobby", "beginner") else "comfortable"
        return TIERS[max(self._tier(workload, mode, level) for workload in workloads)]

    def _tier(self, workload: str, mode: str | None, level: str | None) -> int:
        if workload in self.small:
            return 2 if level == "research" else 1
        trained = workload in self.big and mode in ("training", "finetuning")
        tier = 3 if trained or workload in self.memory_first else 2
        if level == "research" and workload in self.hungry:
            return 3
        return tier - 1 if level in ("hobby", "beginner") else tier

    def host(self, cards: int) -> float:
        """Price of one computer that holds that many cards, without them."""
        return next(
            (price for size, price in sorted(self.host_price.items()) if size >= cards), max(self.host_price.values())
        )

    def psu_watts(self, tdp: float, cards: int = 1) -> float:
        """Power supply to have at least, before rounding to sizes that are sold."""
        return self.psu_reserve * (tdp * cards + self.cpu_watts + self.board_watts)


PSU_SIZES = (450, 550, 650, 750, 850, 1000, 1200, 1300, 1600, 2000)


@lru_cache(maxsize=256)
def psu_size(watts: float) -> int:
    """The next power supply that is sold."""
    return next((size for size in PSU_SIZES if size >= watts), PSU_SIZES[-1])


def parse_engine(text: str, where: str) -> Engine:
    """The constants from YAML. Raises DataError for what is missing or no number."""
    top = read_yaml(text, where)
    if not isinstance(top, LineDict):
        raise DataError(where, 1, None, "this is not a mapping", "Keep the sections of the shipped file")

    def section(name: str) -> Any:
        if name not in top:
            raise DataError(where, None, name, "the section is missing", "Restore it from the repository")
        return top[name]

    def figure(name: str, key: str) -> float:
        part = section(name)
        value = part.get(key) if isinstance(part, dict) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            line = part.lines.get(key, part.line) if isinstance(part, LineDict) else None
            raise DataError(where, line, f"{name}.{key}", "a number is missing", "Write a plain number")
        return float(value)

    def table(name: str, key: str) -> dict[Any, float]:
        part = section(name).get(key)
        if not isinstance(part, dict) or not all(isinstance(v, int | float) for v in part.values()):
            raise DataError(where, None, f"{name}.{key}", "this is not a table of numbers", "Write {name: number, ...}")
        return {(int(k) if str(k).isdigit() else k): float(v) for k, v in part.items()}

    needs = tuple(
        MemoryNeeds(first_day(str(row["from"])), *(float(row[tier]) for tier in TIERS))
        for row in section("memory_needs")
    )
    groups = section("workload_groups")
    classes = {workload: name for name, members in section("classes").items() for workload in members}
    since = section("value").get("sixteen_bit_since")
    return Engine(
        memory_needs=tuple(sorted(needs, key=lambda row: row.since)),
        small=frozenset(groups["small"]), big=frozenset(groups["big"]), hungry=frozenset(groups["hungry"]),
        memory_first=frozenset(groups["memory_first"]),
        classes=classes,
        speed_exponent=figure("value", "speed_exponent"),
        shortfall_exponent=figure("value", "shortfall_exponent"),
        surplus_exponent=figure("value", "surplus_exponent"),
        surplus_cap=figure("value", "surplus_cap"),
        used_factor=figure("value", "used_factor"),
        mixed_factor=figure("value", "mixed_condition_factor"),
        sixteen_bit_since=first_day(str(since)),
        no_sixteen_bit_memory=figure("value", "no_sixteen_bit_memory"),
        weight_value=figure("value", "price_weight_value"),
        weight_budget=figure("value", "price_weight_budget"),
        weight_fastest=figure("value", "price_weight_fastest"),
        growth=figure("money", "growth"),
        beside=table("money", "beside_the_card"), ceiling=table("money", "ceiling"),
        host_price=table("money", "host_price"), cards_per_host=int(figure("money", "cards_per_host")),
        vendor_llm=table("vendors", "inference_llm"), vendor_other=table("vendors", "otherwise"),
        software=table("software", "factor"), software_llm=table("software", "inference_llm_factor"),
        passive_at_home=figure("fit", "passive_at_home"),
        scaling_in_one_pc=figure("fit", "scaling_in_one_pc"),
        scaling_between_pcs=figure("fit", "scaling_between_pcs"),
        cpu_watts=figure("fit", "cpu_watts"), board_watts=figure("fit", "board_watts"),
        psu_reserve=figure("fit", "psu_reserve"), small_case_watts=figure("fit", "small_case_watts"),
        needs_growth=figure("fit", "needs_growth"),
        popular=tuple(section("popular")),
        hard_to_rent=frozenset(section("hard_to_rent")),
        dead_ends=frozenset(section("dead_ends")),
        only_for={name: str(currency) for currency, names in section("only_for").items() for name in names},
        laptop_ranks=tuple((float(row["from"]), int(row["rank"])) for row in section("laptop_ranks")),
    )  # fmt: skip
