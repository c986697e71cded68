"""Row patterns in SQL on rows that are pushed: beside tables, beside CEQL, and whether anything grows.

``python -m benchmarks.sql_streams [ROWS]``: ratios of CPU seconds, medians of interleaved rounds where runs are short.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import pyarrow

from benchmarks.sql import NEVER, SEARCHES
from benchmarks.sql_ticks import V_SHAPE, ticks
from benchmarks.timing import Preparation, interleaved, rate
from spaseq import tuples

BATCH = 100_000  # rows of a push
PUSHES = 20_000  # of a row
IN_CEQL = "SELECT STRICT * FROM S WHERE T AS a ; T AS b ; T AS c FILTER b[v < a.v] AND c[v > b.v] PARTITION BY [k]"
ONE_KEY = "SELECT * FROM s MATCH_RECOGNIZE (ORDER BY t MEASURES COUNT(*) AS n PATTERN ({}) DEFINE {})"
SHAPES = {"V shape": V_SHAPE, "WITHIN": SEARCHES["WITHIN"]}


def pushed(text: str, table: pyarrow.Table, size: int = BATCH) -> Preparation:
    """Rows in pushes of so many, to the end."""

    def run() -> int:
        engine = tuples.Engine(time="t")
        engine.register(text)
        found = 0
        for begin in range(0, table.num_rows, size):
            found += sum(results.num_rows for _, results in engine.push(table.slice(begin, size)))
        return int(found + sum(results.num_rows for _, results in engine.close()))

    return lambda: run


def matched(text: str, table: pyarrow.Table) -> Preparation:
    """The same rows as a table."""
    return lambda: lambda: tuples.match(text, table).to_arrow().num_rows


def beside_tables(rows: int) -> Iterator[str]:
    """Rows a second of those of a table, and what memory grows by over the second half."""
    table = ticks(rows, by_time=True)
    for name, text in SHAPES.items():
        seconds = interleaved({"table": matched(text, table), "pushed": pushed(text, table)}, 3)
        part = seconds["table"] / seconds["pushed"]
        yield f"{name} in pushes of {BATCH:,}: {rate(rows, seconds['pushed'])}, {part:.0%} of the table's"
    before = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]
    engine = tuples.Engine(time="t")
    engine.register(SHAPES["WITHIN"], "q")
    kept = []
    for begin in range(0, rows, BATCH):
        engine.push(table.slice(begin, BATCH))
        before.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        kept.append(engine.statistics()["queries"]["q"]["kernel"]["rows"])
    half = len(before) // 2
    grown = before[-1] / before[half] - 1
    yield f"WITHIN: {kept[half - 1]:,} rows kept after half, {kept[-1]:,} after all; memory grows by {grown:.1%}"


def row_by_row() -> Iterator[str]:
    """A row a push, as dictionaries, beside CEQL's V shape."""
    draw = Random(1)
    rows = [{"type": "T", "k": f"k{at % 100}", "t": at, "v": draw.random()} for at in range(PUSHES)]
    texts = {"CEQL": IN_CEQL, "SQL": V_SHAPE, "ORDER BY t, v": V_SHAPE.replace("ORDER BY t", "ORDER BY t, v")}
    seconds = interleaved({name: _one_by_one(text, rows) for name, text in texts.items()}, 3)
    each = seconds["SQL"] / PUSHES * 1e6
    yield f"V shape, a row a push: {each:.1f} µs, {seconds['SQL'] / seconds['CEQL']:.2f} times CEQL's"
    yield f"    with a further key in ORDER BY: {seconds['ORDER BY t, v'] / seconds['CEQL']:.2f} times"


def _one_by_one(text: str, rows: Sequence[dict[str, Any]]) -> Preparation:
    def run() -> None:
        engine = tuples.Engine(time="t")
        engine.register(text)
        for row in rows:
            engine.push([row])

    return lambda: run


def open_start(rows: int) -> Iterator[str]:
    """A start that stays undecided while so many rows come, one a push."""
    engine = tuples.Engine(time="t")
    engine.register(ONE_KEY.format("A+ B", "B AS v < 0"))
    tenth, seconds = rows // 10, []
    for part in range(10):
        begun = time.process_time()
        for at in range(part * tenth, (part + 1) * tenth):
            engine.push([{"t": at, "v": 1.0}])
        seconds.append(time.process_time() - begun)
    yield f"a start open for {rows:,} rows: the last {tenth:,} pushes {seconds[-1] / seconds[0]:.2f} times the first"


def without_matches(rows: int) -> Iterator[str]:
    """Patterns that match nothing, on one partition of so many rows and of twice as many."""
    draw = np.random.default_rng(1)
    tables = [
        pyarrow.table(
            {"t": pyarrow.array(np.arange(count) * 1_000_000, pyarrow.timestamp("us")), "v": draw.random(count)}
        )
        for count in (rows, 2 * rows)
    ]
    for name, (pattern, definition) in NEVER.items():
        text = ONE_KEY.format(pattern, definition)
        once, twice = interleaved({str(each.num_rows): pushed(text, each) for each in tables}, 3).values()
        yield f"{name} without a match, pushed: twice the rows {twice / once:.2f} times"


def main(arguments: Sequence[str]) -> None:
    """All of it, line by line."""
    rows = int(arguments[0]) if arguments else 10_000_000
    for part in (beside_tables(rows), row_by_row(), open_start(rows // 10), without_matches(rows // 10)):
        for line in part:
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
