# Everything runs in .venv; nothing outside the clone is needed but Python 3.11+ and a C++ compiler.
PYTHON ?= python3
PIP    := PYTHONWARNINGS=ignore .venv/bin/python -m pip install --quiet --disable-pip-version-check
VENV   := .venv
BIN    := $(VENV)/bin
NATIVE := $(wildcard $(foreach kind,pyx pxd pxi hpp,nfa_native/*/*.$(kind) nfa_native/*/*/*.$(kind)) gpm/native/*.pyx gpm/native/*.pxd gpm/native/*/*.pxi) nfa_native/automata/kinds.py nfa_native/terms/operations.py tools/native_code.py setup.py pyproject.toml
BYTECODE = $(BIN)/python -m compileall -q gpm nfa_native spaseq datasets ontologies
GRAMMARS := $(wildcard spaseq/languages/*/grammar/*.lark)

.PHONY: run test bench bench-many bench-lazy bench-choice bench-bound bench-paths bench-spark bench-peers bench-sql bench-tables check-live soak lint sanitize fuzz check-deep wheel clean

run: $(VENV)/core.stamp
	$(BIN)/spaseq run examples/stocks/v_shape.spaseq --stream stock=examples/streams/stocks.nq --limit 12 --format table
	@echo
	@echo "Try: $(BIN)/spaseq explain examples/stocks/v_shape.spaseq"

test: $(VENV)/all.stamp
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not deep"

check-deep: $(VENV)/all.stamp
	$(BIN)/python -m tests.agreement.deep
	$(BIN)/python -m tests.recognition.deep --random 4000
	$(BIN)/python -m tests.recognition.families_deep 60
	$(MAKE) --jobs 2 --keep-going --output-sync $(ON_ONE_CORE)
	$(MAKE) --jobs 1 --keep-going $(BY_THEMSELVES)
	$(BIN)/python -m tests.spark.killing 10 1
	$(BIN)/python -m tests.spark.agreement 300 7000
	$(BIN)/python -m tests.spark.sharing 10 500
	$(BIN)/python -m tests.spark.executors
	$(BIN)/python -m tests.fuzz --minutes 0.25
	SPASEQ_RANDOM=1 $(BIN)/python -m pytest -n 2 -m "deep or hypothesis"

# Parts of check-deep that have one process each.
ON_ONE_CORE := $(addprefix deep-,allocations snapshots killing crowding walks ends between stream sql sql-streams mapped)
# What compares times of one process with each other: one after the other, with nothing beside it.
BY_THEMSELVES := $(addprefix deep-,soak memory-tuples soak-tuples)
.PHONY: $(ON_ONE_CORE) $(BY_THEMSELVES)
deep-allocations: ; $(BIN)/python -m tests.allocations.deep
deep-snapshots: ; $(BIN)/python -m tests.snapshots.deep 1200 300
deep-killing: ; $(BIN)/python -m tests.cli.killing 20
deep-crowding: ; $(BIN)/python -m tests.cli.crowding 10
deep-walks: ; $(BIN)/python -m tests.paths.deep 7000 0 --exhaustive 9 --engine tests.paths.engine:paths
deep-ends: ; $(BIN)/python -m tests.paths.ends_deep 3000 0
deep-between: ; $(BIN)/python -m tests.paths.between_deep 10000 0
deep-stream: ; $(BIN)/python -m tests.paths.stream.deep 3000 0
deep-sql: ; $(BIN)/python -m tests.sql.deep 100000 0
deep-sql-streams: ; $(BIN)/python -m tests.sql.deep 20000 0 streamed && $(BIN)/python -m tests.sql.deep 2000 0 leaving
deep-mapped: ; $(BIN)/python -m tests.mapped.deep 10000 0
deep-soak: ; $(BIN)/python -m benchmarks.soak 1000000
deep-memory-tuples: ; $(BIN)/python -m benchmarks.memory_tuples 1000000
deep-soak-tuples: ; $(BIN)/python -m benchmarks.soak_tuples 1000000

# What needs servers of others, on loopback: Kafka (Java and Maven) and mosquitto.  Half an hour.
check-live: $(VENV)/all.stamp
	$(BIN)/python -m tests.live.exactly_once 100
	$(BIN)/python -m tests.live.exactly_once 0 kafka --outages 5
	$(BIN)/python -m tests.live.spooled 100

bench: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks

# A thousand rows of parameters beside one query, and beside each row by itself.
bench-many: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.many
	$(BIN)/python -m benchmarks.many_tuples

# Filters over three events, made at once and lazily; negation that reads the next step; CEQL's sum beside SPAseq's.
bench-lazy: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.lazy

# What is chosen of the two, on 24 workloads and where rates change.
bench-choice: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.choice

# What is found where work is bounded, beside steps and events that are left out by chance; on real data too, and while it changes;
# latency under load; recall as it is estimated.
bench-bound: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.bound
	$(BIN)/python -m benchmarks.load
	$(BIN)/python -m benchmarks.bound_data
	$(BIN)/python -m benchmarks.bound_tuples
	$(BIN)/python -m benchmarks.drift
	$(BIN)/python -m benchmarks.recall

# What queries cost on Spark, beside jobs that only count; it needs Java 17. PARTS="batch state" for some of them.
bench-spark: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.spark $(PARTS)

# Path queries: walks beside numpy, dictionaries, pyoxigraph and C++, the best paths, budgets, reading and saving graphs, streams of edges.
bench-paths: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.paths.fixed
	$(BIN)/python -m benchmarks.paths.kleene
	$(BIN)/python -m benchmarks.paths.pairs
	$(BIN)/python -m benchmarks.paths.recall
	$(BIN)/python -m benchmarks.paths.budget
	$(BIN)/python -m benchmarks.graphs
	$(BIN)/python -m benchmarks.paths.stream 1000000

# SPAseq beside Flink CEP, Esper and Siddhi, row patterns beside Trino. The one command that fetches more than Python packages: it needs java, javac and mvn.
bench-peers: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.peers.row_patterns

# Row patterns in SQL; beside DuckDB and pandas-match-recognize, where they are installed.
bench-sql: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.sql
	$(BIN)/python -m benchmarks.sql_streams

# Events from tables, beside the same events from N-Quads; from a topic of Kafka; what they take while they wait.
bench-tables: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m benchmarks.kafka
	$(BIN)/python -m benchmarks.waiting

soak: $(VENV)/all.stamp
	$(BIN)/python -m benchmarks.soak
	$(BIN)/python -m benchmarks.memory_tuples
	$(BIN)/python -m benchmarks.soak_tuples
	$(BIN)/python -m benchmarks.soak_tables

lint: $(VENV)/all.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	sh tools/typecheck.sh
	$(BIN)/python -m pytest -q -p no:cacheprovider tests/house tests/native/test_cpp_names.py tests/native/test_includes.py

sanitize:
	PYTHON=$(PYTHON) sh tools/sanitize.sh

# MINUTES for each door (10), DOOR=name for one of them, SEED=number to repeat a run.
fuzz:
	PYTHON=$(PYTHON) MINUTES=$(MINUTES) DOOR=$(DOOR) SEED=$(SEED) sh tools/fuzz.sh

wheel: $(VENV)/all.stamp
	$(BIN)/python -m build --outdir dist .

$(VENV)/checked.stamp:
	@$(PYTHON) tools/check_machine.py
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip "setuptools>=77" "cython>=3.1" "lark>=1.2.2" wheel
	@touch $@

$(VENV)/core.stamp: $(VENV)/checked.stamp $(NATIVE) $(GRAMMARS)
	$(PIP) --no-build-isolation --editable .
	@$(BYTECODE)
	@touch $@

$(VENV)/all.stamp: $(VENV)/checked.stamp $(NATIVE) $(GRAMMARS)
	$(PIP) --no-build-isolation --editable ".[all]"
	@$(BYTECODE)
	@touch $@ $(VENV)/core.stamp

clean:
	rm -rf $(VENV) build dist *.egg-info nfa_native/*/*.so nfa_native/*/*.cpp gpm/native/*.so gpm/native/*.cpp spaseq/languages/*/grammar/tables.json
