"""A streaming job that is killed at random moments and started again: ``python -m tests.spark.killing KILLS SEED``.

What it has written, and what ``finish`` gives of its state, must be what one engine finds: nothing lost, nothing twice.
It prints how often the job was killed, and what was lost or doubled; its status is 1 if anything was.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

import spaseq
from spaseq.spark import finish, match
from spaseq.spark.schemas import EVENT
from tests.spark.session import session, stream_of, why_not
from tests.spark.whole_suite import counted, in_process

FILES, EVENTS, COMPANIES = 12, 400, 40  # files, events in each
LATENESS = 2_000_000  # µs
QUERY = Path("examples/stocks/v_shape.spaseq")
STOCK = "https://spaseq.org/ontology/stock#"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
GRAPH = f'<urn:q> <{STOCK}company> <urn:c{{}}> .\n<urn:q> <{STOCK}price> "{{}}"^^<{INTEGER}> .'


def rows(seed: int) -> pyarrow.Table:
    """Quotes of some companies, less than the lateness out of order."""
    chance = random.Random(seed)
    found = []
    for number in range(FILES * EVENTS):
        time_ = 1_000_000 + number * 20_000 + chance.randrange(LATENESS)
        graph = GRAPH.format(chance.randrange(COMPANIES), chance.randrange(50, 150))
        found.append({"stream": "stock", "time": time_, "event": f"urn:e{number}", "graph": graph.encode()})
    return pyarrow.Table.from_pylist(found, EVENT)


def run(folder: Path) -> None:
    """The job, until its input ends."""
    writing = (
        match(stream_of(folder / "in"), QUERY, lateness=LATENESS)
        .writeStream.format("parquet")
        .option("path", str(folder / "out"))
    )
    writing.option("checkpointLocation", str(folder / "checkpoint")).trigger(
        availableNow=True
    ).start().awaitTermination()


def kill_now_and_then(folder: Path, kills: int, chance: random.Random) -> int:
    """Run the job, killed so many times if it lasts; how often it was."""
    killed = 0
    while True:
        command = [sys.executable, "-m", "tests.spark.killing", "--run", str(folder)]
        job = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        try:
            _, errors = job.communicate(timeout=chance.uniform(12, 40) if killed < kills else 600)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
            killed += 1
            time.sleep(2)  # Python workers notice that their JVM has gone
            continue
        if job.returncode:
            sys.exit(f"the job ended with {job.returncode}:\n{errors.decode()[-3000:]}")
        return killed


def main(kills: int, seed: int) -> int:
    if reason := why_not():
        print(f"skipped: {reason}")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder, table = Path(name), rows(seed)
        (folder / "in").mkdir()
        for number in range(FILES):
            path = folder / "in" / f"{number:03}.parquet"
            pyarrow.parquet.write_table(table.slice(number * EVENTS, EVENTS), path)
            os.utime(path, (number, number))  # Spark reads the oldest first
        killed = kill_now_and_then(folder, kills, random.Random(seed))
        return compared(folder, table, killed)


def compared(folder: Path, table: pyarrow.Table, killed: int) -> int:
    """Whether what was written, with what is left in the state, is what one engine finds."""
    queries = {"query1": spaseq.prepare(QUERY)}
    out = session().read.parquet(str(folder / "out")).toArrow().to_pylist()
    left = finish(session(), str(folder / "checkpoint"), QUERY).toArrow().to_pylist()
    found: Counter[Any] = counted([*out, *left], queries)
    wanted = in_process(queries, {}, table)
    lost, more = (wanted - found).total(), (found - wanted).total()
    given = f"{len(out)} matches + {len(left)} left, {wanted.total()} in process"
    print(f"{killed} kills: {given}, {lost} lost, {more} too many")
    return 1 if lost or more else 0


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(Path(sys.argv[2]))
    else:
        sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
