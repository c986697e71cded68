"""Drives a matcher directly: hand-made rows in, raw matches out; no graphs, no engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.automata.kinds import Cells
from nfa_native.joins.matcher import RawMatches
from nfa_native.terms.dictionary import Terms
from spaseq.languages.spaseq import parse
from spaseq.plan.sequences import Plan, compile_plan
from tests.cases.loader import query_text

Happening = tuple[
    int, Mapping[str, Sequence[Mapping[str, int | bytes]]]
]  # time, and rows by atom: integers or term bytes
Found = list[tuple[Any, ...]]


def plan_of(seq: str, **spec: Any) -> Plan:
    """The plan of a query in the case files' compact form."""
    return compile_plan(parse(query_text({"seq": seq, **spec})).query)


class Driver:
    """One plan and its matcher, maybe with cells of a kind; events are numbered from 0."""

    def __init__(self, plan: Plan, cells: Cells | None = None) -> None:
        self.plan = plan
        self.cells = cells
        self.terms = Terms()
        self.matcher = plan.start(self.terms, cells)
        self.next = 0

    def rows(self, events: Sequence[Happening]) -> list[AtomRows]:
        """The rows of every atom of the plan on a batch."""
        return [self._atom_rows(one.name, one.variables, events) for one in self.plan.atoms]

    def _atom_rows(self, name: str, variables: Sequence[str], events: Sequence[Happening]) -> AtomRows:
        found = [(i, row) for i, (_, rows) in enumerate(events) for row in rows.get(name, ())]
        words = [[self._word(row[v]) if v in row else 0 for _, row in found] for v in variables]
        columns = np.array(words, np.uint64).reshape(len(variables), len(found))
        return AtomRows(np.array([i for i, _ in found], np.uint32), columns)

    def _word(self, value: int | bytes) -> int:
        return self.terms.integer(value) if isinstance(value, int) else self.terms.intern(value)

    def feed(self, events: Sequence[Happening]) -> None:
        """Feed a batch."""
        times = np.array([time for time, _ in events], np.int64)
        handles = np.arange(self.next, self.next + len(events), dtype=np.uint64)
        self.next += len(events)
        self.matcher.feed(times, handles, self.rows(events))

    def restore(self, same: Callable[[NDArray[np.uint64]], NDArray[np.uint64]] = lambda words: words) -> None:
        """Go on with a matcher restored from a snapshot."""
        self.matcher = self.plan.restore(self.terms, self.matcher.snapshot(), same, self.cells)

    def run(self, events: Sequence[Happening], cuts: Iterable[int] = (), restore: bool = False) -> Found:
        """All results, with batches that end before the events numbered in ``cuts``."""
        found: Found = []
        edges = [0, *sorted(cuts), len(events)]
        for start, end in pairwise(edges):
            self.feed(events[start:end])
            found += results(self.matcher.take())
            if restore:
                self.restore()
        self.matcher.finish()
        return found + results(self.matcher.take())


def results(raw: RawMatches) -> Found:
    """Raw matches as tuples: first, last, decided, picks, words."""
    edges = raw.pick_offsets.tolist()
    picks = list(zip(raw.pick_atoms.tolist(), raw.pick_events.tolist(), strict=True))
    return [
        (int(raw.first[i]), int(raw.last[i]), int(raw.decided[i]), tuple(picks[edges[i] : edges[i + 1]]), tuple(words))
        for i, words in enumerate(raw.words.tolist())
    ]
