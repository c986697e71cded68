"""Events pushed to an engine, for ``benchmarks.soak``: ``python -m benchmarks.soak_pushes NAME EVENTS``.

Prints a sample now and then: how many were pushed, resident memory in MB, seconds of CPU in the engine, and outside.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

from benchmarks.memory import resident
from benchmarks.soak import BLOCK, EVENT, RUNS, Run, Sample, is_sampled
from spaseq import Engine


def pushes(run: Run, events: int) -> Iterator[Sample]:
    """Push so many events."""
    engine = Engine(lateness=run.lateness * 1000)
    engine.register(run.query)
    seconds, begun, step = 0.0, time.process_time(), max(BLOCK, run.batch)
    for first in range(0, events, step):
        made = [batch(run, number) for number in range(first, min(first + step, events), run.batch)]
        started = time.process_time()
        for stream, items in made:
            engine.push_batch(stream, items) if run.batch > 1 else engine.push(stream, items[0][1], items[0][0])
        seconds += time.process_time() - started
        if is_sampled(first + step, events, step):
            yield Sample(first + step, resident(os.getpid()), seconds, time.process_time() - begun - seconds)


def batch(run: Run, first: int) -> tuple[str, list[tuple[int, bytes]]]:
    """The name of a stream, and the times and graphs of the events from ``first`` on that are pushed at once."""
    made = map(run.event, range(first, first + run.batch))
    stream = "t" if run.turns and first // run.batch % 2 else "s"
    return stream, [(one["time"], (EVENT % one).encode()) for one in made]


def main(name: str, events: str) -> None:
    """Print the samples."""
    for sample in pushes(RUNS[name], int(events)):
        print(*sample, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
