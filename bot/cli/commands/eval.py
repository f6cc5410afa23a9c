"""whichgpu eval: how well labelled questions are understood and answered."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from bot.cli import fitting
from bot.cli.scoring import Labelled, Score, Tally, parse_questions, score
from bot.language.parser import Understanding
from bot.language.understood import understood
from bot.loading import load_understanding, read_file
from bot.request import Question

HELP = "score the bot on labelled questions"

_DESCRIPTION = """Scores the understanding (kind and slots) and, where the assistant is there, the answers.

A file is a YAML list of questions with text, kind, slots, turn_before, must_include and must_not, or lists by kind.
What is fitted (the weights of the kind) is reported twice: as fitted, and cross-validated over five folds."""

_EPILOG = """examples:
  whichgpu eval tests/language/questions.yaml
  whichgpu eval questions.yaml --baselines --train tests/language/questions.yaml
  whichgpu eval questions.yaml --misses
  whichgpu eval --fit data/kind_weights.csv tests/language/questions.yaml"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("files", nargs="+", metavar="FILE", help="labelled questions")
    parser.add_argument("--train", action="append", default=[], metavar="FILE", help="more questions, only to fit with")
    parser.add_argument("--baselines", action="store_true", help="also score two plain methods in the same run")
    parser.add_argument("--misses", action="store_true", help="list what was not right")
    parser.add_argument("--fit", metavar="FILE", help="fit the kind weights on all files and write them there")
    parser.add_argument("--today", metavar="DATE", help="answer as on that day (YYYY-MM-DD)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run(args: argparse.Namespace) -> int:
    """Print the figures. Exit code 2 for a day or a tool that is not there."""
    try:
        today = date.fromisoformat(args.today) if args.today else date.today()  # noqa: DTZ011 - the user's own day
    except ValueError:
        print(f"whichgpu eval: {args.today} is not a date. Write it as 2026-12-01.", file=sys.stderr)
        return 2
    questions = [q for name in args.files for q in parse_questions(*read_file(Path(name)))]
    also = [q for name in args.train for q in parse_questions(*read_file(Path(name)))]
    if (args.fit or args.baselines) and not fitting.available():
        print("whichgpu eval: this needs scikit-learn. Install whichgpu[baselines].", file=sys.stderr)
        return 2
    understanding = load_understanding()
    if args.fit:
        weights = fitting.fit([*questions, *also], understanding)
        Path(args.fit).write_text(fitting.as_csv(weights), encoding="utf-8")
        understanding = understanding.with_weights(weights)
    answer = _answerer(today)
    result = score(questions, lambda q: _understand(understanding, q), answer)
    report = _report(result, questions, also, understanding, args.baselines)
    if args.json:
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        _print(report, result, answer is not None)
        if args.misses:
            for identity, slot, wanted, seen in result.misses:
                print(f"  {identity}  {slot}: wanted {wanted}, got {seen}")
    return 0


def _understand(understanding: Understanding, question: Labelled) -> tuple[str, Mapping[str, Any]]:
    request = understanding.understand(question.text, question.turns_before)
    return request.kind, understood(request)


def _answerer(today: date) -> Callable[[Labelled], str] | None:
    """Gives the full text of an answer; None where there is no assistant yet."""
    try:
        from bot.answers.plain import plain_text
        from bot.loading import load_assistant
    except ImportError:
        return None
    assistant = load_assistant()

    def answer(question: Labelled) -> str:
        given = assistant.answer(Question(question.text, today, question.turns_before))
        return plain_text(given)

    return answer


def _report(
    result: Score, questions: Sequence[Labelled], also: Sequence[Labelled], understanding: Understanding, plain: bool
) -> dict[str, Any]:
    def figures(tally: Tally) -> dict[str, Any]:
        return {"right": tally.right, "total": tally.total, "share": round(tally.share, 4)}

    report: dict[str, Any] = {
        "questions": len(questions),
        "kind": figures(result.kind),
        "kind_cross_validated": None,
        "kinds": {kind: figures(tally) for kind, tally in sorted(result.kinds.items())},
        "gpu_f1": round(result.gpu_f1, 4),
        "slots": {name: figures(tally) for name, tally in sorted(result.slots.items())},
        "no_false_budget": figures(result.false_budgets),
        "must_include": figures(result.included) if result.included.total else None,
        "must_not": figures(result.clean) if result.clean.total else None,
        "baselines": None,
    }
    if fitting.available():
        report["kind_cross_validated"] = round(
            fitting.accuracy(questions, fitting.cross_validated(questions, also, understanding)), 4
        )
    if plain:
        report["baselines"] = {
            "nearest question (rapidfuzz WRatio, leave one out)": round(
                fitting.accuracy(questions, fitting.nearest_question(questions, also)), 4
            ),
            "TF-IDF and a linear classifier (cross-validated)": round(
                fitting.accuracy(questions, fitting.linear_on_words(questions, also)), 4
            ),
        }
    return report


def _print(report: Mapping[str, Any], result: Score, answered: bool) -> None:
    def line(name: str, figures: Mapping[str, Any]) -> None:
        print(f"  {name:<22} {figures['right']:>4} of {figures['total']:<4} {figures['share']:.1%}")

    print(f"{report['questions']} questions")
    line("kind, as fitted", report["kind"])
    validated = report["kind_cross_validated"]
    if validated is None:
        print("  kind, cross-validated  not done: scikit-learn is not installed")
    else:
        print(f"  kind, cross-validated  {'':>12} {validated:.1%}")
    for kind, figures in report["kinds"].items():
        line("  " + kind, figures)
    print(f"  GPU names, F1          {'':>12} {report['gpu_f1']:.1%}")
    for name, figures in report["slots"].items():
        line(name, figures)
    line("no false budget", report["no_false_budget"])
    for name, key in (("must include", "must_include"), ("must not include", "must_not")):
        if report[key]:
            line(name, report[key])
    if not answered:
        print("  answers                not scored: the assistant is not there yet")
    for name, share in (report["baselines"] or {}).items():
        print(f"  baseline, kind: {name}  {share:.1%}")
