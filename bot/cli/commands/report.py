"""`whichgpu report`: what people asked and the bot could not answer, thumbs, latency, languages. For curators."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.storage.likeness import Group
    from bot.storage.reports import Report

HELP = "what was asked and not answered, thumbs, latency"
DAY = 86_400


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "Read the query log: the gaps of the knowledge, how answers were liked, how fast they were."
    parser.epilog = """examples:
  whichgpu report
  whichgpu report --days 7 --most 20
  whichgpu report --stubs > knowledge/todo.yaml
  whichgpu report --json"""
    parser.add_argument("--days", type=int, default=30, help="how many days to look back (30)")
    parser.add_argument("--most", type=int, default=30, help="how many groups of questions to show (30)")
    parser.add_argument("--stubs", action="store_true", help="print the unanswered as YAML entries to fill in")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the report; exit code 1 when the log cannot be read."""
    from bot.settings import SettingError, read_settings
    from bot.storage.engine import Database, StorageError, database_url
    from bot.storage.reports import report

    if args.days < 1 or args.most < 1:
        print("whichgpu report: --days and --most have to be at least 1.", file=sys.stderr)
        return 2

    async def read(url: str) -> Report:
        database = await Database.open(url)
        try:
            return await report(database, int(time.time()) - args.days * DAY, args.most)
        finally:
            await database.close()

    env_file = Path(".env")
    try:
        settings = read_settings(os.environ, env_file.read_text(encoding="utf-8") if env_file.is_file() else "")
        url = database_url(settings.database_url.value, settings.state_dir)
        if url.startswith("sqlite") and not Path(url.split("///", 1)[1]).exists():
            print("whichgpu report: there is no log yet; it begins when the bot runs.", file=sys.stderr)
            return 1
        found = asyncio.run(read(url))
    except SettingError as error:
        print(f"whichgpu report: {error}", file=sys.stderr)
        return 2
    except StorageError as error:
        print(f"whichgpu report: {error}", file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps(dataclasses.asdict(found), ensure_ascii=False))
    elif args.stubs:
        print(stubs(found.unanswered), end="")
    else:
        _print(found, args.days)
    return 0


def _print(found: Report, days: int) -> None:
    stats = found.stats
    print(f"Last {days} days: {stats.questions} questions of {stats.people} people, {stats.abstained} not answered, "
          f"{stats.good} 👍, {stats.bad} 👎, p50 {stats.p50_ms:g} ms, p99 {stats.p99_ms:g} ms")  # fmt: skip
    for title, counts in (
        ("Kinds", stats.by_kind), ("Languages", found.by_language), ("Surfaces", found.by_surface),
    ):  # fmt: skip
        if counts:
            print(f"{title}: " + ", ".join(f"{name} {count}" for name, count in counts))
    for title, rates in (("Thumbs by kind", found.rates_by_kind), ("Thumbs by entry", found.rates_by_entry)):
        if rates:
            print(f"{title}:")
            for rate in rates[:15]:
                print(f"  {rate.name:30} {rate.good} 👍  {rate.bad} 👎")
    print("Not answered:" if found.unanswered else "Nothing is unanswered.")
    for group in found.unanswered:
        others = len(group.wordings) - 1
        print(
            f"  {group.times:4}× {_one_line(group.question)}" + (f"  (and {others} wordings like it)" if others else "")
        )


def stubs(groups: Sequence[Group]) -> str:
    """Entries to fill in, in the form of knowledge/: the id and the wordings are there, the answer is not."""
    used: set[str] = set()
    out = ["# Fill in what is TODO, delete what is not wanted, and move the rest to a file of its topic.\n"]
    for group in groups:
        words = re.findall(r"[a-z0-9]+", group.question.lower())
        key = base = "-".join(words[:6]) or "question"
        number = 2
        while key in used:
            key, number = f"{base}-{number}", number + 1
        used.add(key)
        chinese = [wording for wording, _ in group.wordings[:10] if re.search("[\u3400-\u9fff]", wording)]
        english = [wording for wording, _ in group.wordings[:10] if wording not in chinese]
        out.append(f"\n# asked {group.times} times\n- id: {key}\n  topic: TODO\n  question:\n")
        for language, wordings in (("en", english), ("zh", chinese)):
            out.append(f"    {language}: {_quoted(wordings[0]) if wordings else 'TODO'}\n")
        out.append("  phrasings:\n")
        for language, wordings in (("en", english), ("zh", chinese)):
            listed = "".join(f"      - {_quoted(wording)}\n" for wording in wordings)
            out.append(f"    {language}:\n{listed or '      - TODO' + chr(10)}")
        out.append("  answer:\n    en: TODO\n    zh: TODO\n  as_of: TODO\n")
        out.append("  sources:\n    - {title: TODO, ref: TODO, as_of: TODO}\n")
    return "".join(out)


def _one_line(text: str) -> str:
    # What people wrote must not steer the terminal.
    return "".join(c if c.isprintable() else " " for c in text)[:160]


def _quoted(text: Any) -> str:
    return json.dumps(_one_line(str(text)), ensure_ascii=False)
