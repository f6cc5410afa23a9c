"""Every table the bot keeps. PRIVACY.md describes the same tables and columns; a test compares the two."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, MetaData, String, Table, Text, text

HEAD = "0001"
"""The newest migration. `engine.migrate` compares it with the file before it loads Alembic at all."""

metadata = MetaData()

query = Table(
    "query",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("user_key", String(64), nullable=False),
    Column("guild_key", String(64)),
    Column("surface", String(16), nullable=False),
    Column("question", Text, nullable=False),
    Column("question_key", String(200), nullable=False),
    Column("turns_before", Text, nullable=False),
    Column("locale", String(16)),
    Column("currency", String(8)),
    Column("language", String(8), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("abstained", Boolean, nullable=False),
    Column("took_ms", Float, nullable=False),
)
"""One row a question. `question_key` is the question folded, for grouping. Times are Unix seconds, in UTC."""
Index("ix_query_user", query.c.user_key, query.c.at)
Index("ix_query_at", query.c.at)
# Counts by kind, language and surface stream from this index in its order, latencies too: the long rows are never read.
Index(
    "ix_query_stats",
    query.c.kind, query.c.language, query.c.surface, query.c.abstained, query.c.at, query.c.took_ms,
)  # fmt: skip
Index(
    "ix_query_open",
    query.c.question_key,
    query.c.at,
    query.c.kind,
    query.c.confidence,
    sqlite_where=text("abstained = 1"),
    postgresql_where=text("abstained"),
)

answer = Table(
    "answer", metadata, Column("query_id", String(32), primary_key=True), Column("body", Text, nullable=False)
)
"""The answer as JSON, apart from the query so that counting does not read it."""

feedback = Table(
    "feedback",
    metadata,
    Column("query_id", String(32), primary_key=True),
    Column("user_key", String(64), primary_key=True),
    Column("good", Boolean, nullable=False),
    Column("at", BigInteger, nullable=False),
)
Index("ix_feedback_user", feedback.c.user_key)

person = Table(
    "person",
    metadata,
    Column("user_key", String(64), primary_key=True),
    Column("opted_out", Boolean, nullable=False),
    Column("language", String(8)),
    Column("currency", String(8)),
)
"""What a person has set."""

guild = Table(
    "guild",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("settings", Text, nullable=False),
)

price_run = Table(
    "price_run",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("provider", String(32), nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("finished", BigInteger),
    Column("status", String(16), nullable=False),
    Column("rows_in", Integer, nullable=False),
    Column("rows_ok", Integer, nullable=False),
    Column("report", Text, nullable=False),
)
"""One refresh of one source. status: accepted, rejected, failed. `report` is JSON: reasons, row by row."""

price_point = Table(
    "price_point",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", Integer, nullable=False),
    Column("state", String(12), nullable=False),
    Column("gpu", String(64), nullable=False),
    Column("condition", String(8), nullable=False),
    Column("region", String(8), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("low_minor", BigInteger, nullable=False),
    Column("typical_minor", BigInteger),
    Column("n", Integer),
    Column("as_of", String(10), nullable=False),
    Column("source", String(200), nullable=False),
    Column("kind", String(8), nullable=False),
    Column("reason", String(200)),
)
"""state: accepted or quarantined. Money in hundredths, `as_of` as observed: never rewritten."""
Index("ix_price_point_run", price_point.c.run_id)
Index("ix_price_point_gpu", price_point.c.gpu, price_point.c.as_of)

hourly_point = Table(
    "hourly_point",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("gpu", String(64), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("usd_median", Float, nullable=False),
    Column("usd_low", Float, nullable=False),
    Column("usd_high", Float, nullable=False),
    Column("n", Integer, nullable=False),
    Column("as_of", String(10), nullable=False),
    Column("source", String(200), nullable=False),
)

exchange_rate = Table(
    "exchange_rate",
    metadata,
    Column("run_id", Integer, primary_key=True),
    Column("currency", String(3), primary_key=True),
    Column("per_usd", Float, nullable=False),
    Column("as_of", String(10), nullable=False),
    Column("source", String(200), nullable=False),
)

price_active = Table(
    "price_active",
    metadata,
    Column("provider", String(32), primary_key=True),
    Column("run_id", Integer, nullable=False),
)
"""The run in force for each source: the one row that a refresh or a rollback changes."""

state = Table("state", metadata, Column("name", String(64), primary_key=True), Column("value", Text, nullable=False))
"""Counters of changes (other processes look at them), and which commands were last sent to Discord."""

lease = Table(
    "lease",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("holder", String(64), nullable=False),
    Column("until", BigInteger, nullable=False),
)
"""Who may refresh prices, until when: one at a time over all processes; a killed one loses it by itself."""

PERSONAL = {"query": "user_key", "answer": "query_id", "feedback": "user_key", "person": "user_key"}
"""Tables that hold something of a person, and the column that leads to them."""
