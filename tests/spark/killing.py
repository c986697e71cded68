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
from spaseq.spark.packing import EVENT
from tests.spark.session import session, stream_of, why_not
from tests.spark.whole_suite import counted, in_process

FILES, EVENTS, COMPANIES = 12, 400, 40  # files, events in each
LATENESS = 2_000_000  # µs
QUERY = Path("examples/stocks/v_shape.spaseq")
STOCK = "https://spaseq.org/ontology/stock#"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
GRAPH = f'<urn:q> <{STOCK}company> <urn:c{{}}> .\n<urn:q> <{STOCK}price> "{{}}"^^<{INTEGER}> .'


def rows(seed: int, files: int = FILES) -> pyarrow.Table:
    """Quotes of some companies, less than the lateness out of order."""
    chance = random.Random(seed)
    found = []
    for number in range(files * EVENTS):
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
    writing = writing.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True)
    query = writing.start()
    print("begun", flush=True)
    query.awaitTermination()


def start(folder: Path, *more: str) -> subprocess.Popen[bytes]:
    """The job in a process group of its own."""
    command = [sys.executable, "-m", "tests.spark.killing", "--run", str(folder), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def kill(job: subprocess.Popen[bytes]) -> None:
    """End the job, its JVM and its workers at once."""
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    time.sleep(2)  # Python workers notice that their JVM has gone


def kill_after(folder: Path, seconds: float) -> bool:
    """Run the job, and kill it so long after it has begun; whether it lasted."""
    job = start(folder)
    assert job.stdout is not None
    job.stdout.readline()
    try:
        _, errors = job.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        kill(job)
        return True
    _check(job, errors)
    return False


def kill_between(folder: Path) -> bool:
    """Run the job, and kill it when its sink has committed a batch and Spark has not; whether that came about."""
    job, written, commits = start(folder), folder / "out" / "_spark_metadata", folder / "checkpoint" / "commits"
    while job.poll() is None:
        if _names(written) - _names(commits):
            kill(job)
            return bool(_names(written) - _names(commits))
        time.sleep(0.0005)
    _check(job, b"")
    return False


def _names(folder: Path) -> set[str]:
    """The batches in a folder of Spark's."""
    return {path.name for path in folder.glob("*") if path.name.isdigit()}


def _check(job: subprocess.Popen[bytes], errors: bytes) -> None:
    if job.returncode:
        sys.exit(f"the job ended with {job.returncode}:\n{errors.decode()[-3000:]}")


def written(table: pyarrow.Table, folder: Path, files: int) -> None:
    """A table as so many files, each a microbatch."""
    folder.mkdir()
    size = -(-len(table) // files)
    for number in range(files):
        path = folder / f"{number:03}.parquet"
        pyarrow.parquet.write_table(table.slice(number * size, size), path)
        os.utime(path, (number, number))  # Spark reads the oldest first


def lost_and_doubled(
    folder: Path, seed: int, kills: int, between: int, files: int = FILES, most: float = 30
) -> tuple[int, int, int]:
    """How often the job was killed, at random moments and between two commits; how much was lost, and came twice."""
    table, chance = rows(seed, files), random.Random(seed)
    written(table, folder / "in", files)
    killed = sum(kill_between(folder) for _ in range(between))
    killed += sum(kill_after(folder, chance.uniform(0, most)) for _ in range(kills))
    lost, doubled = run_and_compare(folder, seed, files)
    return killed, lost, doubled


def run_and_compare(folder: Path, seed: int, files: int) -> tuple[int, int]:
    """Run the job to its end; then, in its process, what ``compared`` gives."""
    job = start(folder, str(seed), str(files))
    given, errors = job.communicate(timeout=900)
    _check(job, errors)
    told, lost, doubled = given.decode().splitlines()[-3:]
    print(told)
    return int(lost), int(doubled)


def compared(folder: Path, table: pyarrow.Table) -> tuple[int, int]:
    """How much of what one engine finds was neither written nor is left in the state, and how much more there is."""
    queries = {"query1": spaseq.prepare(QUERY)}
    out = session().read.parquet(str(folder / "out")).toArrow().to_pylist()
    left = finish(session(), str(folder / "checkpoint"), QUERY).toArrow().to_pylist()
    found: Counter[Any] = counted([*out, *left], queries)
    wanted = in_process(queries, {}, table)
    print(f"{len(out)} matches + {len(left)} left, {wanted.total()} in process")
    return (wanted - found).total(), (found - wanted).total()


def main(kills: int, seed: int) -> int:
    """Kill the job so often at random moments, and half as often between two commits."""
    if reason := why_not():
        print(f"skipped: {reason}")
        return 0
    with tempfile.TemporaryDirectory() as name:
        killed, lost, more = lost_and_doubled(Path(name), seed, kills, max(1, kills // 2))
    print(f"{killed} kills: {lost} lost, {more} too many")
    return 1 if lost or more else 0


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(Path(sys.argv[2]))
        if sys.argv[3:]:
            print(*compared(Path(sys.argv[2]), rows(*map(int, sys.argv[3:]))), sep="\n")
    else:
        sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
