"""The long comparison of end points and counts: ``python -m tests.paths.ends_deep 5000 0``.

``N`` worlds from ``SEED`` on each with the oracle, with pyoxigraph's property paths, and many queries together with one
by one.  It ends with status 1 if there was a difference.
"""

from __future__ import annotations

import sys

from tests.paths.ends import against_oracle, against_pyoxigraph, against_themselves


def main(worlds: int = 5000, seed: int = 0) -> int:
    wrong = 0
    for compare in (against_oracle, against_pyoxigraph, against_themselves):
        found = [one for number in range(seed, seed + worlds) for one in compare(number)]
        print(*found[:3], f"{compare.__name__}: {worlds:,} worlds, {len(found)} differences", sep="\n")
        wrong += len(found)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
