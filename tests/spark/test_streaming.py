"""Streaming jobs: what microbatches and the end of the input give together is what one engine gives."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest

from spaseq.sources.rdf.events import Event
from spaseq.spark import Losses, finish, match
from spaseq.spark.packing import EVENT
from tests.cases.loader import cases
from tests.slices import first
from tests.spark.session import session, stream_of, why_not
from tests.spark.whole_suite import OwnCase, counted, in_process, table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
BUCKETS = 4
LATE = """SELECT ?a FROM STREAM S <urn:S> FROM STREAM T <urn:T> WHERE { SEQ(A | B)
    DEFINE GPM A ON S { ?a <urn:p> ?b } DEFINE GPM B ON T { ?a <urn:p> ?b } }"""
GRAPH = "<urn:a> <urn:p> <urn:b> ."
DELAY = 2_000_000  # µs by which events may be disordered


def written(events: Sequence[Event], folder: Path, files: int, seed: int) -> None:
    """Events as so many files, one for each microbatch, out of order by less than the delay."""
    chance = random.Random(seed)
    delays = {event.timestamp: chance.randrange(DELAY) for event in events}
    coming = sorted(events, key=lambda event: event.timestamp + delays[event.timestamp])
    folder.mkdir()
    size = -(-len(coming) // files)
    for number in range(files):
        path = folder / f"{number:03}.parquet"
        pyarrow.parquet.write_table(table_of(coming[number * size :][:size]), path)
        os.utime(path, (number, number))  # Spark reads the oldest first


def drained(found: DataFrame, folder: Path) -> tuple[list[dict[str, Any]], Counter[str]]:
    """All that a streaming data frame gives until its input ends, and the sums of what its progress told."""
    writing = found.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = writing.option("path", str(folder / "out")).trigger(availableNow=True).start()
    query.awaitTermination()
    told: Counter[str] = Counter()
    for progress in query.recentProgress:
        for kind, prefix in (("spaseq", ""), ("spaseq rows", "rows ")):
            metrics = progress.observedMetrics[kind].asDict().items()
            told.update({prefix + name: value or 0 for name, value in metrics})
    rows: list[dict[str, Any]] = session().read.parquet(str(folder / "out")).toArrow().to_pylist()
    return rows, told


@pytest.mark.parametrize("part", first(1, range(3)))
def test_all_cases_in_one_job(part: int, tmp_path: Path) -> None:
    own = [OwnCase(case) for case in list(cases())[part::3]]
    queries = {name: query for one in own for name, query in one.queries.items()}
    background = {iri: graph for one in own for iri, graph in one.background.items()}
    several = [name for one in own if one.has_several_keys(BUCKETS) for name in one.queries]
    events = [event for one in own for event in one.events]
    written(events, tmp_path / "in", 4, seed=1)
    found = match(stream_of(tmp_path / "in"), queries, background, lateness=DELAY, buckets=BUCKETS, whole=several)
    rows, told = drained(found, tmp_path)
    left = finish(session(), str(tmp_path / "checkpoint"), queries, background, buckets=BUCKETS, whole=several)
    wanted = in_process(queries, background, table_of(events))
    assert counted([*rows, *left.toArrow().to_pylist()], queries) == wanted
    assert told["matches"] == len(rows) > 0.9 * wanted.total()
    assert told["late"] == 0 and told["events"] > 0 and told["hit"] + told["rebuilt"] + told["catch-up"] > 0


def test_late_events_are_counted_by_stream_and_given(tmp_path: Path) -> None:
    """What came with one file is promised to the next: 51 is late in the second, and the third one is as a whole.

    Two queries that are not cut have engines of their own: an event counts in one of them.
    """
    files = [[(1, "S"), (50, "S"), (60, "T"), (65, "no graph"), (66, "other")], [(70, "T"), (51, "S")],
             [(5, "S"), (57, "S"), (7, "T"), (8, "other")]]  # fmt: skip
    (tmp_path / "in").mkdir()
    for number, words in enumerate(files):
        path = tmp_path / "in" / f"{number:03}.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist([word(*one) for one in words], EVENT), path)
        os.utime(path, (number, number))
    queries, df = {"one": LATE, "two": LATE.replace("?a ", "?x ")}, stream_of(tmp_path / "in")
    found = match(df, queries, lateness=DELAY, whole=["one", "two"], on_error="skip", late=True)
    rows, told = drained(found, tmp_path)
    assert (told["late of <urn:S>"], told["late of <urn:T>"], told["late"], told["events"]) == (3, 1, 4, 4)
    assert (told["rows events"], told["rows skipped"], told["rows dropped"]) == (8, 1, 2)
    assert sum(map(len, files)) == told["events"] + told["late"] + told["rows skipped"] + told["rows dropped"]
    given = {event for row in rows if row["query"] for events in dict(row["events"]).values() for event in events}
    assert given >= {"urn:e1", "urn:e50"} and not given & {"urn:e51", "urn:e5", "urn:e57", "urn:e7"}
    late = {row["derived"]["event"]: row for row in rows if row["query"] is None}
    assert sorted(late) == ["urn:e5", "urn:e51", "urn:e57", "urn:e7"]
    assert late["urn:e7"]["derived"] == {
        "stream": "urn:T",
        "time": datetime.fromtimestamp(7, UTC),
        "event": "urn:e7",
        "graph": f"{GRAPH}\n",
    }
    assert late["urn:e7"]["first"] == late["urn:e7"]["last"] == datetime.fromtimestamp(7, UTC)


def word(time: int, stream: str) -> dict[str, Any]:
    """A row of one of the two streams, if need be one that is no event, or that nobody needs."""
    graph = {"no graph": "no", "other": GRAPH.replace("urn:p", "urn:other")}.get(stream, GRAPH)
    name = f"urn:{stream}" if len(stream) == 1 else "urn:S"
    return {"stream": name, "time": time * 1_000_000, "event": f"urn:e{time}", "graph": graph.encode()}


def test_columns_with_types(tmp_path: Path) -> None:
    query = (
        """SELECT ?v (str(?v) AS ?text) FROM STREAM S <urn:S> WHERE { SEQ(A) DEFINE GPM A ON S { ?a <urn:p> ?v } }"""
    )
    rows = [word(time, "S") for time in range(4)]
    for row, value in zip(rows, ("1.25", "2", "1e3", "<urn:x>"), strict=True):
        row["graph"] = f"<urn:a> <urn:p> {value} .".encode()
    (tmp_path / "in").mkdir()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, EVENT), tmp_path / "in" / "000.parquet")
    types, df = {"v": "decimal(18, 4)", "text": "string"}, stream_of(tmp_path / "in")
    rows, told = drained(match(df, query, types=types), tmp_path)
    rows += finish(session(), str(tmp_path / "checkpoint"), query, types=types).toArrow().to_pylist()
    values = {row["last"].second: (row["v"], row["text"]) for row in rows}
    assert values == {0: (Decimal("1.25"), "1.25"), 1: (2, "2"), 2: (None, "1000"), 3: (None, "urn:x")}
    assert told["misfits"] == 2
    losses, given = Losses(session()), session().read.parquet(str(tmp_path / "in"))
    given = given.unionByName(given.limit(1).selectExpr("stream", "time", "event", "NULL AS graph"))
    batch = match(given, query, types=types, on_error="skip", losses=losses)
    found = batch.select("v").toArrow()
    assert found.schema.types == [pyarrow.decimal128(18, 4)] and len(found) == 4
    assert losses.counts == {"skipped": 1, "dropped": 0, "misfits": 2}
