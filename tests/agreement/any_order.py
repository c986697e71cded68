"""Queries with `&&`: the engine against the oracle in several ways, each of which gives the difference, or nothing.

The ways ask nothing of a pair, so those of queries without `&&` can be compared in them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

import spaseq
from spaseq.errors import QueryError
from spaseq.graphs.queries import prepare
from spaseq.results.table import MatchTable
from tests.agreement import harness
from tests.agreement.counts import ALL, miscounted
from tests.agreement.engines import EngineRun, disagreement, fed, ordered
from tests.agreement.harness import triples_of
from tests.oracle import generate
from tests.oracle.aggregated import aggregated_pair
from tests.oracle.chooser import Seeded
from tests.oracle.evaluate import Result, evaluate
from tests.oracle.exhaustive import pairs as all_pairs, pairs_of, queries_across
from tests.oracle.exhaustive_partitions import pairs as all_partitioned
from tests.oracle.expressed import expressed_pair
from tests.oracle.generate import BASE, SECOND, Pair, Size, random_pair
from tests.oracle.model import AnyOrder, Atom, Event, Kleene, Node, Seq, Window
from tests.oracle.partitions import partitioned_pair
from tests.oracle.text import to_text

SIZE = Size(4, 7, 1, 3, any_order=True)
Maker = Callable[[int, Size], Pair]
Way = Callable[[Pair], str]


# ── pairs ────────────────────────────────────────────────────────────────────────────────────────────────
def random_case(number: int, size: Size = SIZE) -> Pair:
    """The pair of a number, of each kind in turn; in every seventh twice as many events are at one time."""
    pair = MAKERS[number % len(MAKERS)](number, size)
    return crowded(pair) if number % 7 == 0 else pair


class Repeating(generate.Maker):
    """Makes pairs with a repetition in a side, and something behind the `&&`: filters of each iteration look across."""

    def sequence(self) -> Node:
        """One of some shapes."""
        a, b, c, d = map(Atom, "ABCD")
        sign, size = self.chooser.pick(";:"), self.chooser.pick(((1, None), (2, 2), (1, 2)))
        repeated = Kleene(self.chooser.pick((b, Seq(b, sign, d))), *size, sign)
        both = self.chooser.pick((AnyOrder((a, repeated)), AnyOrder((repeated, a))))
        around = self.chooser.pick((both, both, Seq(d, ";", both), AnyOrder((both, d))))
        return Seq(around, ";", self.chooser.pick((c, c, Kleene(c, 1, None, ";"))))


MAKERS: tuple[Maker, ...] = (
    random_pair,
    partitioned_pair,
    lambda number, size: Repeating(Seeded(number), size).pair(),
    lambda number, size: aggregated_pair(number, size, partitioned=number % 2 > 0),
    lambda number, size: expressed_pair(number, size, partitioned=number % 2 > 0),
)


def crowded(pair: Pair) -> Pair:
    """The pair with its times halved, to whole seconds."""
    events = (replace(event, time=event.time // (2 * SECOND) * SECOND) for event in pair.events)
    return replace(pair, events=tuple(events))


def small_worlds() -> Iterator[Pair]:
    """All patterns of at most two operators on all streams of at most three events, some at one time.

    Then with a filter across, and in a window; those of one operator with events of several types, and of four events.
    """
    yield from all_pairs(any_order=True)
    yield from pairs_of(queries_across())
    yield from all_pairs(window=Window(2, "EVENTS", sliding=True), any_order=True)
    yield from all_pairs(1, several=True, any_order=True)
    yield from all_pairs(1, events=4, any_order=True)
    yield from pairs_of(queries_across(1), several=True)


def small_partitions() -> Iterator[Pair]:
    """All patterns of at most two operators on all streams of at most three events of two keys."""
    yield from all_partitioned(any_order=True)
    yield from all_partitioned(using=True, window=Window(2, "EVENTS", sliding=True), any_order=True)


def refusal(text: str) -> str:
    """Why the planner refuses a query, which the language must not do; else nothing."""
    try:
        spaseq.Engine().register(prepare(text))
    except QueryError as error:
        spaseq.parse(text)
        return error.message
    return ""


# ── engines ──────────────────────────────────────────────────────────────────────────────────────────────
class PreparedRun(EngineRun):
    """A query that is planned once for all engines that run it, one after the other."""

    def __init__(self, pair: Pair) -> None:
        self.query, self.text, self.gpm = pair.query, to_text(pair.query), "auto"
        self.prepared = prepare(self.text)
        self.plan = self.prepared.plan
        self.results: list[Result] = []
        self._use(spaseq.Engine())
        self.engine.register(self.prepared, "query")

    def restart(self) -> None:
        """Go on with an engine restored from a snapshot."""
        self._use(spaseq.Engine.restore(self.engine.snapshot(), {"query": self.prepared}))

    def _add(self, table: MatchTable) -> None:
        self.terms = self.engine.terms  # which it shares with others at first
        super()._add(table)

    def push_single(self, one: Event) -> None:
        """Push an event as those do who have one at a time."""
        graph = list(triples_of(one.triples))
        self.results += map(self._result, self.engine.push(one.stream, graph, one.time, BASE + one.name))

    def _result(self, match: spaseq.Match) -> Result:
        listed = not self.plan.match_aggregates and not self.query.select.distinct
        picks = tuple(sorted((name, tuple(sorted(events))) for name, events in match.events.items() if events))
        row = tuple(sorted((name, term.n3()) for name, term in match.bindings.items()))
        first, last, decided = match.microseconds
        return Result(
            picks if listed else (),
            first if listed else None,
            None if self.plan.match_aggregates else last,
            row,
            float("inf") if decided == harness.FOREVER else decided,
        )


def at_once(pair: Pair) -> list[Result]:
    """The results of all events in one batch."""
    return in_batches(pair, [ordered(pair.query, pair.events)])


def in_batches(pair: Pair, batches: Iterable[Sequence[Event]], restores: bool = False) -> list[Result]:
    """The results of some batches, maybe with a snapshot after each."""
    one = PreparedRun(pair)
    for events in batches:
        one.push(events)
        if restores:
            one.restart()
    return one.finish()


def singly(pair: Pair) -> list[Result]:
    """The results of events that are pushed one by one."""
    one = PreparedRun(pair)
    for event in ordered(pair.query, pair.events):
        one.push_single(event)
    return one.finish()


def anyhow(pair: Pair, seed: int) -> list[Result]:
    """The results of batches of random sizes, with promises and snapshots after some."""
    return fed(PreparedRun(pair), ordered(pair.query, pair.events), Random(f"{seed} {pair.events}"))


def cut_in_two(pair: Pair) -> Iterator[list[Sequence[Event]]]:
    """All ways to cut the events into two batches; most cuts are between two times, some within one."""
    events = ordered(pair.query, pair.events)
    return ([events[:place], events[place:]] for place in range(len(events) + 1))


# ── ways ─────────────────────────────────────────────────────────────────────────────────────────────────
def by_parts(pair: Pair) -> str:
    """Plan, rows and matcher alone, with every event a batch too; with PARTITION BY it takes an engine."""
    if pair.query.partition:
        return disagreement(pair, at_once(pair))
    every = range(1, len(ordered(pair.query, pair.events)))
    return harness.difference(pair.query, pair.events) or harness.difference(pair.query, pair.events, every)


def pushed(pair: Pair) -> str:
    """An engine, event by event."""
    return disagreement(pair, singly(pair))


def cut_anywhere(pair: Pair) -> str:
    """An engine, in two batches cut anywhere, and in batches of random sizes."""
    runs = (in_batches(pair, batches) for batches in cut_in_two(pair))
    return first_of(disagreement(pair, found) for found in (*runs, anyhow(pair, 1), anyhow(pair, 2)))


def restored(pair: Pair) -> str:
    """An engine with a snapshot between any two events, also of one time: after all of them, and after each alone."""
    events = ordered(pair.query, pair.events)
    found = disagreement(pair, in_batches(pair, ([event] for event in events), restores=True))
    return found or first_of(
        disagreement(pair, in_batches(pair, batches, restores=True)) for batches in cut_in_two(pair)
    )


def counted(pair: Pair) -> str:
    """Matches that are counted only: by sets and COUNT(*), and by an engine."""
    every = replace(pair, query=replace(pair.query, select=ALL))
    found = "" if pair.query.partition else miscounted(every, len(to_text(pair.query)))
    return found or first_of(map(miscounted_by_engine, (every, pair)))


def miscounted_by_engine(pair: Pair) -> str:
    """Empty if an engine that counts results has the oracle's number, else what it has."""
    one = PreparedRun(pair)
    one.engine.kind.count_only()
    for event in ordered(pair.query, pair.events):
        one.push([event])
    one.close()
    found, wanted = one.engine.kind.core.running["query"].named("query").found, len(evaluate(pair.query, pair.events))
    return "" if found == wanted else f"{to_text(pair.query)}\n{pair.events}\nfound {found}, the oracle has {wanted}"


def in_one_order(pair: Pair) -> str:
    """Results of one decision time come in the same order however the input is cut.

    Those of several substreams come in any, so with PARTITION BY only what they are is compared; and so it is where an
    engine was restored (`restored`), since a snapshot leaves what an order may come from out.
    """
    wanted = at_once(pair)
    runs = (singly(pair), *(in_batches(pair, batches) for batches in cut_in_two(pair)))
    if pair.query.partition:
        return first_of(disagreement(pair, found) for found in (wanted, *runs))
    return disagreement(pair, wanted) or first_of(reordered(pair, wanted, found) for found in runs)


def reordered(pair: Pair, wanted: Sequence[Result], found: Sequence[Result]) -> str:
    """Empty if results are equal and in the same order, else a report."""
    if found == wanted:
        return ""
    lines = [to_text(pair.query), *map(str, pair.events), *(f"at once   {one}" for one in wanted)]
    return "\n".join([*lines, *(f"otherwise {one}" for one in found)])


def first_of(differences: Iterable[str]) -> str:
    """The first that there is."""
    return next(filter(None, differences), "")


WAYS: tuple[Way, ...] = (by_parts, pushed, cut_anywhere, restored, counted, in_one_order)


def way_of(number: int) -> Way:
    """The way in which the pair of a number is compared: each kind of pair in each."""
    return WAYS[number % len(WAYS)]
