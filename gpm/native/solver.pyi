"""The native solver: compiled graph patterns on the encoded triples of events."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpm.native.single import SingleEvent
from gpm.native_steps import NativePattern
from nfa_native.terms.rows import EventRows
from nfa_native.terms.dictionary import Terms

class Solutions(NamedTuple):
    """The rows of a pattern on a run of events: a set per event, the rows of an event sorted by columns.

    Events in `undecided` have no rows: an operand outside the native subset came up, the fallback must evaluate them.
    """

    row_event: NDArray[np.uint32]  # uint32[r], ascending: the event's index in the run
    columns: NDArray[np.uint64]  # uint64[columns, r]: words, 0 where unbound
    undecided: NDArray[np.uint32]  # uint32[u], ascending

class PatternSet:
    """Patterns that are evaluated together; those that differ in their outermost filters only share the rest.

    ``terms`` is the table of the events' words: that of the patterns (None), or one that lies on it.  Not for several
    threads at once.
    """

    def __init__(self, patterns: Iterable[NativePattern], terms: Terms | None = None) -> None: ...
    def solve(
        self, offsets: NDArray[np.uint32], triples: NDArray[np.uint64], times: NDArray[np.int64]
    ) -> list[Solutions]:
        """The solutions of each pattern on n events.

        Event i has the triples offsets[i]:offsets[i + 1] (offsets[n + 1]) of ``triples`` [3, m], whose rows are words of
        subjects, predicates and objects, and the time times[i] in microseconds since 1970.  ValueError: the arrays do not
        fit each other.
        """

    def solve_event(self, event: SingleEvent) -> list[tuple[int, EventRows | None]]:
        """The rows of the patterns, by number, that have some on the event; None where it is undecided."""

def solve(
    patterns: Iterable[NativePattern],
    offsets: NDArray[np.uint32],
    triples: NDArray[np.uint64],
    times: NDArray[np.int64],
) -> list[Solutions]:
    """`PatternSet(patterns).solve(…)`; make the set once where it is used again."""
