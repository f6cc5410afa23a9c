"""Curated knowledge: entries, their search, their lint."""
