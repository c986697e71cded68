"""Cells of the matcher: the V shape ``p1 < p2 > p3`` per key, from a few live events a key to very many.

Rows go straight into the kernel: an event gives one for each of the three GPMs.  Prices walk at random, or fall all the
time; `;` takes the next quote that fits, `:` each one.  *update*: the third price is never lower, so partial matches
are kept and asked for, and no match is there.  *counted*: matches are counted, under `:` on few rows, for there are
very many.  One process, CPU time, medians.  Run: ``python -m benchmarks.cells [rows]``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import interleaved
from gpm.rows import AtomRows
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan

BATCH = 4096
STEP = 1000  # microseconds between two rows
QUERY = """
SELECT ?k ?p1 ?p2 ?p3 WITHIN {window} MILLISECONDS SLIDING FROM STREAM s <urn:s>
WHERE {{
  SEQ(A {operator} B {operator} C)
  DEFINE GPM A ON s {{ ?a <urn:key> ?k ; <urn:price> ?p1 }}
  DEFINE GPM B ON s {{ ?b <urn:key> ?k ; <urn:price> ?p2 FILTER(?p2 > ?p1) }}
  DEFINE GPM C ON s {{ ?c <urn:key> ?k ; <urn:price> ?p3 FILTER(?p3 < ?p2) }}
}}
"""
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Shape:
    """How many keys there are, how many rows of each lie in the window, and where prices go."""

    keys: int
    live: int
    trend: str

    def title(self) -> str:
        return f"{self.live:>6,} live a key, {self.keys:>2} {'keys' if self.keys > 1 else 'key '}, {self.trend}"


SHAPES = [
    Shape(keys, live, trend)
    for live, keys in ((38, 64), (375, 8), (375, 1), (30_000, 8), (30_000, 1))
    for trend in ("random", "falling")
]


def plan_of(operator: str, shape: Shape) -> Plan:
    return compile_plan(parse(QUERY.format(operator=operator, window=shape.live * shape.keys * STEP // 1000)).query)


def prices(shape: Shape, rows: int) -> NDArray[np.int64]:
    """In cents: a random walk of each key, which a falling trend outweighs."""
    chance = np.random.default_rng(1)
    steps = chance.integers(-50, 51, (-(-rows // shape.keys), shape.keys))
    walk = 10_000_000 + np.cumsum(steps, axis=0).reshape(-1)[:rows]
    return walk if shape.trend == "random" else walk - 55 * (np.arange(rows) // shape.keys)


class Rows:
    """The rows of a shape as words, cut into batches."""

    def __init__(self, shape: Shape, rows: int, terms: Terms) -> None:
        self.keys = np.array([terms.integer(number) for number in range(shape.keys)], np.uint64)[
            np.arange(rows) % shape.keys
        ]
        self.prices = np.array([terms.decimal(cents, 2) for cents in prices(shape, rows).tolist()], np.uint64)
        self.above = np.full(rows, terms.integer(1_000_000_000), np.uint64)

    def batches(
        self, variables: list[tuple[str, ...]], third: Words
    ) -> Iterator[tuple[NDArray[np.int64], Words, list[AtomRows]]]:
        """Times, event numbers and rows of the three atoms; ``third`` are the prices that C sees."""
        places = np.arange(BATCH, dtype=np.uint32)
        for start in range(0, len(self.keys), BATCH):
            end = min(start + BATCH, len(self.keys))
            numbers = np.arange(start, end)
            keys, seen = self.keys[start:end], self.prices[start:end]
            columns = [{"k": keys, "p1": seen, "p2": seen, "p3": third[start:end]}] * 3
            rows = [
                AtomRows(places[: end - start], np.array([have[name] for name in names], np.uint64))
                for have, names in zip(columns, variables, strict=True)
            ]
            yield numbers * STEP, numbers.astype(np.uint64), rows


def prepared(operator: str, shape: Shape, rows: int, update: bool) -> Callable[[], Callable[[], Matcher]]:
    """Rows that are ready, and matchers of the shape's query that take them."""
    plan, terms = plan_of(operator, shape), Terms()
    data = Rows(shape, rows, terms)
    batches = list(data.batches([one.variables for one in plan.atoms], data.above if update else data.prices))

    def prepare() -> Callable[[], Matcher]:
        matcher = plan.start(terms)
        assert isinstance(matcher, Matcher)
        matcher.count_only = True

        def run() -> Matcher:
            for batch in batches:
                matcher.feed(*batch)
            matcher.finish()
            return matcher

        return run

    return prepare


def measure(operator: str, shape: Shape, rows: int, update: bool) -> str:
    """Rows a second, and how many matches were found, for people."""
    prepare = prepared(operator, shape, rows, update)
    seconds = interleaved({"run": prepare}, rounds=3)["run"]
    speed = f"{3 * rows / seconds / 1e6:7.2f} M rows/s, {rows / seconds / 1e6:5.2f} M events/s"
    return speed + ("" if update else f", {prepare()().count:,} matches")


def filling(shape: Shape, rows: int) -> int:
    """At least as many rows, so that most of the time the window is full."""
    return max(rows, 4 * shape.live * shape.keys)


def main(rows: int = 100_000) -> None:
    """Print all figures."""
    print(f"V shape per key, {rows:,} events and more with a row for each of three GPMs, one process, CPU time")
    for operator in ";:":
        for shape in SHAPES:
            figures = measure(operator, shape, filling(shape, rows), True)
            print(f"  `{operator}` {shape.title():<34} update  {figures}", flush=True)
    print("  with matches counted, not listed")
    for operator, shapes, count in ((";", SHAPES, rows), (":", SHAPES[:2], rows // 40)):
        for shape in shapes:
            figures = measure(operator, shape, count if operator == ":" else filling(shape, count), False)
            print(f"  `{operator}` {shape.title():<34} counted {figures}", flush=True)


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
