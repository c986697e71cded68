"""Counts of matches: by sets, by totals, and by COUNT(*), all of which are to be as many as the oracle has."""

from __future__ import annotations

from dataclasses import replace

from tests.agreement.counting import counting_pair
from tests.agreement.harness import Run, difference
from tests.oracle.evaluate import evaluate, streamset
from tests.oracle.expressions import Aggregate
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.model import Column, Select

SIZE = Size(events=10)
SMALL = Size(events=6)  # what the oracle can enumerate quickly
ALL = Select()
COUNT = Select((Column(Aggregate("COUNT", None), "n"),))


def counted(pair: Pair, by_sets: bool, cut: int) -> int:
    """How many results the matcher counts; the events come in two batches."""
    one = Run(pair.query, enumerates=True)
    one.matcher.count_only = by_sets
    _feed(one, pair, cut)
    return one.matcher.count


def totalled(pair: Pair, cut: int) -> int | None:
    """How many results there are by totals of partial matches; None where the query does not allow them."""
    one = Run(pair.query)
    counter = one.plan.counter(one.terms, one.matcher.automaton)
    if counter is None:
        return None
    one.matcher = counter
    _feed(one, pair, cut)
    return counter.count


def counting(seed: int) -> Pair:
    """A pair whose matches are to be counted: every other one of the kind that totals can do."""
    pair = counting_pair(seed, 7) if seed % 2 else random_pair(seed, SMALL)
    return replace(pair, query=replace(pair.query, select=ALL))


def miscounted(pair: Pair, seed: int) -> str:
    """Empty if every way to count gives the oracle's number, else what they gave."""
    wanted = len(evaluate(pair.query, pair.events))
    found = (counted(pair, True, seed % 7), totalled(pair, seed % 5))
    if found[0] != wanted or found[1] not in (None, wanted):
        return f"{pair.query}\n{pair.events}\nby sets and by totals {found}, the oracle has {wanted}"
    return difference(replace(pair.query, select=COUNT), pair.events, [seed % 6])


def _feed(one: Run, pair: Pair, cut: int) -> None:
    ordered = streamset(pair.query, list(pair.events))
    one.feed(ordered[:cut])
    one.feed(ordered[cut:])
    one.finish()
