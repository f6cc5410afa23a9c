"""What operators and curators want to know, counted in the database."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import BigInteger, ColumnElement, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.engine import Database
from bot.storage.likeness import Group, group
from bot.storage.querylog import Stats
from bot.storage.schema import answer, feedback, query

NO_GAP = ("smalltalk", "out_of_scope")
"""Kinds that are declined rightly."""
GROUPED = 600
"""Wordings that are compared with one another, the most frequent first."""
JUDGED = 5000
"""Thumbs whose answers are looked into, the newest first."""
STEP_MS = 0.02
"""Latencies are counted in steps of this size."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Thumbs on one entry or kind."""

    name: str
    good: int
    bad: int


@dataclass(frozen=True, slots=True)
class Report:
    """`whichgpu report`."""

    since: int
    stats: Stats
    by_language: tuple[tuple[str, int], ...]
    by_surface: tuple[tuple[str, int], ...]
    unanswered: tuple[Group, ...]
    rates_by_kind: tuple[Rate, ...]
    rates_by_entry: tuple[Rate, ...]
    """Of knowledge entries, the worst first."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """What is counted from the index of the queries."""

    kinds: Counter[str]
    languages: Counter[str]
    surfaces: Counter[str]
    steps: Counter[int]
    abstained: int


def _since(since: int) -> ColumnElement[bool]:
    # The sum keeps SQLite from looking up every row by way of the index on `at`: most of the table is wanted.
    return query.c.at + 0 >= since


async def _count(connection: AsyncConnection, since: int) -> _Counts:
    recent = _since(since)
    columns = (query.c.kind, query.c.language, query.c.surface, query.c.abstained)
    kinds, languages, surfaces = Counter[str](), Counter[str](), Counter[str]()
    declined = 0
    for kind, language, surface, abstained, count in await connection.execute(
        select(*columns, func.count()).where(recent).group_by(*columns)
    ):
        kinds[kind] += count
        languages[language] += count
        surfaces[surface] += count
        declined += count if abstained else 0
    step = cast(query.c.took_ms / STEP_MS, BigInteger)
    steps = await connection.execute(select(step, func.count()).where(recent).group_by(step))
    return _Counts(kinds, languages, surfaces, Counter({int(row[0]): row[1] for row in steps}), declined)


async def stats(database: Database, since: int) -> Stats:
    """Counts since a Unix time; latencies to STEP_MS."""
    async with database.read() as connection:
        return await _stats(connection, since, await _count(connection, since))


async def _stats(connection: AsyncConnection, since: int, counts: _Counts) -> Stats:
    recent = _since(since)
    people = (
        await connection.execute(
            select(func.count()).select_from(select(query.c.user_key).where(recent).distinct().subquery())
        )
    ).scalar_one()
    thumbs = {
        row[0]: row[1]
        for row in await connection.execute(
            select(feedback.c.good, func.count())
            .join(query, query.c.id == feedback.c.query_id)
            .where(recent)
            .group_by(feedback.c.good)
        )
    }
    p50, p99 = (_percentile(sorted(counts.steps.items()), part) for part in (0.5, 0.99))
    return Stats(
        counts.kinds.total(), people, counts.abstained, thumbs.get(True, 0), thumbs.get(False, 0),
        _sorted(counts.kinds.items()), p50, p99,
    )  # fmt: skip


def _percentile(steps: list[tuple[int, int]], part: float) -> float:
    total = sum(count for _, count in steps)
    rank, passed = int(total * part), 0
    for step, count in steps:
        passed += count
        if passed > rank:
            return round(step * STEP_MS, 3)
    return 0.0


async def unanswered(database: Database, most: int, since: int = 0) -> list[Group]:
    """What the bot declined, like wordings together, the most frequent first."""
    times, last = func.count().label("times"), func.max(query.c.at).label("last")
    keys = (
        select(query.c.question_key, times, last)
        .where(query.c.abstained, query.c.kind.not_in(NO_GAP), _since(since))
        .group_by(query.c.question_key)
        .order_by(times.desc(), last.desc())
        .limit(GROUPED)
    )
    async with database.read() as connection:
        found = (await connection.execute(keys)).all()
    return group((row[0], row[1], row[2]) for row in found if row[0])[:most]


async def report(database: Database, since: int, most: int = 50) -> Report:
    """Everything a curator wants to know since a Unix time."""
    recent = _since(since)
    async with database.read() as connection:
        counts = await _count(connection, since)
        counted = await _stats(connection, since, counts)
        judged = (
            await connection.execute(
                select(query.c.kind, feedback.c.good, answer.c.body)
                .select_from(feedback)
                .join(query, query.c.id == feedback.c.query_id)
                .outerjoin(answer, answer.c.query_id == query.c.id)
                .where(recent)
                .order_by(feedback.c.at.desc())
                .limit(JUDGED)
            )
        ).all()
    kinds: Counter[tuple[str, bool]] = Counter()
    entries: Counter[tuple[str, bool]] = Counter()
    for kind, good, body in judged:
        kinds[kind, bool(good)] += 1
        for entry in _entries(body):
            entries[entry, bool(good)] += 1
    gaps = await unanswered(database, most, since)
    return Report(
        since, counted, _sorted(counts.languages.items()), _sorted(counts.surfaces.items()), tuple(gaps), _rates(kinds),
        _rates(entries),
    )  # fmt: skip


def _sorted(counted: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counted, key=lambda item: (-item[1], item[0])))


def _entries(body: str | None) -> list[str]:
    try:
        facts = json.loads(body or "{}").get("facts") or []
    except (ValueError, AttributeError):
        return []
    return [entry for entry in facts if isinstance(entry, str)]


def _rates(counted: Counter[tuple[str, bool]]) -> tuple[Rate, ...]:
    names = {name for name, _ in counted}
    rates = [Rate(name, counted[name, True], counted[name, False]) for name in names]
    return tuple(sorted(rates, key=lambda rate: (-rate.bad, rate.good, rate.name)))
