"""Tools for development: run them as modules from the top of the checkout."""
