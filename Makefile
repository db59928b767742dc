# make demo and make test are all that a newcomer needs; everything is installed into .venv.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python -m
MINUTES ?= 10
SEED ?= 1
COUNT ?= 200
INPUTS ?= 1000000
BROWSER ?= chromium
PYTHONS ?=
INSTALL := $(RUN) pip install --quiet --disable-pip-version-check --editable

.PHONY: help demo docs wheel papers picture test lint nightly campaign mutants faults fuzz bench clean

help:
	@echo "make demo      simulate a block on a belt, check its cycle, draw pictures into demo/"
	@echo "make docs      build the site: docs/_build/html/index.html"
	@echo "make papers    recompute every figure and table of the papers, and write the gallery papers/index.html"
	@echo "make test      lint, types, tests, examples in docstrings"
	@echo "make lint      lint and types alone"
	@echo "make nightly   long tests, and mutants"
	@echo "make campaign  random systems against an independent referee and against themselves, MINUTES=10"
	@echo "make mutants   make deliberate mistakes, and see whether tests notice them"
	@echo "make faults    kill processes, damage files, fill disks: nothing may be lost, COUNT=200"
	@echo "make fuzz      hostile files, formulas and arrays, INPUTS=1000000"
	@echo "make bench     race against other libraries"
	@echo "make wheel     build the package into dist/, and try it in an environment of its own"
	@echo "make clean     remove .venv and everything generated"

demo: $(VENV)/installed
	$(RUN) stickslip.demo

# Pages are run for their pictures, links within the site are checked, and a warning is an error.
docs: $(VENV)/installed-docs
	$(RUN) sphinx --builder html --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "open docs/_build/html/index.html"

papers: $(VENV)/installed
	$(RUN) stickslip papers --all --out papers

# The picture of docs/papers.md: a page of the gallery as a browser shows it.
picture: $(VENV)/installed
	$(RUN) stickslip paper hinrichs1998 --quick --out papers --quiet
	$(BROWSER) --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --window-size=1280,1560 \
		--user-data-dir=papers/.browser --screenshot=docs/pictures/papers.png file://$(CURDIR)/papers/hinrichs1998.html
	rm -rf papers/.browser

test: lint
	$(RUN) pytest tests/test_latency.py
	$(RUN) pytest -n 2 --dist worksteal --max-worker-restart 0 --doctest-modules --ignore=src/stickslip/kernels --ignore=tests/test_latency.py src tests

lint: $(VENV)/installed-dev
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

nightly: $(VENV)/installed-dev $(VENV)/installed-docs
	$(RUN) pytest -m nightly --timeout 1800 tests
	$(RUN) tests.mutants
	$(RUN) tests.faults --count $(COUNT) --seed $(SEED)
	$(MAKE) wheel

mutants: $(VENV)/installed-dev
	$(RUN) tests.mutants

faults: $(VENV)/installed-dev
	$(RUN) tests.faults --count $(COUNT) --seed $(SEED)

fuzz: $(VENV)/installed-dev
	$(RUN) tests.fuzz --kind all --count $(INPUTS) --seed $(SEED) --processes 2

campaign: $(VENV)/installed-dev
	$(RUN) tests.campaign --minutes $(MINUTES) --seed $(SEED) --kind exact
	$(RUN) tests.campaign --minutes $(MINUTES) --seed $(SEED) --kind self
	$(RUN) tests.campaign --minutes $(MINUTES) --seed $(SEED) --kind orbits
	$(RUN) tests.campaign --minutes $(MINUTES) --seed $(SEED) --kind follow

# The package as others get it: what is in it, and whether it works where nothing else is installed.
wheel: $(VENV)/installed-dev
	rm -rf dist
	$(RUN) build --outdir dist .
	$(RUN) tests.wheel dist $(PYTHONS)

bench: $(VENV)/installed-bench
	$(VENV)/bin/python bench/run.py
	$(VENV)/bin/python bench/forced.py
	$(VENV)/bin/python bench/forced.py --law stribeck
	$(VENV)/bin/python bench/forced.py --law table
	$(VENV)/bin/python bench/blocks.py
	$(VENV)/bin/python bench/latency.py
	$(VENV)/bin/python bench/march.py
	$(VENV)/bin/python bench/chain.py
	$(VENV)/bin/python bench/methods.py --model block_on_belt
	$(VENV)/bin/python bench/branches.py
	$(RUN) bench.explorer

clean:
	rm -rf $(VENV) demo papers build dist docs/_build docs/computed docs/gallery docs/reference/api .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "stickslip needs Python 3.11 or newer, and $(PYTHON) is not. If you have one under another name, say"; \
		echo "so: make demo PYTHON=python3.12"; \
		exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The stamps follow pyproject.toml alone: the package is installed in place, so a changed source needs no new install.
$(VENV)/installed: pyproject.toml | $(VENV)/made
	$(INSTALL) .
	@touch $@

$(VENV)/installed-%: pyproject.toml | $(VENV)/made
	$(INSTALL) '.[$*]'
	@touch $@ $(VENV)/installed
