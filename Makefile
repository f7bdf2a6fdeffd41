# Everything a newcomer types. `make demo` and `make test` set themselves up; nothing here needs root
# except the Debian packages that the tests use (scripts/test-packages).
PYTHON ?= python3
VENV   := .venv
COMPAT := .venv-compat
ESPHOME_VERSION := 2026.6.5
BIN    := $(VENV)/bin
ARGS   ?=
PHOTOS  ?= ../shared/real
RENDERS ?= ../shared/renders
export PHOTOS RENDERS
# OpenCV and BLAS threads fight over two cores; one each is faster here and repeatable.
export OMP_NUM_THREADS := 1

.PHONY: demo test test-fast test-long setup setup-dev lint bench bench-long soak test-system test-compat mutate firmware schemas documents film lock clean

demo: setup
	@$(BIN)/carrom demo $(ARGS)

setup: $(VENV)/.demo
setup-dev: $(VENV)/.dev

# An environment counts as made once pip is in it: without python3-venv Python leaves half of one behind.
$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "carrom needs Python 3.11 or newer; $(PYTHON) is older. Fix: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	@$(BIN)/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV) || { echo "no venv could be made. Fix: apt install python3-venv" >&2; exit 2; }
	@touch $@

# -qq leaves out pip's warnings, which are about pip; its errors stay.
$(VENV)/.demo: requirements.lock pyproject.toml | $(VENV)/.pip
	@echo "setting up, this once: the packages that the program needs are fetched, a minute or two"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@echo "setting up, this once: the program is put beside them"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.demo
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

# Two tiers (tests/__main__.py); `make test-fast` is the first one alone.
test: setup-dev
	@scripts/test-packages
	@$(BIN)/python -m tests $(ARGS)

test-fast: setup-dev
	@$(BIN)/python -m tests --fast $(ARGS)

# The heaviest tests (tests/changed.py). What passes is noted in tests/long.json; ARGS=--changed: those not noted as they are.
test-long: setup-dev
	@scripts/test-packages
	@$(BIN)/python -m tests --long $(ARGS)

# codespell: spelling everywhere; then the words that the project does not use, in pages without their code and in docstrings.
lint: setup-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@PYTHONPATH=systemd $(BIN)/lint-imports --no-logo
	@$(BIN)/python -m scripts.check_board
	@$(BIN)/codespell
	@$(BIN)/codespell -D scripts/unused_words.txt --ignore-regex '`[^`]*`|\w+(\.\w+)+' README.md CHANGELOG.md docs/*.md
	@$(BIN)/codespell -D scripts/unused_words.txt --ignore-multiline-regex '"""\n.*?("""|\Z)|`[^`]*`' -S '*.toml,*.html,*.css,*.mjs,*.ftl,*.service' controller calibration scripts systemd

bench: setup-dev
	@PYTHONPATH=systemd $(BIN)/python -m tests.bench $(ARGS)

bench-long: setup-dev
	@PYTHONPATH=systemd $(BIN)/python -m tests.bench --long $(ARGS)

soak: setup-dev
	@scripts/test-packages soak
	@$(BIN)/python -m tests --long
	@$(BIN)/python -m pytest -m soak -o addopts="-q --strict-markers" tests/soak tests/mqtt/test_made_broker.py tests/bench/second $(ARGS)

# A whole emulated computer in which the installer is run; needs root, and an hour or two.
test-system: setup-dev
	@scripts/test-packages soak
	@$(BIN)/python -m tests.system $(ARGS)

# Programs of others that ours works with: ESPHome is brought here, a second broker is tried where ejabberd is installed.
test-compat: setup-dev $(COMPAT)/.esphome-$(ESPHOME_VERSION)
	@ESPHOME=$(abspath $(COMPAT))/bin/esphome $(BIN)/python -m pytest -m soak -o addopts="-q --strict-markers" tests/soak/test_esphome.py tests/soak/test_second_broker.py

$(COMPAT)/.esphome-$(ESPHOME_VERSION):
	@$(PYTHON) -m venv --clear $(COMPAT)
	@$(COMPAT)/bin/python -m pip install -q --disable-pip-version-check esphome==$(ESPHOME_VERSION)
	@touch $@

mutate: setup-dev
	@$(BIN)/python -m tests.rules.mutate $(ARGS)

firmware:
	@$(MAKE) -C firmware/pocket_node

schemas: setup-dev
	@$(BIN)/python -m scripts.write_schemas
	@$(BIN)/python -m scripts.write_openapi

documents: setup-dev
	@$(BIN)/python -m scripts.write_documents

# The README's pictures, of a real demo: forty seconds that move; a question on a phone. On a machine with nothing else to do.
film: setup-dev
	@$(BIN)/python -m scripts.film_demo
	@$(BIN)/python -m scripts.picture_question

# The locks carry hashes and no addresses; uv is only needed here.
lock:
	@for spec in "requirements.lock --extra demo --extra build" "requirements-dev.lock --extra demo --extra postgres --extra build --extra dev" "requirements-pi.lock --extra pi --extra postgres --extra build" "requirements-teach.lock --extra teach --extra build" "requirements-second.lock --extra second --extra build -c requirements.lock"; do \
	  set -- $$spec; out=$$1; shift; \
	  uv pip compile -q --generate-hashes --universal --no-header --no-emit-index-url --allow-unsafe $$* pyproject.toml -o $$out || exit 1; done

clean:
	@rm -rf $(VENV) $(COMPAT) build *.egg-info .mypy_cache .ruff_cache .hypothesis .import_linter_cache
