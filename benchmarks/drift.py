"""What is found where work is bounded while rates and values change, and by queries of different priority.

Q1 and Q2 of SHARP (``benchmarks.bound``), with a half and a tenth of the work that exact evaluation takes before.  In
the middle of the stream *values* become greater by a half, or events of two types come *three times as often*.  Recall
is that of matches that end before it, behind a warm-up, and from two windows behind it on, where the bound is again the
same part of the work that is needed; *always so* is that of a stream that was like its second half from the beginning.
*priorities*: two queries alike read streams drawn anew, one with nine times the
share of the other; how often it finds more.

Run: ``python -m benchmarks.drift [runs]`` (``make bench-bound``).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.bound import SHAPES, UNBOUNDED, Integers, Shape, rows_of, words_of
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from spaseq import Bound, Engine

WINDOW, PACE, EVENTS = 800, 256, 80 * 1024
PARTS = (0.5, 0.1)  # of the work
Columns = dict[str, Integers]


def steady(shape: Shape, seed: int) -> Columns:
    """A stream that does not change."""
    return shape.data.columns(EVENTS, seed)


def of_values(shape: Shape, seed: int) -> Columns:
    """One whose values become greater."""
    columns = steady(shape, seed)
    columns["x"] = np.where(np.arange(EVENTS) < EVENTS // 2, columns["x"], columns["x"] * 3 // 2)
    return columns


def of_rates(shape: Shape, seed: int) -> Columns:
    """One in which the first and the last type of the query become more frequent."""
    columns, chance = steady(shape, seed), np.random.default_rng(seed + 1)
    kinds = [shape.data.kinds.index(one) for one in (shape.sequence[0], shape.sequence[-1])]
    often = chance.choice([*range(len(shape.data.kinds)), *(2 * kinds)], EVENTS)
    columns["kind"] = np.where(np.arange(EVENTS) < EVENTS // 2, columns["kind"], often)
    return columns


CHANGES = {"values": of_values, "rates": of_rates}


def ends(shape: Shape, columns: Columns, bounds: tuple[float, float]) -> tuple[Integers, list[float]]:
    """When each match ends, and the work an event of both halves, each of which has a bound of its own."""
    plan, terms = shape.plan(), Terms()
    matcher = Matcher(plan.for_bounded(plan.automaton(terms)), terms)
    words = {name: words_of(terms, column) for name, column in columns.items() if name != "kind"}
    words["kind"] = columns["kind"].astype(np.uint64)
    found, work, done = list[NDArray[np.int64]](), list[float](), 0.0
    for half, bound in enumerate(bounds):
        matcher.work_bound = bound
        for start in range(half * EVENTS // 2, (half + 1) * EVENTS // 2, PACE):
            numbers = np.arange(start, start + PACE)
            matcher.feed(numbers, numbers.astype(np.uint64), rows_of(plan, shape.data.kinds, words, numbers))
            found.append(matcher.take().last)
        work.append((matcher.work - done) / (EVENTS // 2))
        done = matcher.work
    return np.concatenate(found), work


def drifts(name: str, shape: Shape) -> Iterator[str]:
    """Recall before and behind each change."""
    for what, change in CHANGES.items():
        columns = change(shape, 1)
        later = {name: np.tile(column[EVENTS // 2 :], 2) for name, column in columns.items()}
        exact, exact_later = (ends(shape, one, (UNBOUNDED, UNBOUNDED)) for one in (columns, later))
        for part in PARTS:
            found, found_later = (
                ends(shape, one, (all_of_it[1][0] * part, all_of_it[1][1] * part))[0]
                for one, all_of_it in ((columns, exact), (later, exact_later))
            )
            before = recall(found, exact[0], EVENTS // 4, EVENTS // 2)
            behind = recall(found, exact[0], EVENTS // 2 + 2 * WINDOW, EVENTS)
            always = recall(found_later, exact_later[0], EVENTS // 2 + 2 * WINDOW, EVENTS)
            told = f"recall {before:.3f} before, {behind:.3f} behind, {always:.3f} always so"
            yield f"{name}  {what:<8} {part:>4.0%} of the work: {told}"


def recall(found: Integers, exact: Integers, low: int, high: int) -> float:
    """Of matches that end there."""
    return float(((found >= low) & (found < high)).sum() / ((exact >= low) & (exact < high)).sum())


def priorities(runs: int) -> str:
    """How often the query of the higher priority finds more."""
    shape = replace(SHAPES["Q2"], window=400)
    found = [shared(shape, seed) for seed in range(runs)]
    more = sum(one["first"] > one["second"] for one in found)
    part = median(one["first"] / max(1, one["second"]) for one in found)
    return f"priority 9 to 1: the first finds more in {more} of {runs} runs, {part:.2f} times as much"


def shared(shape: Shape, seed: int) -> Counter[str]:
    """How many matches two queries alike have that share a bound."""
    engine = Engine(bound=Bound(60, {"first": 9}))
    for name in ("first", "second"):
        engine.register(shape.text().replace("SELECT *", "SELECT ?ax" if name == "first" else "SELECT ?bx"), name)
    columns = shape.data.columns(6000, seed)
    kinds = shape.data.kinds
    events = [
        (1000 * at, f"<urn:e> <urn:{kinds[kind]}> {x} ; <urn:y> 0 ; <urn:v> 0 ; <urn:id> {key} .".encode())
        for at, (kind, key, x) in enumerate(zip(columns["kind"], columns["id"], columns["x"], strict=True))
    ]
    return Counter(match.query for match in [*engine.push_batch("urn:s", events), *engine.close()])


def main(runs: int = 100) -> None:
    """Print all of it."""
    for name, like in SHAPES.items():
        for line in drifts(name, replace(like, window=WINDOW)):
            print(line, flush=True)
    print(priorities(runs))


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
