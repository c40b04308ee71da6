# Each target sets up what it needs in .venv; all it takes is python3 (3.11 or newer) and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# pytest-xdist workers (0: none), and threads of BLAS and numba within each of them. One more than
# two cores, as tests wait a good third of their time: for a browser, a cluster, other processes.
WORKERS      ?= 3
TEST_THREADS ?= 1
PYTEST_ARGS  ?=
BENCH_ARGS   ?=
PAPER_ARGS   ?=
MUTATE_ARGS  ?=
SOAK_MINUTES ?= 4
# 1: the versions and hashes of requirements.lock; 0: the newest that pyproject.toml allows.
LOCKED       ?= 1
# A file of known vulnerabilities (OSV records) for make audit; without one it asks the network.
VULNERABILITIES ?=
# Where the data sets of the paper are looked for first.
DATA         ?= ../shared/data

SEED_OF_THE_DAY = $(shell expr `date +%j` % 100)

# What is compiled is kept also where the environment says otherwise: every process of a test reads it.
TEST_ENV = OPENBLAS_NUM_THREADS=$(TEST_THREADS) OMP_NUM_THREADS=$(TEST_THREADS) MPLBACKEND=Agg \
           PYTHONDONTWRITEBYTECODE=
SPHINX   = $(BIN)/sphinx-build -W --keep-going -b html
# Files are handed out in the order of tests/conftest.py: those that take long first.
PYTEST   = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help demo test test-nightly test-oldest mutate soak lock audit lint format bench paper paper-quick stale docs docs-fast clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(VENV)/.ready-demo  ## find the 21 malignant cases among 378; writes demo/scores.csv and demo/report.html
	@mkdir -p demo
	$(BIN)/l1kpca detect wbc --label outlier --top 21 --out demo/scores.csv --report demo/report.html --force

test: $(VENV)/.ready  ## run the tests and the examples in the docstrings
	$(TEST_ENV) $(PYTEST) $(PYTEST_ARGS)

test-nightly: $(VENV)/.ready  ## the same with many more examples and the seed of the day
	$(TEST_ENV) L1KPCA_SEED=$(SEED_OF_THE_DAY) $(PYTEST) --hypothesis-profile=nightly \
	  --hypothesis-seed=$(SEED_OF_THE_DAY) --timeout=3600 $(PYTEST_ARGS)

# Old packages meet new ones that they depend on and did not know: what those deprecate is no fault.
test-oldest:  ## the tests with the lowest versions that pyproject.toml allows, in .venv-oldest
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-oldest/bin/uv pip compile --quiet --no-header --no-annotate --resolution lowest-direct \
	  --python .venv-oldest/bin/python --constraints scripts/oldest_constraints.txt --extra all --extra test \
	  pyproject.toml -o .venv-oldest/lowest.txt
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python -r .venv-oldest/lowest.txt
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --no-deps -e .
	$(TEST_ENV) NUMBA_CACHE_DIR=$(CURDIR)/.venv-oldest/numba .venv-oldest/bin/python -m pytest -n $(WORKERS) \
	  --dist loadfile -p no:cacheprovider -W ignore::DeprecationWarning $(PYTEST_ARGS)

mutate: $(VENV)/.ready  ## change the code at random for 20 minutes, and see which changes no test notices
	$(PYTHON) -m venv .venv-mutate
	.venv-mutate/bin/python -m pip install --quiet --disable-pip-version-check cosmic-ray
	.venv-mutate/bin/python scripts/mutate.py --python $(BIN)/python $(MUTATE_ARGS)

soak: $(VENV)/.ready  ## fit, score and report for minutes, here and on a Dask cluster: nothing may pile up
	$(BIN)/python -m scripts.soak --minutes $(SOAK_MINUTES) --out out/soak.json

lock:  ## choose the versions of requirements.lock anew, for Python 3.11 and later, and write the bill of materials
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	  --custom-compile-command "make lock" --extra all --extra test --extra lint --extra docs \
	  pyproject.toml -o requirements.lock
	$(PYTHON) -m scripts.sbom

audit: $(VENV)/.ready  ## look the installed versions up among known vulnerabilities: in a file, or by the network
ifneq ($(VULNERABILITIES),)
	$(BIN)/python -m scripts.vulnerabilities $(VULNERABILITIES)
else
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/python -m pip freeze --exclude-editable > .venv-audit/installed.txt
	.venv-audit/bin/pip-audit --strict --no-deps --disable-pip -r .venv-audit/installed.txt
endif

lint: $(VENV)/.ready  ## ruff, mypy, and the contract of the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.ready  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.ready  ## speed against the peers, and docs/performance.md; ten minutes on a quiet machine
	$(BIN)/python -m benchmarks.speed $(BENCH_ARGS)

paper: $(VENV)/.ready  ## the paper's experiments, and docs/reproduction.md; 45 minutes, goes on where it was stopped
	$(BIN)/python -m paper --docs docs $(if $(wildcard $(DATA)),--data $(DATA)) $(PAPER_ARGS)

paper-quick: $(VENV)/.ready  ## a small version of the same in out/paper-quick, in a minute
	$(BIN)/python -m paper --quick --out out/paper-quick $(PAPER_ARGS)

stale:  ## name the pages of figures that are older than the code they measure
	@$(PYTHON) scripts/stale.py

docs: $(VENV)/.ready  ## build the documentation into docs/_build/html; runs the gallery
	MPLBACKEND=Agg $(SPHINX) docs docs/_build/html

docs-fast: $(VENV)/.ready  ## the same without running the gallery
	$(SPHINX) -D plot_gallery=0 docs docs/_build/fast

clean:  ## remove caches and built files; .venv stays
	rm -rf build dist docs/_build docs/api/generated docs/auto_gallery docs/commands .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up: what users need for the demonstration, and everything for those who work on it -----

$(VENV)/.ready-demo: pyproject.toml $(VENV)/.created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[cli,report]"
	@touch $@

# hatchling, which builds the project, is in the lock too: nothing is installed that it does not name.
$(VENV)/.ready: pyproject.toml requirements.lock $(VENV)/.created
ifeq ($(LOCKED),1)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[all,test,lint,docs]"
endif
	@touch $@

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "l1kpca needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.11 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@
