"""Streaming jobs: what microbatches and the end of the input give together is what one engine gives."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest

from spaseq.spark import finish, match
from spaseq.streams.event import Event
from tests.cases.loader import cases
from tests.spark.session import session, why_not
from tests.spark.whole_suite import OwnCase, counted, in_process, table_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
BUCKETS = 8
DELAY = 2_000_000  # µs by which events may be disordered


def written(events: Sequence[Event], folder: Path, files: int, seed: int) -> None:
    """Events as so many files, one for each microbatch, out of order by less than the delay."""
    chance = random.Random(seed)
    delays = {event.timestamp: chance.randrange(DELAY) for event in events}
    coming = sorted(events, key=lambda event: event.timestamp + delays[event.timestamp])
    folder.mkdir()
    size = -(-len(coming) // files)
    for number in range(files):
        pyarrow.parquet.write_table(table_of(coming[number * size :][:size]), folder / f"{number:03}.parquet")


def stream_of(folder: Path) -> DataFrame:
    reading = session().readStream.schema("stream string, time timestamp, event string, graph binary")
    return reading.option("maxFilesPerTrigger", 1).parquet(str(folder))


def drained(found: DataFrame, folder: Path) -> list[dict[str, Any]]:
    """All that a streaming data frame gives, until its input ends."""
    writing = found.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    writing.option("path", str(folder / "out")).trigger(availableNow=True).start().awaitTermination()
    rows: list[dict[str, Any]] = session().read.parquet(str(folder / "out")).toArrow().to_pylist()
    return rows


def test_all_cases_in_one_job(tmp_path: Path) -> None:
    own = [OwnCase(case) for case in cases()]
    queries = {name: query for one in own for name, query in one.queries.items()}
    background = {iri: graph for one in own for iri, graph in one.background.items()}
    several = [name for one in own if one.has_several_keys(BUCKETS) for name in one.queries]
    events = [event for one in own for event in one.events]
    written(events, tmp_path / "in", 5, seed=1)
    found = match(stream_of(tmp_path / "in"), queries, background, lateness=DELAY, buckets=BUCKETS, whole=several)
    rows = drained(found, tmp_path)
    left = finish(session(), str(tmp_path / "checkpoint"), queries, background, buckets=BUCKETS, whole=several)
    wanted = in_process(queries, background, table_of(events))
    assert counted([*rows, *left.toArrow().to_pylist()], queries) == wanted
    assert len(rows) > 0.9 * wanted.total()
