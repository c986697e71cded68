"""``Engine.snapshot`` and ``Engine.restore``: results go on as if nothing had happened; what does not fit is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import spaseq
from spaseq import OptionError, QueryError, SnapshotError
from spaseq.tuples import Engine, prepare
from tests.snapshots.tuples import QUERIES, row, started

PAIR = "SELECT * FROM S WHERE A ; B WITHIN 9 SECONDS"
END = 150


def rows(begin: int, end: int) -> list[dict[str, Any]]:
    return [row(number) for number in range(begin, end)]


def texts(found: list[tuple[str, pyarrow.Table]]) -> list[str]:
    return [f"{name} {one}" for name, table in found for one in table.to_pylist()]


@pytest.mark.parametrize("cut", [0, 1, 40, 97])
def test_all_ways_go_on(cut: int) -> None:
    whole, before = started(1_000_000), started(1_000_000)
    assert texts(before.push(rows(0, cut))) == texts(whole.push(rows(0, cut)))
    data = before.snapshot()
    assert data == before.snapshot()
    after = Engine.restore(data, {name: prepare(text) for name, text in QUERIES.items()})
    assert after.snapshot() == data
    for begin in range(cut, END, 11):
        assert texts(after.push(rows(begin, min(begin + 11, END)))) == texts(
            whole.push(rows(begin, min(begin + 11, END)))
        )
    assert texts(after.close()) == texts(whole.close())
    told, wanted = after.statistics(), whole.statistics()
    assert told["streams"] == wanted["streams"]
    assert [query["results"] for query in told["queries"].values()] == [
        query["results"] for query in wanted["queries"].values()
    ]


GO_ON = """
import sys
from tests.tuples.test_snapshots import END, Engine, QUERIES, rows, texts
engine = Engine.restore(open(sys.argv[1], "rb").read(), QUERIES)
print(*texts(engine.push(rows(60, END))), *texts(engine.close()), sep="\\n")
"""


def test_another_process_goes_on(tmp_path: Path) -> None:
    whole = started(1_000_000)
    whole.push(rows(0, 60))
    place = tmp_path / "state"
    place.write_bytes(whole.snapshot())
    found = subprocess.run([sys.executable, "-c", GO_ON, place], capture_output=True, text=True, check=True).stdout
    assert found.splitlines() == texts(whole.push(rows(60, END))) + texts(whole.close())


def test_streams_with_names() -> None:
    engine = Engine(time="time", lateness=500_000)
    engine.register("SELECT * FROM S, T WHERE S>A ; T>B WITHIN 9 SECONDS", "q")
    engine.push(rows(0, 30), stream="S")
    engine.push(rows(0, 12), stream="T")
    other = Engine.restore(engine.snapshot(), ["SELECT * FROM S, T WHERE S>A ; T>B WITHIN 9 SECONDS"])
    for stream, begin, end in (("T", 12, 40), ("S", 30, 50)):
        assert texts(other.push(rows(begin, end), stream)) == texts(engine.push(rows(begin, end), stream))
    assert texts(other.close("S") + other.close()) == texts(engine.close("S") + engine.close())


def test_queries_that_wait_or_are_over() -> None:
    engine = Engine(time="time", lateness=10_000_000)
    engine.register(PAIR, "waits")
    engine.push(rows(0, 10))
    engine.register(PAIR, "later")
    queries = {"waits": PAIR, "later": PAIR}
    other = Engine.restore(engine.snapshot(), queries)
    assert other.statistics() == engine.statistics()
    assert texts(other.push(rows(10, 99))) == texts(engine.push(rows(10, 99)))
    engine = Engine()
    engine.register("SELECT * FROM S WHERE A FILTER A[height > 1]", "over")
    with pytest.raises(QueryError, match="height"):
        engine.push(rows(0, 10))
    other = Engine.restore(engine.snapshot(), ["SELECT * FROM S WHERE A FILTER A[height > 1]"])
    assert other.statistics() == engine.statistics()
    assert other.push(rows(10, 20)) == []


def test_results_must_be_taken() -> None:
    engine = Engine()
    engine.register("SELECT * FROM S WHERE A ; B", "q")
    tables = engine.push_tables(rows(0, 50))
    next(tables)
    with pytest.raises(spaseq.BusyError):
        engine.snapshot()
    tables.close()
    with pytest.raises(OptionError, match="results wait"):
        engine.snapshot()


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ({"r": PAIR}, 'of the queries "q", not of "r"'),
        ({}, 'of the queries "q", not of none'),
        ([PAIR, PAIR], "of 1 queries"),
        ({"q": PAIR.replace("9", "8")}, 'another query "q"'),
    ],
)
def test_other_queries(queries: Any, message: str) -> None:
    engine = Engine(time="time")
    engine.register(PAIR, "q")
    with pytest.raises(SnapshotError, match=message):
        Engine.restore(engine.snapshot(), queries)


def test_what_is_no_snapshot() -> None:
    data = started(0).snapshot()
    with pytest.raises(SnapshotError, match="digest"):
        Engine.restore(data[:-1] + bytes([data[-1] ^ 1]), QUERIES)
    with pytest.raises(SnapshotError, match="no snapshot of an engine of tuples"):
        Engine.restore(b"x" * 100, QUERIES)
    with pytest.raises(SnapshotError, match="but one of a SPAseq engine"):
        Engine.restore(spaseq.Engine().snapshot(), QUERIES)
    with pytest.raises(SnapshotError, match="no snapshot of a SPAseq engine, but one of an engine of tuples"):
        spaseq.Engine.restore(data, [])
    with pytest.raises(SnapshotError, match="has version 9; this program reads version 1"):
        Engine.restore(data[:8] + (9).to_bytes(4, "little") + data[12:], QUERIES)
    with pytest.raises(OptionError, match="a snapshot is bytes"):
        Engine.restore("data", QUERIES)  # type: ignore[arg-type]
