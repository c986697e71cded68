"""Events pushed to an engine, for ``benchmarks.soak``: ``python -m benchmarks.soak_pushes NAME EVENTS``.

Prints how many were pushed, resident memory in MB, and seconds of CPU without those that made the events, now and then.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

from benchmarks.memory import resident
from benchmarks.soak import EVENT, RUNS, Run, Sample, is_sampled
from spaseq import Engine


def pushes(run: Run, events: int) -> Iterator[Sample]:
    """Push so many events."""
    engine = Engine(lateness=run.lateness * 1000)
    engine.register(run.query)
    seconds = 0.0
    for number, first in enumerate(range(0, events, run.batch)):
        stream = "t" if run.turns and number % 2 else "s"
        made = map(run.event, range(first, first + run.batch))
        items = [(one["time"], (EVENT % one).encode()) for one in made]
        started = time.process_time()
        engine.push_batch(stream, items) if run.batch > 1 else engine.push(stream, items[0][1], items[0][0])
        seconds += time.process_time() - started
        if is_sampled(first + run.batch, events, run.batch):
            yield Sample(first + run.batch, resident(os.getpid()), seconds)


def main(name: str, events: str) -> None:
    """Print the samples."""
    for sample in pushes(RUNS[name], int(events)):
        print(*sample, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
