"""Rows of parameters, and queries that differ only in constants: ``python -m tests.recognition.families_deep COUNT``.

So many random pairs of each kind of query (``tests.recognition.deep``): its rows on a table, on rows that are pushed
late and shuffled, and coming and going; then the same queries as texts, which come and go, together and each by itself.
All is compared with the oracle.  It ends with status 1 if there was a single difference.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from random import Random

from spaseq.tuples import families
from spaseq.tuples.selection import selection
from tests.oracle.ceql.generate import Pair, random_pair
from tests.oracle.ceql.given import GivenPair, given_pair
from tests.oracle.ceql.labels import labels_of
from tests.oracle.ceql.text import to_text
from tests.oracle.chooser import Seeded
from tests.recognition.deep import KINDS, WORKERS
from tests.tuples.eager import forget_at_once
from tests.tuples.test_families import story
from tests.tuples.test_given import check_on_table, check_pushed, check_rows_that_change

CHECKS: dict[str, Callable[[GivenPair, Random], object]] = {
    "tables": check_on_table,
    "pushed": check_pushed,
    "rows that change": check_rows_that_change,
    "texts": story,
}


def case(kind: str, seed: int) -> GivenPair:
    """A query of a kind, with up to seven others that differ from it in constants."""
    pair, chance = random_pair(seed), Random(f"{kind} {seed}")
    query = KINDS[kind](replace(pair.query, aggregates=(), group_by=()), chance)
    return given_pair(Pair(query, pair.events, labels_of(query, pair.events)), Seeded(seed), to_text, most=8)


def differences(kind: str, count: int, worker: int) -> list[str]:
    """What is wrong with a worker's share of so many."""
    forget_at_once()
    families.LEAST, selection.MOST = 2, 3
    found = []
    for seed in range(worker, count, WORKERS):
        given = case(kind, seed)
        for name, check in CHECKS.items():
            try:
                check(given, Random(seed))
            except Exception:
                found.append(f"{kind} {seed}, {name}\n{traceback.format_exc()}")
    return found


def main(count: int = 1_000) -> int:
    """Compare so many of each kind."""
    wrong = 0
    for kind in KINDS:
        started = time.monotonic()
        with ProcessPoolExecutor(WORKERS) as pool:
            found = [one for some in pool.map(partial(differences, kind, count), range(WORKERS)) for one in some]
        seconds = time.monotonic() - started
        print(f"{kind}: {count:,} queries in {len(CHECKS)} ways, {len(found)} differences, {seconds:.0f} s")
        print("\n".join(found[:3]), flush=True)
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
