"""Attributes of SELECT, and the rows that results pick: those of the source at the positions of the variables."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pytest

from spaseq.errors import OptionError, QueryError
from spaseq.tuples import Matches, match
from tests.oracle.ceql.generate import random_pair
from tests.oracle.ceql.text import to_text
from tests.tuples.tables import table_of

ROWS = [
    {"type": "A", "price": 1.5, "name": "x", "time": 0},
    {"type": "B", "price": None, "name": "y", "time": 1},
    {"type": "B", "price": 3.5, "name": None, "time": 2},
    {"type": "C", "price": 4.5, "name": "z", "time": 3},
]
A_THEN_BS = "WHERE A AS a ; B+ AS b"


def found(query: str, rows: Any = ROWS, **options: Any) -> Matches:
    """The matches of a query without aggregates."""
    matches = match(query, rows, **options)
    assert isinstance(matches, Matches)
    return matches


def shown(query: str) -> list[tuple[Any, ...]]:
    """The columns of SELECT of all results, in a fixed order."""
    rows = found(query).to_arrow().to_pylist()
    return sorted((tuple(row.values())[3:] for row in rows), key=repr)


# ── attributes ───────────────────────────────────────────────────────────────────────────────────────────
def test_an_attribute_of_one_event_is_a_value() -> None:
    assert shown(f"SELECT a.price, a {A_THEN_BS}") == [(1.5, [0])] * 2  # the ends are 1 and 2


def test_an_attribute_of_several_events_is_a_list() -> None:
    assert shown(f"SELECT b.price, b.name, b {A_THEN_BS}") == [
        ([3.5], [None], [2]),
        ([None, 3.5], ["y", None], [1, 2]),
        ([None], ["y"], [1]),
    ]


def test_a_variable_without_event_has_no_value() -> None:
    assert shown("SELECT a.price, c.name, b.name WHERE A AS a OR C AS c OR (B AS b : B AS b)") == [
        (1.5, None, []),
        (None, "z", []),
        (None, None, ["y", None]),
    ]


def test_columns_come_in_the_order_of_select() -> None:
    matches = found(f"SELECT b, a.price AS p, a, a.name {A_THEN_BS}")
    assert matches.schema.names == ["start", "end", "positions", "b", "p", "a", "a.name"]
    assert matches.variables == ("b", "a")
    types = [matches.schema.field(name).type for name in ("p", "a.name")]
    assert types == [pyarrow.float64(), pyarrow.string()]


def test_names_of_columns_do_not_meet() -> None:
    matches = found(f"SELECT a.price AS start, b.name AS positions {A_THEN_BS}")
    assert matches.schema.names == ["start_", "end", "positions_", "start", "positions"]


def test_an_attribute_selects_its_variable() -> None:
    """Results are what they are if the variables are selected: also for strategies, which compare their positions."""
    for strategy in ("", "MAX", "NEXT", "LAST", "STRICT", "ANY"):
        attributes = found(f"SELECT {strategy} b.price AS p {A_THEN_BS}").to_arrow()
        variables = found(f"SELECT {strategy} b {A_THEN_BS}").to_arrow()
        assert attributes.column("positions").equals(variables.column("positions"))


@pytest.mark.parametrize("seed", range(60))
def test_values_are_those_at_the_positions(seed: int) -> None:
    pair = random_pair(seed)
    if pair.query.aggregates:
        return
    table = table_of(pair, rows=2)  # parts of two rows: how the source is cut changes nothing
    plain = match(to_text(pair.query), table, time="time")
    chosen = ", ".join(f"{name}, {name}.price AS p{n}" for n, name in enumerate(plain.variables) if name.isalpha())
    if not chosen:
        return
    text = f"SELECT {pair.query.strategy or ''} {chosen} FROM" + to_text(pair.query).split("FROM", 1)[-1]
    if "FROM" not in to_text(pair.query):
        return
    prices = table.column("price").to_pylist()
    for row in match(text, table, time="time").to_arrow().to_pylist():
        values = list(row.values())[3:]
        for positions, price in zip(values[::2], values[1::2], strict=True):
            expected = [prices[position] for position in positions]
            assert price == expected or [price] == (expected or [None])


def many(parts: int) -> Iterator[pyarrow.RecordBatch]:
    """So many batches of a thousand events."""
    for part in range(parts):
        numbers = range(part * 1000, part * 1000 + 1000)
        types = ["A" if number % 500 == 0 else "B" if number % 500 == 499 else "C" for number in numbers]
        yield pyarrow.record_batch({"type": types, "n": list(numbers), "name": [f"n{number}" for number in numbers]})


def test_values_come_from_earlier_batches() -> None:
    source = pyarrow.RecordBatchReader.from_batches(next(many(1)).schema, many(40))
    rows = found("SELECT a.n, a.name, b.n WHERE A AS a ; B AS b WITHIN 1499 EVENTS", source).to_arrow().to_pylist()
    assert len(rows) == 80 * 3 - 3
    assert all(row["a.n"] == row["start"] and row["b.n"] == row["end"] for row in rows)
    assert all(row["a.name"] == f"n{row['start']}" for row in rows)


def test_unknown_attributes() -> None:
    with pytest.raises(QueryError, match=r"(?s)the events have no attribute prize.*did you mean price\?"):
        found(f"SELECT a.prize {A_THEN_BS}")


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────
def test_rows_are_those_of_the_source() -> None:
    rows = found("SELECT * WHERE A AS a ; B+ AS b FILTER b[price > 0]").rows()
    assert rows.column_names == ["result", "variable", "position", "type", "price", "name", "time"]
    assert rows.to_pylist() == [
        {"result": 0, "variable": "a", "position": 0, **ROWS[0]},
        {"result": 0, "variable": "b", "position": 2, **ROWS[2]},
    ]


def test_rows_are_of_the_variables_that_select_has() -> None:
    rows = found("SELECT b.price WHERE A AS a ; B AS b").rows()
    assert rows.column("variable").to_pylist() == ["b", "b"]
    assert rows.column("position").to_pylist() == [1, 2]


def test_rows_do_not_depend_on_what_was_taken() -> None:
    matches = found(f"SELECT * {A_THEN_BS}")
    before = matches.rows()
    taken = matches.to_arrow()
    assert matches.rows().equals(before)
    assert sorted(before.column("position").to_pylist()) == sorted(
        position for row in taken.to_pylist() for name in ("a", "b") for position in row[name]
    )


def test_rows_of_every_source_that_can_be_read_again(tmp_path: Path) -> None:
    table = pyarrow.Table.from_pylist(ROWS)
    pandas.DataFrame(ROWS).to_csv(tmp_path / "some.csv", index=False)
    sources = [table, table.to_batches()[0], table.to_pandas(), polars.from_arrow(table), str(tmp_path / "some.csv")]
    for source in sources:
        rows = found("SELECT * WHERE A AS a : B AS b", source).rows()
        assert rows.column("name").to_pylist() == ["x", "y"]


def test_rows_need_a_source_that_can_be_read_again() -> None:
    once = [iter(ROWS), io.BytesIO(b"type\nA\n"), pyarrow.Table.from_pylist(ROWS).to_reader()]
    for source in once:
        with pytest.raises(OptionError, match=r"rows\(\) reads the source once more, but .* can be read only once"):
            found("SELECT * WHERE A AS a", source).rows()


def test_rows_of_merged_streams() -> None:
    streams = {"S": [row for row in ROWS if row["type"] == "A"], "T": [row for row in ROWS if row["type"] == "B"]}
    rows = found("SELECT * FROM S, T WHERE S>A AS a ; T>B AS b", streams, time="time").rows()
    assert rows.column("stream").to_pylist() == ["S", "T", "S", "T"]
    assert rows.column("name").to_pylist() == ["x", "y", "x", None]


def test_columns_of_rows_do_not_meet() -> None:
    rows = found("SELECT * WHERE A", [{"type": "A", "result": 7, "position": "here"}]).rows()
    assert rows.to_pylist() == [
        {"result_": 0, "variable": "A", "position_": 0, **{"type": "A", "result": 7, "position": "here"}}
    ]


# ── what results show of themselves ──────────────────────────────────────────────────────────────────────
def test_repr_takes_nothing() -> None:
    matches = found(f"SELECT * {A_THEN_BS}")
    assert repr(matches) == "<Matches: start, end, positions, a, b; 0 found so far>"
    assert matches.count() == 3
    assert repr(matches) == "<Matches: start, end, positions, a, b; 3 found so far>"


def test_a_notebook_shows_the_next_results_and_takes_nothing() -> None:
    matches = found("SELECT a.name AS `<b>`, b WHERE A AS a ; B+ AS b")
    html = matches._repr_html_()
    assert html == matches._repr_html_()
    assert (
        "<th>&lt;b&gt;</th>" in html
        and "<td>x</td><td>1 2</td>" in html
        and "the next 3 results; 3 found so far" in html
    )
    assert matches.to_arrow().num_rows == 3
    assert "no more results; 3 were found" in matches._repr_html_()
    again = found(f"SELECT * {A_THEN_BS}")
    again._repr_html_()
    assert again.count() == 3


def test_aggregates_show_themselves() -> None:
    aggregates = match(f"SELECT COUNT(*) AS n {A_THEN_BS}", ROWS)
    assert repr(aggregates) == "<Aggregates: end, n; 0 found so far>"
    assert "<td>1</td><td>1</td>" in aggregates._repr_html_()
