"""`whichgpu catalogue`: show, list and check the cards."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from bot.hardware.gpu import Gpu
from bot.request import AmbiguousGpu, UnknownGpu

HELP = "show a card with every figure, list the cards, check the table"
_MARKS = {"computed": "~", "uncertain": "?"}
_SKIP = ("architecture", "marks", "line", "aliases", "sources")


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "The GPU catalogue: data/gpus.csv and data/architectures.csv."
    parser.epilog = """examples:
  whichgpu catalogue show 3060 12gb
  whichgpu catalogue show --json RTX 4090
  whichgpu catalogue list --vendor amd
  whichgpu catalogue check --compare ../shared/reference-data"""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="every figure of a card, with its mark and source")
    show.add_argument("name", nargs="*", help="the card, as people write it")
    cards = actions.add_parser("list", help="one line a card")
    cards.add_argument("--vendor", help="only this maker")
    cards.add_argument("--segment", help="only this class: consumer, laptop, workstation ...")
    check = actions.add_parser("check", help="look for faults in the table")
    check.add_argument("--compare", metavar="FOLDER", help="a folder with epoch_ml_hardware.csv to compare with")
    for action in (show, cards, check):
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """0, or 1 when the check finds faults, or 2 when the name leads to no card."""
    if args.action == "show":
        return _show(" ".join(args.name), args.json)
    if args.action == "list":
        return _list(args)
    return _check(args)


def _show(name: str, as_json: bool) -> int:
    from bot.loading import load_resolver

    if not name:
        print("Say which card: whichgpu catalogue show RTX 3090", file=sys.stderr)
        return 2
    resolver = load_resolver()
    found = resolver.one(name)
    if isinstance(found, AmbiguousGpu):
        print(f"{name} can be: {', '.join(found.options)}. Say which.", file=sys.stderr)
        return 2
    if isinstance(found, UnknownGpu):
        near = found.neighbours or resolver.neighbours(name)
        print(f"{name} is not in the catalogue." + (f" Near: {', '.join(near)}." if near else ""), file=sys.stderr)
        return 2
    cards = (found,) if isinstance(found, Gpu) else resolver.catalogue.cards(found)
    if as_json:
        print(json.dumps([_as_dict(gpu) for gpu in cards], ensure_ascii=False, indent=2))
    else:
        print("\n\n".join(_as_text(gpu) for gpu in cards))
    return 0


def _as_dict(gpu: Gpu) -> dict[str, Any]:
    row: dict[str, Any] = {item.name: getattr(gpu, item.name) for item in fields(gpu) if item.name != "architecture"}
    row["marks"] = dict(gpu.marks)
    kind = gpu.architecture
    row["architecture"] = {item.name: getattr(kind, item.name) for item in fields(kind)}
    row["architecture"]["formats"] = dict(kind.formats)
    return row


def _as_text(gpu: Gpu) -> str:
    lines = [gpu.name]
    for item in fields(gpu):
        value = getattr(gpu, item.name)
        if item.name in _SKIP or item.name == "name" or value in (None, "", False, ()):
            continue
        shown = f"{value:g}" if isinstance(value, float) else "yes" if value is True else str(value)
        lines.append(f"  {item.name:<28}{shown}{_MARKS.get(gpu.marks.get(item.name, ''), '')}")
    kind = gpu.architecture
    lines.append(f"  {'architecture':<28}{kind.name} ({kind.compute})")
    lines.append(f"  {'formats':<28}{', '.join(f'{name}: {state}' for name, state in kind.formats.items())}")
    lines.append(f"  {'software':<28}{kind.software}: {kind.software_note} (as of {kind.as_of})")
    if gpu.aliases:
        lines.append(f"  {'aliases':<28}{', '.join(gpu.aliases)}")
    lines += [f"  {'source':<28}{source}" for source in (*gpu.sources, kind.source)]
    if gpu.marks:
        lines.append("  ~ computed from other figures, ? uncertain")
    return "\n".join(lines)


def _list(args: argparse.Namespace) -> int:
    from bot.loading import load_catalogue

    cards = [
        gpu
        for gpu in load_catalogue().gpus
        if args.vendor in (None, gpu.vendor) and args.segment in (None, gpu.segment)
    ]
    if args.json:
        print(json.dumps([_as_dict(gpu) for gpu in cards], ensure_ascii=False, indent=2))
        return 0
    for gpu in cards:
        bandwidth = f"{gpu.bandwidth_gbs:g} GB/s" if gpu.bandwidth_gbs else ""
        print(f"{gpu.name:<26}{gpu.memory_gb:>6g} GB {bandwidth:>11}  {gpu.released:<8}{gpu.segment}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from bot.hardware.check import check_catalogue, compare_epoch
    from bot.loading import load_resolver, read_file

    resolver = load_resolver()
    faults = check_catalogue(resolver.catalogue, resolver)
    if args.compare:
        text, _ = read_file(Path(args.compare) / "epoch_ml_hardware.csv")
        faults += compare_epoch(resolver.catalogue, resolver, text)
    if args.json:
        rows = [{"line": f.line, "gpu": f.gpu, "text": f.text, "hint": f.hint} for f in faults]
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for fault in faults:
            print(f"data/gpus.csv, line {fault.line}, {fault.gpu}: {fault.text}" + (" (hint)" if fault.hint else ""))
        serious = sum(not fault.hint for fault in faults)
        print(f"{len(resolver.catalogue.gpus)} cards, {serious} faults, {len(faults) - serious} hints")
    return 1 if any(not fault.hint for fault in faults) else 0
