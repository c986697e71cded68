"""Bounded jobs: the V shape beside jobs that count the same rows, and on other keys and prices.

CPU time of all processes, medians of jobs that take turns, behind a first round that is not measured.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median

import pyarrow
from pyspark.sql import DataFrame, SparkSession

from benchmarks.spark.figures import Figures
from benchmarks.spark.processes import seconds
from benchmarks.spark.quotes import QUERY, Quotes
from benchmarks.spark.session import EVENTS, bounded, spark, write
from spaseq.spark import match

Job = Callable[[], object]
ROUNDS, FILES = 3, 4
KINDS = {
    "V shape": Quotes(0),
    "10 keys": Quotes(0, 10),
    "10,000 keys": Quotes(0, 10_000),
    "hot": Quotes(0, hot=0.9),
    "many matches": Quotes(0, rare=4),
}


def interleaved(jobs: Mapping[str, Job]) -> dict[str, float]:
    """Median CPU seconds of all processes."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for round_ in range(ROUNDS + 1):
        for name, job in jobs.items():
            before = seconds()
            job()
            taken[name] += [seconds() - before] if round_ else []
    return {name: median(values) for name, values in taken.items()}


def counted(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """How many rows there are."""
    rows = sum(batch.num_rows for batch in batches)
    yield pyarrow.RecordBatch.from_pydict({"n": pyarrow.array([rows], pyarrow.int64())})


def thrown_away(found: DataFrame) -> Job:
    """All rows made, none kept."""
    return lambda: found.write.format("noop").mode("overwrite").save()


def counting(rows: DataFrame) -> Job:
    """The rows counted in Python."""
    return thrown_away(rows.mapInArrow(counted, "n bigint"))


def jobs(session: SparkSession, folder: Path, events: int) -> dict[str, Job]:
    """What is measured, by name."""
    found: dict[str, Job] = {}
    for name, quotes in KINDS.items():
        write(replace(quotes, events=events), folder / name, events // FILES)
        found[name] = thrown_away(match(bounded(session, folder / name), QUERY))
    rows = bounded(session, folder / "V shape")
    keyed = rows.select(*EVENTS, "company").repartition("company")
    found["count"] = counting(rows.select(*EVENTS))
    found["count by key"] = counting(keyed)
    found["count by key, in order"] = counting(keyed.sortWithinPartitions("company", "time"))
    return found


def main(figures: Figures, events: int = 1_000_000) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as name, spark() as session:
        found = interleaved(jobs(session, Path(name), events))
    figures.title(f"a bounded job of {events:,} events, CPU time of all processes, an event")
    for label, taken in found.items():
        figures.cost(label, taken / events)
    ours = found["V shape"]
    figures.at_most("V shape / count by key", ours / found["count by key"], 1.3)
    figures.at_most("V shape / count by key, in order", ours / found["count by key, in order"], 1.3)
    figures.at_most("10,000 keys / 10 keys", found["10,000 keys"] / found["10 keys"], 1.4)
    figures.at_most("90 % of the events of one key / even keys", found["hot"] / ours, 1.2)
    rows = Quotes(events, rare=4).matches() - Quotes(events).matches()
    figures.cost(f"a row of results, of {rows:,}", (found["many matches"] - ours) / rows)
