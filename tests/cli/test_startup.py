"""What makes the program slow to start stays away until it is needed: modules, by name, after it has run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUERY = "examples/stocks/v_shape.spaseq"
RUN = ("run", QUERY, "--stream", "stock=examples/streams/stocks.nq")
EXTRAS = {"pyarrow", "pandas", "polars", "pyspark", "pyjelly", "confluent_kafka", "paho", "httpx", "websockets"}
SELDOM = EXTRAS | {"rdflib", "rich", "spaseq.languages.ceql", "spaseq.languages.paths"}
SELDOM |= {"spaseq.tuples", "spaseq.datasets", "importlib.metadata"}


def loaded(code: str) -> set[str]:
    """The modules that a process has after it ran the code."""
    code += "\nimport sys; print('modules:', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("modules:")[2].split())


def after(*arguments: str) -> set[str]:
    """The modules that a process has after it was ``spaseq`` with these arguments."""
    return loaded(f"from spaseq.cli import main\nmain({list(arguments)!r}, standalone_mode=False)")


def test_the_package() -> None:
    assert loaded("import spaseq") & (SELDOM | {"numpy", "lark", "pyoxigraph", "click"}) == set()


def test_the_version_costs_nothing_before_it_is_asked_for() -> None:
    code = "import spaseq\nfrom importlib.metadata import version\nassert spaseq.__version__ == version('spaseq')"
    asked = loaded(code)
    assert "importlib.metadata" in asked and asked & EXTRAS == set()


def test_check() -> None:
    modules = after("check", QUERY)
    assert "lark" in modules
    assert modules & (SELDOM | {"numpy", "spaseq.graphs", "gpm.evaluator", "nfa_native.joins.matcher"}) == set()


@pytest.mark.parametrize("format", ["jsonl", "csv", "tsv", "json"])
def test_run(format: str) -> None:
    modules = after(*RUN, "--format", format, "--output", "/dev/null")
    assert "numpy" in modules
    assert modules & (SELDOM | {"xml.sax", "urllib.request", "email"}) == set()


def test_count() -> None:
    assert after(*RUN, "--count") & SELDOM == set()


def test_a_table_needs_rich_and_a_query_in_ceql_its_language() -> None:
    assert "rich" in after(*RUN, "--format", "table", "--limit", "1")
    assert "spaseq.languages.ceql" in after("check", "examples/tuples/buying_spree.ceql")


def test_terms_of_rdflib_need_it() -> None:
    read = f"list(spaseq.run(open({QUERY!r}).read(), streams={{'stock': 'examples/streams/stocks.nq'}}))[0]"
    assert "rdflib" not in loaded(f"import spaseq\n{read}.to_dict()")
    assert "rdflib" in loaded(f"import spaseq\n{read}.bindings")


def test_no_thread_for_matrices() -> None:
    """numpy's library starts one for each core with numpy's import, unless it is told."""
    code = f"import os; from spaseq.cli import main\nmain(['check', {QUERY!r}], standalone_mode=False)"
    code += "\nassert os.environ['OPENBLAS_NUM_THREADS'] == '1'"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def test_tables_need_arrow_and_the_program_no_frames() -> None:
    """Arrow loads pandas with its first array, unless it is told that there is none."""
    line = "spaseq tuples examples/tuples/buying_spree.ceql --events examples/tuples/trades.csv --time time --count"
    code = f"import sys; sys.argv = {line.split()!r}\nfrom spaseq.cli.console import console"
    modules = loaded(f"{code}\ntry: console()\nexcept SystemExit as end: assert not end.code")
    assert "pyarrow" in modules and "pandas" not in modules
