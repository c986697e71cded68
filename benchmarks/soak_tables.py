"""Memory and CPU time while millions of rows become events by a mapping, each with a new name, and go through a query.

Run: ``python -m benchmarks.soak_tables [ROWS]``; what is said of ``benchmarks.soak_tuples`` holds here, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pyarrow

from benchmarks.soak import Sample
from benchmarks.soak_tuples import is_flat, measured, samples_of
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
    schema = batch(0).schema

    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[object]:
        table = pyarrow.RecordBatchReader.from_batches(schema, batches)
        return Run(V_SHAPE, {"stock": Mapped(table, MAPPING)}, count_only=True).tables()

    return samples_of(batch, BATCH, rows, read)


def main(*arguments: str) -> int:
    """0 if memory and time were flat."""
    rows = min([int(one) for one in arguments if one.isdigit()], default=ROWS)
    if "sample" in arguments:
        for sample in sampled(rows):
            print(*sample, flush=True)
        return 0
    print(f"a mapping: {rows:,} rows; resident memory, CPU time, making")
    return int(not is_flat("a mapping", measured("soak_tables", str(rows))))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
