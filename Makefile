# Everything runs in .venv, which the first target makes; .venv/bin/q2 is the command.
PYTHON ?= python3
VENV ?= .venv
LOGS ?= examples/logs
STORE ?= q2-store
DATA ?= data
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
ROOMS := lab/evaluation flows gates language method models storage tasks
export HF_HUB_OFFLINE ?= 1
export DO_NOT_TRACK := 1

PYTEST := $(BIN)/python -m pytest --numprocesses logical --dist worksteal

.PHONY: score test test-slow test-all check docstrings format docs images results cookbook bench wheel soak lock audit clean

score: $(VENV)/.run ## score the example log, or LOGS=… into STORE=…
	$(BIN)/q2 score $(LOGS) --store $(STORE) --out $(STORE)/scores.csv

test: $(VENV)/.dev ## the tests that work in one process, in minutes
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.dev ## the tests of killed processes, servers, trainings and benchmarks
	$(PYTEST) -m slow

test-all: $(VENV)/.dev ## all tests
	$(PYTEST)

check: docstrings $(VENV)/.dev build/layout/qsquared ## what pre-commit and CI check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd build/layout && $(abspath $(BIN))/mypy --config-file $(abspath pyproject.toml) -p qsquared -p lab
	cd build/layout && $(abspath $(BIN))/lint-imports --config $(abspath pyproject.toml)
	@$(BIN)/python -m lab.code_lines

# A docstring says what a thing is or does (CONTRIBUTING.md, "Plain docstrings").
RIDDLE := """(What|Where|Which|How|Those)[[:space:]]
docstrings: ## refuse docstrings that open as a riddle
	@if grep -rnE --include='*.py' --exclude-dir=.venv --exclude-dir=build '^[[:space:]]*r?$(RIDDLE)' .; then \
	  echo 'Begin these docstrings with a subject and a plain verb: see CONTRIBUTING.md.'; exit 1; fi

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev ## regenerate what docs/ says about the code
	$(BIN)/python -m tests.storage.sql.dictionary > docs/data-dictionary.md
	{ echo '# Prompts of the roles that a server plays'; echo; \
	  echo 'Generated from `language/endpoint/*.toml` by `make docs`; do not edit.'; \
	  echo 'A copy of one is the beginning of [a prompt of your own](endpoints.md#settings).'; \
	  for name in generate read judge judge_claim; do \
	    printf '\n## %s\n\n```toml\n' $$name; cat language/endpoint/$$name.toml; echo '```'; done; \
	} > docs/prompts.md

images: $(VENV)/.dev ## draw what the README shows of the terminal and of the report (needs Chromium)
	$(BIN)/q2 score examples/logs --store build/images-store
	$(BIN)/python -m tests.cli.picture build/images-store
	$(BIN)/python -m tests.report.pictures build/images-store

results: $(VENV)/.dev ## measure all protocols (or ONLY='…') on the published data in DATA=… into docs/results
	$(BIN)/python -m qsquared.evaluation.results $(DATA) docs/results $(if $(ONLY),--only $(ONLY))

cookbook: $(VENV)/.dev ## write the answers of docs/cookbook.md anew
	$(BIN)/q2 score examples/logs --store build/images-store
	$(BIN)/q2 score examples/desk --store build/desk-store
	$(BIN)/python -m tests.test_cookbook build/images-store build/desk-store

bench: $(VENV)/.dev ## measure speed against the plain loop, and growth (BENCH=--small: only that it runs)
	$(BIN)/python -m lab.benchmarks $(BENCH)

wheel: $(VENV)/.run ## build dist/qsquared-….whl, with the models in it, to install elsewhere
	rm -rf build/lib build/bdist.*
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir dist .

soak: $(VENV)/.dev ## hurt a real run again and again, and see that nothing is lost
	$(BIN)/python -m tests.faults.soak

lock: ## resolve the dependencies anew into the lock files; releases that are locked stay, unless UPGRADE=--upgrade
	$(PYTHON) -m venv build/lock && build/lock/bin/pip install --quiet uv
	build/lock/bin/uv pip compile --quiet $(UPGRADE) pyproject.toml --output-file requirements.lock
	build/lock/bin/uv pip compile --quiet $(UPGRADE) pyproject.toml --extra dev --constraints requirements.lock --output-file requirements-dev.lock

audit: $(VENV)/.dev ## what is installed against the lock, then known vulnerabilities of what is locked
	$(BIN)/python -m lab.installed
	$(PYTHON) -m venv build/audit && build/audit/bin/pip install --quiet pip-audit
	build/audit/bin/pip-audit --disable-pip --require-hashes -r requirements-dev.lock -r requirements-torch.lock

# The rooms stand at the top level but are installed inside the package (docs/decisions/0001);
# mypy and import-linter read a folder, so they see the package as installed through links.
build/layout/qsquared: $(wildcard qsquared/* lab/*) Makefile
	rm -rf build/layout && mkdir -p $@ build/layout/lab
	for entry in qsquared/* $(ROOMS); do ln -sfn $(CURDIR)/$$entry $@/; done
	for entry in $(filter-out lab/evaluation,$(wildcard lab/*)); do ln -sfn $(CURDIR)/$$entry build/layout/lab/; done
	touch $@

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# All that is locked, each file by its hash, then the package itself and what the lock does not know
# of (docs/decisions/0007). torch is fetched first and then checked, since pip prefers a file whose
# index states a hash, and would so take gigabytes of CUDA where a CPU build is at hand.
TORCH := $(shell sed -n 's/^\(torch==[^ ]*\).*/\1/p' requirements-torch.lock)
HASHED := install --require-hashes --no-deps

$(VENV)/.torch: requirements-torch.lock | $(VENV)/bin/python
	rm -rf build/torch
	$(PIP) download --no-deps --dest build/torch $(TORCH)
	$(PIP) $(HASHED) --no-index --find-links build/torch -r requirements-torch.lock
	rm -rf build/torch
	touch $@

$(VENV)/.run: pyproject.toml requirements.lock $(VENV)/.torch | $(VENV)/bin/python
	$(PIP) $(HASHED) -r requirements.lock
	$(PIP) install --no-build-isolation -e .
	touch $@

$(VENV)/.dev: pyproject.toml requirements-dev.lock $(VENV)/.torch | $(VENV)/bin/python
	$(PIP) $(HASHED) -r requirements-dev.lock
	$(PIP) install --no-build-isolation -e '.[dev]'
	touch $@ $(VENV)/.run

clean:
	rm -rf build $(VENV)
