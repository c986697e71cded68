"""Fields of structs: in conditions, joins, partitions and aggregates, in every way in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from spaseq.errors import QueryError, StreamError
from spaseq.tuples import Engine, match

ROWS: list[dict[str, Any]] = [
    {"type": "A", "s": {"b": 1, "t": {"u": "x"}}, "v": 1},
    {"type": "B", "s": {"b": 5, "t": {"u": "x"}}, "v": 2},
    {"type": "B", "s": None, "v": 3},
    {"type": "B", "s": {"b": 0, "t": None}, "v": 4},
    {"type": "B", "s": {"b": 7, "t": {"u": "y"}}, "v": 5},
]


def as_parquet(folder: Path) -> Path:
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), folder / "s.parquet")
    return folder / "s.parquet"


SOURCES: dict[str, Callable[[Path], Any]] = {
    "arrow": lambda _: pyarrow.Table.from_pylist(ROWS),
    "parquet": as_parquet,
    "pandas": lambda _: pyarrow.Table.from_pylist(ROWS).to_pandas(),
    "rows": lambda _: iter(ROWS),
}
EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "SELECT y.v WHERE B AS y FILTER y.s.b > 1": [(2,), (5,)],
    "SELECT y.v WHERE B AS y FILTER y[`s.b` > 1]": [(2,), (5,)],
    "SELECT y.v WHERE B AS y FILTER y.s.b IS NULL": [(3,)],
    "SELECT y.v WHERE B AS y FILTER y.s.t.u LIKE 'x%'": [(2,)],
    "SELECT x.s.b AS a, y.s.b AS b WHERE A AS x ; B AS y FILTER y.s.b > x.s.b": [(1, 5), (1, 7)],
    "SELECT y.v WHERE A AS x ; B AS y FILTER y.s.t.u = x.s.t.u": [(2,)],
    "SELECT y.v WHERE A AS x ; B AS y PARTITION BY [`s.t.u`]": [(2,)],
    "SELECT SUM(y.s.b) AS n, MAX(y.s.b * 2) AS m, x.s.t.u AS u WHERE A AS x ; B AS y GROUP BY x.s.t.u": [
        ("x", 5, 10), ("x", 0, None), ("x", 0, 0), ("x", 7, 14),
    ],
    "SELECT y.s WHERE B AS y FILTER y.s.b = 5": [({"b": 5, "t": {"u": "x"}},)],
}  # fmt: skip


def shown(tables: list[pyarrow.Table]) -> list[tuple[Any, ...]]:
    own = ("start", "end", "positions")
    return [tuple(v for k, v in row.items() if k not in own) for table in tables for row in table.to_pylist()]


@pytest.mark.parametrize("query", EXPECTED)
@pytest.mark.parametrize("source", SOURCES)
def test_fields_of_structs(source: str, query: str, tmp_path: Path) -> None:
    found = shown([match(query, SOURCES[source](tmp_path)).to_arrow()])
    assert sorted(found, key=repr) == sorted(EXPECTED[query], key=repr)


@pytest.mark.parametrize("query", EXPECTED)
@pytest.mark.parametrize("at_once", [2, 5])
def test_of_rows_that_are_pushed(query: str, at_once: int) -> None:
    engine = Engine()
    engine.register(query, name="q")
    tables = [table for at in range(0, 5, at_once) for _, table in engine.push(ROWS[at : at + at_once])]
    found = shown([*tables, *(table for _, table in engine.close())])
    assert sorted(found, key=repr) == sorted(EXPECTED[query], key=repr)


def test_a_column_of_that_name_comes_first() -> None:
    table = pyarrow.table({"type": ["A", "A"], "s.b": [1, 2], "s": [{"b": 2}, {"b": 1}]})
    assert shown([match("SELECT x.s.b AS b WHERE A AS x FILTER x.s.b > 1", table).to_arrow()]) == [(2,)]


WRONG = {
    "FILTER x.s.c > 1": "no attribute s.c\nhint: known are b, t",
    "FILTER x.s.b.c > 1": "no attribute s.b.c\nhint: s.b is of type int64",
    "FILTER x.v.b > 1": "no attribute v.b\nhint: v is of type int64",
    "FILTER x.z.b > 1": "no attribute z.b\nhint: known are type, s, v",
    "FILTER x.s > 1": "a query cannot use it\nhint: its fields can be used, as in x.s.b",
    "FILTER x[s.b > 1]": "a field of a struct is written x.s.b",
}


@pytest.mark.parametrize("filter_", WRONG)
def test_what_is_no_field(filter_: str) -> None:
    with pytest.raises(QueryError) as caught:
        match(f"SELECT x WHERE A AS x {filter_}", iter(ROWS))
    assert WRONG[filter_] in str(caught.value)


def test_times_beside_fields_can_be_skipped() -> None:
    times = ["2026-01-01", "soon", "2026-01-01", "2026-01-02", "2026-01-02"]
    rows = [{**row, "at": at} for row, at in zip(ROWS, times, strict=True)]
    query = "SELECT y.s.b AS b WHERE B AS y FILTER y.s.b >= 0"
    with pytest.raises(StreamError, match="row 1: error: the time at is 'soon', which is no time"):
        match(query, iter(rows), time="at").count()
    assert match(query, iter(rows), time="at", on_error="skip").count() == 2


def test_a_field_that_later_rows_lack_is_null() -> None:
    engine = Engine()
    engine.register("SELECT y.v WHERE B AS y FILTER y.s.b IS NULL", name="q")
    assert engine.push(ROWS[:2]) == []
    found = shown([table for _, table in engine.push([{"type": "B", "s": {"c": 1}, "v": 8}, {"type": "B", "v": 9}])])
    assert found == [(8,), (9,)]
