"""What has left behind rows of a stream, judged by whole tables: those rows with all that may come behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product, takewhile
from typing import Any

import pyarrow

from spaseq import tuples
from tests.sql.leaving_files import TIME, LeavingCase, StreamStep

Row = dict[str, Any]
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What leaves before it is certain, and what is certain and does not leave."""

    early: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)


def judged(case: LeavingCase, longest: int = 3) -> Verdict:
    """After each step, of each key: what has left has to be what all results begin with; futures have so many rows.

    StreamError: with some future the query cannot go on.
    """
    found = Verdict()
    left: list[Row] = []
    for number, step in enumerate(case.steps, 1):
        left += step.leaves.to_pylist()
        for key, certain in common_beginnings(case, case.steps[:number], longest).items():
            its = [row for row in left if key_of(case, row) == key]
            if its != certain[: len(its)]:
                found.early.append(f"step {number}: {its}, where {certain} is certain")
            found.late.extend(f"step {number}: {row}" for row in certain[len(its) :])
    return found


def common_beginnings(case: LeavingCase, steps: Sequence[StreamStep], longest: int) -> dict[Key, list[Row]]:
    """By key: what the results begin with, whatever comes behind these steps."""
    rows = [row for step in steps if step.what == "push" for row in step.given.to_pylist()]
    keys = dict.fromkeys(key_of(case, row) for row in rows)
    every = results_of(case, [[*rows, *future] for future in futures(case, steps, longest)])
    by_key = {key: [[row for row in results if key_of(case, row) == key] for results in every] for key in keys}
    return {key: common_beginning(its) for key, its in by_key.items()}


def key_of(case: LeavingCase, row: Row) -> Key:
    """The values of PARTITION BY, which stand on one line."""
    found = re.search(r"PARTITION BY (.*?)(?= ORDER BY|\n)", case.query)
    return tuple(row[name] for name in found[1].split(", ")) if found else ()


def futures(case: LeavingCase, steps: Sequence[StreamStep], longest: int) -> Iterator[list[Row]]:
    """Rows that may come; behind the end none."""
    times = [step.given[TIME][0].as_py() for step in steps if case.time and step.what != "end"]
    assert case.futures is not None
    for length in range(longest + 1 if steps[-1].what != "end" else 1):
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
