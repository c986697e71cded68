"""The state of a streaming job: bytes written and shuffled; whether it grows; what it takes to make engines again."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession, functions

from benchmarks.spark.figures import Figures
from benchmarks.spark.functions import Streaming, batches_of
from benchmarks.spark.quotes import Quotes
from benchmarks.spark.session import spark, unbounded, write
from benchmarks.spark.streaming import v_shape
from benchmarks.spark.watching import Told, Watched, drained

BATCHES, WINDOW = 60, 3
LOOKS = (20, 40, 60)  # the microbatches after which is looked at what there is
LIVE = 100_000  # events in the window whose engines are made again


def shuffled(session: SparkSession) -> int:
    """Bytes written for shuffles so far."""
    executors = session.sparkContext._jsc.sc().statusStore().executorList(True)
    return sum(executors.apply(number).totalShuffleWrite() for number in range(executors.length()))


def logged(session: SparkSession, checkpoint: Path, batch: int) -> int:
    """Bytes in all logs after that many microbatches."""
    state = session.read.format("statestore").option("stateVarName", "log").option("batchId", batch - 1)
    size = functions.sum(functions.length("user_map_value.data"))
    return int(state.load(str(checkpoint)).select(size).collect()[0][0])


def growth(values: list[float]) -> float:
    """How much larger the largest is than the least, in percent."""
    return 100 * (max(values) / min(values) - 1)


def streamed(figures: Figures, size: int) -> None:
    """A job of sixty microbatches."""
    quotes = Quotes(BATCHES * size, live=WINDOW * size)
    with tempfile.TemporaryDirectory() as name, spark() as session:
        folder, checkpoint, watched = Path(name) / "in", Path(name) / "checkpoint", Watched()
        graphs = write(quotes, folder, size)
        session.streams.addListener(watched)
        before = shuffled(session)
        told = drained(session, v_shape(unbounded(session, folder)), checkpoint, watched)
        moved = shuffled(session) - before
        session.streams.removeListener(watched)
        logs = [logged(session, checkpoint, batch) for batch in LOOKS]
    figures.title(f"{BATCHES} microbatches of {size:,} events, a window of {WINDOW} of them")
    figures.at_most("state written", summed(told, "log_bytes") / quotes.events, 60, "bytes an event")
    figures.at_least("bytes of graphs / shuffled", graphs / moved, 8)
    for batch, size in zip(LOOKS, logs, strict=True):
        figures.number(f"logs after {batch} microbatches", size / 1e6, "MB")
        figures.number(f"largest Python worker after {batch} microbatches", told[batch - 1].memory, "MB")
    figures.at_most("logs, most / least", growth([float(one) for one in logs]), 20, "% more")
    figures.at_most("largest worker, most / least", growth([told[batch - 1].memory for batch in LOOKS]), 10, "% more")


def summed(told: list[Told], name: str) -> int:
    """A metric of all microbatches."""
    return sum(one.progress.observedMetrics["spaseq"][name] or 0 for one in told)


def rebuilt(figures: Figures) -> None:
    """All engines of a window made again from their logs, in process."""
    streaming = Streaming(LIVE // 2)
    streaming.run(list(batches_of(Quotes(4 * LIVE, live=LIVE))))
    streaming.live.clear()
    started = time.process_time()
    for label in streaming.job.labels:
        streaming.step(label, [])
    figures.title(f"engines made again from their logs, {LIVE:,} events in the window")
    figures.at_most("CPU time", time.process_time() - started, 1.0, "s")


def main(figures: Figures, size: int = 20_000) -> None:
    """Print all figures."""
    rebuilt(figures)
    streamed(figures, size)
