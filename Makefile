# `make demo` and `make test` need only Python 3.11 and make: they build .venv and install what they use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
export PYTHONUTF8 := 1
export MPLBACKEND := agg

.PHONY: demo test test-slow lint format bench rooms index wheel clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Gradatim needs Python 3.11 or newer, this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing Gradatim into $(VENV) (a few minutes the first time)"
	@$(PIP) torch==$$(sed -n 's/^torch==//p' constraints.txt)
	@$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	@echo "Installing the test tools"
	@$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing the peers that the benchmarks compare with"
	@$(PIP) --editable '.[dev,bench]'
	@$(PIP) --no-deps torchattacks  # it asks for torchvision, which its attacks do not use
	@touch $@

demo: $(VENV)/.base
	@$(BIN)/gradatim fit digits --budget 40s --output runs/demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest tests/slow -n 0

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py

rooms:
	$(PYTHON) docs/rooms.py

index: $(VENV)/.base
	$(BIN)/python docs/experiments.py

wheel: $(VENV)/.dev
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) dist build runs .pytest_cache .mypy_cache .ruff_cache
