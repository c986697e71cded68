"""Columns that no query uses: they are not read, unless somebody may ask for whole events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow
import pyarrow.parquet
import pytest

from spaseq.errors import QueryError, StreamError
from spaseq.graphs.graph_run import Run
from spaseq.graphs.mapped import Mapped
from spaseq.runtime.run import RunState
from spaseq.sources.merge import merge
from spaseq.sources.tables.parquet import ParquetSource
from spaseq.sources.tables.types import column_named
from tests.transports.scripted import Scripted

MAPPING = """PREFIX : <urn:>
EVENT <urn:e{?id}> AT ?time
CONSTRUCT { <urn:e{?id}> a :Quote ; :price ?price ; :note ?note ; :total ?t }
WHERE { BIND(?one + ?two AS ?t) }"""
QUERY = """PREFIX : <urn:> SELECT ?high ?low FROM STREAM s :s
WHERE { SEQ(A ; B) DEFINE GPM A ON s { ?a :price ?high } DEFINE GPM B ON s { ?b :price ?low FILTER(?low < ?high) } }"""
IN_TEXTS = """PREFIX : <urn:> SELECT ?p FROM STREAM s :s
WHERE { SEQ(A) DEFINE GPM A ON s { ?a :price ?p ; :note ?n FILTER(REGEX(?n, "[134]")) } }"""
ROWS = [
    {"id": number, "time": 10 * number, "price": (5, 3, 7, 1, 2)[number], "note": f"n{number}", "one": number, "two": 2}
    for number in range(5)
]


@pytest.fixture
def quotes(tmp_path: Path) -> str:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "quotes.parquet")
    return str(tmp_path / "quotes.parquet")


@contextmanager
def columns_read() -> Iterator[list[str]]:
    """The columns that files of Parquet are asked for within."""
    found: list[str] = []
    choose = ParquetSource.choose

    def noted(source: ParquetSource, columns: Any) -> pyarrow.Schema:
        found.extend(map(column_named, columns))
        return choose(source, columns)

    with patch.object(ParquetSource, "choose", noted):
        yield found


def matches(source: Any, query: str = QUERY, mapping: str = MAPPING, **more: Any) -> list[str]:
    return [str(match) for match in Run(query, {"s": Mapped(source, mapping)}, **more)]


READ = {
    QUERY: {"id", "time", "price"},
    IN_TEXTS: {"id", "time", "price", "note"},
    QUERY.replace("?b :price ?low", "?b ?p ?low"): {"id", "time", "price", "note", "one", "two"},
}


@pytest.mark.parametrize("query", READ)
def test_columns_that_no_query_uses_are_not_read(query: str, quotes: str) -> None:
    with columns_read() as read:
        found = matches(quotes, query)
    assert set(read) == READ[query]
    assert found == matches(quotes, query, on_late=print) and found


def test_late_events_are_whole(quotes: str) -> None:
    late: list[Any] = []
    table = pyarrow.parquet.read_table(quotes)
    pyarrow.parquet.write_table(table.take([0, 4, 1]), quotes)
    with columns_read() as read:
        matches(quotes, on_late=late.append)
    assert len(read) == 6 and [len(event.triples) for event in late] == [4]


def test_where_no_triple_is_certain_all_columns_tell_whether_there_is_one(quotes: str) -> None:
    with columns_read() as read:
        assert matches(quotes, mapping=MAPPING.replace("a :Quote ; ", "")) == matches(quotes)
    assert {"note", "one", "two"} <= set(read)


def test_columns_that_are_not_there_are_told_all_the_same(quotes: str) -> None:
    with pytest.raises(QueryError, match="the table has no column nota"):
        matches(quotes, mapping=MAPPING.replace("?note", "?nota"))


def test_a_run_that_goes_on_finds_the_same(quotes: str) -> None:
    """What waits is in the state without what no query uses."""
    parquet, states, given = Mapped(quotes, MAPPING), list[tuple[int, RunState]](), list[str]()

    def note() -> float:
        states.append((len(given), run.state()))
        return 1.0

    with (
        patch("spaseq.sources.tables.parquet.BATCH_ROWS", 1),
        patch("spaseq.runtime.run.merge", partial(merge, limit=1)),
    ):
        run = Run(IN_TEXTS, {"s": parquet}, lateness=15, on_step=note)
        for match in run:
            given.append(str(match))
    assert len(states) > 3 and given == matches(quotes, IN_TEXTS)
    for before, state in states:
        assert [str(match) for match in Run(IN_TEXTS, {"s": parquet}, state=state)] == given[before:]


def test_a_query_that_comes_later_is_refused_where_it_needs_more(quotes: str) -> None:
    run = Run(QUERY, {"s": Mapped(pyarrow.parquet.read_table(quotes).to_batches(max_chunksize=1), MAPPING)})
    steps = run._steps()
    next(steps)
    run.engine.register(IN_TEXTS, "other")
    with pytest.raises(StreamError, match="a query was added that uses columns which are not read"):
        list(steps)


def test_messages_may_have_anything_in_them() -> None:
    messages = [b'{"id":1,"time":1,"price":5,"note":"x","one":1,"two":2}', b'{"id":2,"time":2,"price":3,"note":{}}']
    assert len(matches(Scripted(messages, 1))) == 1
    with pytest.raises(StreamError):
        matches(Scripted(messages, 1), IN_TEXTS)
