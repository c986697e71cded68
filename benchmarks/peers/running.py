"""One query on one engine: how many events it took, in what time, and what it found."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow

from benchmarks.ceql import updating
from benchmarks.peers.installing import CACHE, Peer, reason
from benchmarks.peers.queries import Query, Statements
from benchmarks.peers.texts import ceql, esper, siddhi
from benchmarks.timing import Job
from spaseq.tuples import match, prepare as prepare_text

OPTIONS = ("-XX:+UseSerialGC", "-Xmx2g")
ENOUGH = 0.5  # CPU seconds of all runs of ours
LONG = 500_000  # events of a run of ours, so that it is long enough to be measured
PATIENCE = 300  # seconds for a process that gets little of the CPU


@dataclass(frozen=True, slots=True)
class Measured:
    """A run took so many events, found so many matches, and took so many CPU seconds."""

    events: int
    matches: int
    seconds: float

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds


@dataclass(frozen=True, slots=True)
class Failed:
    """There is no figure, and why."""

    reason: str


def run_peer(peer: Peer, classes: str, query: Query | Statements, events: Path, limit: float) -> Measured | Failed:
    """A peer on a file of events; after ``limit`` CPU seconds it stops where it is."""
    command = ["java", *OPTIONS, "-cp", classes, peer.driver, str(events), str(limit), _argument(peer, query)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=10 * limit + PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return Failed("it did not come to an end")
    return read(ran.stdout, ran.stderr)


def _argument(peer: Peer, query: Query | Statements) -> str:
    """The query as the driver takes it: its name for Flink, where it is compiled, else a file; many are for Esper."""
    if peer.name == "flink":
        return query.name
    written = CACHE / peer.name / f"{query.name}.txt"
    if isinstance(query, Statements):
        written.write_text(";\n".join(map(esper, query.queries)))
    else:
        written.write_text({"esper": esper, "siddhi": siddhi}[peer.name](query))
    return str(written)


def read(output: str, errors: str) -> Measured | Failed:
    """What a driver says."""
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        return Failed(reason(errors))
    said = json.loads(lines[-1])
    if "failure" in said:
        return Failed(said["failure"])
    return Measured(said["events"], said["matches"], max(said["seconds"], 0.001) / said["runs"])


def run_ours(query: Query, table: pyarrow.Table, events: int = LONG) -> Measured:
    """From columns in memory to matches in arrays; the query is compiled before."""
    text = ceql(query)

    def prepare(source: pyarrow.Table) -> Job:
        return match(text, source, type="event_type", time="stock_time", unit="ms").count

    long = again_and_again(table, events)
    seconds = _mean(lambda: prepare(long))
    return Measured(len(table), int(str(prepare(table)())), seconds * len(table) / len(long))


def run_many(statements: Statements, table: pyarrow.Table, sharing: bool) -> Measured:
    """The same of many queries together, which are prepared before."""
    queries = {query.name: prepare_text(ceql(query)) for query in statements.queries}

    def prepare() -> Callable[[], dict[str, int]]:
        found = match(queries, table, type="event_type", time="stock_time", unit="ms", sharing=sharing)
        return found.counts

    return Measured(len(table), sum(prepare()().values()), _mean(prepare))


def run_update(query: Query, table: pyarrow.Table) -> float:
    """Events a second without enumeration, where it is known before which filters an event satisfies."""
    long = again_and_again(table)
    return len(long) / _mean(updating(ceql(query), long))


def again_and_again(table: pyarrow.Table, events: int = LONG) -> pyarrow.Table:
    """These events until there are so many, each time later by more than a window."""
    times = table.column("stock_time").to_numpy()
    rounds = -(-events // len(times))
    shifts = np.repeat(np.arange(rounds) * (times[-1] - times[0] + 10_000), len(times))
    long = pyarrow.concat_tables([table] * rounds).combine_chunks()
    return long.set_column(long.column_names.index("stock_time"), "stock_time", [np.tile(times, rounds) + shifts])


def _mean(prepare: Callable[[], Callable[[], object]]) -> float:
    """The CPU seconds of a run; the first one warms up."""
    prepare()()
    total, runs = 0.0, 0
    while total < ENOUGH:
        job = prepare()
        started = time.process_time()
        job()
        total += time.process_time() - started
        runs += 1
    return total / runs
