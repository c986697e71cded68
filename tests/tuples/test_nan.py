"""NaN is NULL, whatever it comes from, and wherever a query meets it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet

from spaseq.tuples import Engine, match

NAN, INFINITY = float("nan"), float("inf")
COLUMNS: dict[str, list[Any]] = {
    "type": ["A"] * 6,
    "g": [1.0, NAN, NAN, 2.0, None, INFINITY],
    "v": [1.0, NAN, 3.0, None, NAN, 2.0],
}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


def as_csv(folder: Path) -> Path:
    path = folder / "n.csv"
    path.write_text("type,g,v\nA,1.0,1.0\nA,nan,NaN\nA,NaN,3.0\nA,2.0,\nA,,nan\nA,inf,2.0\n")
    return path


def as_parquet(folder: Path) -> Path:
    parquet.write_table(as_arrow(folder), folder / "n.parquet")
    return folder / "n.parquet"


def as_arrow(_: Path) -> pyarrow.Table:
    return pyarrow.table(COLUMNS)


SOURCES: dict[str, Callable[[Path], Any]] = {
    "csv": as_csv,
    "parquet": as_parquet,
    "arrow": as_arrow,
    "pandas": lambda _: pandas.DataFrame(COLUMNS),
    "polars": lambda _: polars.DataFrame(COLUMNS),
    "rows": lambda _: iter(ROWS),
}
EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "SELECT x WHERE A AS x FILTER x[v IS NULL]": [([1],), ([3],), ([4],)],
    "SELECT x WHERE A AS x FILTER x[v IS NOT NULL]": [([0],), ([2],), ([5],)],
    "SELECT x WHERE A AS x FILTER x[NOT (v = 3)]": [([0],), ([5],)],
    "SELECT x WHERE A AS x FILTER x[g - g = 0 OR g - g IS NULL]": [([n],) for n in range(6)],  # ∞ - ∞, too
    "SELECT x, y WHERE A AS x ; A AS y FILTER y[v != x.v]": [([0], [2]), ([0], [5]), ([2], [5])],
    "SELECT x, y WHERE A AS x ; A AS y PARTITION BY [g]": [],
    "SELECT x, y WHERE A AS x ; A AS y WITHIN 1 [v]": [([0], [5]), ([2], [5])],
    "SELECT x.v WHERE A AS x": [(None,), (None,), (None,), (1.0,), (2.0,), (3.0,)],
    "SELECT x.g, COUNT(x.v), SUM(x.v), AVG(x.v * 2), MAX(x.v) WHERE A AS x GROUP BY x.g": [
        (1.0, 1, 1.0, 2.0, 1.0),
        (2.0, 0, 0.0, 0.0, None),
        (INFINITY, 1, 2.0, 4.0, 2.0),
        (None, 0, 0.0, 0.0, None),
        (None, 0, 0.0, 0.0, None),
        (None, 1, 3.0, 6.0, 3.0),
    ],
    "SELECT NEXT MAX(x.v) WHERE A+ AS x": [(1.0,), (1.0,), (3.0,), (3.0,), (3.0,), (3.0,)],
}


def columns(found: pyarrow.Table) -> list[tuple[Any, ...]]:
    """The rows of a result, without positions, in a fixed order."""
    shown = [name for name in found.column_names if name not in ("start", "end", "positions")]
    return sorted((tuple(row.values()) for row in found.select(shown).to_pylist()), key=repr)


@pytest.mark.parametrize("query", EXPECTED)
@pytest.mark.parametrize("source", SOURCES)
def test_nan_is_null(source: str, query: str, tmp_path: Path) -> None:
    assert columns(match(query, SOURCES[source](tmp_path)).to_arrow()) == sorted(EXPECTED[query], key=repr)


def test_of_rows_that_are_pushed() -> None:
    engine = Engine()
    engine.register("SELECT x.v FROM S WHERE A AS x FILTER x[v IS NULL OR v < 3]", name="q")
    found = [*engine.push(pyarrow.table(COLUMNS)), *engine.close()]
    assert "nan" not in repr(found).lower()


def test_whole_rows_are_as_they_came() -> None:
    found = match("SELECT x WHERE A AS x FILTER x[v IS NULL]", pyarrow.table(COLUMNS))
    assert str(found.rows()["v"].to_pylist()) == "[nan, None, nan]"
