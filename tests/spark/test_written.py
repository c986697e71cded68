"""Rows of a job as lines are what ``spaseq run`` writes."""

from __future__ import annotations

import io
from typing import Any

import pyarrow
import pytest

import spaseq
from spaseq.results.formats import Layout, open_writer
from spaseq.results.table import MatchTable
from spaseq.spark.results import result_rows
from spaseq.spark.schemas import RESULT
from spaseq.spark.sources.texts import json_terms, json_texts
from spaseq.spark.sources.written import quad_lines, several_lines, single_lines
from tests.cases.loader import cases
from tests.spark.whole_suite import OwnCase, table_of

CASES = [OwnCase(case) for case in cases()]


def in_format(table: MatchTable, format: str, **layout: Any) -> str:
    output = io.StringIO()
    writer = open_writer(format, output, Layout(**layout))
    writer.write(table)
    writer.close()
    return output.getvalue()


@pytest.mark.parametrize("own", CASES, ids=lambda own: own.case.label)
def test_cases(own: OwnCase) -> None:
    engine = spaseq.Engine(own.background, lateness=2**60)
    for name, query in own.queries.items():
        engine.register(query, name)
    engine.push_arrow(table_of(own.events))
    for table in engine.close_tables():
        rows = result_rows(table)
        assert several_lines(rows).decode() == in_format(table, "jsonl", several=True)
        assert single_lines(rows).decode() == in_format(table, "jsonl")
        assert single_lines(rows[1:3]).decode() == in_format(table[1:3], "jsonl")
        assert quad_lines(rows).decode() == in_format(table, "nquads")


TERMS = [
    "urn:a",
    "http://ex.org/é?a=b#c",
    'he said "hi"',
    "a\\b\n\t\r\x07\x7f",
    "",
    "ends with \\",
    "😀",
    "_:x",
    "<a>",
    "@en",
]


def test_terms_that_need_escapes() -> None:
    """Every kind of term, as a query gives it."""
    query = "SELECT ?o FROM STREAM <urn:s> WHERE { SEQ(A) DEFINE GPM A ON <urn:s> { <urn:a> <urn:p> ?o } }"
    literals = [spaseq.results.terms.Value("literal", text, *more).to_ntriples() for text in TERMS for more in (
        (None, None), ("http://www.w3.org/2001/XMLSchema#decimal", None), ("urn:type", None), (None, "en"),
        (None, "en-GB--ltr"),
    )]  # fmt: skip
    others = ["<urn:a>", "<http://ex.org/é#😀>", "_:b", '<<( <urn:a> <urn:p> "a\\"b"@en )>>']
    graph = "".join(f"<urn:a> <urn:p> {term} .\n" for term in [*literals, *others])
    graph += '<urn:a> <urn:p> "true"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n'
    engine = spaseq.Engine()
    engine.register(query, 'na"me\n')
    rows = pyarrow.Table.from_pylist([{"stream": "urn:s", "time": 0, "event": "urn:e", "graph": graph}])
    tables = [*engine.push_arrow(rows), *engine.close_tables()]
    (table,) = (one for one in tables if len(one))
    assert len(table) > 40
    assert several_lines(result_rows(table)).decode() == in_format(table, "jsonl", several=True)


def test_nothing() -> None:
    rows = pyarrow.RecordBatch.from_pylist([], RESULT)
    assert several_lines(rows) == single_lines(rows) == quad_lines(rows) == b""
    assert json_texts(pyarrow.array(['"\\\n', "é"])).to_pylist() == ['"\\"\\\\\\n"', '"é"']
    assert len(json_terms(pyarrow.array([], pyarrow.string()))) == 0
