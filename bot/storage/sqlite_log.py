"""The first name of the store, kept while callers change over."""

from bot.storage.store import Store as SqliteLog

__all__ = ["SqliteLog"]
