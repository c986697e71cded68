"""Streaming jobs: what microbatches and the end of the input give together is what one engine gives."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pyoxigraph
import pytest

from spaseq.spark import finish, match
from spaseq.streams.event import Event
from tests.cases.loader import cases
from tests.spark.session import session, stream_of, why_not
from tests.spark.whole_suite import OwnCase, counted, in_process, table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
BUCKETS = 8
LATE = """SELECT ?a FROM STREAM S <urn:S> FROM STREAM T <urn:T> WHERE { SEQ(A | B)
    DEFINE GPM A ON S { ?a <urn:p> ?b } DEFINE GPM B ON T { ?a <urn:p> ?b } }"""
QUADS = list(pyoxigraph.parse(b"<urn:a> <urn:p> <urn:b> .", format=pyoxigraph.RdfFormat.N_TRIPLES))
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
        told.update({name: value or 0 for name, value in progress.observedMetrics["spaseq"].asDict().items()})
    rows: list[dict[str, Any]] = session().read.parquet(str(folder / "out")).toArrow().to_pylist()
    return rows, told


def test_all_cases_in_one_job(tmp_path: Path) -> None:
    own = [OwnCase(case) for case in cases()]
    queries = {name: query for one in own for name, query in one.queries.items()}
    background = {iri: graph for one in own for iri, graph in one.background.items()}
    several = [name for one in own if one.has_several_keys(BUCKETS) for name in one.queries]
    events = [event for one in own for event in one.events]
    written(events, tmp_path / "in", 5, seed=1)
    found = match(stream_of(tmp_path / "in"), queries, background, lateness=DELAY, buckets=BUCKETS, whole=several)
    rows, told = drained(found, tmp_path)
    left = finish(session(), str(tmp_path / "checkpoint"), queries, background, buckets=BUCKETS, whole=several)
    wanted = in_process(queries, background, table_of(events))
    assert counted([*rows, *left.toArrow().to_pylist()], queries) == wanted
    assert told["matches"] == len(rows) > 0.9 * wanted.total()
    assert told["late"] == 0 and told["events"] > 0 and told["hit"] + told["rebuilt"] + told["catch-up"] > 0


def test_late_events_are_counted_by_stream(tmp_path: Path) -> None:
    """What came in time with the second file is promised with it, so the third one is late."""
    files = [[(1, "S"), (50, "S"), (60, "T")], [(70, "T"), (51, "S")], [(5, "S"), (57, "S"), (7, "T")]]
    (tmp_path / "in").mkdir()
    for number, words in enumerate(files):
        path = tmp_path / "in" / f"{number:03}.parquet"
        pyarrow.parquet.write_table(
            table_of(Event(f"urn:{s}", t * 1_000_000, f"urn:e{t}", QUADS) for t, s in words), path
        )
        os.utime(path, (number, number))
    rows, told = drained(match(stream_of(tmp_path / "in"), LATE, lateness=DELAY), tmp_path)
    assert (told["late of <urn:S>"], told["late of <urn:T>"], told["late"], told["events"]) == (2, 1, 3, 5)
    given = {event for row in rows for events in dict(row["events"]).values() for event in events}
    assert given >= {"urn:e1", "urn:e50", "urn:e51"} and not given & {"urn:e5", "urn:e57", "urn:e7"}
