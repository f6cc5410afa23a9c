"""The query log on this machine: sustained writes, what logging costs an answer, reports over a million rows, kills.

python -m benchmarks.storage throughput | latency | million | kills [--number N] [--folder DIR]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

from bot.answers.as_json import answer_json
from bot.loading import load_assistant
from bot.request import Question
from bot.storage.querylog import Exchange
from bot.storage.reports import report, stats
from bot.storage.store import Store
from tests.storage.killing import kill_once

TODAY = date(2026, 12, 1)
QUESTIONS = (
    "which GPU for NLP under $800?", "RTX 3090 or 4090 for fine-tuning?", "does a 70B model fit two 3090s?",
    "三张P40能跑什么模型", "how much is a used RTX 3090?", "what are tensor cores?", "Is 8 GB enough for SDXL?",
    "预算5000元，训练ResNet买什么卡", "bandwidth of the A100", "hello",
)  # fmt: skip
TARGET = 5000
BLOCK = 100


def _exchange(number: int, answer: Any, question: str, took_ms: float = 1.0) -> Exchange:
    return Exchange(
        id=f"{number:010x}", at=1_790_000_000 + number // 20, user=f"user{number % 20_000}", surface="slash",
        question=question, language="en", kind=("recommend", "fit", "spec", "concept")[number % 4], confidence=0.8,
        abstained=number % 8 == 0, took_ms=took_ms, answer=answer,
    )  # fmt: skip


async def throughput(folder: Path, number: int) -> None:
    """Rows a second from record() to the disk, the answer's JSON made by the writer as in the bot."""
    assistant = load_assistant()
    answers = [assistant.answer(Question(text, today=TODAY)) for text in QUESTIONS]
    store = await Store.open(folder / "throughput.sqlite")
    start = time.perf_counter()
    for place in range(number):
        answer = answers[place % len(answers)]
        store.record(
            _exchange(
                place, lambda answer=answer: json.dumps(answer_json(answer), ensure_ascii=False), f"question {place}"
            )
        )
        if place % 100 == 0:
            # What a bot would do between questions: let the writer in, and never outrun it.
            await asyncio.sleep(0)
            while place - store._writer.written > 20_000:
                await asyncio.sleep(0.002)
    await store.flush()
    seconds = time.perf_counter() - start
    kept = (await store.stats(0)).questions
    await store.close()
    rate = number / seconds
    print(f"throughput: {number} questions with answers in {seconds:.1f} s: {rate:,.0f} a second, {kept} on disk, "
          f"{store.dropped} dropped (target {TARGET:,})")  # fmt: skip


async def latency(folder: Path, number: int) -> None:
    """An answer with its record() against the same answer without, in turns of BLOCK, in one run."""
    assistant = load_assistant()
    store = await Store.open(folder / "latency.sqlite")
    times: dict[bool, list[float]] = {True: [], False: []}
    for place in range(number):
        # In blocks, so that the writer's work falls on the answers that caused it.
        logging = place // BLOCK % 2 == 0
        if place % BLOCK == 0:
            await store.flush()
        text = QUESTIONS[place % len(QUESTIONS)]
        start = time.perf_counter()
        answer = assistant.answer(Question(text, today=TODAY))
        if logging:
            store.record(_exchange(place, lambda answer=answer: json.dumps(answer_json(answer)), text))
        times[logging].append((time.perf_counter() - start) * 1000)
        await asyncio.sleep(0.001)
    await store.close()
    for name, of in (("p50", statistics.median), ("p99", lambda values: sorted(values)[int(len(values) * 0.99)])):
        on, off = of(times[True]), of(times[False])
        print(f"latency: {name} {on:.3f} ms logging on, {off:.3f} ms off: {on / off:.2f} times (target 1.10)")


async def million(folder: Path, number: int) -> None:
    """Stats and the whole report over many rows; every eighth not answered, every hundredth judged."""
    path = folder / "million.sqlite"
    store = await Store.open(path)
    chance = random.Random(1)
    body = json.dumps({"facts": ["tensor-cores", "nvlink"], "text": "x" * 1500})
    words = ("which", "gpu", "for", "training", "memory", "budget", "used", "new", "fast", "quiet", "server", "laptop")
    start = time.perf_counter()
    for place in range(number):
        question = " ".join(chance.choices(words, k=5)) if place % 3 else "which gpu for rwkv"
        store.record(_exchange(place, body, question, chance.expovariate(1.0)))
        if place % 100 == 0:
            store.feedback(f"{place:010x}", f"user{place % 977}", place % 300 != 0)
            await asyncio.sleep(0)
            while place - store._writer.written > 20_000:
                await asyncio.sleep(0.002)
    await store.flush()
    print(f"million: {number} rows written in {time.perf_counter() - start:.0f} s, "
          f"{path.stat().st_size / 1e9:.1f} GB")  # fmt: skip
    assert store.database
    for name, work in (("stats", stats(store.database, 0)), ("report", report(store.database, 0)),
                       ("stats again", stats(store.database, 0))):  # fmt: skip
        start = time.perf_counter()
        await work
        print(f"million: {name} in {time.perf_counter() - start:.2f} s (target 2 s)")
    await store.close()


def kills(folder: Path, number: int) -> None:
    """SIGKILL at random moments while questions, thumbs, settings and price runs are written. Stops at a broken one."""
    chance = random.Random(20261201)
    worst, recorded, lost = 0.0, 0, 0
    for turn in range(1, number + 1):
        left = kill_once(folder / "kills.sqlite", chance, turn)
        worst, recorded, lost = max(worst, left.lost_ms), recorded + left.recorded, lost + left.lost
    print(f"kills: {number} of {number} left a whole database; {recorded} questions, {lost} lost, the oldest of them "
          f"{worst:.0f} ms before the kill (limit 250); no confirmed thumb, setting or price run missing")  # fmt: skip


def main() -> None:
    """Run one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("throughput", "latency", "million", "kills"))
    parser.add_argument("--number", type=int)
    parser.add_argument("--folder", type=Path, help="where the files are made; else a temporary folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        match args.what:
            case "throughput":
                asyncio.run(throughput(folder, args.number or 100_000))
            case "latency":
                asyncio.run(latency(folder, args.number or 4000))
            case "million":
                asyncio.run(million(folder, args.number or 1_000_000))
            case _:
                kills(folder, args.number or 200)


if __name__ == "__main__":
    main()
