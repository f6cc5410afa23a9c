"""Engines: recommend, compare, fit, rent or buy."""
