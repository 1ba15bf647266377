# The commands a newcomer needs: `make demo`, `make quick` while working, `make test` before handing in. All set everything up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OUT ?= sfumato-demo
# `make setup CONSTRAINTS=constraints.txt` installs the versions that the tests last passed with, and no others.
CONSTRAINTS ?=
BENCHMARKS := $(addprefix benchmarks/,tdr_scale.py end_to_end.py check_levels.py measure.py lattice.py bug_scale.py hdtds_scale.py \
  k_optimize.py mondrian.py microaggregation.py qidb.py audit.py suda2.py population_estimators.py series.py transactions.py \
  local_suppression.py)

# What one interpreter has compiled the next one finds, also where the environment forbids it to be kept: tests are compiled with
# every assert taken apart, and two workers would each do it again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo quick common test trial nightly lint types doctests collected docs notes-model oracle bench constraints clean system

setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(addprefix -c ,$(CONSTRAINTS)) -e ".[dev]"
	@touch $(READY)

demo: setup
	@if [ "$(OUT)" = sfumato-demo ]; then rm -rf sfumato-demo; fi
	$(BIN)/sfumato demo --out $(OUT)

# System packages that some tests want: PostgreSQL for databases, Chromium for pages, Java for Spark. Without one its tests are skipped, by name.
system:
	@if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null 2>&1; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >/dev/null; \
	  else echo "note: install PostgreSQL (Debian: postgresql) to run the database tests"; fi; fi
	@if [ -z "$$SFUMATO_CHROMIUM" ] && ! command -v chromium >/dev/null 2>&1 && ! command -v chromium-browser >/dev/null 2>&1 \
	  && ! command -v google-chrome >/dev/null 2>&1; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } \
	    || echo "note: Chromium could not be installed; the browser tests are skipped"; \
	  else echo "note: install Chromium (Debian: chromium) or set SFUMATO_CHROMIUM to run the browser tests"; fi; fi
	@if ! command -v java >/dev/null 2>&1; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq openjdk-17-jre-headless >/dev/null; } \
	    || echo "note: Java could not be installed; the tests of Spark are skipped"; \
	  else echo "note: install Java 17 (Debian: openjdk-17-jre-headless) to run the tests of Spark"; fi; fi
	@if [ ! -e /usr/share/java/postgresql.jar ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libpostgresql-jdbc-java >/dev/null; } \
	    || echo "note: the JDBC driver could not be installed; Spark is not tried with PostgreSQL"; \
	  else echo "note: install the JDBC driver of PostgreSQL (Debian: libpostgresql-jdbc-java) to try it with Spark"; fi; fi

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

doctests: setup
	$(BIN)/python -m pytest -q --doctest-modules src/sfumato --ignore=src/sfumato/cli

# Every test is found, and compiled for the workers that run it.
collected: setup
	@$(BIN)/python -m pytest -qq --collect-only >/dev/null

# What fails soonest comes first; the examples of docstrings keep one core busy, types and then the compiler of tests the other.
test: setup system
	$(MAKE) -j 2 --output-sync=target lint types doctests collected
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# The best answer within two minutes on two quiet cores: lint, types, the common checks of everything in the catalogue, worked examples
# of the literature, and few random examples for the rooms that everything stands on. `make test` decides.
QUICK := tests/test_*.py $(addprefix tests/,golden contracts data groups kernels hierarchies models recodings recounts searches tables \
  publishing identifiers shapes things verbs/test_anonymize.py verbs/test_publish.py)

quick: setup lint
	$(MAKE) -j 2 types common

common: setup
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --hypothesis-profile=quick -m "not slow and not postgres and not browser" $(QUICK)

# The long trials, before a version is handed over: malformed requests, promises judged on the written text, killed runs,
# hostile messages to holders in a session.
trial: setup
	$(BIN)/python tests/fuzz/trial.py --cases 2000
	$(BIN)/python tests/promises/trial.py --cases 5000
	$(BIN)/python tests/faults/trial.py --kills 200
	$(BIN)/python tests/faults/stopping.py --rows 3000 30000 300000
	$(BIN)/python tests/ledger/trial.py --kills 100
	$(BIN)/python tests/interactive/trial.py --kills 100 --askers 200
	$(BIN)/python tests/service/trial.py --messages 1000
	$(BIN)/python tests/engines/trial.py --tables 40 --kills 10
	$(BIN)/python tests/service/api/trial.py --requests 2000

# Fresh random examples, ten times as many: for a night. A failing one is printed with what draws it again.
nightly: setup system
	$(BIN)/python -m pytest -n 2 --dist loadfile --hypothesis-profile=nightly
	$(BIN)/python tests/fuzz/trial.py --cases 50000 --fresh

docs: setup
	$(BIN)/python docs/build.py

# The model for notes that is shipped, byte for byte: some minutes.
notes-model: setup
	rm -f build-notes.csv src/sfumato/text/extraction/notes.model
	$(BIN)/sfumato datasets notes --rows 1500 --seed 1 --part train -o build-notes.csv
	$(BIN)/sfumato text train build-notes.csv --column note --caution 0.5 -o src/sfumato/text/extraction/notes.model
	rm build-notes.csv

# An outside oracle in an environment of its own: measured levels against pycanon on Adult.
oracle: setup
	$(BIN)/python benchmarks/oracle_pycanon.py

# Ratios go to benchmarks/history.csv as well.
bench: setup
	$(BIN)/python benchmarks/bench.py $(BENCHMARKS)

constraints: setup
	@{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip freeze --exclude-editable | grep '=='; } > constraints.new
	@mv constraints.new constraints.txt

clean:
	rm -rf $(VENV) site build docs/reference/ids sfumato-demo
