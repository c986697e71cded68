"""The long comparison of row patterns with their oracle: ``python -m tests.sql.deep 20000 0 [streamed | leaving]``.

``N`` random queries on random tables from ``SEED`` on; ``streamed``: on their rows, which are pushed in pieces;
``leaving``: on a few rows with all that may come behind them.  It ends with status 1 if there was a difference.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.oracle.sql.generate import random_pair
from tests.sql.compared import disagreement
from tests.sql.random_leaving import random_leaving, verdict
from tests.sql.streamed import difference, streamed_pair

WAYS: dict[str, Callable[[int], str | None]] = {
    "whole": lambda number: disagreement(random_pair(number)),
    "streamed": lambda number: difference(streamed_pair(number), number),
    "leaving": lambda number: verdict(random_leaving(number)),
}


def main(pairs: int = 20_000, seed: int = 0, way: str = "whole") -> int:
    found = [(number, said) for number in range(seed, seed + pairs) if (said := WAYS[way](number))]
    for number, said in found[:3]:
        print(number, said, "\n")
    print(f"{pairs:,} queries ({way}), {len(found)} differences", flush=True)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3]), *sys.argv[3:]))
