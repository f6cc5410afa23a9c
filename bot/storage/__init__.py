"""The query log, prices, and what servers and people have set: `querylog` is the seam, `store` the database behind it."""
