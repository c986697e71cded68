"""Rows and a promise that come in one step, and rows without a value whose neighbours are read."""

from __future__ import annotations

from datetime import datetime

import pytest

from spaseq import tuples
from spaseq.errors import StreamError

TIES = """t MATCH_RECOGNIZE (ORDER BY at, v MEASURES FIRST(v) AS one, LAST(v) AS other
    PATTERN (a b) WITHIN INTERVAL '10' SECOND DEFINE a AS v < 5, b AS v > 5)"""


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, 0, 0, second)


def test_a_promise_decides_rows_that_waited_for_it() -> None:
    """Rows wait for late ones; the promise that lets them go also says that none of their time comes."""
    engine = tuples.Engine(time="at", lateness=5_000_000)
    engine.register(TIES, "q")
    assert not engine.push([{"at": at(1), "v": 1}, {"at": at(2), "v": 9}])
    ((_, found),) = engine.advance(at(3))
    assert found.to_pylist() == [{"one": 1, "other": 9}]
    assert engine.due() is None and not engine.close()


@pytest.mark.parametrize(
    ("condition", "position"),
    [("1 / v > 0", 2), ("1 / PREV(v) > 0", 3), ("1 / NEXT(v) > 0", 1), ("1 / v > 0 AND NEXT(v) > 0", 2)],
)
@pytest.mark.parametrize("order", ["at", "at, v"])
def test_a_row_without_a_value_is_named_by_its_position(condition: str, position: int, order: str) -> None:
    engine = tuples.Engine(time="at")
    engine.register(TIES.replace("v < 5", f"PREV(v) >= 0 AND {condition}").replace("at, v", order), "q")
    with pytest.raises(StreamError, match=rf"/: division by zero \(at position {position}\)"):
        for second, value in enumerate([2, 2, 0, 2, 2, 2]):
            engine.push([{"at": at(second), "v": value}])
