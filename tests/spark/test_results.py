"""Results as rows of a job are what the matches say one by one."""

from __future__ import annotations

import pytest

import spaseq
from spaseq.spark.results import result_rows
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
        found, wanted = result_rows(table).to_pylist(), list(rows_of(table))
        assert counted(found, own.queries) == counted(wanted, own.queries)
        for row, other in zip(found, wanted, strict=True):
            assert row["last"] == other["last"]
            assert row["derived"] == other["derived"]
            assert [name for name, _ in row["events"]] == list(other["events"])  # in the order in which they came
