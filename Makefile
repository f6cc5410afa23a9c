# Two commands for a newcomer: `make ask Q='...'` and `make test`. Both set up what they need in .venv.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# The question reaches the shell through the environment: $, quotes and backticks in it stay what they are.
ask: export QUESTION = $(value Q)
unexport Q

.DEFAULT_GOAL := help
.PHONY: help install ask test check lint types imports knowledge format eval bench clean

help:            ## show the targets
	@grep -hE '^[a-z]+: .*##|^[a-z]+:  *##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

install: .venv/installed  ## set up .venv with the whichgpu command

.venv/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("whichgpu needs Python 3.11 or later; this is %s. Try: make PYTHON=python3.11 ..." % sys.version.split()[0])'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@touch $@

.venv/installed: .venv/python pyproject.toml constraints.txt
	@$(PIP) --editable .
	@touch $@

.venv/dev: .venv/installed
	@$(PIP) --editable '.[dev]'
	@touch $@

ask: .venv/installed  ## answer one question: make ask Q='which GPU for NLP under $$800?'
	@$(BIN)/whichgpu ask -- "$$QUESTION"

test: .venv/dev lint types imports knowledge  ## every check, the same by hand and in CI
	@$(BIN)/python -m pytest -n auto --cov --cov-report=term

lint: .venv/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: .venv/dev
	@$(BIN)/mypy

imports: .venv/dev
	@$(BIN)/lint-imports

knowledge: .venv/dev
	@$(BIN)/whichgpu knowledge lint
	@$(BIN)/whichgpu catalogue check

format: .venv/dev  ## mend formatting and what ruff can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: .venv/dev  ## speed, side by side in one run
	@$(BIN)/whichgpu bench

clean:           ## remove what was set up and cached
	rm -rf .venv .coverage .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache dist build
