"""What an event costs at each stage of a job, in process: read, routed and pruned, packed, unpacked, taken, matched."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import pyarrow

from benchmarks.spark.figures import Figures
from benchmarks.spark.functions import Batches, batches_of, by_label, new_job
from benchmarks.spark.quotes import Quotes
from spaseq.graphs.arrow_rows import read_lines
from spaseq.spark.job import Job
from spaseq.spark.jobs import job_rows
from spaseq.spark.map_stage import named, routed, rows_with
from spaseq.spark.packing import Packer, together, unpacked

ROUNDS = 3


class Clock:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What is done inside belongs to a stage."""
        started = time.process_time()
        yield
        self.seconds[name] += time.process_time() - started


def before_the_shuffle(job: Job, batches: Batches, clock: Clock) -> list[pyarrow.RecordBatch]:
    """Packed rows."""
    engine, router = job.reader()
    packer, found = Packer(job.labels, job.form), list[pyarrow.RecordBatch]()
    for batch in batches:
        engine.kind.forget_terms()
        with clock.stage("rows read as events"):
            read = read_lines(engine.kind, batch, False)
        for events, lines in read:
            with clock.stage("events routed"):
                rows, shares = rows_with(named(events), lines), routed(events, router)[0]
            with clock.stage("packed for their engines"):
                found += packer.add(rows, shares)
    with clock.stage("packed for their engines"):
        found += packer.rest()
    return found


def behind_the_shuffle(job: Job, rows: pyarrow.Table, clock: Clock) -> None:
    """Matches of packed rows in order of their label."""
    for number, label in enumerate(job.labels):
        own = rows.filter(pyarrow.compute.equal(rows["label"], label))
        engine = job.started(number)
        with clock.stage("unpacked"):
            tables = list(together(unpacked(data.as_buffer()) for data in own["data"]))
        for table in tables:
            with clock.stage("taken by their engine"):
                list(engine.push_packed(table))
        with clock.stage("put in order, matched"):
            found = list(engine.close_tables())
        with clock.stage("matches made rows"):
            sum(map(len, job_rows(job, number, found)))


def measured(quotes: Quotes) -> dict[str, float]:
    """Median CPU seconds by stage."""
    batches, job, clocks = list(batches_of(quotes)), new_job(), list[Clock]()
    for _ in range(ROUNDS + 1):
        clocks.append(Clock())
        rows = by_label(before_the_shuffle(job, batches, clocks[-1]))
        behind_the_shuffle(job, rows, clocks[-1])
    return {name: median(clock.seconds[name] for clock in clocks[1:]) for name in clocks[0].seconds}


def main(figures: Figures, events: int = 400_000) -> None:
    """Print all figures."""
    found = measured(Quotes(events))
    figures.title(f"an event by stage, {events:,} events in process, CPU time")
    for name, seconds in found.items():
        figures.cost(name, seconds / events)
    figures.cost("all of them", sum(found.values()) / events)
