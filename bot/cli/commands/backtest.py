"""`whichgpu backtest`: the advice of old guides, row by row, through the engine of today."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

HELP = "the guides' advice, row by row, through today's engine"


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = (
        "Run the recommendation engine as of the dates of old guides, with the cards and prices of that time only, "
        "and compare its first pick with what the guide advised."
    )
    parser.epilog = """examples:
  whichgpu backtest
  whichgpu backtest my_rows.yaml --prices my_prices.csv
  whichgpu backtest --json"""
    parser.add_argument("rows", nargs="?", help="rows in YAML; the project's own when left out")
    parser.add_argument("--prices", help="prices of those dates (as_of,gpu,condition,price_usd,source)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print every row; exit code 0 also when rows are wrong: they are findings, not failures."""
    answer = backtest(args.rows, args.prices)
    if args.json:
        print(json.dumps(answer, ensure_ascii=False))
        return 0
    for row in answer["rows"]:
        mark = {True: "right", False: "WRONG", None: "  -  "}[row["right"]]
        print(f"{row['id']:10} {mark}  {', '.join(row['picks']) or '(nothing to compute)'}")
        if row["note"]:
            print(f"{'':10}        {row['note']}")
    for guide, (right, total) in answer["guides"].items():
        print(f"{guide}: {right} of {total}")
    print(f"{answer['right']} of {answer['total']} rows right")
    for note in answer["notes"]:
        print(note)
    return 0


def backtest(rows_file: str | None, prices_file: str | None) -> dict[str, Any]:
    """The outcome of all rows. Raises DataError for files that cannot be read."""
    from bot.advice.backtest import parse_period_prices, parse_rows
    from bot.advice.backtest import run as run_rows
    from bot.loading import files_root, load_name_resolver, load_period_prices, load_world, read_file

    root = files_root()
    rows = parse_rows(*(read_file(Path(rows_file)) if rows_file else read_file(root / "data/backtest.yaml", root)))
    resolve = load_name_resolver()
    prices = parse_period_prices(*read_file(Path(prices_file)), resolve) if prices_file else load_period_prices()
    outcomes = run_rows(rows, prices, load_world(), resolve)
    guides: dict[str, tuple[int, int]] = {}
    for outcome in outcomes:
        if outcome.right is not None:
            right, total = guides.get(outcome.guide, (0, 0))
            guides[outcome.guide] = (right + outcome.right, total + 1)
    notes = ["cards that are not in the catalogue: " + ", ".join(prices.unknown)] if prices.unknown else []
    return {
        "rows": [
            {"id": o.id, "picks": list(o.picks), "right": o.right, "kind": o.kind, "note": o.note} for o in outcomes
        ],
        "right": sum(right for right, _ in guides.values()),
        "total": sum(total for _, total in guides.values()),
        "guides": guides,
        "notes": notes,
        "sources": sorted({point.source for points in prices.by_date.values() for point in points}),
    }
