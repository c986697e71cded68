"""Results as rows of a job are what the matches say one by one."""

from __future__ import annotations

from typing import Any

import pyarrow
import pytest

import spaseq
from spaseq.errors import OptionError
from spaseq.results.arrow import chosen
from spaseq.spark.matching import job_of
from spaseq.spark.packing import EVENT
from spaseq.spark.results import misfits, result_rows
from tests.cases.loader import cases
from tests.spark.whole_suite import OwnCase, counted, rows_of, table_of

CASES = [OwnCase(case) for case in cases()]


@pytest.mark.parametrize("own", CASES, ids=lambda own: own.case.label)
def test_cases(own: OwnCase) -> None:
    engine = spaseq.Engine(own.background, lateness=2**60)
    for name, query in own.queries.items():
        engine.register(query, name)
    engine.push_arrow(table_of(own.events))
    for table in engine.close_tables():
        found, wanted = result_rows(table, {}).to_pylist(), list(rows_of(table))
        assert counted(found, own.queries) == counted(wanted, own.queries)
        for row, other in zip(found, wanted, strict=True):
            assert row["last"] == other["last"]
            assert row["derived"] == other["derived"]
            assert [name for name, _ in row["events"]] == list(other["events"])  # in the order in which they came


SELECT = "SELECT {} FROM STREAM S <urn:S> WHERE {{ SEQ(A) DEFINE GPM A ON S {{ ?a <urn:p> ?v }} }}"


def refused(types: Any, text: str = SELECT.format("?v ?a (?v AS ?Last) (?v AS ?A)"), **more: str) -> str:
    with pytest.raises(OptionError) as caught:
        job_of({"q": text} | more, spaseq.Background.load({}), 1, (), "stop", 1, types)
    return str(caught.value)


def test_types_that_make_no_column() -> None:
    assert "there is no column b to give a type to" in refused({"b": "double"})
    assert "unknown type float of the column v" in refused({"v": "float"})
    assert "Spark has no dictionaries" in refused({"v": "dictionary"})
    assert refused({"Last": "string"}).startswith("there is a column last already")
    assert refused({"a": "string", "A": "string"}).startswith("there is a column a already")
    assert refused({"v": "string"}, r=SELECT.format("?v")).endswith("of one SELECT query, here are q, r")


def test_types_are_those_of_frames_where_terms_fit_them() -> None:
    engine = spaseq.Engine(lateness=2**60)
    engine.register(SELECT.format("?v"), "q")
    engine.push_arrow(rows_with("1", "2.5", "1e3", "true", '"2026-01-02"^^xsd:date', "<urn:x>", "9" * 50))
    (table,) = engine.close_tables()
    for type_, number in (("int64", 2), ("double", 4), ("boolean", 1), ("date", 1), ("string", 7), ("decimal", 2)):
        types = chosen({"v": type_}, ["v"])
        rows = result_rows(table, types)
        found = rows["v"].type, 7 - rows["v"].null_count, misfits(rows, types)
        assert found == (types["v"], number, 7 - number), type_


def rows_with(*values: str) -> pyarrow.Table:
    prefix = b"PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
    rows = [
        {"stream": "S", "time": n, "event": f"urn:e{n}", "graph": prefix + f"<urn:a> <urn:p> {value} .".encode()}
        for n, value in enumerate(values)
    ]
    return pyarrow.Table.from_pylist(rows, EVENT)
