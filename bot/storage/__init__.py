"""The query log, prices and settings of servers and people: `querylog` is the seam, `store` the database behind it."""
