# Everything runs from a virtual environment made here from the locked, hashed requirements; nothing else is installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo sandbox test lint format types tests lock clean campaign model mutants

demo: $(STAMP)  ## the main job from beginning to end, on a sandbox; ends by itself
	$(BIN)/enactor demo

sandbox: $(STAMP)  ## the same world, staying up: an embedded AWS on loopback, three enactors, and the commands to try
	$(BIN)/enactor sandbox --world

test: lint types tests  ## lint, strict types and every test

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

tests: $(STAMP)
	$(BIN)/pytest -n 2 --dist loadgroup

SECONDS_OF_CAMPAIGN ?= 3600

# From 1800 s on it begins with October 2025 with any one fault, every state of it: about ten minutes of one core and some 3 GB of memory.
campaign: $(STAMP)  ## random runs of every scenario on both tiers over fresh seeds, for an hour or as long as told; prints a table
	$(BIN)/python -m tests.simulator.campaign --seconds $(SECONDS_OF_CAMPAIGN)

model:  ## the protocol's model, searched with spin (apt-get install -y spin gcc); see docs/model.md
	$(PYTHON) tests/model/check.py

GROUPS_OF_MUTANTS ?=

mutants: $(STAMP)  ## change the deciding modules in every small way and see which changes no test notices; see docs/mutants.md
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r tests/mutation/requirements.lock
	nice -n 10 $(BIN)/python -m tests.mutation.run $(GROUPS_OF_MUTANTS)

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(STAMP)  ## write the lock files anew from pyproject.toml
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --extra sandbox --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  -c requirements-dev.lock tests/mutation/requirements.in -o tests/mutation/requirements.lock
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  -c requirements-dev.lock deploy/build/build.in -o deploy/build/build.lock

$(STAMP): requirements-dev.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make PYTHON=python3.12 ...")'
	@echo "installing what the lock file names into $(VENV); a minute or two, once"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf $(VENV) .mutants .mypy_cache .pytest_cache .ruff_cache .hypothesis
