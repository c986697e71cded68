"""``make bench``: all benchmarks."""

from __future__ import annotations

from benchmarks import (
    any_order,
    cells,
    ceql,
    correlation,
    doors,
    formats,
    frames,
    graphs,
    items,
    knowledge,
    live,
    many,
    memory,
    outside,
    partitions,
    patterns,
    prepared,
    push,
    pushed,
    results_out,
    rows,
    startup,
    v_shape,
)
from benchmarks.paths import stream

if __name__ == "__main__":
    for benchmark in (
        patterns,
        v_shape,
        formats,
        push,
        doors,
        items,
        partitions,
        cells,
        many,
        any_order,
        prepared,
        knowledge,
        graphs,
        ceql,
        pushed,
        correlation,
        outside,
        frames,
        results_out,
    ):
        benchmark.main()
        print()
    rows.main(100_000)
    print()
    stream.main(200_000)
    print()
    startup.main()
    print()
    memory.main()
    print()
    live.main()
