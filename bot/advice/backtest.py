"""The engine run as of the dates of old guides: does it give the advice that was given then?

Rows are YAML mappings with `id`, `as_of` and one of
  profile + pick      needs as the keys of PROFILE_KEYS; `pick` may be the first pick (lists nest), `avoid` must not be
                      among the first three
  kind: ranking       `better` against each of `than`, measured by `measure`:
                      perf_per_dollar    speed of one card per its price
                      system             count x gpu against count x gpu, with the computers around them, in one or
                                         several PCs of four cards
                      or `expect`, a sentence in one of the forms of SENTENCES
  kind: set           `expect`: the cards of the price list whose memory class is `holds`: all, most or not
                      (`who` tells it when `holds` is missing)
  kind: quote_only    nothing to compute
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from bot.advice.needs import Needs
from bot.advice.recommend import recommend
from bot.advice.world import World
from bot.market.book import PriceBook
from bot.market.points import PricePoint, last_day
from bot.request import Budget, Money
from bot.tables import DataError, LineDict, read_rows, read_yaml

PRICE_COLUMNS = ("as_of", "gpu", "condition", "price_usd", "source")
PROFILE_KEYS = (
    "workload", "value", "budget", "level", "large_data", "min_vram_gb", "min_memory_gb", "condition", "multi_gpu",
    "model_size", "deployment", "form_factor", "mode", "count", "cheapest", "fastest", "vendor", "not_vendor",
)  # fmt: skip
AVOID_WITHIN = 3
_CONDITIONS: Mapping[str, Any] = {"new": "new", "used": "used", "refurbished": "used", "any": "any"}
_WORKLOADS = {"general": (), "general_dl": ()}


@dataclass(frozen=True, slots=True)
class PeriodPrices:
    """Prices of past dates, with the names as they are written there and those that the catalogue does not know."""

    by_date: Mapping[str, tuple[PricePoint, ...]]
    spelling: Mapping[str, str]
    unknown: tuple[str, ...]

    def upto(self, as_of: str) -> tuple[PricePoint, ...]:
        """The points of exactly that date, or of the latest date before it where it has none of its own."""
        if as_of in self.by_date:
            return self.by_date[as_of]
        day = last_day(as_of)
        before = [key for key in self.by_date if last_day(key) <= day]
        return self.by_date[max(before, key=last_day)] if before else ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one row. `right` is None for a row with nothing to compute."""

    id: str
    guide: str
    kind: str
    picks: tuple[str, ...]
    right: bool | None
    note: str = ""
    """Why it is wrong, or what could not be resolved."""


Resolve = Callable[[str], str | None]


def parse_period_prices(text: str, where: str, resolve: Resolve) -> PeriodPrices:
    """The rows of a table of past prices. Unknown cards are listed, not an error; bad figures raise DataError."""
    by_date: dict[str, list[PricePoint]] = {}
    spelling: dict[str, str] = {}
    unknown: list[str] = []
    for row in read_rows(text, where, PRICE_COLUMNS):
        written = row.required("gpu")
        amount = row.number("price_usd", 10, 100_000)
        if amount is None:
            raise row.fail("price_usd", "the cell is empty", "Write the price, or leave the row out")
        gpu = resolve(written)
        condition = _CONDITIONS[row.choice("condition", tuple(_CONDITIONS))]
        as_of = row.year_month("as_of")
        if gpu is None:
            if written not in unknown:
                unknown.append(written)
            continue
        spelling.setdefault(gpu, written)
        by_date.setdefault(as_of, []).append(
            PricePoint(gpu, condition, Money(amount, "USD"), as_of, row.required("source"), "guide")
        )
    return PeriodPrices({key: tuple(points) for key, points in by_date.items()}, spelling, tuple(unknown))


def parse_rows(text: str, where: str) -> tuple[LineDict, ...]:
    """The rows of a back-test file. Raises DataError for a row without id or date, or an unknown profile key."""
    content = read_yaml(text, where)
    if not isinstance(content, list):
        raise DataError(where, 1, None, "this is not a list", "Start each row with a dash")
    for row in content:
        if not isinstance(row, LineDict):
            raise DataError(where, None, None, "a row is not a mapping", "Write - {id: ..., as_of: ..., ...}")
        for key in ("id", "as_of"):
            if not row.get(key):
                raise DataError(where, row.line, key, "the row lacks it", "Add it")
        profile = row.get("profile") or {}
        for key in profile:
            if key not in PROFILE_KEYS:
                raise DataError(where, row.line, key, "this profile key is unknown", "Use: " + ", ".join(PROFILE_KEYS))
    return tuple(content)


def needs_of(profile: Mapping[str, Any], as_of: str) -> Needs:
    """The needs that a row's profile states."""
    workload = str(profile.get("workload", "general"))
    budget = profile.get("budget")
    level = profile.get("level")
    vendor, not_vendor = profile.get("vendor"), profile.get("not_vendor")
    minimum = profile.get("min_vram_gb", profile.get("min_memory_gb"))
    stated = None
    if isinstance(budget, Mapping):
        stated = Budget(max=budget.get("max"), min=budget.get("min"), currency=str(budget.get("currency", "USD")))
    elif budget is not None:
        stated = Budget(max=float(budget), currency="USD")
    return Needs(
        workloads=_WORKLOADS.get(workload, (workload,)),
        mode=profile.get("mode"),
        budget=stated,
        level=level,
        value=bool(profile.get("value")),
        cheapest=bool(profile.get("cheapest")),
        fastest=bool(profile.get("fastest")),
        large_data=bool(profile.get("large_data")),
        min_memory_gb=float(minimum) if minimum is not None else None,
        condition=_CONDITIONS.get(str(profile.get("condition"))),
        multi_gpu=bool(profile.get("multi_gpu")),
        count=profile.get("count"),
        model_size="very_large" if profile.get("model_size") == "very_large" else None,
        deployment=profile.get("deployment"),
        form_factor=profile.get("form_factor"),
        vendors=(vendor,) if vendor else (),
        not_vendors=(not_vendor,) if not_vendor else (),
        as_of=as_of,
        currency="USD",
    )


def run(rows: Iterable[LineDict], prices: PeriodPrices, world: World, resolve: Resolve) -> tuple[Outcome, ...]:
    """Every row, run in a world that knows only the cards and prices of its date."""
    worlds: dict[str, World] = {}
    outcomes: list[Outcome] = []
    for row in rows:
        as_of = str(row["as_of"])
        then = worlds.get(as_of)
        if then is None:
            then = worlds[as_of] = replace(world, book=PriceBook(prices.upto(as_of)), cloud=None, cache={})
        kind = str(row.get("kind", "engine"))
        if kind == "quote_only":
            outcomes.append(Outcome(str(row["id"]), str(row.get("guide", "")), kind, (), None))
        elif kind == "ranking":
            outcomes.append(_ranking(row, then, resolve))
        elif kind == "set":
            outcomes.append(_set(row, then, prices, resolve))
        else:
            outcomes.append(_engine(row, then, prices, resolve))
    return tuple(outcomes)


def _flat(value: Any) -> list[str]:
    if isinstance(value, list):
        return [name for part in value for name in _flat(part)]
    return [str(value)] if value is not None else []


def _today(as_of: str) -> date:
    return last_day(as_of)


def _engine(row: LineDict, world: World, prices: PeriodPrices, resolve: Resolve) -> Outcome:
    as_of = str(row["as_of"])
    result = recommend(needs_of(row.get("profile") or {}, as_of), world, _today(as_of))
    wanted, avoided = _flat(row.get("pick")), _flat(row.get("avoid"))
    names = [resolve(name) for name in wanted]
    picked = [pick.gpu.name for pick in result.picks]
    problems: list[str] = []
    unresolved = [name for name, found in zip(wanted, names, strict=True) if found is None]
    if unresolved:
        problems.append("not in the catalogue: " + ", ".join(unresolved))
    if not picked:
        problems.append("no pick" + (f" ({result.none_reason.code})" if result.none_reason else ""))
    elif picked[0] not in names:
        problems.append(f"picked {picked[0]}, wanted {' or '.join(wanted)}")
    bad = [name for name in avoided if resolve(name) in picked[:AVOID_WITHIN]]
    if bad:
        problems.append("should be avoided: " + ", ".join(bad))
    # An unknown name is reported, but does not alone make the row wrong.
    right = bool(picked) and picked[0] in names and not bad
    spell = {found: name for name, found in zip(wanted, names, strict=True) if found}
    shown = tuple(spell.get(name, prices.spelling.get(name, name)) for name in picked)
    return Outcome(str(row["id"]), str(row.get("guide", "")), "engine", shown, right, "; ".join(problems))


# --- rankings ---

_NUMBER = {"one": 1, "a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "single": 1}
SENTENCES: tuple[str, ...] = (
    "A gives more performance per dollar than B, C and D",
    "A has (a) better performance per dollar than B",
    "A is faster than B / has more memory than B / is cheaper than B",
    "one PC with 4 A wins (on performance per dollar of the whole system); `who` names the other: or two PCs with 8 B",
)
"""Sentence forms that `expect` may have; names are read by the catalogue's resolver."""
_SPLIT = re.compile(r"\s*(?:,|\band\b|\bor\b)\s*")
_THAN = re.compile(
    r"^(?:the )?(?P<a>.+?) (?:gives?|has|have|offers?|is|are) (?:an? )?(?P<rel>.+?) than (?P<b>.+?)\.?$", re.I
)
_SETUP = re.compile(
    r"(?:(?P<pcs>\w+) (?i:pcs?|computers?|machines?|systems?) with )?(?P<n>\d+|" + "|".join(_NUMBER) + r")\s*(?:x\s*)?"
    r"(?P<gpu>[A-Z][\w .()]*?)(?= or | wins?\b| beats?\b| is\b| against\b| versus\b| vs\b| than\b|,|\.|$)",
)


def _ranking(row: LineDict, world: World, resolve: Resolve) -> Outcome:
    as_of = str(row["as_of"])
    ident, guide = str(row["id"]), str(row.get("guide", ""))
    claim = _claim(row)
    if claim is None:
        return Outcome(ident, guide, "ranking", (), False, "the sentence has none of the known forms")
    measure, better, others = claim
    figures: list[float] = []
    for count, name, _ in (better, *others):
        gpu = world.catalogue.get(resolve(name) or "")
        figure = None
        if gpu is not None:
            figure = _measure(measure, gpu.name, count, world, as_of)
        if figure is None:
            return Outcome(ident, guide, "ranking", (), False, f"{name}: no price, speed or card")
        figures.append(figure)
    order = sorted(zip(figures, (better, *others), strict=True), key=lambda pair: -pair[0])
    picks = tuple(f"{count} x {name}" if count > 1 else name for _, (count, name, _) in order)
    right = all(figures[0] > figure for figure in figures[1:])
    note = "" if right else ", ".join(f"{p}: {f:.3g}" for (f, _), p in zip(order, picks, strict=True))
    return Outcome(ident, guide, "ranking", picks, right, note)


Setup = tuple[int, str, int]
"""(number of cards, name, number of computers)"""


def _claim(row: LineDict) -> tuple[str, Setup, tuple[Setup, ...]] | None:
    """(measure, the better, the others) of a ranking row, from its fields or its sentence."""
    if row.get("better"):
        return (
            str(row.get("measure", "perf_per_dollar")),
            _side(row["better"]),
            tuple(_side(part) for part in (row["than"] if isinstance(row["than"], list) else [row["than"]])),
        )
    sentence = str(row.get("expect", ""))
    than = _THAN.match(sentence)
    if than and not re.search(r"\d+ x |\bwith \d", sentence):
        relation = than["rel"].lower()
        measure = (
            "perf_per_dollar" if re.search(r"dollar|value|cost|money|price-perf", relation)
            else "memory" if "memory" in relation or "vram" in relation
            else "cheap" if "cheap" in relation
            else "speed" if re.search(r"fast|perform|quick|speed", relation) else ""
        )  # fmt: skip
        if not measure:
            return None
        others = tuple((1, _bare(name), 1) for name in _SPLIT.split(than["b"]) if name)
        return measure, (1, _bare(than["a"]), 1), others
    setups = _setups(str(row.get("who", "")))
    winners = _setups(sentence)
    if not winners:
        return None
    better = winners[0]
    others = tuple(s for s in (*setups, *winners[1:]) if s[1] != better[1])
    return ("system", better, others) if others else None


def _bare(name: str) -> str:
    return re.sub(r"^(?:the|an?)\s+", "", name.strip(), flags=re.I)


def _side(part: Any) -> Setup:
    if isinstance(part, Mapping):
        return int(part.get("count", 1)), str(part["gpu"]), int(part.get("computers", 1))
    return 1, str(part), 1


def _setups(text: str) -> list[Setup]:
    found: list[Setup] = []
    for match in _SETUP.finditer(text):
        count = int(match["n"]) if match["n"].isdigit() else _NUMBER[match["n"]]
        pcs = _NUMBER.get((match["pcs"] or "one").lower(), 1)
        name = match["gpu"].strip()
        if re.search(r"\d", name):
            found.append((count, name, pcs))
    return found


def _measure(measure: str, name: str, count: int, world: World, as_of: str) -> float | None:
    gpu = world.catalogue.get(name)
    if gpu is None:
        return None
    if measure == "memory":
        return gpu.memory_gb
    day = last_day(as_of)
    point = world.book.best(name, "any", day)
    if measure == "cheap":
        return -point.money.amount if point else None
    speeds = [world.speed_of(gpu, name_, "training") for name_ in ("cnn", "transformer")]
    known = [speed.value for speed in speeds if speed is not None]
    if not known:
        return None
    speed = sum(known) / len(known)
    if measure == "speed":
        return speed
    if point is None:
        return None
    if measure == "perf_per_dollar":
        return speed / point.money.amount
    return system_value(world, speed, point.money.amount, count, day)


def system_value(world: World, speed: float, usd: float, cards: int, day: date) -> float:
    """Speed per dollar of `cards` cards with as many computers of four as they need.

    Cards in one computer lose a little to each other, those in several more, to the network.
    """
    engine = world.engine
    hosts = -(-cards // engine.cards_per_host)
    together = engine.scaling_in_one_pc if cards > 1 else 1.0
    if hosts > 1:
        together *= engine.scaling_between_pcs
    money = usd * cards + hosts * engine.grown(engine.host(min(cards, engine.cards_per_host)), day)
    return speed * cards * together / money


# --- sets ---


def _set(row: LineDict, world: World, prices: PeriodPrices, resolve: Resolve) -> Outcome:
    as_of = str(row["as_of"])
    holds = str(row.get("holds") or _holds(str(row.get("who", ""))))
    names = trains(holds, world, as_of)
    wanted = {resolve(name) for name in _flat(row.get("expect"))}
    shown = tuple(prices.spelling.get(name, name) for name in names)
    # Only cards that the guide could speak of: consumer and workstation cards of the price list.
    extra = [name for name in names if name not in wanted]
    right = None not in wanted and wanted <= set(names) and _only_server(extra, world)
    note = "" if right else f"wanted {', '.join(_flat(row.get('expect')))}"
    return Outcome(str(row["id"]), str(row.get("guide", "")), "set", shown, right, note)


def _only_server(names: list[str], world: World) -> bool:
    cards = [world.catalogue.get(name) for name in names]
    return all(card is not None and card.segment == "datacenter" for card in cards)


def _holds(who: str) -> str:
    """all, most or not, from the wording of a row."""
    text = who.lower()
    if re.search(r"\bnot (?:fit|able|suitable)|\bcannot\b|\bunfit|\btoo small", text):
        return "not"
    if re.search(r"\bmost\b|\bmany\b|not all", text):
        return "most"
    return "all"


def trains(holds: str, world: World, as_of: str) -> tuple[str, ...]:
    """Cards of the period's price list that train all, most (not all) or not the current models of that day, most
    memory first."""
    day = last_day(as_of)
    era = world.engine.needs_on(day)
    found: list[tuple[float, str]] = []
    for name in world.book.gpus:
        gpu = world.catalogue.get(name)
        if gpu is None or world.book.best(name, "any", day) is None:
            continue
        memory = gpu.memory_gb
        state = "all" if memory >= era.large else "most" if memory >= era.comfortable else "not"
        if state == holds:
            found.append((-memory, name))
    return tuple(name for _, name in sorted(found))
