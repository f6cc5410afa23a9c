"""`whichgpu knowledge`: search the curated entries, show one, check the files."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from typing import TYPE_CHECKING, Any, get_args

from bot.cli.jsonl import answer_lines
from bot.request import Language

if TYPE_CHECKING:
    from bot.facts.entries import Entry
    from bot.facts.search import Search

HELP = "the curated facts: search, show, lint"


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = "The curated entries of knowledge/: find one, show one, or check all files."
    parser.epilog = """examples:
  whichgpu knowledge search 'does memory bandwidth matter more than cores?'
  whichgpu knowledge show guide-bandwidth-2017 --language zh-TW
  whichgpu knowledge lint
  echo '{"text": "显存带宽重要吗", "limit": 3}' | whichgpu knowledge search --jsonl"""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    search = actions.add_parser("search", help="the entries that answer a question, best first")
    search.add_argument("text", nargs="*", help="the question")
    search.add_argument("--limit", type=int, default=5, help="how many entries (default 5)")
    search.add_argument("--jsonl", action="store_true", help="read JSON lines {text, limit, id} from standard input")
    show = actions.add_parser("show", help="one entry in full")
    show.add_argument("id", help="the entry's id")
    show.add_argument("--language", choices=get_args(Language), default="en", help="default en")
    lint = actions.add_parser("lint", help="every fault of the files, as file:line: message")
    lint.add_argument("--strict", action="store_true", help="warnings fail too")
    for action in (search, show, lint):
        action.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Do what the action says. 0 good, 1 faults or nothing found, 2 wrong use."""
    actions = {"search": _search, "show": _show, "lint": _lint}
    return actions[args.action](args)


def _search(args: argparse.Namespace) -> int:
    from bot.loading import load_knowledge

    if args.jsonl:
        return _search_lines(args)
    text = " ".join(args.text)
    if not text.strip() or args.limit < 1:
        problem = "what is the question?" if not text.strip() else f"--limit {args.limit} is not above 0."
        print(
            f"whichgpu knowledge search: {problem} Example: whichgpu knowledge search 'is ECC needed'", file=sys.stderr
        )
        return 2
    search = load_knowledge()
    found = _found(search, text, args.limit, None)
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
        return 0
    if found["abstained"]:
        print("No entry answers this surely. The nearest:")
    for hit in found["hits"]:
        print(f"{hit['confidence']:5.0%}  {hit['entry']}  {hit['question']}")
    return 0 if found["hits"] else 1


def _found(search: Search, text: str, limit: int, line_id: object) -> dict[str, Any]:
    from bot.language.normalise import language_of

    language = language_of(text)
    hits = search.search(text, limit)
    sure = bool(hits) and hits[0].confidence >= search.calibration.threshold
    return {
        "id": line_id,
        "text": text,
        "language": language,
        "abstained": not sure,
        "hits": [
            {
                "entry": hit.entry.id,
                "question": hit.entry.question_text(language),
                "score": round(hit.score, 4),
                "confidence": round(hit.confidence, 4),
            }
            for hit in hits
        ],
        "sources": _sources(hits[0].entry) if sure else [],
        "notes": [],
    }


def _search_lines(args: argparse.Namespace) -> int:
    from bot.loading import load_knowledge

    search = load_knowledge()

    def answer(line: dict[str, Any]) -> dict[str, Any]:
        limit = max(1, int(line.get("limit") or args.limit))
        return _found(search, str(line.get("text") or ""), limit, line.get("id"))

    return answer_lines(answer, '{"text": "..."}')


def _sources(entry: Entry) -> list[dict[str, str]]:
    return [{"title": source.title, "ref": source.ref, "as_of": source.as_of} for source in entry.sources]


def _show(args: argparse.Namespace) -> int:
    from rapidfuzz import process

    from bot.loading import load_knowledge

    base = load_knowledge().base
    entry = base.by_id.get(args.id)
    if entry is None:
        near = [name for name, _, _ in process.extract(args.id, list(base.by_id), limit=3, score_cutoff=60)]
        hint = f" Near: {', '.join(near)}." if near else ""
        print(f"whichgpu knowledge show: there is no entry {args.id!r}.{hint}", file=sys.stderr)
        return 1
    language: Language = args.language
    note = entry.note.in_language(language) if entry.note else ""
    if args.json:
        shown = {
            "id": entry.id, "topic": entry.topic, "language": language, "question": entry.question_text(language),
            "answer": entry.answer_text(language), "then": entry.then_text(language),
            "guides": list(entry.then.guides) if entry.then else [], "note": note, "as_of": entry.as_of,
            "facts": list(entry.facts), "see_also": list(entry.see_also), "sources": _sources(entry),
        }  # fmt: skip
        print(json.dumps(shown, ensure_ascii=False))
        return 0
    print(f"{entry.question_text(language)}\n\n{entry.answer_text(language)}\n({entry.as_of})")
    if entry.then:
        print(f"\n[{', '.join(entry.then.guides)}] {entry.then_text(language)}")
    if note:
        print(f"\nNote: {note}")
    print("\n" + "\n".join(f"- {source.title} ({source.as_of}) {source.ref}".rstrip() for source in entry.sources))
    return 0


def _lint(args: argparse.Namespace) -> int:
    from bot.facts.lint import lint
    from bot.loading import files_root, knowledge_files, load_catalogue, load_search_words, load_traditional, read_file

    root = files_root()
    load_traditional()
    rows = read_file(root / "knowledge/guide_rows.yaml", root)
    today = date.today().isoformat()  # noqa: DTZ011 - the editor's own day is meant
    report = lint(knowledge_files(), rows, load_catalogue().get, load_search_words(), today)
    failed = bool(report.errors or (args.strict and report.findings))
    if args.json:
        findings = [
            {"level": each.level, "file": each.where, "line": each.line, "message": each.message}
            for each in report.findings
        ]
        counts = {"entries": report.entries, "phrasings": report.phrasings, "errors": report.errors}
        print(json.dumps({**counts, "left_out_right": round(report.left_out_right, 4), "findings": findings}))
        return int(failed)
    for finding in report.findings:
        print(finding)
    print(
        f"{report.entries} entries, {report.phrasings} phrasings: {report.errors} errors, "
        f"{len(report.findings) - report.errors} warnings. "
        f"Without itself, {report.left_out_right:.0%} of the phrasings still find their entry."
    )
    return int(failed)
