"""With which row, promise or end a match leaves (leaving/README.md): case by case, and what the definition says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product, takewhile
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from spaseq import tuples
from spaseq.errors import StreamError
from spaseq.tuples import Engine
from tests.sql.case_files import compared
from tests.sql.leaving_files import LEAVING, TIME, LeavingCase, StreamStep, leaving_files, read_leaving

Given = tuple[list[pyarrow.Table], str]  # results that came, and the error behind them
Row = dict[str, Any]
Key = tuple[Any, ...]
LONGEST = 3  # rows of a future
FORMS: dict[str, Callable[[pyarrow.Table], Any]] = {
    "Arrow": lambda rows: rows,
    "dictionaries": lambda rows: rows.to_pylist(),
}


UNTIL_IT_IS_MENDED = ("errors/value_in_a_condition_on_neighbours", "errors/value_in_a_condition_on_the_next_row")


def named(path: Path) -> str:
    """A file as tests call it."""
    return str(path.relative_to(LEAVING).with_suffix(""))


def marked(path: Path) -> Any:
    """A file; one that shows a mistake of the engine is expected to fail, until that is mended."""
    mark = pytest.mark.xfail(strict=True, reason="the row is not the one that has no value")
    return pytest.param(path, marks=mark) if named(path) in UNTIL_IT_IS_MENDED else path


FILES = [marked(path) for path in leaving_files()]


def engine_of(case: LeavingCase) -> Engine:
    """One that runs the query."""
    types = {field.name: _declared(field.type) for field in case.rows.schema}
    engine = Engine(time=case.time, types=types)
    engine.register(case.query, "query")
    return engine


def _declared(type_: pyarrow.DataType) -> str:
    return {"int64": "int64", "string": "string", "timestamp[us]": "timestamp"}[str(type_)]


def taken(tables: Iterable[tuple[str, pyarrow.Table]]) -> Given:
    """What a call gives, up to an error."""
    found: list[pyarrow.Table] = []
    try:
        found.extend(table for _, table in tables)
    except StreamError as error:
        return found, str(error)
    return found, ""


def done(engine: Engine, step: StreamStep, form: Callable[[pyarrow.Table], Any]) -> Given:
    """What comes of a step."""
    if step.what == "push":
        return taken(engine.push_tables(form(step.given)))
    return taken(engine.close_tables() if step.what == "end" else engine.advance_tables(step.time))


def check(given: Given, wanted: Sequence[StreamStep]) -> None:
    """What came is what leaves with these steps, with the error that comes behind it."""
    results, error = given
    table = pyarrow.concat_tables([step.leaves for step in wanted])
    assert compared(pyarrow.concat_tables(results) if results else table.slice(0, 0)) == compared(table)
    assert error == "\n".join(step.error for step in wanted if step.error)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", FILES, ids=named)
def test_each_step_gives_what_it_decides(path: Path, form: str) -> None:
    case = read_leaving(path)
    engine = engine_of(case)
    for step in case.steps:
        check(done(engine, step, FORMS[form]), [step])


@pytest.mark.parametrize("path", FILES, ids=named)
def test_rows_in_one_push_give_the_same_in_the_same_order(path: Path) -> None:
    case = read_leaving(path)
    engine = engine_of(case)
    (some, error), (rest, last) = taken(engine.push_tables(case.rows)), taken(engine.close_tables())
    check((some + rest, error or last), case.steps)


# ── what is decided, by definition ───────────────────────────────────────────────────────────────────────
WITH_FUTURES = [path for path in leaving_files() if read_leaving(path).futures is not None]


@pytest.mark.parametrize("path", WITH_FUTURES, ids=named)
def test_what_leaves_is_what_the_results_of_all_futures_begin_with(path: Path) -> None:
    """After each step, of each key: what has left is what whole tables give, whatever comes, and no more is certain.

    Where a file is about what is not foreseen, more is.
    """
    case = read_leaving(path)
    left: list[Row] = []
    late: list[str] = []
    for number, step in enumerate(case.steps, 1):
        left += step.leaves.to_pylist()
        for key, certain in common_beginnings(case, case.steps[:number]).items():
            its = [row for row in left if key_of(case, row) == key]
            assert its == certain[: len(its)], f"too early at step {number}"
            late += [f"{row} is certain at step {number}" for row in certain[len(its) :]]
    assert bool(late) == (path.parent.name == "not_foreseen"), late


def common_beginnings(case: LeavingCase, steps: Sequence[StreamStep]) -> dict[Key, list[Row]]:
    """By key: what the results begin with, whatever comes behind these steps."""
    rows = [row for step in steps if step.what == "push" for row in step.given.to_pylist()]
    keys = dict.fromkeys(key_of(case, row) for row in rows)
    every = results_of(case, [[*rows, *future] for future in futures(case, steps)])
    by_key = {key: [[row for row in results if key_of(case, row) == key] for results in every] for key in keys}
    return {key: common_beginning(its) for key, its in by_key.items()}


def key_of(case: LeavingCase, row: Row) -> Key:
    """The values of PARTITION BY, which stand on one line."""
    found = re.search(r"PARTITION BY (.*?)(?= ORDER BY|\n)", case.query)
    return tuple(row[name] for name in found[1].split(", ")) if found else ()


def futures(case: LeavingCase, steps: Sequence[StreamStep]) -> Iterator[list[Row]]:
    """Rows that may come; behind the end none."""
    times = [step.given[TIME][0].as_py() for step in steps if case.time and step.what != "end"]
    assert case.futures is not None
    for length in range(LONGEST + 1 if steps[-1].what != "end" else 1):
        for future in product(case.futures.to_pylist(), repeat=length):
            yield list(timed(future, max(times))) if case.time else list(future)


def timed(future: Iterable[Row], time: Any) -> Iterator[Row]:
    """Rows whose steps of time are added up."""
    for row in future:
        time += row[TIME]
        yield {**row, TIME: time}


def results_of(case: LeavingCase, tables: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """The results of each table, which are partitions of a single one."""
    schema = pyarrow.schema([("future", pyarrow.int64()), *case.rows.schema])
    rows = [{"future": number, **row} for number, table in enumerate(tables) for row in table]
    found: list[list[Row]] = [[] for _ in tables]
    for row in tuples.match(apart(case.query), pyarrow.Table.from_pylist(rows, schema=schema)).to_arrow().to_pylist():
        found[row.pop("future")].append(row)
    return found


def apart(query: str) -> str:
    """The query with a further partition for each future."""
    if "PARTITION BY " in query:
        return query.replace("PARTITION BY ", "PARTITION BY future, ", 1)
    return query.replace("MATCH_RECOGNIZE (", "MATCH_RECOGNIZE (PARTITION BY future ", 1)


def common_beginning(every: Sequence[Sequence[Row]]) -> list[Row]:
    """The longest beginning that all have."""
    return [rows[0] for rows in takewhile(lambda rows: all(row == rows[0] for row in rows), zip(*every, strict=False))]
