"""Rows of results, made tables again, say what the matches said."""

from __future__ import annotations

import io

import pyarrow
import pytest

import spaseq
from spaseq.pattern.sequences import Selection
from spaseq.results.formats import Layout, open_writer
from spaseq.results.table import MatchTable
from spaseq.spark.packing import RESULT
from spaseq.spark.results import match_tables, result_rows
from tests.cases.loader import cases
from tests.slices import one_of
from tests.spark.whole_suite import OwnCase, table_of

CASES = [OwnCase(case) for case in cases()]


def lines(table: MatchTable, format: str) -> str:
    output = io.StringIO()
    writer = open_writer(format, output, Layout(table.columns, several=True))
    writer.write(table)
    writer.close()
    return output.getvalue()


@pytest.mark.parametrize("own", one_of(2, CASES), ids=lambda own: own.case.label)
def test_cases(own: OwnCase) -> None:
    engine = spaseq.Engine(own.background, lateness=2**60)
    for name, query in own.queries.items():
        engine.register(query, name)
    engine.push_arrow(table_of(own.events))
    for table in filter(len, engine.close_tables()):
        rows = pyarrow.Table.from_batches([result_rows(table, {})])
        (again,) = match_tables(rows, {table.query: table.columns})
        assert [match.to_dict() for match in again] == [match.to_dict() for match in table]
        is_selection = isinstance(own.queries[table.query].query.form, Selection)
        for format in ("jsonl", "csv", "xml") if is_selection else ("jsonl", "nquads"):
            assert lines(again, format) == lines(table, format)
        for part in (rows.slice(1, 3), pyarrow.concat_tables([rows.slice(2), rows.slice(0, 2)])):
            assert sum(map(len, match_tables(part))) == len(part)


def test_variables_keep_an_order_that_each_row_has() -> None:
    bindings = [
        [("b", "<urn:b>"), ("c", "<urn:c>")],
        [("a", "<urn:a>"), ("c", "<urn:c>")],
        [("a", "<urn:a>"), ("b", '"x"@en')],
    ]
    none = [{"query": "q", "first": 0, "last": 0, "events": [], "bindings": row, "derived": None} for row in bindings]
    (table,) = match_tables(pyarrow.Table.from_pylist([*none, {"query": None}], RESULT))
    assert table.columns == ("a", "b", "c") and len(table) == 3
    assert [list(match.bindings) for match in table] == [["b", "c"], ["a", "c"], ["a", "b"]]
