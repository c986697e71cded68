"""The functions that a job calls in its workers, without Spark, beside ``Run`` on the same events from N-Quads.

CPU time of one process.  Rows come in batches as Spark gives them; streaming takes some microbatches, and what is
written is kept in memory.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import pyarrow

import spaseq
from benchmarks.spark.figures import Figures
from benchmarks.spark.quotes import QUERY, Quotes
from benchmarks.timing import Job, Preparation, interleaved
from spaseq.graphs.graph_run import Run
from spaseq.spark.engine_stage import evaluate
from spaseq.spark.job import Job as SparkJob
from spaseq.spark.log import LiveEngines, LoggedEngine, Report
from spaseq.spark.map_stage import NOBODY, sift
from spaseq.spark.matching import job_of
from spaseq.spark.packing import PACKED, packed
from spaseq.spark.shards import numbers_of
from tests.spark.streaming import DictStore

ROWS = 10_000  # in a batch that Spark gives a Python worker
BUCKETS = 8
TASKS = 2  # of stage 1, in each batch
Batches = Sequence[pyarrow.RecordBatch]


def new_job() -> SparkJob:
    """That of the V shape."""
    return job_of(spaseq.prepare(QUERY), spaseq.Background.load({}), BUCKETS, (), "stop", 2)


def running(path: Path) -> Preparation:
    """All results as tables of the engine."""

    def prepare() -> Job:
        run = Run(spaseq.prepare(QUERY), {"stock": str(path)})
        return lambda: sum(map(len, run.tables()))

    return prepare


def sifted(job: SparkJob, batches: Batches) -> list[pyarrow.RecordBatch]:
    """Stage 1, in two tasks."""
    halves = (batches[::TASKS], batches[1::TASKS])
    return [row for half in halves for row in sift(job, half)]


def by_label(rows: Sequence[pyarrow.RecordBatch]) -> pyarrow.Table:
    """What Spark's shuffle makes of packed rows."""
    table = pyarrow.Table.from_batches(rows, PACKED)
    return table.sort_by([(name, "ascending") for name in ("label", "first", "last")])


def bounded(batches: Batches) -> Preparation:
    """Both stages of a bounded job."""

    def prepare() -> Job:
        job = new_job()
        return lambda: sum(map(len, evaluate(job, by_label(sifted(job, batches)).to_batches())))

    return prepare


class Streaming:
    """A streaming job in one process: each engine takes its rows of each microbatch."""

    def __init__(self, size: int) -> None:
        self.job = new_job()
        self.live = LiveEngines()
        self.numbers = numbers_of(self.job.labels)
        self.stores = {label: DictStore() for label in self.job.labels}
        self.size = size
        self.watermark = 0

    def run(self, batches: Batches) -> int:
        """How many matches all events give."""
        matches, each = 0, self.size // ROWS
        for first in range(0, len(batches), each):
            matches += self.microbatch(batches[first : first + each])
        return matches

    def microbatch(self, batches: Batches) -> int:
        """How many matches come of one microbatch."""
        rows = by_label(sifted(self.job, batches)).select(["label", "data"]).to_pylist()
        matches = 0
        for label, some in groupby(rows, key=lambda row: row["label"]):
            matches += self.step(label, [row["data"] for row in some]) if label != NOBODY else 0
        self.watermark = batches[-1]["time"][-1].value
        return matches

    def step(self, label: int, rows: list[bytes]) -> int:
        """What one engine finds."""
        engine = LoggedEngine(self.job, self.numbers[label], self.stores[label], self.live, "bench")
        found = engine.step(rows, self.watermark, self.stores[label], Report())
        return sum(len(packed(one)) and len(one) for one in found)


def streamed(batches: Batches, size: int) -> Preparation:
    """Both stages of a streaming job."""

    def prepare() -> Job:
        streaming = Streaming(size)
        return lambda: streaming.run(batches)

    return prepare


def batches_of(quotes: Quotes) -> Iterator[pyarrow.RecordBatch]:
    """As Spark gives them."""
    for table in quotes.tables(ROWS):
        yield table.select(["stream", "time", "event", "graph"]).combine_chunks().to_batches()[0]


def measured(quotes: Quotes, size: int) -> dict[str, float]:
    """CPU seconds of each way."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "quotes.nq"
        quotes.write_quads(path)
        batches = list(batches_of(quotes))
        jobs = {"Run": running(path), "batch": bounded(batches), "streaming": streamed(batches, size)}
        for prepare in jobs.values():
            prepare()()
        return interleaved(jobs)


def one_bucket(quotes: Quotes, size: int) -> float:
    """Events of a hot key that its engine takes in a second of CPU."""
    streaming, batches = Streaming(size), list(batches_of(quotes))
    taken = events = 0.0
    for first in range(0, len(batches), size // ROWS):
        some = batches[first : first + size // ROWS]
        rows = by_label(sifted(streaming.job, some)).select(["label", "events", "data"]).to_pylist()
        label = max(rows, key=lambda row: row["events"])["label"]
        own = [row for row in rows if row["label"] == label]
        started = time.process_time()
        streaming.step(label, [row["data"] for row in own])
        taken += time.process_time() - started
        events += sum(row["events"] for row in own)
        streaming.watermark = some[-1]["time"][-1].value
    return events / taken


def main(figures: Figures, events: int = 400_000, size: int = 100_000) -> None:
    """Print all figures."""
    few, many = Quotes(events), Quotes(events, rare=4)
    rare, often = measured(few, size), measured(many, size)
    figures.title(f"our functions without Spark, {events:,} events, CPU time, an event")
    figures.cost("Run(…).tables(), from N-Quads", rare["Run"] / events)
    figures.cost("bounded: sift, evaluate", rare["batch"] / events)
    figures.cost("streaming: sift, LoggedEngine.step", rare["streaming"] / events)
    figures.at_most("bounded / Run", rare["batch"] / rare["Run"], 2.0)
    figures.at_most("streaming / Run", rare["streaming"] / rare["Run"], 2.5)
    rows = many.matches() - few.matches()
    for name in rare:
        figures.cost(f"a row of results, {name}", (often[name] - rare[name]) / rows)
    hot = one_bucket(Quotes(events, hot=0.9), size)
    figures.at_least("what one bucket can take", hot, 150_000, "events in a second of CPU")
