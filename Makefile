# Two commands on a fresh machine: make demo, make test. They make the environment themselves.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed
COMPILED = $(VENV)/.tests-compiled
# Hundreds of processes import the same modules.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo crawl test test-all crash check docs bench models egg deploy lock clean

demo: $(STAMP)
	@$(BIN)/mediacrawl demo

# make crawl SEED=seeds.txt CONTACT=https://example.org/my-crawler
crawl: $(STAMP)
	@test -n "$(SEED)" || { echo "say where to begin: make crawl SEED=seeds.txt CONTACT=https://your.page"; exit 2; }
	$(BIN)/scrapy crawl media -a seed=$(SEED) $(if $(CONTACT),-s MEDIACRAWL_CONTACT=$(CONTACT))

# Without those that are marked slow (long forms of other tests, and crawls that take long), and with a sixth of the
# examples of Hypothesis (tests/conftest.py goes by these very words of -m). make test-all and CI run all of them. Many
# tests wait for delays, so more processes than cores keep the cores busy; but each of them collects all tests first.
PYTEST = $(BIN)/pytest -q -n 6 --dist loadfile --no-loadscope-reorder
test: $(COMPILED)
	$(PYTEST) -m "not slow" $(ARGS)

test-all: $(COMPILED)
	$(PYTEST) $(ARGS)

# pytest rewrites the assertions of all tests, and keeps what it made beside them. At the first run each of its processes
# would take half a minute for that. So two processes do it before, each for its half.
$(COMPILED): $(STAMP) $(shell find tests -name '*.py')
	@for half in "tests/[a-e]*/" "tests/[f-z]*/ tests/test_*.py"; do $(BIN)/pytest --collect-only -qq $$half >/dev/null & done; wait
	@touch $@

# The long form of tests/crash: 200 kills take a quarter of an hour. A failure says how to repeat it.
KILLS ?= 200
crash: $(STAMP)
	MEDIACRAWL_KILLS=$(KILLS) $(BIN)/pytest -q tests/crash

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site in docs/_build/html. A warning is an error, a link inside the documentation that leads nowhere too. Links to other
# sites are followed with make docs LINKS=1, where there is a network.
docs: $(STAMP)
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --group docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	$(if $(LINKS),$(BIN)/python -m sphinx --quiet -b linkcheck docs docs/_build/linkcheck)
	@echo "The documentation is in docs/_build/html/index.html"

# make bench NAME=encodings ARGS=--quick; the group bench is what it is measured beside, and it runs without that too.
bench: $(STAMP)
	@test -f benchmarks/$(NAME).py || { echo "no benchmarks/$(NAME).py; there are:" benchmarks/[!_]*.py; exit 2; }
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --group bench || echo "the group bench did not install"
	$(BIN)/python benchmarks/$(NAME).py $(ARGS)

# The encoding models, from the text in training/: the same content every time (docs/models.md).
models: $(STAMP)
	$(BIN)/python training/make_models.py training mediacrawl/encoding/models.bin

# What scrapyd runs: our code and its data, without dependencies. Built anew, or it would hold modules that are gone.
egg: $(STAMP)
	rm -rf build dist/mediacrawl-*.egg
	$(BIN)/python -W ignore setup.py --quiet bdist_egg --dist-dir dist

# To the scrapyd that [deploy] in scrapy.cfg names, or, with TARGET=name, [deploy:name] (docs/deploy.md).
deploy: egg
	$(BIN)/python deploy/to_scrapyd.py dist/mediacrawl-*.egg $(TARGET)

# Versions are pinned in constraints.txt; after a change of dependencies make the file anew. What pip says is shown only
# if it fails.
PIP = $(BIN)/python -m pip
$(STAMP): pyproject.toml constraints.txt setup.py $(wildcard deploy/native/*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; say which with make PYTHON=python3.12"; exit 2; }
	@test -x $(BIN)/python || echo "Making an environment for Python in $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "the venv module is missing; on Debian: apt install python3-venv"; rm -rf $(VENV); exit 2; }
	@echo "Installing mediacrawl and what it needs in $(VENV): about a minute"
	@said=$$($(PIP) install --upgrade "pip>=25.1" 2>&1 && \
	  $(PIP) install --constraint constraints.txt --editable ".[speed]" --group dev 2>&1) || { echo "$$said"; exit 1; }
	@touch $(STAMP)

# PySpark warns of pandas 3, which it does not fully support yet.
lock:
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.venv-lock/bin/python -m pip install --quiet --editable ".[speed,parquet,segment,spark]" --group dev --group docs "pandas<3"
	{ echo "# Versions that the tests passed with; made by: make lock"; \
	  .venv-lock/bin/python -m pip freeze --all --exclude pip --exclude-editable; } > constraints.txt
	rm -rf .venv-lock

clean:
	rm -rf $(VENV) build dist *.egg-info demo-crawl .mediacrawl docs/_build docs/reference
