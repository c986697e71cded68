"""The long comparison of row patterns with their oracle: ``python -m tests.sql.deep 20000 0``.

``N`` random queries on random tables from ``SEED`` on.  It ends with status 1 if there was a difference.
"""

from __future__ import annotations

import sys

from tests.oracle.sql.generate import random_pair
from tests.sql.compared import disagreement


def main(pairs: int = 20_000, seed: int = 0) -> int:
    found = [(number, said) for number in range(seed, seed + pairs) if (said := disagreement(random_pair(number)))]
    for number, said in found[:3]:
        print(number, said, "\n")
    print(f"{pairs:,} queries, {len(found)} differences", flush=True)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
