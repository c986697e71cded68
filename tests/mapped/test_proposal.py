"""``spaseq map`` proposes what can be run, whatever the columns are called; ``spaseq explain`` tells."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import example, given, settings, strategies as st

import spaseq
from spaseq.errors import QueryError
from spaseq.languages.mappings import parse
from spaseq.sources.mapped.proposal import proposed
from spaseq.sources.tables.opening import open_source
from tests.cli.conftest import ROOT, Invoke, folder, invoke  # noqa: F401 - fixtures

ANY = "SELECT ?p ?o FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?e ?p ?o } }"
TIME = datetime(2026, 1, 1)


def proposal(rows: Any) -> str:
    return proposed(open_source(rows), "https://example.org/")


@pytest.mark.parametrize(
    ("row", "clauses"),
    [
        ({"time": TIME, "v": 1}, ["AT ?time", "; :v ?v"]),
        ({"created": TIME, "v": 1}, ["AT ?created"]),
        ({"ts": 1_767_225_600, "v": 1}, ["AT ?ts UNIT s"]),
        ({"ts": 1_767_225_600_000, "v": 1}, ["AT ?ts UNIT ms"]),
        ({"id": "a/b", "time": TIME}, ["EVENT <event/{?id}>", "<event/{?id}> a :Event"]),
        ({"a b": 1, "time": TIME}, ['COLUMN "a b" AS ?a_b', "; :a_b ?a_b"]),
        ({"7": 1, "time": TIME}, ['COLUMN "7" AS ?v7']),
        ({"a": {"b": {"c": 1}}, "time": TIME}, ['COLUMN "a.b.c" AS ?a_b_c']),
        ({"r": [{"k": 1}], "time": TIME}, ['COLUMN "r.k" AS ?r_k', 'EACH "r" AS ?r_element']),
    ],
)  # fmt: skip
def test_columns(row: dict[str, Any], clauses: list[str]) -> None:
    text = proposal(pyarrow.Table.from_pylist([row]))
    for clause in clauses:
        assert clause in text
    parse(text)


def test_it_can_be_run() -> None:
    rows = [{"time": TIME, "Köln: °C": 1.5, "list": [1, 2], "x.y": {"z": None}}]
    table = pyarrow.Table.from_pylist(rows)
    found = {str(match.bindings["o"]) for match in spaseq.run(ANY, {"s": spaseq.Mapped(table, proposal(table))})}
    assert {"1.5", "1", "2"} <= found


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=9), min_size=1, unique=True))
@example(["."])
@settings(deadline=None, max_examples=50)
def test_columns_of_any_name(names: list[str]) -> None:
    columns = [pyarrow.array([TIME]), *[pyarrow.array([1])] * (len(names) - 1)]
    proposed = proposal(pyarrow.Table.from_arrays(columns, names=names))
    if all(names[0].split(".")):
        parse(proposed)
    else:  # no COLUMN can name that with the time, as it says
        assert "# no COLUMN can name" in proposed
        with pytest.raises(QueryError, match="an event needs a time"):
            parse(proposed)


def test_without_a_time_it_says_what_is_missing() -> None:
    text = proposal(pyarrow.Table.from_pylist([{"name": "x"}]))
    assert "# AT ?time: no column looks like a time; events need one" in text
    with pytest.raises(QueryError, match="an event needs a time"):
        parse(text)


def test_the_command(folder: Path, invoke: Invoke) -> None:  # noqa: F811
    shown = invoke("map", str(ROOT / "examples" / "tuples" / "trades.csv")).stdout
    Path("p.map").write_text(shown)
    assert invoke("check", "p.map").stdout == "p.map: ok\n"
    refused = invoke("map", "s.nq")
    assert (refused.exit_code, "a table ends in .csv" in refused.stderr) == (2, True)


def test_explain(folder: Path, invoke: Invoke) -> None:  # noqa: F811
    path = str(ROOT / "examples" / "tables" / "trades.map")
    said = json.loads(invoke("explain", path, "--format", "json").stdout)
    assert [column["path"] for column in said["columns"]] == ["volume", "name", "price", "time"]
    assert [triple["made"][2] for triple in said["triples"]] == ["constant", "template", "column", "column"]
    assert said["steps"] == [{"binds": None, "reads": ["volume"], "evaluated": "natively"}]
    text = invoke("explain", path).stdout
    assert text.startswith("event: each row; its name is that of an event without one\ntime: ?time\ncolumns:\n")
    assert "a filter of ?volume: natively" in text
    assert "a mapping has no automaton" in invoke("explain", path, "--format", "dot").stderr
