"""`whichgpu prices`: refresh, look, go back, approve. For whoever runs the bot; works beside a running one."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.feeds.desk import PriceDesk, Status
    from bot.feeds.refresh import Report

HELP = "fetch prices, see what is in force, go back"
BAR = 32


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "Fetch prices from the sources that are set up, and manage what is in force."
    parser.epilog = """examples:
  whichgpu prices refresh
  whichgpu prices refresh --file my-prices.csv --dry-run
  whichgpu prices refresh --source feed --force
  whichgpu prices status
  whichgpu prices history 'RTX 3090'
  whichgpu prices rollback
  whichgpu prices quarantine
  whichgpu prices quarantine --approve 12 13

Files and feeds have the columns gpu,condition,price,currency,as_of and if you like n,typical,region,source.
docs/operating.md says which sources there are and what each may be used for."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    refresh = actions.add_parser("refresh", help="ask the sources and put good prices in force")
    refresh.add_argument("--source", help="only this source")
    refresh.add_argument("--file", type=Path, help="take prices from this CSV or JSON file, once")
    refresh.add_argument("--dry-run", action="store_true", help="check and report, change nothing")
    refresh.add_argument("--force", action="store_true", help="believe a run that looks wrong as a whole, once")
    rollback = actions.add_parser("rollback", help="put the prices before the last refresh in force again")
    rollback.add_argument("--source", help="of this source; else of the one refreshed last")
    status = actions.add_parser("status", help="what is in force, and the last runs")
    history = actions.add_parser("history", help="every price of a card in the runs kept")
    history.add_argument("name", nargs="+", help="the card, such as 'RTX 3090'")
    quarantine = actions.add_parser("quarantine", help="prices that wait for a person")
    quarantine.add_argument("--approve", nargs="+", type=int, metavar="ID", help="believe these")
    for one in (refresh, rollback, status, history, quarantine):
        one.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Exit code 1: nothing was taken over or there is nothing; 2: wrong use or settings."""
    from bot.feeds.source import SourceError
    from bot.settings import SettingError

    try:
        desk = _desk()
        action = {"refresh": _refresh, "rollback": _rollback, "status": _status, "history": _history,
                  "quarantine": _quarantine}[args.action]  # fmt: skip
        return action(desk, args)
    except SettingError as error:
        print(f"whichgpu prices: {error}", file=sys.stderr)
        return 2
    except SourceError as error:
        print(f"whichgpu prices: {error}", file=sys.stderr)
        return 1


def _desk() -> PriceDesk:
    from bot.feeds.setup import price_desk
    from bot.settings import read_settings

    env_file = Path(".env")
    return price_desk(read_settings(os.environ, env_file.read_text(encoding="utf-8") if env_file.is_file() else ""))


def _refresh(desk: PriceDesk, args: argparse.Namespace) -> int:
    from bot.feeds.desk import NothingTakenError
    from bot.feeds.files import FileSource
    from bot.feeds.source import PriceSource

    def progress(line: str) -> None:
        print(f"… {line}", file=sys.stderr, flush=True)

    sources: list[PriceSource] | None = [FileSource(args.file)] if args.file else None
    try:
        report = desk.refresh(
            progress, only=args.source, dry_run=args.dry_run, force=args.force, sources=sources
        ).report
    except NothingTakenError as error:
        report = error.report
    if args.json:
        print(json.dumps(report_json(report), ensure_ascii=False))
    else:
        _print_report(report)
    return 0 if report.good else 1


def report_json(report: Report) -> dict[str, Any]:
    """A refresh as an object."""
    parts = []
    for part in report.parts:
        entry = dataclasses.asdict(part)
        for name in ("accepted", "quarantined"):
            entry[name] = [
                {"gpu": p["gpu"], "condition": p["condition"], "region": p["region"], "currency": p["currency"],
                 "amount": p["low_minor"] / 100, "as_of": p["as_of"], "source": p["source"], "n": p["n"],
                 "reason": p["reason"] or None}
                for p in entry[name]
            ]  # fmt: skip
        parts.append(entry)
    return {"good": report.good, "dry_run": report.dry_run, "sources": parts}


def _print_report(report: Report) -> None:
    if report.dry_run:
        print("Nothing was changed (--dry-run).")
    for part in report.parts:
        print(f"{part.provider}: {part.status}" + (f": {part.problem}" if part.problem else ""))
        print(f"  accepted {len(part.accepted)}, to be looked at {len(part.quarantined)}, "
              f"left out {len(part.rejected)}, kept from before {part.carried}, by the hour {part.hourly}, "
              f"exchange rates {part.rates}")  # fmt: skip
        for point in part.quarantined:
            print(f"  ? {point.gpu} {point.condition}: {point.reason}")
        for reason in part.rejected[:20]:
            print(f"  - {reason}")
        if len(part.rejected) > 20:
            print(f"  - and {len(part.rejected) - 20} more (--json shows all)")
    if not report.good:
        print("The prices in force stay as they are.")


def _rollback(desk: PriceDesk, args: argparse.Namespace) -> int:
    return _show_status(desk.rollback(args.source), args.json)


def _status(desk: PriceDesk, args: argparse.Namespace) -> int:
    return _show_status(desk.status(), args.json)


def _show_status(status: Status, as_json: bool) -> int:
    if as_json:
        data = dataclasses.asdict(status) | {"at": status.at.isoformat() if status.at else None}
        print(json.dumps(data, ensure_ascii=False))
        return 0
    if status.at is None:
        print("Only the prices shipped with whichgpu are in force; most of them are months old.")
    else:
        print(f"{status.points} fetched prices in force, fetched {status.at:%Y-%m-%d %H:%M} UTC.")
    print("Sources set up: " + (", ".join(status.sources) or "none (see docs/operating.md)"))
    if status.waiting:
        print(f"{status.waiting} prices wait for you: whichgpu prices quarantine")
    if status.last_error:
        print(f"Last trouble: {status.last_error}")
    for one in status.runs[:10]:
        when = datetime.fromtimestamp(one.started, UTC)
        mark = "*" if one.active else " "
        problem = one.report.get("problem")
        print(f"{mark} {one.id:4} {when:%Y-%m-%d %H:%M} {one.provider:10} {one.status:11} "
              f"{one.rows_ok} of {one.rows_in} rows" + (f": {problem}" if problem else ""))  # fmt: skip
    return 0


def _history(desk: PriceDesk, args: argparse.Namespace) -> int:
    name = " ".join(args.name)
    gpu = desk.world.resolve(name)
    if gpu is None:
        print(f"whichgpu prices: {name!r} is not in the catalogue of GPUs.", file=sys.stderr)
        return 2
    points = desk.history(gpu)
    if args.json:
        rows = [{"amount": p.low_minor / 100, "currency": p.currency, "condition": p.condition, "as_of": p.as_of,
                 "source": p.source, "n": p.n, "region": p.region or None} for p in points]  # fmt: skip
        print(json.dumps({"gpu": gpu, "points": rows}, ensure_ascii=False))
        return 0 if points else 1
    print(gpu)
    most = max((p.low_minor for p in points), default=1)
    for p in points:
        bar = "█" * max(1, round(BAR * p.low_minor / most))
        print(f"  {p.as_of:10} {p.condition:4} {p.currency} {p.low_minor / 100:>10,.2f} {bar} {p.source}")
    if not points:
        print("  no fetched price is kept; `whichgpu price` shows those shipped with whichgpu")
    return 0 if points else 1


def _quarantine(desk: PriceDesk, args: argparse.Namespace) -> int:
    if args.approve:
        done = desk.approve(args.approve)
        if args.json:
            print(json.dumps({"approved": [point.gpu for point in done]}))
        else:
            for point in done:
                print(f"{point.gpu} {point.condition}: {point.currency} {point.low_minor / 100:,.2f} is in force.")
        if len(done) < len(args.approve):
            print(f"whichgpu prices: {len(args.approve) - len(done)} of these ids wait no longer.", file=sys.stderr)
        return 0 if done else 1
    waiting = desk.waiting()
    if args.json:
        rows = [{"id": w.id, "source": w.provider, "gpu": w.point.gpu, "condition": w.point.condition,
                 "amount": w.point.low_minor / 100, "currency": w.point.currency, "as_of": w.point.as_of,
                 "reason": w.point.reason} for w in waiting]  # fmt: skip
        print(json.dumps({"waiting": rows}, ensure_ascii=False))
        return 0
    for w in waiting:
        print(f"{w.id:5} {w.provider:8} {w.point.gpu} {w.point.condition} {w.point.currency} "
              f"{w.point.low_minor / 100:,.2f} of {w.point.as_of}: {w.point.reason}")  # fmt: skip
    if not waiting:
        print("No price waits.")
    return 0
