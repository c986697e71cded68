"""The long comparison of mappings with their oracle: ``python -m tests.mapped.deep 10000 0``.

``N`` random mappings, each on 50 random rows on average, from ``SEED`` on.  It ends with status 1 if there was a
difference.
"""

from __future__ import annotations

import sys

from tests.mapped.compared import disagreement


def main(mappings: int = 10_000, seed: int = 0) -> int:
    found = [(number, said) for number in range(seed, seed + mappings) if (said := disagreement(number))]
    for number, said in found[:3]:
        print(number, said, "\n")
    print(f"{mappings:,} mappings, {len(found)} differences", flush=True)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
