"""Queries over tables: a mapped table is a stream, whatever form its rows have and however they are cut."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import spaseq
from spaseq.errors import QueryError, RowError, StreamError
from spaseq.graphs import Engine
from spaseq.graphs.mapped import Mapped
from spaseq.sources.rdf.wire import WireOptions

MAPPING = """
PREFIX ex: <http://example.org/>
BASE <http://example.org/>
EVENT <quote/{?id}> AT ?time
CONSTRUCT { <quote/{?id}> ex:of <company/{?name}> ; ex:price ?price }
"""
QUERY = """
PREFIX ex: <http://example.org/>
SELECT ?c ?high ?low
FROM STREAM s <http://example.org/s>
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON s { ?q ex:of ?c ; ex:price ?high }
  DEFINE GPM B ON s { ?r ex:of ?c ; ex:price ?low FILTER(?low < ?high) }
}
"""
BEGIN = datetime(2026, 1, 1)
ROWS = [
    {"id": number, "time": BEGIN + timedelta(seconds=number), "name": f"{'xyz'[number % 3]} & co", "price": price}
    for number, price in enumerate([5.5, 3.0, 4.25, 5.0, 3.5, 4.0, 6.0, 1.0, 2.5])
]
TABLE = pyarrow.Table.from_pylist(ROWS)


def csv(folder: Path) -> str:
    pyarrow.csv.write_csv(TABLE, folder / "quotes.csv")
    return str(folder / "quotes.csv")


def parquet(folder: Path) -> str:
    pyarrow.parquet.write_table(TABLE, folder / "quotes.parquet")
    return str(folder / "quotes.parquet")


SOURCES: dict[str, Callable[[Path], Any]] = {
    "table": lambda _: TABLE, "batches of a row": lambda _: TABLE.to_batches(max_chunksize=1), "rows": lambda _: ROWS,
    "pandas": lambda _: pandas.DataFrame(ROWS), "polars": lambda _: polars.DataFrame(ROWS), "csv": csv,
    "parquet": parquet,
}  # fmt: skip


def matches(source: Any, mapping: str = MAPPING, query: str = QUERY, **more: Any) -> list[str]:
    return [str(match) for match in spaseq.run(query, {"s": Mapped(source, mapping)}, **more)]


def quads() -> list[tuple[int, bytes, str]]:
    """The same events as graphs."""
    found = []
    for row in ROWS:
        quote, name = f"http://example.org/quote/{row['id']}", str(row["name"]).replace(" ", "%20").replace("&", "%26")
        graph = f"<{quote}> <http://example.org/of> <http://example.org/company/{name}> .\n"
        graph += f'<{quote}> <http://example.org/price> "{row["price"]}"^^<http://www.w3.org/2001/XMLSchema#double> .\n'
        time = int((row["time"] - datetime(1970, 1, 1)) / timedelta(microseconds=1))  # type: ignore[operator]
        found.append((time, graph.encode(), quote))
    return found


@pytest.mark.parametrize("form", SOURCES)
def test_rows_may_have_any_form(form: str, tmp_path: Path) -> None:
    found = matches(SOURCES[form](tmp_path))
    assert found == [str(match) for match in spaseq.run(QUERY, {"s": quads()})]
    assert len(found) == 5


def test_matches_have_the_names_of_events() -> None:
    match = next(iter(spaseq.run(QUERY, {"s": Mapped(TABLE, MAPPING)})))
    assert match.events == {"A": ["http://example.org/quote/0"], "B": ["http://example.org/quote/3"]}


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_rows_with_one_name_and_one_time_are_one_event(size: int) -> None:
    rows = [
        {"id": event, "time": BEGIN + timedelta(seconds=event), "key": key}
        for event in range(4)
        for key in range(event + 1)
    ]
    mapping = "EVENT <x:{?id}> AT ?time CONSTRUCT { <x:{?id}> <x:key> ?key }"
    count = "{ SELECT (COUNT(?key) AS ?k) WHERE { ?e <x:key> ?key } }"
    query = f"SELECT ?k FROM STREAM s <x:s> WHERE {{ SEQ(A) DEFINE GPM A ON s {{ {count} }} }}"
    batches = pyarrow.Table.from_pylist(rows).to_batches(max_chunksize=size)
    found = [int(match.bindings["k"]) for match in spaseq.run(query, {"s": Mapped(batches, mapping)})]
    assert found == [1, 2, 3, 4]


def test_elements_of_lists_are_solutions() -> None:
    rows = [
        {"id": 1, "at": 10, "readings": [{"kind": "t", "value": 5}, {"kind": "p", "value": None}], "tags": ["a", "b"]},
        {"id": 2, "at": 20, "readings": [], "tags": ["c"]},
        {"id": 3, "at": 30, "readings": [{"kind": "t", "value": 7}], "tags": None},
        {"id": 4, "at": 40, "readings": [{"kind": "t", "value": 8}], "tags": ["d"]},
    ]
    mapping = """COLUMN "readings.kind" AS ?kind COLUMN "readings.value" AS ?value EACH "readings" AS ?r
        EACH "tags" AS ?tag EVENT <x:{?id}> AT ?at UNIT s
        CONSTRUCT { <x:{?id}> <x:value> ?value ; <x:kind> ?kind ; <x:tag> ?tag }"""
    query = "SELECT ?k ?v ?t FROM STREAM s <x:s> WHERE {{ SEQ(A) DEFINE GPM A ON s {{ {} }} }}"
    table = pyarrow.Table.from_pylist(rows)

    def found(pattern: str) -> list[tuple[Any, ...]]:
        run = spaseq.run(query.format(pattern), {"s": Mapped(table, mapping)})
        return sorted(tuple(str(term) for term in match.bindings.values()) for match in run)

    assert found("?e <x:kind> ?k") == [("p",), ("t",), ("t",)]
    assert found("?e <x:value> ?v") == [("5",), ("8",)]
    assert found("?e <x:tag> ?t") == [("a",), ("b",), ("d",)]


def test_fields_of_structs_are_columns() -> None:
    rows = [{"at": number, "payload": {"company": {"id": "x"}, "price": Decimal("1.5")}} for number in range(2)]
    mapping = """COLUMN "payload.company.id" AS ?c COLUMN "payload.price" AS ?p
        AT ?at CONSTRUCT { <x:{?c}> <x:price> ?p }"""
    query = "SELECT ?c ?p FROM STREAM s <x:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?c <x:price> ?p } }"
    found = [match.bindings for match in spaseq.run(query, {"s": Mapped(rows, mapping)})]
    assert [(str(one["c"]), str(one["p"])) for one in found] == [("x:x", "1.5")] * 2


def test_elements_of_lists_of_polars() -> None:
    rows = {"at": [0, 1], "tags": [[{"name": "a"}, {"name": "b"}], [{"name": "c"}]], "of": [["p"], ["q"]]}
    frame = polars.DataFrame(rows).with_columns(polars.col("of").cast(polars.List(polars.Categorical)))
    mapping = """EACH "tags" AS ?t COLUMN "tags.name" AS ?name EACH "of" AS ?of
        AT ?at CONSTRUCT { <x:{?name}> <x:of> ?of }"""
    query = "SELECT ?s ?o FROM STREAM s <x:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s <x:of> ?o } }"
    found = [match.bindings for match in spaseq.run(query, {"s": Mapped(frame, mapping)})]
    assert sorted((str(one["s"]), str(one["o"])) for one in found) == [("x:a", "p"), ("x:b", "p"), ("x:c", "q")]


@pytest.mark.parametrize("size", [1, 4, 9])
@pytest.mark.parametrize("form", [pyarrow.Table.from_pylist, pandas.DataFrame, polars.DataFrame, list])
def test_rows_are_pushed(form: Callable[[Any], Any], size: int) -> None:
    engine = Engine()
    engine.register(QUERY, "query1")
    found = [
        match
        for at in range(0, len(ROWS), size)
        for match in engine.push_rows("s", form(ROWS[at : at + size]), MAPPING)
    ]
    assert [str(match) for match in [*found, *engine.close()]] == matches(TABLE)


def test_nothing_is_taken_of_rows_of_which_one_is_no_event() -> None:
    engine = Engine()
    engine.register(QUERY, "query1")
    with pytest.raises(RowError, match=r"<batch>, row 2: error: the row is no event: \?time is unbound") as caught:
        engine.push_rows("s", with_row(2, time=None), MAPPING)
    assert caught.value.row == 2
    found = engine.push_rows("s", with_row(2, time=None), MAPPING, skip=True)
    assert [str(match) for match in [*found, *engine.close()]] == matches([*ROWS[:2], *ROWS[3:]])
    assert engine.statistics()["streams"]["http://example.org/s"]["skipped"] == 1


# ── what goes wrong ──────────────────────────────────────────────────────────────────────────────────────
def with_row(number: int, **values: Any) -> list[dict[str, Any]]:
    """The rows, one of them with other values."""
    return [*ROWS[:number], ROWS[number] | values, *ROWS[number + 1 :]]


OTHER = 'AT ?time\nCOLUMN "payload.id" AS ?id\nCONSTRUCT { <x:{?id}> <x:y> ?id }'
BROKEN: dict[str, tuple[type[Exception], str, Any, str]] = {
    "a column that is not there": (
        QueryError, r"<query>:5:62: error: the table has no column prise\n.*\n +\^{6}\nhint: did you mean price\?",
        TABLE, MAPPING.replace("?price", "?prise"),
    ),
    "a path that is not there": (QueryError, r"<query>:2:24: error: the table has no column payload.id", TABLE, OTHER),
    "no time": (StreamError, "row 2: error: the row is no event: .time is unbound", with_row(2, time=None), MAPPING),
    "a time that is none": (
        StreamError, 'row 0: error: the row is no event: .name is "x & co", no time', TABLE,
        MAPPING.replace("AT ?time", "AT ?name"),
    ),
    "no name": (
        StreamError, r"row 1: error: the row is no event: <quote/\{\?id\}> is unbound", with_row(1, id=None), MAPPING,
    ),
    "no triple": (
        StreamError, "row 1: error: the row is no event: none of its triples is whole",
        with_row(1, price=None, name=None), MAPPING,
    ),
    "no term": (QueryError, "values of type struct<a: int64> are no terms", [ROWS[0] | {"price": {"a": 1}}], MAPPING),
    "a field that is not there": (
        QueryError, r"<query>:1:19: error: the table has no column p.idd\n.*\n.*\nhint: did you mean id\?",
        [{"p": {"id": 1}, "time": 1}], 'COLUMN "p.idd" AS ?id AT ?time CONSTRUCT { <x:{?id}> <x:y> ?id }',
    ),
    "a field of no struct": (
        QueryError, r"the table has no column id.x\n.*\n.*\nhint: x would be a field of values of type int64", TABLE,
        'COLUMN "id.x" AS ?id AT ?time CONSTRUCT { <x:{?id}> <x:y> ?id }',
    ),
    "no list": (
        QueryError, "EACH takes lists: price is of type double", TABLE,
        MAPPING.replace("EVENT", 'EACH "price" AS ?x EVENT'),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_wrong_is_told_in_its_place(what: str) -> None:
    error, message, source, mapping = BROKEN[what]
    with pytest.raises(error, match=message):
        matches(source, mapping)


def test_rows_that_are_no_events_may_be_left_out() -> None:
    rows = [*ROWS[:3], ROWS[3] | {"time": None}, ROWS[4] | {"price": None, "name": None}, *ROWS[5:]]
    run = spaseq.run(QUERY, {"s": Mapped(rows, MAPPING)}, options=WireOptions(skip=True))
    assert [str(match) for match in run] == matches([*ROWS[:3], *ROWS[5:]])
    (report,) = run.reports.values()
    assert (report.errors, report.skipped, report.events) == (2, 2, 7)
