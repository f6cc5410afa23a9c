"""Prices that come while the bot runs: sources (`source`, `local_file`) and the desk that checks and keeps them."""
