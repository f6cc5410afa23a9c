"""`whichgpu bench`: speed, each figure beside what it is compared with, in one run."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date

HELP = "speed, side by side in one run"
QUESTIONS = (
    "which GPU for NLP under $800?",
    "does llama 3 70B fit two 3090s at 4 bit?",
    "3060 12gb or 4060 ti 16gb for stable diffusion",
    "what is a tensor core",
    "how much does a used 3090 go for these days?",
    "best value card for kaggle, budget 500 euros, new only",
    "is 8 GB enough for SDXL LoRA training?",
    "can I put two different cards in one machine",
    "rtx 4090 memory bandwidth",
    "do I need nvlink for two 3090s",
    "预算8k，想本地跑大模型，二手也行",
    "三张P40能跑什么模型",
    "3090和4090哪个适合微调",
    "什么是混合精度训练",
    "預算 NT$25000，跑 Stable Diffusion 買哪張顯示卡？",
    "hello",
    "what was the advice for Kaggle in 2019?",
    "ryzen 7 7800x3d or i7 14700k?",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.description = (
        "Times a whole answer against one rapidfuzz extractOne (WRatio) over the same phrasings, the knowledge search "
        "over 100,000 phrasings, the cold start and the peak memory. All in one run on this machine."
    )
    parser.epilog = "examples:\n  whichgpu bench\n  whichgpu bench --rounds 50 --json"
    parser.add_argument("--rounds", type=int, default=30, help="how often each question is answered (default 30)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    from rapidfuzz import fuzz, process

    from bot.loading import load_assistant
    from bot.request import Question

    if args.rounds < 1:
        print("whichgpu bench: --rounds must be 1 or more.", file=sys.stderr)
        return 2
    assistant = load_assistant()
    today = date.today()  # noqa: DTZ011 - as a person asks
    answer = _times(lambda text: assistant.answer(Question(text, today)), QUESTIONS, args.rounds)
    phrasings = [
        text
        for entry in assistant.library.knowledge.base.entries
        for chinese in (False, True)
        for text in entry.asked(chinese)
    ]
    naive = _times(
        lambda text: process.extractOne(text, phrasings, scorer=fuzz.WRatio), QUESTIONS, max(1, args.rounds // 10)
    )
    large = _large_search()
    cold, memory = _cold_start()
    result = {
        "answer_ms": answer,
        "extract_one_ms": naive,
        "phrasings": len(phrasings),
        "large_search_ms": large[0],
        "large_phrasings": large[1],
        "cold_start_s": cold,
        "peak_memory_mb": memory,
    }
    if args.json:
        print(json.dumps(result))
        return 0
    print(f"{'':44}{'p50':>9}{'p99':>9}")
    for label, (p50, p99) in (
        ("whole answer, ms", answer),
        (f"one extractOne(WRatio), {len(phrasings):,} phrasings, ms", naive),
        (f"knowledge search, {large[1]:,} phrasings, ms", large[0]),
    ):
        print(f"{label:44}{p50:9.3f}{p99:9.3f}")
    print(f"{'cold start of `whichgpu ask`, s (median of 5)':44}{cold:9.2f}")
    print(f"{'peak memory of `whichgpu ask`, MB':44}{memory:9.0f}")
    return 0


def _times(call: Callable[[str], object], questions: Sequence[str], rounds: int) -> tuple[float, float]:
    for text in questions:
        call(text)
    taken = []
    for _ in range(rounds):
        for text in questions:
            start = time.perf_counter()
            call(text)
            taken.append((time.perf_counter() - start) * 1000)
    taken.sort()
    return statistics.median(taken), taken[min(len(taken) - 1, int(len(taken) * 0.99))]


def _large_search() -> tuple[tuple[float, float], int]:
    """The knowledge base blown up to 100,000 phrasings by words swapped between its own phrasings."""
    from dataclasses import replace
    from random import Random

    from bot.facts.entries import Entry, KnowledgeBase
    from bot.facts.search import Search
    from bot.loading import load_knowledge

    knowledge = load_knowledge()
    chance = Random(1)  # noqa: S311 - repeatable, not secret
    words = [word for entry in knowledge.base.entries for text in entry.phrasings_en for word in text.split()]
    entries: list[Entry] = []
    total = 0
    while total < 100_000:
        model = chance.choice(knowledge.base.entries)
        asked = tuple(
            " ".join(word if chance.random() < 0.6 else chance.choice(words) for word in text.split())
            for text in model.phrasings_en
        )
        entries.append(replace(model, id=f"{model.id}-{len(entries)}", phrasings_en=asked))
        total += len(asked) + len(model.phrasings_zh) + 2
    search = Search(KnowledgeBase.of(entries), knowledge.words, knowledge.calibration)
    return _times(search.search, QUESTIONS, 5), total


def _cold_start() -> tuple[float, float]:
    """Median seconds of five whole processes, and the largest resident size in MB."""
    program = (
        "import re, sys; from bot.cli.main import main; code = main(['ask', 'which GPU for NLP under $800?']);"
        # Not ru_maxrss: a child inherits its parent's.
        "sys.stderr.write(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read()).group(1)); sys.exit(code)"
    )
    seconds, memory = [], 0.0
    for _ in range(5):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
        seconds.append(time.perf_counter() - start)
        memory = max(memory, int(done.stderr.split()[-1]) / 1024)
    return statistics.median(seconds), memory
