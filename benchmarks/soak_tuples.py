"""Memory and CPU time while millions of rows go through queries in CEQL whose groups and keys keep being new.

Run: ``python -m benchmarks.soak_tuples [ROWS] [NAME …]``, see ``QUERIES``; each query has a process of its own.  The
exit code is 1 if memory was not flat to a tenth over the second half of the rows, or the last fifth of them took over a
fifth more CPU time than the second, counted as in ``benchmarks.soak`` in the time that it takes to make the rows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow

from benchmarks.memory import resident
from benchmarks.soak import Sample, is_sampled, is_slower, slowing
from spaseq.tuples import match

ROWS = 5_000_000
BATCH = 4000
KEYS = 100  # at a time, each of which has four rows: A, B, C, C
STEP = 20_000  # microseconds from row to row
FLAT, SLOWER = 1.1, 1.2
TYPES = pyarrow.array(["A", "B", "C"])
PAIR = "FROM S WHERE A AS a ; B AS b"
QUERIES = {
    "groups": f"SELECT a.key, COUNT(*), SUM(b.value) {PAIR} GROUP BY a.key WITHIN 1 SECONDS",
    "groups of two": f"SELECT a.key, a.text, COUNT(*) {PAIR} GROUP BY a.key, a.text WITHIN 1 SECONDS",
    "groups of ends": f"SELECT b.text, COUNT(*) {PAIR} GROUP BY b.text WITHIN 1 SECONDS",
    "least texts": f"SELECT MIN(a.text), a.key {PAIR} GROUP BY a.key WITHIN 1 SECONDS",
    "keys": f"SELECT a.value, b.text {PAIR} PARTITION BY [key] WITHIN 2 EVENTS",
    "keys and time": f"SELECT COUNT(*) {PAIR} PARTITION BY [text] WITHIN 10 SECONDS",
    "keys, counted": f"SELECT COUNT(*), a.key {PAIR} PARTITION BY [key] GROUP BY a.key WITHIN 2 EVENTS",
    "keys, compared": f"SELECT a.value, b.text {PAIR} FILTER b[value >= a.value] PARTITION BY [text] WITHIN 2 EVENTS",
    "equal texts": f"SELECT a.value {PAIR} FILTER b[text = a.text OR value < a.value - 90] WITHIN 4 SECONDS",
}


def batch(first: int) -> pyarrow.RecordBatch:
    """Rows from number ``first`` on."""
    numbers = np.arange(first, first + BATCH)
    keys = numbers // (4 * KEYS) * KEYS + numbers % KEYS
    types = np.minimum(numbers // KEYS % 4, 2).astype(np.int32)
    return pyarrow.record_batch(
        {
            "type": pyarrow.DictionaryArray.from_arrays(types, TYPES), "key": pyarrow.array(keys),
            "text": pyarrow.array([f"number {key}" for key in keys.tolist()]), "value": pyarrow.array(numbers % 97),
            "time": pyarrow.array(numbers * STEP, pyarrow.timestamp("us")),
        }
    )  # fmt: skip


def sampled(query: str, rows: int) -> Iterator[Sample]:
    """Samples of one query, in this process."""
    return samples_of(batch, BATCH, rows, lambda batches: match(query, batches, type="type", time="time"))


def samples_of(
    batch: Callable[[int], pyarrow.RecordBatch], size: int, rows: int,
    read: Callable[[Iterator[pyarrow.RecordBatch]], Iterable[object]],
) -> Iterator[Sample]:  # fmt: skip
    """Samples while so many rows are read, in this process; ``batch`` makes ``size`` of them, from a number on."""
    found: list[Sample] = []
    making, begun = 0.0, time.process_time()

    def batches() -> Iterator[pyarrow.RecordBatch]:
        nonlocal making
        for first in range(0, rows, size):
            started = time.process_time()
            made = batch(first)
            making += time.process_time() - started
            yield made
            if is_sampled(first + size, rows, size):
                spent = time.process_time() - begun - making
                found.append(Sample(first + size, resident(os.getpid()), spent, making))

    for _ in read(batches()):
        yield from found
        found.clear()
    yield from found


def measured(module: str, *arguments: str) -> Iterator[Sample]:
    """Those of a process of its own, which runs a module of this folder."""
    command = [sys.executable, "-m", f"benchmarks.{module}", "sample", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            count, *others = line.split()
            yield Sample(int(count), *map(float, others))


def unevenness(samples: Sequence[Sample]) -> float:
    """The most memory in the second half by the least."""
    half = [sample.memory for sample in samples if 2 * sample.events > samples[-1].events]
    return max(half) / min(half)


def is_flat(name: str, found: Iterable[Sample]) -> bool:
    """Print what is measured; whether it stays as it is."""
    samples = []
    for sample in found:
        samples.append(sample)
        said = f"{sample.memory:8.1f} MB {sample.seconds:8.1f} s {sample.making:8.1f} s"
        print(f"  {sample.events:>12,} {said}", flush=True)
    uneven = unevenness(samples)
    print(f"  {name}: most memory in the second half / least {uneven:.3f}")
    print(f"  {name}: CPU time by that of making, last fifth / second {slowing(samples):.3f}", flush=True)
    return uneven <= FLAT and not is_slower(samples, SLOWER)


def main(*arguments: str) -> int:
    """0 if all queries were flat."""
    rows = min([int(one) for one in arguments if one.isdigit()], default=ROWS)
    names = [one for one in arguments if one in QUERIES]
    if "sample" in arguments:
        for sample in sampled(QUERIES[names[0]], rows):
            print(*sample, flush=True)
        return 0
    flat = []
    for name in names or QUERIES:
        print(f"{name}: {rows:,} rows; resident memory, CPU time, making\n  {QUERIES[name]}")
        flat.append(is_flat(name, measured("soak_tuples", str(rows), name)))
    return int(not all(flat))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
