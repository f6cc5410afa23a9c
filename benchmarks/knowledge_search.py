"""How good and how fast the knowledge search is, and the fit of its confidence.

    python -m benchmarks.knowledge_search             accuracy on both halves, time of one search, 100,000 phrasings
    python -m benchmarks.knowledge_search --fit       also fits data/facts_calibration.yaml anew

Labelled questions: tests/facts/paraphrases_*.yaml (even places fit, odd places test) and tests/facts/out_of_scope.yaml.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from bot.facts.calibration import DEFAULT, FEATURES, Calibration, measured
from bot.facts.entries import Entry, KnowledgeBase
from bot.facts.search import Search
from bot.loading import files_root, load_knowledge

TESTS = Path(__file__).parent.parent / "tests" / "facts"
DECLINE = 0.97
"""Share of the out-of-scope questions of the fit half that the threshold must decline."""


@dataclass(frozen=True)
class Labelled:
    """A question, the entries that answer it (none: out of scope), and its half."""

    text: str
    entries: frozenset[str]
    half: str
    source: str


def labelled() -> list[Labelled]:
    """All labelled questions."""
    found: list[Labelled] = []
    for path in sorted(TESTS.glob("paraphrases_*.yaml")):
        data: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        lists = data if isinstance(data, dict) else {"paraphrases": data}
        for name, key in (("paraphrases", "id"), ("oblique", "id"), ("facts", "entry")):
            for number, item in enumerate(lists.get(name) or []):
                half = "fit" if number % 2 == 0 else "test"
                for language in ("en", "zh"):
                    if item.get(language):
                        wanted = frozenset([item[key]] if isinstance(item[key], str) else item[key])
                        found.append(Labelled(item[language], wanted, half, f"{name}-{language}"))
    scope: Any = yaml.safe_load((TESTS / "out_of_scope.yaml").read_text(encoding="utf-8"))
    for halves in scope.values():
        for half, texts in halves.items():
            found += [Labelled(text, frozenset(), half, "out of scope") for text in texts]
    return found


def score(search: Search, questions: Iterable[Labelled]) -> dict[tuple[str, str], list[tuple[bool, bool, bool]]]:
    """(source, half) -> per question: first right, right among two, answered (not declined)."""
    results: dict[tuple[str, str], list[tuple[bool, bool, bool]]] = {}
    for question in questions:
        hits = search.search(question.text, 2)
        ids = [hit.entry.id for hit in hits]
        answered = bool(hits) and hits[0].confidence >= search.calibration.threshold
        right = bool(ids) and ids[0] in question.entries
        row = (right, bool(question.entries & set(ids)), answered)
        results.setdefault((question.source, question.half), []).append(row)
    return results


def fit(search: Search, questions: Sequence[Labelled]) -> Calibration:
    """A logistic curve on the fit half by gradient descent on standardised evidence, and the threshold."""
    rows: list[tuple[tuple[float, ...], float, bool]] = []
    for question in questions:
        if question.half != "fit":
            continue
        evidence = search.evidence(question.text)
        if evidence is not None:
            number, seen = evidence
            right = search.base.entries[number].id in question.entries
            rows.append((measured(seen)[1:], float(right), not question.entries))
    width = len(FEATURES) - 1
    means = [statistics.fmean(row[0][i] for row in rows) for i in range(width)]
    spreads = [statistics.pstdev(row[0][i] for row in rows) or 1.0 for i in range(width)]
    inputs = [[1.0, *((row[0][i] - means[i]) / spreads[i] for i in range(width))] for row in rows]
    weights = [0.0] * (width + 1)
    for _ in range(1500):
        slope = [0.02 * weight for weight in weights]
        for values, (_, label, _) in zip(inputs, rows, strict=True):
            error = 1 / (1 + math.exp(-sum(w * v for w, v in zip(weights, values, strict=True)))) - label
            for i, value in enumerate(values):
                slope[i] += error * value
        weights = [weight - 2.0 * step / len(rows) for weight, step in zip(weights, slope, strict=True)]
    plain = [weights[i + 1] / spreads[i] for i in range(width)]
    bias = weights[0] - sum(plain[i] * means[i] for i in range(width))
    fitted = Calibration({name: round(v, 4) for name, v in zip(FEATURES, [bias, *plain], strict=True)}, 0.5)
    strange = sorted(
        fitted.confidence(found[1]) if found else 0.0
        for question in questions
        if question.half == "fit" and not question.entries
        for found in [search.evidence(question.text)]
    )
    cut = strange[math.ceil(DECLINE * len(strange)) - 1]
    return replace(fitted, threshold=round(min(0.95, max(0.05, cut + 0.005)), 3))


def write(calibration: Calibration) -> None:
    """Write data/facts_calibration.yaml."""
    weights = ", ".join(f"{name}: {value:g}" for name, value in calibration.weights.items())
    text = (
        "# How sure the knowledge search is: a logistic curve over its evidence, and the confidence below which the\n"
        "# bot abstains. Written by `python -m benchmarks.knowledge_search --fit`; do not tune by hand.\n"
        f"weights: {{{weights}}}\nthreshold: {calibration.threshold:g}\n"
    )
    (files_root() / "data/facts_calibration.yaml").write_text(text, encoding="utf-8")


def blown_up(base: KnowledgeBase, phrasings: int) -> KnowledgeBase:
    """Entries made of the real ones with words swapped between them, until there are so many phrasings."""
    chance = random.Random(7)
    english = [word for entry in base.entries for text in entry.phrasings_en for word in text.split()]
    chinese = [text[i : i + 2] for entry in base.entries for text in entry.phrasings_zh for i in range(0, len(text), 2)]
    entries: list[Entry] = []
    total = 0
    while total < phrasings:
        for entry in base.entries:
            number = len(entries)
            some_en = tuple(
                " ".join(chance.choice(english) if chance.random() < 0.5 else word for word in text.split())
                + f" w{chance.randrange(30_000)}"
                for text in entry.phrasings_en
            )
            some_zh = tuple(
                "".join(
                    chance.choice(chinese) if chance.random() < 0.5 else text[i : i + 2] for i in range(0, len(text), 2)
                )
                for text in entry.phrasings_zh
            )
            entries.append(replace(entry, id=f"{entry.id}-{number}", phrasings_en=some_en, phrasings_zh=some_zh))
            total += len(some_en) + len(some_zh)
    return KnowledgeBase.of(entries)


def timed(search: Search, questions: Sequence[Labelled]) -> tuple[float, float]:
    """p50 and p99 of one search, in milliseconds."""
    times = []
    for question in questions:
        start = time.perf_counter()
        search.search(question.text)
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.99)]


def main() -> None:
    """Print the table; with --fit write the calibration first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true", help="fit the confidence and write it")
    parser.add_argument("--phrasings", type=int, default=100_000, help="size of the blown-up base; 0 leaves it out")
    args = parser.parse_args()
    search, questions = load_knowledge(), labelled()
    if args.fit:
        calibration = fit(search, questions)
        write(calibration)
        search = Search(search.base, search.words, calibration)
        print("fitted:", calibration)
    for (source, half), rows in sorted(score(search, questions).items()):
        n = len(rows)
        if source == "out of scope":
            print(f"{source:16} {half:5} n={n:4} declined {sum(not row[2] for row in rows) / n:.3f}")
        else:
            first, two, answered = (sum(row[i] for row in rows) / n for i in range(3))
            wrong = sum(row[2] and not row[0] for row in rows) / n
            print(
                f"{source:16} {half:5} n={n:4} top-1 {first:.3f} top-2 {two:.3f} "
                f"answered {answered:.3f} of these wrong {wrong:.3f}"
            )
    start = time.perf_counter()
    Search(search.base, search.words, DEFAULT)
    print(f"build {1000 * (time.perf_counter() - start):.0f} ms, {len(search.base.entries)} entries")
    print("search p50 {:.3f} ms, p99 {:.3f} ms".format(*timed(search, questions)))
    if args.phrasings:
        large = Search(blown_up(search.base, args.phrasings), search.words, search.calibration)
        print("{} phrasings: p50 {:.3f} ms, p99 {:.3f} ms".format(args.phrasings, *timed(large, questions)))


if __name__ == "__main__":
    main()
