"""The query log, and what servers and people have set: `querylog` is the seam, `sqlite_log` plain SQLite behind it."""
