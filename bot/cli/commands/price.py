"""`whichgpu price`: every price known for a card, with its date and source."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from typing import Any

from bot.cli.jsonl import UsageError, answer_lines

HELP = "prices known for a card, with their dates"
BAR = 16
"""Widest bar of the chart, in characters."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "Show the prices known for a card, newest first, with date and source."
    parser.epilog = """examples:
  whichgpu price 'RTX 3090'
  whichgpu price 'RTX 5090' --condition used --currency EUR
  echo '{"name": "H100", "id": 7}' | whichgpu price --jsonl"""
    parser.add_argument("name", nargs="*", help="the card, such as 'RTX 3090'")
    parser.add_argument("--condition", choices=("new", "used", "any"), help="only new or used prices")
    parser.add_argument("--currency", help="currency to convert to (ISO code)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--jsonl", action="store_true", help="read JSON lines from standard input, write JSON lines")


def run(args: argparse.Namespace) -> int:
    """Print the prices; exit code 1 when none is known."""
    if args.jsonl:
        return answer_lines(_line, '{"name": "RTX 3090"}')
    name = " ".join(args.name)
    if not name:
        print("whichgpu price: which card? Example: whichgpu price 'RTX 3090'", file=sys.stderr)
        return 2
    answer = prices(name, args.condition, args.currency)
    if "error" in answer:
        print(f"whichgpu price: {answer['error']}", file=sys.stderr)
        return 2
    if args.json:
        print(json.dumps(answer, ensure_ascii=False))
    else:
        _print(answer)
    return 0 if answer["points"] or answer["cloud"] else 1


def _line(request: dict[str, Any]) -> dict[str, Any]:
    answer = prices(str(request.get("name", "")), request.get("condition"), request.get("currency"))
    if "error" in answer:
        raise UsageError(answer["error"])
    return answer | {"id": request.get("id")}


def prices(name: str, condition: str | None, currency: str | None) -> dict[str, Any]:
    """The points of a card as an object; `error` in it says what was wrong."""
    from bot.cli.refreshed import load_book
    from bot.loading import load_catalogue, load_name_resolver
    from bot.market.book import PriceBook
    from bot.request import Money

    book, rates, rented = load_book()
    code = (currency or "USD").upper()
    if not rates.knows(code):
        return {"id": None, "error": f"no exchange rate is known for {currency!r}."}
    gpu_name = load_name_resolver()(name)
    gpu = load_catalogue().get(gpu_name) if gpu_name else None
    if gpu is None:
        return {"id": None, "error": f"{name!r} is not in the catalogue of GPUs."}
    today = date.today()  # noqa: DTZ011 - the user's own calendar day
    points: list[dict[str, Any]] = []
    for point in book.history(gpu.name):
        if condition in ("new", "used") and point.condition not in (condition, "any"):
            continue
        amount = rates.convert(point.money, code)
        low, high = (rates.convert(end, code).amount for end in book.uncertainty(point, today))
        points.append(
            {
                "amount": round(amount.amount, 2), "currency": code, "condition": point.condition,
                "as_of": point.as_of, "source": point.source, "kind": point.kind, "n": point.n,
                "age": PriceBook.age(point, today), "low": round(low, 2), "high": round(high, 2),
            }
        )  # fmt: skip
    if gpu.launch_price_usd and condition != "used":
        launch = rates.convert(Money(gpu.launch_price_usd, "USD"), code).amount
        points.append(
            {
                "amount": round(launch, 2), "currency": code, "condition": "new", "as_of": gpu.released,
                "source": "launch price", "kind": "msrp", "n": None, "age": "historic", "low": None, "high": None,
            }
        )  # fmt: skip
    cloud: list[dict[str, Any]] = [
        {
            "kind": price.kind, "amount": round(rates.convert(Money(price.usd_per_hour, "USD"), code).amount, 4),
            "currency": code, "per": "hour", "n": price.n, "as_of": price.as_of, "source": price.source,
        }
        for price in rented.of(gpu.name)
    ]  # fmt: skip
    notes = []
    if code != "USD" and (rate := rates.rate(code)):
        notes.append(f"converted from US dollars at the rate of {rate.as_of}, before local tax")
    sources = sorted({(p["source"], p["as_of"]) for p in (*points, *cloud)})
    return {
        "id": None, "gpu": gpu.name, "points": points, "cloud": cloud, "notes": notes,
        "sources": [{"title": title, "ref": title, "as_of": as_of} for title, as_of in sources],
    }  # fmt: skip


def _print(answer: dict[str, Any]) -> None:
    print(answer["gpu"])
    most = max((point["amount"] for point in answer["points"]), default=1)
    for point in answer["points"]:
        age = "" if point["age"] == "fresh" else f" ({point['age']})"
        bar = "█" * max(1, round(BAR * point["amount"] / most))
        print(
            f"  {point['condition']:5} {point['currency']} {point['amount']:>7,.0f} {bar:{BAR}} {point['kind']}, "
            f"{point['as_of']}{age}  {point['source']}"
        )
    if not answer["points"]:
        print("  no price known")
    for price in answer["cloud"]:
        print(f"  rent  {price['currency']} {price['amount']:.2f} an hour  {price['kind']}, {price['as_of']}")
    for note in answer["notes"]:
        print(f"  ({note})")
