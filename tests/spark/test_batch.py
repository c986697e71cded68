"""Queries on data frames of Spark give what they give in process."""

from __future__ import annotations

import pytest

from spaseq.spark import match
from tests.cases.loader import cases
from tests.spark.session import session, why_not
from tests.spark.whole_suite import OwnCase, counted, in_process, table_of

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
BUCKETS = 4


def test_all_cases_in_one_job() -> None:
    own = [OwnCase(case) for case in cases()]
    queries = {name: query for one in own for name, query in one.queries.items()}
    background = {iri: graph for one in own for iri, graph in one.background.items()}
    several = [name for one in own if one.has_several_keys(BUCKETS) for name in one.queries]
    rows = table_of(event for one in own for event in one.events)
    df = session().createDataFrame(rows.to_pandas()).repartition(3, "time")  # EVENTS: simultaneous ones in their order
    found = match(df, queries, background, buckets=BUCKETS, whole=several).toArrow().to_pylist()
    assert counted(found, queries) == in_process(queries, background, rows)
