"""A streaming job with a query in SQL that is killed and started again; ``--run FOLDER`` is the job itself."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow

from spaseq import tuples
from spaseq.spark import finish_tuples, match_tuples
from tests.spark.killing import kill, written
from tests.spark.session import session

FILES, EACH, KEYS = 8, 300, 6  # files, rows in each
LATENESS = 2_000_000  # µs
DDL = "k int, at timestamp, v int"
TEXT = """SELECT k, n, high, low, begins FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY at
    MEASURES MATCH_NUMBER() AS n, top.v AS high, LAST(down.v) AS low, FIRST(at) AS begins
    PATTERN (top down+ up) WITHIN INTERVAL '5' SECOND DEFINE down AS v < PREV(v), up AS v > top.v)"""


def rows() -> pyarrow.Table:
    """Rows with times of their own, less than the lateness out of order."""
    draw = random.Random(4)
    times = [1_000_000 + number * 20_000 for number in range(FILES * EACH)]
    found = [{"k": draw.randrange(KEYS), "at": time, "v": draw.randrange(100)} for time in times]
    found.sort(key=lambda row: row["at"] + draw.randrange(LATENESS))
    schema = {"k": pyarrow.int32(), "at": pyarrow.timestamp("us", "UTC"), "v": pyarrow.int32()}
    return pyarrow.Table.from_pylist(found, pyarrow.schema(schema))


def run(folder: Path) -> None:
    """The job, until its input ends."""
    stream = session().readStream.schema(DDL).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    found = match_tuples(stream, TEXT, lateness=LATENESS)
    writing = found.writeStream.format("parquet").option("path", str(folder / "out"))
    writing = writing.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True)
    writing.start().awaitTermination()


def start(folder: Path) -> subprocess.Popen[bytes]:
    """The job in a process group of its own."""
    command = [sys.executable, "-m", "tests.spark.tuples.killed_row_patterns", "--run", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def killed_behind(folder: Path, batches: int) -> bool:
    """Run the job, and kill it when so many microbatches are done and another one has begun; whether it lasted."""
    job = start(folder)
    while job.poll() is None:
        if len([*(folder / "checkpoint" / "offsets").glob("[0-9]*")]) > batches:
            kill(job)
            return True
        time.sleep(0.001)
    return False


def lost_and_doubled(folder: Path) -> tuple[int, int, int]:
    """How often the job was killed; how much was lost then, and came twice."""
    table = rows()
    written(table, folder / "in", FILES)
    kills = sum(killed_behind(folder, batches) for batches in (3, 6))
    job = start(folder)
    _, errors = job.communicate(timeout=300)
    assert not job.returncode, errors.decode()[-3000:]
    given = session().read.parquet(str(folder / "out"))
    left = finish_tuples(session(), str(folder / "checkpoint"), session().createDataFrame([], DDL).schema, TEXT)
    assert given.count() > left.count()
    wanted = tuples.match(TEXT, table).to_arrow()
    found = sum((counted(each.toArrow().cast(wanted.schema)) for each in (given, left)), Counter[str]())
    return kills, (counted(wanted) - found).total(), (found - counted(wanted)).total()


def counted(table: pyarrow.Table) -> Counter[str]:
    """Rows that compare."""
    return Counter(map(repr, table.to_pylist()))


if __name__ == "__main__":
    run(Path(sys.argv[2]))
