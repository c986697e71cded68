"""The long comparison of streams of edges with results from scratch: ``python -m tests.paths.stream.deep 5000 0``.

``N`` random streams from ``SEED`` on; one of ten is compared with the oracle.  It ends with status 1 if there was a
difference.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.paths.stream.judge import by_engine, by_oracle, difference
from tests.paths.stream.worlds import edge_world


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.paths.stream.deep", description=__doc__)
    parser.add_argument("streams", type=int, metavar="N")
    parser.add_argument("seed", type=int, metavar="SEED", nargs="?", default=0)
    options = parser.parse_args(arguments)
    started, wrong, labels = time.monotonic(), [], Counter[str]()
    for seed in range(options.seed, options.seed + options.streams):
        world = edge_world(seed)
        labels.update(f"{query.selects} {query.restricts}" for query in world.queries)
        labels["events"] += len(world.events)
        if found := difference(world, by_oracle if seed % 10 == 0 else by_engine):
            wrong.append(found)
    for found in wrong[:3]:
        print(found, end="\n\n")
    print(", ".join(f"{label} {number}" for label, number in sorted(labels.items())))
    print(f"{options.streams} streams, {len(wrong)} differences, {time.monotonic() - started:.1f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
