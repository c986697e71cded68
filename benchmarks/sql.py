"""Row patterns in SQL on tables, Arrow to Arrow: beside DuckDB's windows, loops by hand, and with themselves.

``python -m benchmarks.sql [ROWS]``: ratios of CPU seconds, medians of interleaved rounds.  DuckDB and
``pandas-match-recognize`` are measured where they are installed (``pip install duckdb pandas-match-recognize``), Trino
and Flink where Java 17 and Maven are (:mod:`benchmarks.sql_peers`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow

from benchmarks.sql_peers import beside_others
from benchmarks.sql_ticks import KEYS, V_SHAPE, engine, ticks
from benchmarks.timing import interleaved, rate
from spaseq import tuples

WINDOWS = """SELECT sum(CAST(v < p AS INT)), sum(CAST(v > p AS INT)) FROM (
    SELECT v, lag(v) OVER (PARTITION BY k ORDER BY t) AS p FROM ticks)"""
ONE = "SELECT * FROM ticks MATCH_RECOGNIZE ({} {} DEFINE {})"
BY_KEY, MEASURES = "PARTITION BY k ORDER BY t", "MEASURES COUNT(*) AS rows"
SEARCHES = {
    "B.v > LAST(A.v)": ONE.format(f"{BY_KEY} {MEASURES}", "PATTERN (A+ B)", "B AS B.v > LAST(A.v)"),
    "A.v >= AVG(A.v)": ONE.format(f"{BY_KEY} {MEASURES}", "PATTERN (A+ B)", "A AS A.v >= AVG(A.v)"),
    "WITHIN": V_SHAPE.replace("(A B+ C+)", "(A B+ C+) WITHIN INTERVAL '1' MINUTE"),
}
NEVER = {
    "A+ B": ("A+ B", "B AS v < 0"),
    "(A+)+ B": ("(A+)+ B", "B AS v < 0"),
    "(A?){20} A{20} B": ("(A?){20} A{20} B", "B AS v < 0"),
    "PERMUTE of 8": ("PERMUTE(A, B, C, D, E, F, G, H)", "A AS v < 0"),
}


def by_hand(table: pyarrow.Table) -> pyarrow.Table:
    """The V shape as one would write it."""
    found: list[tuple[int, float, float, float]] = []
    top, bottom, last, key, before, stage = 0.0, 0.0, 0.0, -1, 0.0, 0
    for k, v in zip(table["k"].to_pylist(), table["v"].to_pylist(), strict=True):
        if k == key and v < before and stage < 2:
            top, bottom, stage = (before if stage == 0 else top), v, 1
        elif k == key and v > before and stage:
            last, stage = v, 2
        elif stage == 2:
            found.append((key, top, bottom, last))
            stage = 0
        else:
            stage = 0
        key, before = k, v
    found += [(key, top, bottom, last)] if stage == 2 else []
    return pyarrow.table(list(zip(*found, strict=True)), names=["k", "top", "bottom", "last"])


def duckdb(table: pyarrow.Table) -> Callable[[], Callable[[], Any]] | None:
    """DuckDB's windows for the two conditions alone, on one thread; None: it is not installed."""
    try:
        import duckdb as duck
    except ImportError:
        return None
    connection = duck.connect()
    connection.execute("SET threads = 1")
    connection.register("ticks", table)
    return lambda: lambda: connection.execute(WINDOWS).fetchall()


def pandas_peer(table: pyarrow.Table) -> Callable[[], Callable[[], Any]] | None:
    """``pandas-match-recognize``; None: it is not installed."""
    try:
        from match_recognize import match_recognize
    except ImportError:
        return None
    frame = table.to_pandas()
    return lambda: lambda: match_recognize(V_SHAPE.replace("ticks", "df"), frame)


def beside(rows: int) -> Iterator[str]:
    """The V shape beside others."""
    for what, by_time in (("sorted", False), ("by time", True)):
        table = ticks(rows, by_time)
        jobs = {"V shape": engine(V_SHAPE, table)}
        if (windows := duckdb(table)) is not None:
            jobs["DuckDB's windows"] = windows
        seconds = interleaved(jobs, 5)
        own = seconds.pop("V shape")
        yield f"V shape, {rows:,} rows {what}: {own:.2f} s, {rate(rows, own)}"
        yield from (f"    {own / other:.2f} times {name} ({other:.2f} s)" for name, other in seconds.items())
    yield from _slower(rows)


def _slower(rows: int) -> Iterator[str]:
    """Those that take too long for all rows: rates on fewer."""
    some = ticks(max(rows // 4, KEYS * 3))
    assert tuples.match(V_SHAPE, some).to_arrow().equals(by_hand(some))
    own = interleaved({"own": engine(V_SHAPE, some), "by hand": lambda: lambda: by_hand(some)}, 3)
    yield f"    {own['by hand'] / own['own']:.1f} times as fast as a loop by hand, on {some.num_rows:,} rows"
    few = ticks(KEYS * 3)
    if (peer := pandas_peer(few)) is not None:
        both = interleaved({"own": engine(V_SHAPE, few), "peer": peer}, 1)
        yield f"    {both['peer'] / both['own']:,.0f} times as fast as pandas-match-recognize, on {few.num_rows:,} rows"


def searches(rows: int) -> Iterator[str]:
    """Conditions that read the match, and WITHIN."""
    table = ticks(rows)
    seconds = interleaved({name: engine(text, table) for name, text in {"V shape": V_SHAPE, **SEARCHES}.items()}, 3)
    own = seconds.pop("V shape")
    yield from (f"{name}: {other / own:.2f} times the V shape ({other:.2f} s)" for name, other in seconds.items())


def without_matches(rows: int) -> Iterator[str]:
    """Patterns that match nothing, on one partition of a million rows and of two."""
    tables = [_one_partition(count) for count in (rows // 10, rows // 5)]
    for name, (pattern, definition) in NEVER.items():
        text = ONE.format(f"ORDER BY t {MEASURES}", f"PATTERN ({pattern})", definition)
        jobs = {str(table.num_rows): engine(text, table) for table in tables}
        once, twice = interleaved({**jobs, "V shape": engine(V_SHAPE, tables[0])}, 5), 0.0
        shape = once.pop("V shape")
        least, twice = once.values()
        yield f"{name} without a match: twice the rows {twice / least:.2f} times, {least / shape:.2f} times the V shape"


def _one_partition(rows: int) -> pyarrow.Table:
    table = ticks(rows)
    return table.set_column(1, "t", pyarrow.array(np.arange(table.num_rows) * 1_000_000, pyarrow.timestamp("us")))


def main(arguments: Sequence[str]) -> None:
    """All of it, line by line."""
    rows = int(arguments[0]) if arguments else 10_000_000
    for part in (beside, searches, without_matches, beside_others):
        for line in part(rows):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
