"""What the bot remembers: the query log, preferences, settings, price runs. `querylog` is the seam, `store` behind."""
