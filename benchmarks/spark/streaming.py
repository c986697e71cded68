"""Streaming jobs: the V shape beside jobs that count, and on other keys and prices.

CPU time of all processes, of microbatches behind the first ones; medians of jobs that take turns, behind a first round
that is not measured.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from pyspark.sql import DataFrame, SparkSession

from benchmarks.spark.counting import by_key, packed, same_pipeline
from benchmarks.spark.figures import Figures
from benchmarks.spark.quotes import QUERY, Quotes
from benchmarks.spark.session import spark, unbounded, write
from benchmarks.spark.watching import Told, Watched, drained
from spaseq.spark import match

Query = Callable[[DataFrame], DataFrame]
FIRST, BATCHES = 2, 5  # microbatches that are not measured, and all of them
WINDOW = 2  # microbatches
ROUNDS = 3


def v_shape(rows: DataFrame) -> DataFrame:
    """What is measured."""
    return match(rows, QUERY)


@dataclass(frozen=True, slots=True)
class Stream:
    """A query of Spark on some quotes."""

    quotes: Quotes
    query: Query = v_shape


STREAMS = {
    "V shape": Stream(Quotes(0)),
    "the same pipeline, a processor that only counts": Stream(Quotes(0), same_pipeline),
    "the same, packed events only counted": Stream(Quotes(0), packed),
    "V shape, 10 keys": Stream(Quotes(0, 10)),
    "V shape, 10,000 keys": Stream(Quotes(0, 10_000)),
    "V shape, 1,000 keys": Stream(Quotes(0, 1_000)),
    "rows counted by each of 1,000 keys": Stream(Quotes(0, 1_000), by_key),
    "V shape, 90 % of one key": Stream(Quotes(0, hot=0.9)),
    "V shape, many matches": Stream(Quotes(0, rare=4)),
}


def written(quotes: Quotes, size: int, folder: Path) -> Path:
    """The folder of some quotes, so many in a microbatch."""
    path = folder / f"{quotes.companies}-{quotes.hot}-{quotes.rare}"
    if not path.exists():
        write(replace(quotes, events=BATCHES * size, live=WINDOW * size), path, size)
    return path


def interleaved(session: SparkSession, streams: Mapping[str, Stream], size: int, folder: Path) -> dict[str, float]:
    """Median CPU seconds of an event."""
    taken: dict[str, list[float]] = {name: [] for name in streams}
    watched = Watched()
    session.streams.addListener(watched)
    for round_ in range(ROUNDS + 1):
        for name, stream in streams.items():
            with tempfile.TemporaryDirectory() as checkpoint:
                rows = unbounded(session, written(stream.quotes, size, folder))
                told = drained(session, stream.query(rows), Path(checkpoint), watched)
            taken[name] += [each(told)] if round_ else []
    session.streams.removeListener(watched)
    return {name: median(values) for name, values in taken.items()}


def each(told: list[Told]) -> float:
    """CPU seconds of an event, behind the first microbatches."""
    events = sum(int(one.progress.numInputRows) for one in told[FIRST:])
    return (told[-1].seconds - told[FIRST - 1].seconds) / events


def main(figures: Figures, size: int = 200_000) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as name, spark() as session:
        found = interleaved(session, STREAMS, size, Path(name))
    figures.title(f"a streaming job, {size:,} events in a microbatch, CPU time of all processes, an event")
    for label, taken in found.items():
        figures.cost(label, taken)
    ours, one_thousand = found["V shape"], found["V shape, 1,000 keys"]
    same = found["the same pipeline, a processor that only counts"]
    figures.at_most("V shape / the same pipeline with a processor that only counts", ours / same, 1.4)
    figures.number(
        "V shape / packed events only counted", ours / found["the same, packed events only counted"], "times"
    )
    figures.at_most("V shape / rows counted by key", one_thousand / found["rows counted by each of 1,000 keys"], 0.5)
    figures.at_most("10,000 keys / 10 keys", found["V shape, 10,000 keys"] / found["V shape, 10 keys"], 1.4)
    figures.at_most("90 % of the events of one key / even keys", found["V shape, 90 % of one key"] / ours, 1.2)
    rows = 1 / 4 - 1 / 100  # of an event: there are so many more, but for the ends of the stream
    figures.cost("a row of results", (found["V shape, many matches"] - ours) / rows)
