"""The rows of the benchmarks of row patterns, and the V shape in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow

from spaseq import tuples

KEYS = 1_000
V_SHAPE = """SELECT * FROM ticks MATCH_RECOGNIZE (PARTITION BY k ORDER BY t
    MEASURES FIRST(A.v) AS top, LAST(B.v) AS bottom, LAST(C.v) AS last PATTERN (A B+ C+)
    DEFINE B AS B.v < PREV(B.v), C AS C.v > PREV(C.v))"""


def ticks(rows: int, by_time: bool = False) -> pyarrow.Table:
    """Random walks of a thousand keys, a value a second: key after key, or by time."""
    count = rows // KEYS
    walks = np.round(100 + np.cumsum(np.random.default_rng(1).normal(0, 1, (KEYS, count)), axis=1), 2)
    keys, times = np.repeat(np.arange(KEYS), count), np.tile(np.arange(count), KEYS)
    values = walks.ravel()
    if by_time:
        keys, times, values = np.tile(np.arange(KEYS), count), np.repeat(np.arange(count), KEYS), walks.T.ravel()
    seconds = pyarrow.array(times * 1_000_000, pyarrow.timestamp("us"))
    return pyarrow.table({"k": keys, "t": seconds, "v": values})


def engine(query: str, table: pyarrow.Table) -> Callable[[], Callable[[], Any]]:
    """A query on a table."""
    return lambda: lambda: tuples.match(query, table).to_arrow()
