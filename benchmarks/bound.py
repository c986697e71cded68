"""Load shedding in the matcher of graphs: how many matches are found where work is bounded, and what that takes.

The queries and the uniform streams of SHARP (2025): Q1 and Q2, sums in a Kleene, over DS2; Q3 to Q6, whose matches are
found at once, over DS1 (distances are squares of them here).  ``:`` everywhere, one id, a window of events.  First all
is found; then work is bounded to parts of what that took, counted behind a warm-up of some windows.

* *ours*: steps are not made whose successors bring least for their work;
* *by state and age* (as pSPICE does it), *by state* (its selectivity), *oldest first*: the same controller, that is
  told no more of a partial match than this;
* *random state*: steps are not made, and cells are dropped, by chance, so often that work suffices;
* *random input*: events are left out by chance, so many that work suffices;
* *by type* (as eSPICE does it), *by type and value* (as DARLING does): those events are left out that were in least
  matches in the first half of the stream, each class of them as a whole, so many that work suffices.

Recall is the part of the matches that is found, work that of the units.  Rows go straight into the kernel, CPU time of
one process; µs are of an event that comes.  Run: ``python -m benchmarks.bound [events]`` (``make bench-bound``).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan

Integers = NDArray[np.int64]
QUERY = "SELECT * WITHIN {window} EVENTS SLIDING FROM STREAM s <urn:s> WHERE {{ SEQ({sequence})"
GPM = """
    DEFINE GPM {name} ON s {{ ?{low} <urn:{name}> ?{low}x ; <urn:y> ?{low}y ; <urn:v> ?{low}v ; <urn:id> ?id {filter} }}
"""
BATCH, SEED, UNBOUNDED = 250, 1, 1e12
TRIALS = 6  # to find how much may come, or stay
PARTS = (0.5, 0.22, 0.1)  # of the work that exact evaluation takes
TELLING = ("ours", "by state and age", "by state", "oldest first")
NEAR = "(?{0}x - ?{1}x) * (?{0}x - ?{1}x) + (?{0}y - ?{1}y) * (?{0}y - ?{1}y) <= ?{2}v"


@dataclass(frozen=True, slots=True)
class Data:
    """A uniform stream: types, ids, and the least and greatest x, y and v."""

    kinds: str
    ids: int
    values: tuple[tuple[int, int], ...]

    def columns(self, events: int, seed: int = SEED) -> dict[str, Integers]:
        """The type (its number), id and values of each event."""
        chance = np.random.default_rng(seed)
        found = {"kind": chance.integers(0, len(self.kinds), events), "id": chance.integers(1, self.ids + 1, events)}
        for name, (low, high) in zip("xyv", self.values, strict=True):
            found[name] = chance.integers(low, high + 1, events)
        return found


DS1 = Data("ABCDEFGHIJ", 10, ((-90, 90), (-180, 180), (1, 3_000_000)))
DS2 = Data("ABCDEF", 25, ((1, 100), (0, 0), (0, 0)))


@dataclass(frozen=True, slots=True)
class Shape:
    """A query over one of the streams; ``filters`` by GPM."""

    data: Data
    sequence: str
    filters: dict[str, str]
    window: int

    def text(self) -> str:
        """The query."""
        names = [name for name in self.data.kinds if name in self.sequence]
        filters = {name: f"FILTER({self.filters[name]})" if name in self.filters else "" for name in names}
        gpms = (GPM.format(name=name, low=name.lower(), filter=filters[name]) for name in names)
        return QUERY.format(window=self.window, sequence=self.sequence) + "".join(gpms) + " }"

    def plan(self) -> Plan:
        """What a matcher runs."""
        return compile_plan(parse(self.text()).query)


CHAIN = {"B": "?av < ?bv", "D": "?bv + ?cv < ?dv"}
SHAPES = {
    "Q1": Shape(DS2, "A : B:+ : C : D", {"C": "SUM(?bx) < ?cx"}, 2000),
    "Q2": Shape(DS2, "A : B:+ : E : F", {"F": "?ax + SUM(?bx) < ?ex + ?fx"}, 2000),
}
AT_ONCE = {
    "Q3": Shape(DS1, "A : B : C : D : E : F : G", {**CHAIN, "F": NEAR.format("d", "e", "f")}, 1000),
    "Q4": Shape(DS1, "A : B : C : D : H : I : J", {**CHAIN, "I": NEAR.format("d", "h", "i")}, 1000),
    "Q5": Shape(DS1, "A : B : C! : D", {"B": "?ax < ?bx"}, 1000),
    "Q6": Shape(DS1, "A : B : C! : E", {"B": "?ax < ?bx"}, 1000),
}


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(slots=True)
class Found:
    """What a run has found behind its warm-up: matches, units of work, and seconds of each batch."""

    matches: int
    work: float
    seconds: list[float]

    def each(self) -> float:
        """Microseconds an event."""
        return sum(self.seconds) / len(self.seconds) / BATCH * 1e6


def matcher_of(plan: Plan, terms: Terms, bound: float, reckless: float = 0, telling: int = 0) -> Matcher:
    """One whose matches are counted."""
    matcher = plan.start(terms, enumerates=True, automaton=plan.for_bounded(plan.automaton(terms)))
    assert isinstance(matcher, Matcher)
    matcher.tallies = matcher.count_only = True
    matcher.work_bound = bound
    matcher.reckless, matcher.telling = reckless, telling
    return matcher


def rows_of(plan: Plan, kinds: str, columns: dict[str, NDArray[np.uint64]], part: Integers) -> list[AtomRows | None]:
    """The rows of each GPM for some events, by their numbers."""
    found: list[AtomRows | None] = []
    for atom in plan.atoms:
        at = np.flatnonzero(columns["kind"][part] == kinds.index(atom.name))
        named = [
            columns.get(name if name == "id" else name[1:], columns["id"] * 0)[part][at] for name in atom.variables
        ]
        found.append(AtomRows(at.astype(np.uint32), np.array(named, np.uint64)) if len(at) else None)
    return found


def run(
    shape: Shape,
    events: int,
    bound: float = UNBOUNDED,
    reckless: float = 0,
    telling: int = 0,
    left_out: NDArray[np.bool_] | None = None,
) -> Found:
    """Under a bound, or without some of the events; the first half of the stream is the warm-up."""
    plan, terms = shape.plan(), Terms()
    matcher, columns = matcher_of(plan, terms, bound, reckless, telling), shape.data.columns(events)
    words = {name: words_of(terms, column) for name, column in columns.items() if name != "kind"}
    words["kind"] = columns["kind"].astype(np.uint64)
    if left_out is not None:
        words["kind"][left_out] = len(shape.data.kinds)  # of no GPM: it has its place in the window
    before: tuple[int, float] = (0, 0.0)
    seconds: list[float] = []
    for start in range(0, events, BATCH):
        numbers = np.arange(start, min(start + BATCH, events))
        if start == events // 2 // BATCH * BATCH:
            before = (matcher.count, matcher.work)
            seconds.clear()
        rows = rows_of(plan, shape.data.kinds, words, numbers)
        started = time.process_time()
        matcher.feed(numbers * 1000, numbers.astype(np.uint64), rows)
        matcher.take()
        seconds.append(time.process_time() - started)
    return Found(matcher.count - before[0], matcher.work - before[1], seconds)


def words_of(terms: Terms, values: Integers) -> NDArray[np.uint64]:
    """Integers as words."""
    known, places = np.unique(values, return_inverse=True)
    return np.array([terms.integer(int(value)) for value in known], np.uint64)[places]


def with_work(run_with: Callable[[float], Found], work: float) -> Found:
    """The run with the greatest part, from 0 to 1, that takes no more than so much work."""
    low, high, best = 0.0, 1.0, run_with(0)
    for _ in range(TRIALS):
        middle = (low + high) / 2
        found = run_with(middle)
        if found.work <= work:
            low, best = middle, found
        else:
            high = middle
    return best


# ── events that are left out ─────────────────────────────────────────────────────────────────────────────
def in_matches(shape: Shape, events: int) -> Integers:
    """In how many matches each event is that end in the first half of the stream."""
    plan, terms, columns = shape.plan(), Terms(), shape.data.columns(events)
    matcher = Matcher(plan.automaton(terms), terms)
    words = {name: words_of(terms, column) for name, column in columns.items() if name != "kind"}
    words["kind"], found = columns["kind"].astype(np.uint64), np.zeros(events, np.int64)
    for start in range(0, events // 2, BATCH):
        numbers = np.arange(start, min(start + BATCH, events // 2))
        matcher.feed(numbers * 1000, numbers.astype(np.uint64), rows_of(plan, shape.data.kinds, words, numbers))
        found += np.bincount(matcher.take().pick_events.astype(np.int64), minlength=events)
    return found


def least_of_use(classes: Integers, matches: Integers) -> Callable[[float], NDArray[np.bool_]]:
    """The events that are left out when a part is kept: those of classes that were in least matches, an event."""
    known = slice(0, len(classes) // 2)
    counts = np.bincount(classes[known], minlength=int(classes.max()) + 1)
    use = np.bincount(classes[known], matches[known], int(classes.max()) + 1) / np.maximum(counts, 1)
    order = np.lexsort((np.random.default_rng(SEED + 1).random(len(classes)), use[classes]))
    ranks = np.empty(len(classes), np.int64)
    ranks[order] = np.arange(len(classes))
    return lambda kept: ranks < (1 - kept) * len(classes)


def by_input(shape: Shape, events: int) -> dict[str, Callable[[float], NDArray[np.bool_]]]:
    """Ways to choose the events that are left out, by the part that is kept."""
    columns, matches = shape.data.columns(events), in_matches(shape, events)
    values = np.searchsorted(np.quantile(columns["x"], np.arange(0.1, 1, 0.1)), columns["x"])
    draws = np.random.default_rng(SEED + 1).random(events)
    return {
        "random input": lambda kept: draws >= kept,
        "by type": least_of_use(columns["kind"], matches),
        "by type and value": least_of_use(columns["kind"] * 10 + values, matches),
    }


# ── what is printed ──────────────────────────────────────────────────────────────────────────────────────
def bounded(name: str, shape: Shape, events: int) -> Iterator[str]:
    """A line for each part of the work."""
    exact = run(shape, events)
    behind = events - events // 2 // BATCH * BATCH
    units, inputs = exact.work / behind, by_input(shape, events)
    yield f"{name}  exact: {exact.matches / behind:,.1f} matches, {units:,.0f} units, {exact.each():,.1f} µs an event"
    for part in PARTS:
        ways = {way: run(shape, events, units * part, telling=telling) for telling, way in enumerate(TELLING)}
        ways["random state"] = with_work(lambda kept: run(shape, events, reckless=1 - kept), exact.work * part)
        for way, left_out in inputs.items():
            ways[way] = with_work(lambda kept: run(shape, events, left_out=left_out(kept)), exact.work * part)  # noqa: B023
        yield f"    {part:.0%} of the work"
        for way, one in ways.items():
            part_of_all, work = one.matches / exact.matches, one.work / exact.work
            yield f"        {way:<18} recall {part_of_all:.3f}   work {work:.2f}   {one.each():,.1f} µs an event"


def at_once(name: str, shape: Shape, events: int) -> str:
    """Exact, and under a bound that is met by far."""
    exact, found = run(shape, events), run(shape, events, 1000)
    longest = np.quantile(found.seconds, 0.99) / BATCH * 1e6
    return (
        f"{name}  recall {found.matches / max(1, exact.matches):.3f}, {found.matches:,} matches, "
        f"{found.each():.2f} µs an event, p99 of batches {longest:.2f}; without a bound {exact.each():.2f}"
    )


def main(arguments: Sequence[str]) -> None:
    """Print all figures."""
    events = int(arguments[0]) if arguments else 16_000
    print(f"{events:,} events, the second half is counted; recall (part of the work, time an event)")
    for name, shape in SHAPES.items():
        for line in bounded(name, shape, events):
            print(line, flush=True)
    for name, shape in AT_ONCE.items():
        print(at_once(name, shape, 10 * events), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
