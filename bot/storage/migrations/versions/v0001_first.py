"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _text(name: str, length: int | None = None, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(length) if length else sa.Text(), nullable=nullable)


def _key(name: str, length: int) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), primary_key=True)


def upgrade() -> None:
    op.create_table(
        "query",
        _key("id", 32),
        sa.Column("at", sa.BigInteger(), nullable=False),
        _text("user_key", 64),
        _text("guild_key", 64, nullable=True),
        _text("surface", 16),
        _text("question"),
        _text("question_key", 200),
        _text("turns_before"),
        _text("locale", 16, nullable=True),
        _text("currency", 8, nullable=True),
        _text("language", 8),
        _text("kind", 16),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("abstained", sa.Boolean(), nullable=False),
        sa.Column("took_ms", sa.Float(), nullable=False),
    )
    op.create_index("ix_query_user", "query", ["user_key", "at"])
    op.create_index("ix_query_at", "query", ["at"])
    op.create_index("ix_query_stats", "query", ["kind", "language", "surface", "abstained", "at", "took_ms"])
    op.create_index(
        "ix_query_open",
        "query",
        ["question_key", "at", "kind", "confidence"],
        sqlite_where=sa.text("abstained = 1"),
        postgresql_where=sa.text("abstained"),
    )
    op.create_table("answer", _key("query_id", 32), _text("body"))
    op.create_table(
        "feedback",
        _key("query_id", 32),
        _key("user_key", 64),
        sa.Column("good", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_feedback_user", "feedback", ["user_key"])
    op.create_table(
        "person",
        _key("user_key", 64),
        sa.Column("opted_out", sa.Boolean(), nullable=False),
        _text("language", 8, nullable=True),
        _text("currency", 8, nullable=True),
    )
    op.create_table("guild", sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=False), _text("settings"))
    op.create_table(
        "price_run",
        sa.Column("id", sa.Integer(), primary_key=True),
        _text("provider", 32),
        sa.Column("started", sa.BigInteger(), nullable=False),
        sa.Column("finished", sa.BigInteger()),
        _text("status", 16),
        sa.Column("rows_in", sa.Integer(), nullable=False),
        sa.Column("rows_ok", sa.Integer(), nullable=False),
        _text("report"),
    )
    op.create_table(
        "price_point",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run_id", sa.Integer(), nullable=False),
        _text("state", 12),
        _text("gpu", 64),
        _text("condition", 8),
        _text("region", 8),
        _text("currency", 3),
        sa.Column("low_minor", sa.BigInteger(), nullable=False),
        sa.Column("typical_minor", sa.BigInteger()),
        sa.Column("n", sa.Integer()),
        _text("as_of", 10),
        _text("source", 200),
        _text("kind", 8),
        _text("reason", 200, nullable=True),
    )
    op.create_index("ix_price_point_run", "price_point", ["run_id"])
    op.create_index("ix_price_point_gpu", "price_point", ["gpu", "as_of"])
    op.create_table(
        "hourly_point",
        sa.Column("run_id", sa.Integer(), primary_key=True, autoincrement=False),
        _key("gpu", 64),
        _key("kind", 16),
        sa.Column("usd_median", sa.Float(), nullable=False),
        sa.Column("usd_low", sa.Float(), nullable=False),
        sa.Column("usd_high", sa.Float(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        _text("as_of", 10),
        _text("source", 200),
    )
    op.create_table(
        "exchange_rate",
        sa.Column("run_id", sa.Integer(), primary_key=True, autoincrement=False),
        _key("currency", 3),
        sa.Column("per_usd", sa.Float(), nullable=False),
        _text("as_of", 10),
        _text("source", 200),
    )
    op.create_table("price_active", _key("provider", 32), sa.Column("run_id", sa.Integer(), nullable=False))
    op.create_table("state", _key("name", 64), _text("value"))
    op.create_table("lease", _key("name", 32), _text("holder", 64), sa.Column("until", sa.BigInteger(), nullable=False))
