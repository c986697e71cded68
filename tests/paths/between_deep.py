"""The long comparison of paths with both ends given: ``python -m tests.paths.between_deep 20000 0``.

``N`` worlds from ``SEED`` on each with the oracle, and with the search from the start alone.  It ends with status 1 if
there was a difference.
"""

from __future__ import annotations

import sys

from tests.paths.between import against_oracle, against_the_start


def main(worlds: int = 20_000, seed: int = 0) -> int:
    wrong = 0
    for compare in (against_oracle, against_the_start):
        found = [one for number in range(seed, seed + worlds) for one in compare(number)]
        print(*found[:3], f"{compare.__name__}: {worlds:,} worlds, {len(found)} differences", sep="\n", flush=True)
        wrong += len(found)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
