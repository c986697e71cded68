"""Memory and CPU time while millions of rows become events by a mapping, each with a new name, and go through a query.

Run: ``python -m benchmarks.soak_tables [ROWS]``; what is said of ``benchmarks.soak_tuples`` holds here, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pyarrow

from benchmarks.memory import resident
from benchmarks.soak import Sample, is_sampled, is_slower, slowing
from benchmarks.soak_tuples import FLAT, SLOWER, unevenness
from benchmarks.tables import MAPPING, V_SHAPE
from spaseq.graphs.graph_run import Run
from spaseq.graphs.mapped import Mapped

ROWS = 20_000_000
BATCH = 10_000
STEP = 400_000  # microseconds from row to row: a hundred of them are in the query's window
COMPANIES = 20


def batch(first: int) -> pyarrow.RecordBatch:
    """Rows from number ``first`` on."""
    numbers = np.arange(first, first + BATCH)
    cents = np.random.default_rng(first).integers(1_000, 10_000, BATCH)
    prices = pyarrow.array(cents).cast(pyarrow.decimal128(19, 0)).cast(pyarrow.decimal128(12, 2))
    return pyarrow.record_batch(
        {
            "quote": numbers, "time": pyarrow.array(numbers * STEP, pyarrow.timestamp("us")),
            "company": (numbers % COMPANIES).astype(str), "price": prices, "volume": numbers % 1_000,
        }
    )  # fmt: skip


def sampled(rows: int) -> Iterator[Sample]:
    """Samples of a run, in this process."""
    found: list[Sample] = []
    making, begun = 0.0, time.process_time()

    def batches() -> Iterator[pyarrow.RecordBatch]:
        nonlocal making
        for first in range(0, rows, BATCH):
            started = time.process_time()
            made = batch(first)
            making += time.process_time() - started
            yield made
            if is_sampled(first + BATCH, rows, BATCH):
                spent = time.process_time() - begun - making
                found.append(Sample(first + BATCH, resident(os.getpid()), spent, making))

    table = pyarrow.RecordBatchReader.from_batches(batch(0).schema, batches())
    for _ in Run(V_SHAPE, {"stock": Mapped(table, MAPPING)}, count_only=True).tables():
        yield from found
        found.clear()
    yield from found


def measured(rows: int) -> Iterator[Sample]:
    """The same, of a process of its own."""
    command = [sys.executable, "-m", "benchmarks.soak_tables", "sample", str(rows)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            count, *others = line.split()
            yield Sample(int(count), *map(float, others))


def main(*arguments: str) -> int:
    """0 if memory and time were flat."""
    rows = min([int(one) for one in arguments if one.isdigit()], default=ROWS)
    if "sample" in arguments:
        for sample in sampled(rows):
            print(*sample, flush=True)
        return 0
    print(f"a mapping: {rows:,} rows; resident memory, CPU time, making")
    samples = []
    for sample in measured(rows):
        samples.append(sample)
        print(
            f"  {sample.events:>12,} {sample.memory:8.1f} MB {sample.seconds:8.1f} s {sample.making:8.1f} s", flush=True
        )
    uneven = unevenness(samples)
    print(f"  most memory in the second half / least {uneven:.3f}")
    print(f"  CPU time by that of making, last fifth / second {slowing(samples):.3f}", flush=True)
    return int(uneven > FLAT or is_slower(samples, SLOWER))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
