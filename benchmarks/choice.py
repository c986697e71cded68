"""What ``auto`` chooses beside ``eager`` and ``lazy``: ``A : B : C`` with a filter over all three events, no key.

24 workloads: C as often as A and as B, or once for 10, 100 or 1,000 of each; windows of 300, 1,000 and 3,000 events;
two filters, one that a sixth of all triples pass, and one that hardly any does.  Then phases of 50,000 events: A is
rare, B is, C is, or none.  Matches are counted.

All three ways take the same events in turn, batch by batch in one process, so that they share its noise; a way that is
much slower than another one is given up (``>``: at least so many times).  A stream is ten windows long, or longer, and
its beginning, when ``auto`` knows nothing, is part of it.  CPU time, medians of some runs, microseconds an event.  Run:
``python -m benchmarks.choice`` (``make bench-choice``).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.lazy import SQUARES, SUM, WAYS, Shape, batches
from nfa_native.automata.kinds import Evaluating
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms

FILTERS = {"sum": SUM, "squares": SQUARES}
WINDOWS, RATES = (300, 1000, 3000), (1, 10, 100, 1000)
LEAST, LONG, BATCH = 20_000, 10, 250  # events of a stream, or windows; events of a batch
RUNS, ENOUGH = 5, 1.5  # runs of a workload, but no more after so many seconds
FAR, SOME = 3.0, 0.05  # so many times as long as the other way, and seconds, are enough to give up
PHASE, RARE, PHASE_WINDOW = 50_000, 1000, 300
RACES = 3  # over all phases
PHASES = ("C", "A", "", "B", "C", "", "A", "C", "B")  # what is rare


@dataclass(slots=True)
class Way:
    """A matcher, and how long each batch has taken."""

    matcher: Matcher
    taken: list[float] = field(default_factory=list)
    given_up: bool = False

    def take(self, batch: Any) -> None:
        started = time.process_time()
        self.matcher.feed(*batch)
        self.taken.append(time.process_time() - started)

    def each(self, start: int = 0, end: int | None = None) -> float:
        """Microseconds an event of some batches."""
        taken = self.taken[start:end]
        return sum(taken) / len(taken) / BATCH * 1e6


Ways = dict[Evaluating, Way]


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────
def race(shape: Shape, events: int, kinds: NDArray[np.int64] | None = None, far: float = FAR) -> Ways:
    """All ways over the same events, in turn."""
    plan, terms, ways = shape.plan(), Terms(), {}
    for one in WAYS:
        matcher = plan.start(terms, enumerates=True)
        assert isinstance(matcher, Matcher)
        matcher.evaluation, matcher.count_only = one, True
        ways[one] = Way(matcher)
    for number, batch in enumerate(batches(shape, plan, terms, events, kinds, BATCH)):
        for way in ways.values():
            if not way.given_up:
                way.take(batch)
        give_up(ways, far if number * BATCH > shape.window else far * far)
    assert len({way.matcher.count for way in ways.values() if not way.given_up}) == 1
    return ways


def give_up(ways: Ways, far: float) -> None:
    """Let eager or lazy go, if it is much slower than the other."""
    fast, slow = sorted((ways[one] for one in (Evaluating.EAGER, Evaluating.LAZY)), key=lambda way: sum(way.taken))
    if not fast.given_up and sum(slow.taken) > max(SOME, far * sum(fast.taken)):
        slow.given_up = True


def times(ways: Ways) -> list[float]:
    """Microseconds an event of each way, at least, where one was given up: as it was beside the other one."""
    whole = max(len(way.taken) for way in ways.values())
    other = min((way for way in ways.values() if len(way.taken) == whole), key=lambda way: way.each())
    return [way.each() / other.each(0, len(way.taken)) * other.each() for way in ways.values()]


def beside_better(ways: Ways, start: int = 0, end: int | None = None) -> float:
    """How many times as long as the better way ``auto`` has taken for some batches."""
    better = min(ways[one].each(start, end) for one in (Evaluating.EAGER, Evaluating.LAZY) if not ways[one].given_up)
    return ways[Evaluating.AUTO].each(start, end) / better


# ── workloads ────────────────────────────────────────────────────────────────────────────────────────────
def runs(shape: Shape) -> Iterator[Ways]:
    """Some of one workload."""
    started = time.process_time()
    for _ in range(RUNS):
        yield race(shape, max(LEAST, LONG * shape.window))
        if time.process_time() - started > ENOUGH:
            return


def workload(name: str, window: int, rate: int) -> float:
    """Print its line; how many times as long as the better way ``auto`` takes."""
    found = list(runs(Shape(FILTERS[name], rare=2 * rate + 1, window=window)))
    ratio = median(map(beside_better, found))
    marks = [">" if found[0][one].given_up else "" for one in WAYS]
    each = map(median, zip(*map(times, found), strict=True))
    columns = "".join(f"{mark + format(one, ',.2f'):>12}" for mark, one in zip(marks, each, strict=True))
    print(f"  {name:<8} {window:>6,} {'1:' + format(rate, ','):>8}{columns} {ratio:>8.2f}", flush=True)
    return ratio


# ── phases ───────────────────────────────────────────────────────────────────────────────────────────────
def changing_kinds() -> NDArray[np.int64]:
    """Which GPM each event is of, phase after phase."""
    chance = np.random.default_rng(1)
    parts = []
    for rare in PHASES:
        weights = np.array([1 / RARE if kind == rare else 1 for kind in "ABC"])
        parts.append(chance.choice(3, PHASE, p=weights / weights.sum()))
    return np.concatenate(parts)


def phases(name: str) -> float:
    """Print a line for each; the worst ratio."""
    kinds, shape = changing_kinds(), Shape(FILTERS[name], window=PHASE_WINDOW)
    races = [race(shape, PHASE * len(PHASES), kinds, far=float("inf")) for _ in range(RACES)]
    ratios = []
    for number, rare in enumerate(PHASES):
        part = (number * PHASE // BATCH, (number + 1) * PHASE // BATCH)
        columns = "".join(f"{median(ways[one].each(*part) for ways in races):>12,.2f}" for one in WAYS)
        ratios.append(median(beside_better(ways, *part) for ways in races))
        print(f"  {name:<8} {rare or 'none':>6} rare    {columns} {ratios[-1]:>8.2f}", flush=True)
    return max(ratios)


def main() -> None:
    """Print all figures."""
    heads = "".join(f"{one:>12}" for one in ("eager", "lazy", "auto"))
    print("A : B : C, matches counted, one process, CPU time, µs an event")
    print(f"  {'filter':<8} {'window':>6} {'C : A, B':>8}{heads} {'/ better':>8}")
    worst = max(workload(*one) for one in product(FILTERS, WINDOWS, RATES))
    print(f"worst: {worst:.2f}")
    print(f"Phases of {PHASE:,} events, window {PHASE_WINDOW:,}")
    print(f"worst: {max(map(phases, FILTERS)):.2f}")


if __name__ == "__main__":
    main()
