"""Alembic migrations. A new one: a file in versions/, its number into `schema.HEAD`, a test of the way there."""
