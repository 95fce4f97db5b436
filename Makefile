# Everything runs in .venv, which the first target makes; .venv/bin/q2 is the command.
PYTHON ?= python3
VENV ?= .venv
LOGS ?= examples/logs
STORE ?= q2-store
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
ROOMS := flows language method models storage tasks
export HF_HUB_OFFLINE ?= 1
export DO_NOT_TRACK := 1

.PHONY: score test check format docs bench lock clean

score: $(VENV)/.run ## score the example log, or LOGS=… into STORE=…
	$(BIN)/q2 score $(LOGS) --store $(STORE) --out $(STORE)/scores.csv

test: $(VENV)/.dev ## all tests
	$(BIN)/python -m pytest

check: $(VENV)/.dev build/layout/qsquared ## what pre-commit and CI check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd build/layout && $(abspath $(BIN))/mypy --config-file $(abspath pyproject.toml) -p qsquared -p training -p benchmarks
	cd build/layout && $(abspath $(BIN))/lint-imports --config $(abspath pyproject.toml)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev ## regenerate what docs/ says about the code
	$(BIN)/python -m qsquared.storage.dictionary > docs/data-dictionary.md

bench: $(VENV)/.dev ## time the pipeline against the plain loop, in one run
	$(BIN)/python -m benchmarks.loop

lock: ## resolve the dependencies anew into requirements.lock
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip --quiet install -e '.[dev]'
	build/lock/bin/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' > requirements.lock

# The rooms stand at the top level but are installed inside the package (docs/decisions/0001);
# mypy and import-linter read a folder, so they see the package as installed through links.
build/layout/qsquared: $(wildcard qsquared/*) Makefile
	rm -rf $@ && mkdir -p $@
	for entry in qsquared/* $(ROOMS); do ln -sfn $(CURDIR)/$$entry $@/; done
	for entry in training benchmarks; do ln -sfn $(CURDIR)/$$entry build/layout/; done
	touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PIP) install -c requirements.lock -e .
	touch $@

$(VENV)/.dev: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PIP) install -c requirements.lock -e '.[dev]'
	touch $@ $(VENV)/.run

clean:
	rm -rf build $(VENV)
