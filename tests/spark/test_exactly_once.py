"""Whatever fails, nothing is lost and nothing comes twice: a sink, a task after its work, workers, the whole job."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow
import pyarrow.parquet
import pytest
from pyspark.errors import StreamingQueryException

import spaseq
from spaseq.spark import finish, match
from tests.spark import killing
from tests.spark.killing import LATENESS, QUERY
from tests.spark.session import session, stream_of, why_not
from tests.spark.whole_suite import counted, in_process

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


def once(marker: Path) -> bool:
    """Whether it is the first time."""
    first = not marker.exists()
    marker.touch()
    return first


def failing_once(marker: str, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Rows as they are; the task that is done first fails then."""
    yield from batches
    if once(Path(marker)):
        raise RuntimeError("after its work")


def workers() -> list[int]:
    """The Python workers of this process' JVM."""
    parents, daemons = {}, set()
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if "pyspark.daemon" in (place / "cmdline").read_text():
                daemons.add(int(place.name))
        except OSError:  # it has ended
            continue
    return [pid for pid in daemons if parents[pid] in daemons and _is_below(pid, os.getpid(), parents)]


def _is_below(pid: int, top: int, parents: dict[int, int]) -> bool:
    while pid > 1 and pid != top:
        pid = parents.get(pid, 0)
    return pid == top


@pytest.mark.xdist_group("spark")
def test_a_sink_a_task_and_workers_that_fail_once(tmp_path: Path) -> None:
    table = killing.rows(7).slice(0, 2400)
    killing.written(table, tmp_path / "in", 6)
    killed = []

    def write(rows: DataFrame, number: int) -> None:
        rows.write.mode("overwrite").parquet(str(tmp_path / f"out/batch={number}"))
        if number == 2 and once(tmp_path / "sink"):
            raise RuntimeError("a full disk")
        if number == 4:
            killed.extend(workers())
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    def start() -> None:
        found = match(stream_of(tmp_path / "in"), QUERY, lateness=LATENESS)
        found = found.mapInArrow(partial(failing_once, str(tmp_path / "task")), found.schema)
        writing = found.writeStream.foreachBatch(write).option("checkpointLocation", str(tmp_path / "checkpoint"))
        writing.trigger(availableNow=True).start().awaitTermination()

    with pytest.raises(StreamingQueryException, match="a full disk"):
        start()
    start()
    assert killed and (tmp_path / "task").exists()
    queries = {"query1": spaseq.prepare(QUERY)}
    out = session().read.parquet(str(tmp_path / "out")).drop("batch").toArrow().to_pylist()
    left = finish(session(), str(tmp_path / "checkpoint"), QUERY).toArrow().to_pylist()
    assert counted([*out, *left], queries) == in_process(queries, {}, table)
    assert len(out) > len(left)


@pytest.mark.deep
@pytest.mark.xdist_group("spark processes")
def test_a_job_that_is_killed_between_two_commits(tmp_path: Path) -> None:
    seed = random.Random(5).randrange(1000)
    found = killing.lost_and_doubled(tmp_path, seed, kills=0, between=1, files=5, most=10)
    assert found[0] >= 1 and found[1:] == (0, 0)
