"""Streams on which exact evaluation takes much: events of six types, each with one of 25 keys and a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.joins.matcher import Matcher
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan

KINDS, KEYS, VALUES = "ABCDEF", 25, 100
HEAD = "SELECT * WITHIN {window} EVENTS SLIDING FROM STREAM s <urn:s> WHERE {{ SEQ({sequence})"
ATOM = " DEFINE GPM {name} ON s {{ ?{low} <urn:{name}> ?{low}x . ?{low} <urn:id> ?id {filter} }}"
SUM = ("A : B:+ : C : D", {"C": "FILTER(SUM(?bx) < ?cx)"})
SUM_OF_TWO = ("A : B:+ : E : F", {"F": "FILTER(?ax + SUM(?bx) < ?ex + ?fx)"})
Shape = tuple[str, dict[str, str]]


def plan_of(shape: Shape, window: int) -> Plan:
    """A query over some of the types."""
    return compile_plan(parse(text_of(shape, window)).query)


def text_of(shape: Shape, window: int) -> str:
    """The text of the query."""
    sequence, filters = shape
    atoms = [
        ATOM.format(name=name, low=name.lower(), filter=filters.get(name, "")) for name in KINDS if name in sequence
    ]
    return HEAD.format(window=window, sequence=sequence) + "".join(atoms) + " }"


@cache
def stream(events: int, seed: int = 1) -> tuple[NDArray[np.int64], ...]:
    """Type, key and value of each event."""
    chance = np.random.default_rng(seed)
    return tuple(chance.integers(low, high, events) for low, high in ((0, len(KINDS)), (0, KEYS), (1, VALUES + 1)))


@dataclass
class BoundedRun:
    """A matcher over the stream, whose matches are counted."""

    plan: Plan
    matcher: Matcher
    words: NDArray[np.uint64]

    @classmethod
    def of(cls, shape: Shape, window: int, bound: float) -> BoundedRun:
        terms, plan = Terms(), plan_of(shape, window)
        matcher = plan.start(terms, enumerates=True, automaton=plan.for_bounded(plan.automaton(terms)))
        assert isinstance(matcher, Matcher)
        matcher.tallies = matcher.count_only = True
        matcher.work_bound = bound
        return cls(plan, matcher, np.array([terms.integer(number) for number in range(VALUES + 1)], np.uint64))

    def feed(self, events: tuple[NDArray[np.int64], ...], first: int, last: int, batch: int = 1000) -> None:
        """Events from the first to before the last, in batches."""
        for start in range(first, last, batch):
            numbers = np.arange(start, min(start + batch, last))
            self.matcher.feed(numbers * 1000, numbers.astype(np.uint64), list(self.rows(events, numbers)))
            self.matcher.take()

    def rows(self, events: tuple[NDArray[np.int64], ...], numbers: NDArray[np.int64]) -> Iterator[AtomRows | None]:
        """The rows of each atom."""
        kinds, keys, values = (column[numbers] for column in events)
        for atom in self.plan.atoms:
            at = np.flatnonzero(kinds == KINDS.index(atom.name))
            columns = {"id": self.words[keys[at]], f"{atom.name.lower()}x": self.words[values[at]]}
            words = [columns.get(name, self.words[at * 0]) for name in atom.variables]
            yield AtomRows(at.astype(np.uint32), np.array(words, np.uint64)) if len(at) else None

    def restored(self) -> BoundedRun:
        """The same from its snapshot."""
        data, old = self.matcher.snapshot(), self.matcher
        matcher = Matcher.restore(old.automaton, old.terms, data, lambda words: words)
        assert matcher.snapshot() == data
        matcher.tallies = matcher.count_only = True
        return BoundedRun(self.plan, matcher, self.words)
