"""With which row, promise or end a match leaves (leaving/README.md): case by case, and what the definition says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from spaseq.errors import StreamError
from spaseq.tuples import Engine
from tests.sql.case_files import compared
from tests.sql.futures import judged
from tests.sql.leaving_files import LEAVING, LeavingCase, StreamStep, leaving_files, read_leaving
from tests.sql.random_leaving import random_leaving, verdict

Given = tuple[list[pyarrow.Table], str]  # results that came, and the error behind them
CASES, SLICES = 60, 10
FORMS: dict[str, Callable[[pyarrow.Table], Any]] = {
    "Arrow": lambda rows: rows,
    "dictionaries": lambda rows: rows.to_pylist(),
}


def named(path: Path) -> str:
    """A file as tests call it."""
    return str(path.relative_to(LEAVING).with_suffix(""))


FILES = leaving_files()


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
def test_a_snapshot_behind_each_step_changes_nothing(path: Path) -> None:
    case = read_leaving(path)
    engine = engine_of(case)
    for step in case.steps:
        check(done(engine, step, FORMS["Arrow"]), [step])
        engine = Engine.restore(engine.snapshot(), {"query": case.query})


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
    """Nothing leaves early or late; where a file is about what is not foreseen, something is late."""
    found = judged(read_leaving(path))
    assert found.early == []
    assert bool(found.late) == (path.parent.name == "not_foreseen"), found.late


@pytest.mark.parametrize("slice_", range(SLICES))
def test_nothing_leaves_early_or_late_in_random_patterns(slice_: int) -> None:
    for seed in range(slice_, CASES, SLICES):
        assert verdict(random_leaving(seed)) is None, seed
