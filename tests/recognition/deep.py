"""The long comparison of CEQL with its oracle: ``python -m tests.recognition.deep`` (some minutes on two cores).

Random pairs with a selection strategy, with a limit, with consumption, joined by keys, with filters that mix events,
under MAX, and under NEXT and LAST with filters that compare events, 20,000 of each, from text to matches of a table,
given and counted;
and all formulas of at most two operators on all small streams.  It prints how many pairs each kind had, and ends with
status 1 if there was a single difference.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from random import Random

from spaseq.tuples import match
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.exhaustive import correlated, formulas, queries, streams
from tests.oracle.ceql.generate import Pair, Size, joined, mixed, random_pair
from tests.oracle.ceql.labels import labels_of
from tests.oracle.ceql.model import STRATEGIES, Event, Query
from tests.oracle.ceql.text import to_text
from tests.recognition.harness import is_recognized, run
from tests.tuples.eager import forget_at_once
from tests.tuples.tables import answers, table_of

WORKERS = 2
EACH = 40  # every so many pairs of the small worlds


# ── the pairs ────────────────────────────────────────────────────────────────────────────────────────────
def with_strategy(query: Query, chance: Random) -> Query:
    return replace(query, strategy=chance.choice(STRATEGIES))


def with_limit(query: Query, chance: Random) -> Query:
    return replace(query, limit=chance.randrange(1, 4))


def with_consumption(query: Query, chance: Random) -> Query:
    return replace(query, consume=chance.choice(("ANY", "PARTITION")))


def with_max(query: Query, chance: Random) -> Query:
    return replace(chance.choice((_unchanged, joined, mixed))(query, chance), strategy="MAX")


def correlated_best(query: Query, chance: Random) -> Query:
    return replace(chance.choice((joined, mixed))(query, chance), strategy=chance.choice(("NEXT", "LAST")))


def _unchanged(query: Query, _: Random) -> Query:
    return query


KINDS: dict[str, Callable[[Query, Random], Query]] = {
    "selection strategies": with_strategy,
    "limits": with_limit,
    "consumption": with_consumption,
    "keys": joined,
    "mixed filters": mixed,
    "MAX": with_max,
    "NEXT and LAST, correlated": correlated_best,
}


def random_pairs(kind: str, count: int, worker: int) -> Iterator[Pair]:
    """So many pairs of a kind, without aggregates; a worker takes its share."""
    first = list(KINDS).index(kind) * count
    for seed in range(first + worker, first + count, WORKERS):
        pair, chance = random_pair(seed, Size(any_order=seed // WORKERS % 4 == 0)), Random(f"{kind} {seed}")
        query = KINDS[kind](replace(pair.query, aggregates=(), group_by=()), chance)
        yield Pair(query, pair.events, labels_of(query, pair.events))


def small_worlds(each: int, worker: int) -> Iterator[Pair]:
    """Every so many pairs of all formulas of at most two operators, also with a filter that compares two events."""
    for any_order in (False, True):
        plain = queries(formulas(2, any_order=any_order), consume=("NONE", "ANY"))
        pairs = ((query, stream) for query in plain for stream in streams())
        yield from _share(pairs, each, worker)
        compared = queries(correlated(2, any_order=any_order))
        pairs = ((query, stream) for query in compared for stream in islice(streams(values=(0, 1)), 0, None, 7))
        yield from _share(pairs, each, worker)


def _share(pairs: Iterable[tuple[Query, Sequence[Event]]], each: int, worker: int) -> Iterator[Pair]:
    for query, events in islice(pairs, worker, None, WORKERS * each):
        yield Pair(query, tuple(events), labels_of(query, events))


# ── the comparison ───────────────────────────────────────────────────────────────────────────────────────
def miscounted(pair: Pair, wanted: int) -> str | None:
    """What is wrong if not so many are counted, by totals where they tell it, as were given."""
    counted = match(to_text(pair.query), table_of(pair), time="time").count()
    return None if counted == wanted else f"counted {counted} of {wanted}"


@dataclass
class Tally:
    """What was compared, and what differed."""

    pairs: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def compare(self, pair: Pair) -> None:
        """From a table in parts, and by the recognizer alone, whose results are taken a few at a time."""
        self.pairs += 1
        self.labels.update(pair.labels)
        text, chance = to_text(pair.query), Random(self.pairs)
        try:
            integers = chance.choice([(), ("volume",), ("volume", "clock")])
            given = [*answers(pair, chance.randrange(1, 9), integers)]
            found = disagreement(pair.query, pair.events, given) or miscounted(pair, len(given))
            if not found and is_recognized(pair.query):
                cuts = [chance.randrange(1, 9) for _ in range(2)]
                found = disagreement(pair.query, pair.events, run(text, pair.events, cuts, chance.choice([1, 2, 1000])))
        except Exception:
            found = traceback.format_exc()
        if found:
            self.differences.append(f"{text}{list(pair.events)}\n{found}")

    def add(self, other: Tally) -> None:
        self.pairs += other.pairs
        self.labels.update(other.labels)
        self.differences += other.differences


def compared(pairs: Callable[[int], Iterable[Pair]], worker: int) -> Tally:
    tally = Tally()
    forget_at_once()
    for pair in pairs(worker):
        tally.compare(pair)
    return tally


def report(title: str, pairs: Callable[[int], Iterable[Pair]]) -> Tally:
    """One part on all workers, with its report."""
    started, total = time.monotonic(), Tally()
    with ProcessPoolExecutor(WORKERS) as pool:
        for tally in pool.map(partial(compared, pairs), range(WORKERS)):
            total.add(tally)
    seconds = time.monotonic() - started
    print(f"\n{title}: {total.pairs:,} pairs, {len(total.differences)} differences, {seconds:.0f} s")
    cells = [f"{name:<26}{count:>8,}" for name, count in sorted(total.labels.items())]
    print("\n".join("  " + "   ".join(cells[start : start + 4]) for start in range(0, len(cells), 4)))
    for one in total.differences[:5]:
        print("\n" + one)
    sys.stdout.flush()
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=20_000, help="pairs of each kind")
    parser.add_argument("--each", type=int, default=EACH, help="every so many pairs of the small worlds")
    options = parser.parse_args()
    totals = [report(kind, partial(random_pairs, kind, options.random)) for kind in KINDS]
    totals.append(report("formulas of <= 2 operators on streams of <= 3 events", partial(small_worlds, options.each)))
    differences = sum(len(one.differences) for one in totals)
    print(f"\n{sum(one.pairs for one in totals):,} pairs compared, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
