"""`whichgpu cost`: rent or buy, and what the electricity costs."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from typing import TYPE_CHECKING, Any

from bot.cli.jsonl import UsageError, answer_lines

if TYPE_CHECKING:
    from bot.hardware.gpu import Gpu

HELP = "rent or buy: the break-even"


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "After how many hours of use buying a card is cheaper than renting one. US dollars."
    parser.epilog = """examples:
  whichgpu cost --gpu 'RTX 3090' --hours-per-week 20
  whichgpu cost --gpu 'RTX 5090' --price 2873 --resale 1400 --electricity 0.17 --cloud-price 0.69 --json
  echo '{"gpu": "RTX 4090", "price": 1800, "cloud_price": 0.5}' | whichgpu cost --jsonl"""
    parser.add_argument("--gpu", help="the card")
    parser.add_argument("--count", type=int, default=1, help="how many of them")
    parser.add_argument("--price", type=float, help="what one card costs")
    parser.add_argument("--resale", type=float, help="what it sells for in the end")
    parser.add_argument("--hours-per-week", type=float, help="hours of use a week")
    parser.add_argument("--electricity", type=float, help="price of a kWh")
    parser.add_argument("--cloud-price", type=float, help="price of renting one card for an hour")
    parser.add_argument("--kw", type=float, help="power of the whole machine at the wall, kW")
    parser.add_argument("--keep-years", type=float, help="how long the card is kept (3)")
    parser.add_argument("--condition", choices=("new", "used"), default=None, help="which price to look up")
    parser.add_argument("--language", default="en", choices=("en", "zh"), help="language of the texts")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--jsonl", action="store_true", help="read JSON lines from standard input, write JSON lines")


def run(args: argparse.Namespace) -> int:
    """Compute, and print it the way asked for."""
    if args.jsonl:
        return answer_lines(answer, '{"gpu": "RTX 3090", "price": 990}')
    try:
        found = answer({k: v for k, v in vars(args).items() if v is not None})
    except UsageError as error:
        print(f"whichgpu cost: {error}", file=sys.stderr)
        return 2
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        notes = [f"Note: {note}" for note in found["notes"]]
        sources = "Sources: " + "; ".join(f"{s['title']} ({s['as_of']})" for s in found["sources"])
        print("\n".join([found["summary"], *notes, sources] if found["sources"] else [found["summary"], *notes]))
    return 0


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """One request (option names with underscores) as the JSON answer. Raises UsageError."""
    from bot.advice.cost import (
        DEFAULT_PER_KWH_USD,
        WEEK_H,
        YEAR_DAYS,
        break_even,
        electricity_per_month,
        machine_kw,
        owned_per_hour,
    )
    from bot.loading import load_fit_words

    words, language = load_fit_words(), str(request.get("language") or "en")
    gpu = _gpu(request)
    count = int(request.get("count") or 1)
    notes: list[tuple[str, dict[str, object]]] = []
    sources: list[dict[str, str]] = []
    price, resale = _number(request, "price"), _number(request, "resale")
    if price is None:
        price = _price(gpu, request.get("condition"), notes, sources)
    cloud = _number(request, "cloud_price")
    if cloud is None:
        cloud = _cloud(gpu, notes, sources)
    if resale is None:
        notes.append(("no_resale", {}))
    per_kwh = _number(request, "electricity")
    if per_kwh is None:
        per_kwh = DEFAULT_PER_KWH_USD
        notes.append(("default_electricity", {"per_kwh": per_kwh}))
    kw = _number(request, "kw")
    if kw is None:
        kw = machine_kw(gpu.tdp_w if gpu else None, count)
    try:
        result = break_even(
            price * count, cloud * count, kw, per_kwh, (resale or 0.0) * count,
            hours_per_week=_number(request, "hours_per_week"), keep_years=_number(request, "keep_years"),
        )  # fmt: skip
    except ValueError as error:
        raise UsageError(f"{error}.") from None
    notes += [(code, dict(values)) for code, values in result.notes]
    if result.hours is None:
        summary = words.say("cost.never", language)
    else:
        summary = words.say(
            f"cost.{result.verdict}", language, hours=f"{result.hours:,.0f}", days=f"{result.days or 0:,.0f}",
            per_week=f"{result.hours_per_week:g}",
        )  # fmt: skip
    return {
        "id": request.get("id"),
        "gpu": gpu.name if gpu else None,
        "break_even_hours": None if result.hours is None else round(result.hours, 1),
        "break_even_days": None if result.days is None else round(result.days, 1),
        "verdict": result.verdict,
        "price": price,
        "cloud_price": cloud,
        "kw": kw,
        "electricity_per_month": round(electricity_per_month(kw, per_kwh, result.hours_per_week), 2),
        "hours_per_week": result.hours_per_week,
        "owned_per_hour": round(
            owned_per_hour(
                result.price,
                result.resale,
                result.keep_days / YEAR_DAYS,
                result.power_per_hour,
                result.hours_per_week / WEEK_H,
            ),
            3,
        ),
        "summary": summary,
        "assumptions": [code for code, _ in notes],
        "notes": [words.note(note, language) for note in notes],
        "sources": sources,
    }


def _gpu(request: dict[str, Any]) -> Gpu | None:
    from bot.loading import load_catalogue, load_name_resolver

    name = str(request.get("gpu") or "")
    if not name:
        return None
    found = load_name_resolver()(name)
    gpu = load_catalogue().get(found) if found else None
    if gpu is None:
        raise UsageError(f"the card {name!r} is not in the catalogue. See: whichgpu catalogue list.")
    return gpu


def _price(
    gpu: Gpu | None, condition: Any, notes: list[tuple[str, dict[str, object]]], sources: list[dict[str, str]]
) -> float:
    from bot.loading import load_prices, load_rates

    if gpu is None:
        raise UsageError("what does the card cost? Give --price, or a card whose price is known with --gpu.")
    today = date.today()  # noqa: DTZ011 - the asker's own day is meant
    point = load_prices().best(gpu.name, condition if condition in ("new", "used") else "any", today)
    if point is None:
        raise UsageError(f"no price is known for the {gpu.name}. Give --price.")
    sources.append({"title": point.source, "ref": "", "as_of": point.as_of})
    notes.append(("estimated_price", {}))
    return load_rates().convert(point.money, "USD").amount


def _cloud(gpu: Gpu | None, notes: list[tuple[str, dict[str, object]]], sources: list[dict[str, str]]) -> float:
    from bot.loading import load_catalogue, load_cloud_prices

    if gpu is None:
        raise UsageError("what does renting cost? Give --cloud-price, or a card with --gpu.")
    prices, catalogue = load_cloud_prices(), load_catalogue()
    found = prices.typical(gpu.name)
    if found is None:
        others = [g for name in prices.gpus if (g := catalogue.get(name)) and g.memory_gb >= gpu.memory_gb]
        near = min(others, key=lambda g: _distance(g, gpu), default=None)
        found = prices.typical(near.name) if near else None
        if near is None or found is None:
            raise UsageError("no hourly price is known for a card like this. Give --cloud-price.")
        notes.append(("nearest_cloud", {"gpu": near.name}))
    if found.kind == "marketplace":
        notes.append(("marketplace", {}))
    sources.append({"title": found.source, "ref": "", "as_of": found.as_of})
    return found.usd_per_hour


def _distance(other: Gpu, gpu: Gpu) -> float:
    """How unlike two cards are: memory and bandwidth, as ratios."""
    memory = abs(other.memory_gb / gpu.memory_gb - 1)
    speed = abs((other.bandwidth_gbs or 1.0) / (gpu.bandwidth_gbs or other.bandwidth_gbs or 1.0) - 1)
    return memory + speed


def _number(request: dict[str, Any], name: str) -> float | None:
    value = request.get(name)
    if value in (None, ""):
        return None
    try:
        number = float(str(value))
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e9:
        raise UsageError(f"--{name.replace('_', '-')} {value!r} is not a number of 0 or more.")
    return number
