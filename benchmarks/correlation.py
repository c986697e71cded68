"""CEQL filters that compare events: the V shape per key, from a few live events a key to very many.

Keys come as partitions, or as equalities between the events, which become partitions.  Every quote may be any of the
three, so a quote is compared with all the live ones of its key.  Update only: events are in memory as columns; matches
are found, not enumerated.  One process, CPU time, medians.  Run: ``python -m benchmarks.correlation [rows]``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pyarrow

from benchmarks.cells import SHAPES, Shape, prices
from benchmarks.timing import interleaved
from nfa_native.events.recognizer import Recognizer
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import planned
from spaseq.tuples.encoding.correlation import RegisterColumns

BATCH = 1 << 16
EQUAL = "AND b[key = a.key] AND c[key = a.key]"
QUERY = """
SELECT * FROM S WHERE Q AS a ; Q AS b ; Q AS c
FILTER b[price > a.price] AND c[price < b.price] {equal}
WITHIN {window} EVENTS
"""


def prepared(shape: Shape, rows: int, partitioned: bool) -> Callable[[], Callable[[], Recognizer]]:
    """Rows that are ready, and recognizers of the shape's query that take them."""
    window = shape.live * shape.keys
    parsed = parse(QUERY.format(equal="" if partitioned else EQUAL, window=window))
    plan = planned(parsed.query, parsed.normal_form)
    of_keys = partitioned or bool(plan.partition)
    keys = np.arange(rows) % shape.keys
    batch = pyarrow.record_batch({"price": prices(shape, rows), "key": keys})
    columns = RegisterColumns(plan.measured, batch.schema).read(batch)
    starts = np.arange(rows, dtype=np.int64)
    symbols, least, partitions = np.ones(rows, np.uint32), starts - window, keys.astype(np.uint32)

    def prepare() -> Callable[[], Recognizer]:
        recognizer = Recognizer(plan.automaton, partitioned=of_keys, update_only=True)
        recognizer.know_symbols([(1 << len(plan.atoms)) - 1])

        def run() -> Recognizer:
            for begin in range(0, rows, BATCH):
                some = slice(begin, begin + BATCH)
                apart = partitions[some] if of_keys else None
                values = [column[some] for column in columns]
                recognizer.feed(symbols[some], starts[some], least[some], apart, columns=values)
            return recognizer

        return run

    return prepare


def measure(shape: Shape, rows: int, partitioned: bool) -> str:
    """Rows a second, of at least as many, and how many groups and zones are looked at for each."""
    rows = max(rows, 4 * shape.live * shape.keys)  # most of the time the window is full
    prepare = prepared(shape, rows, partitioned)
    seconds = interleaved({"run": prepare}, rounds=3)["run"]
    scanned = prepare()().statistics()["scanned"]
    return f"{rows / seconds / 1e6:7.2f} M rows/s, {scanned / rows:4.1f} groups and zones a row"


def main(rows: int = 500_000) -> None:
    """Print all figures."""
    print(f"CEQL: V shape per key, {rows:,} rows and more, update only, one process, CPU time")
    for partitioned, by in ((True, "PARTITION BY"), (False, "b.key = a.key")):
        for shape in SHAPES:
            print(f"  {by:<13} {shape.title():<34} {measure(shape, rows, partitioned)}", flush=True)


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
