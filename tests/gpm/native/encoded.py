"""Events as the arrays that the native solver takes, and its answers as sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gpm.algebra import Group
from gpm.native.solver import PatternSet, Solutions
from gpm.native_plan import compile_native
from gpm.native_steps import NativePattern, Reason
from gpm.rows import AtomRows, EventGraph
from gpm.terms import encode
from nfa_native.terms.dictionary import Terms
from tests.gpm.worlds import Row, sets

Answers = list[set[Row] | None]  # the solutions of each event; None: undecided
Arrays = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.int64]]


def arrays(events: Sequence[EventGraph], terms: Terms) -> Arrays:
    """Offsets, triples and times of events."""
    offsets = np.cumsum([0, *(len(event.triples) for event in events)], dtype=np.uint32)
    words = [
        [encode(terms, part, event.scope) for part in (triple.subject, triple.predicate, triple.object)]
        for event in events
        for triple in event.triples
    ]
    triples = np.array(words, dtype=np.uint64).reshape(len(words), 3).T
    return offsets, np.ascontiguousarray(triples), np.array([event.timestamp for event in events], dtype=np.int64)


def native(group: Group, columns: tuple[str, ...], terms: Terms) -> NativePattern:
    """The compiled pattern, which must be in the native subset."""
    pattern = compile_native(group, columns, terms)
    assert isinstance(pattern, NativePattern), pattern
    return pattern


def reason(group: Group) -> str:
    """Why a pattern is not native."""
    pattern = compile_native(group, (), Terms())
    assert isinstance(pattern, Reason)
    return pattern.text


def answer(
    patterns: Sequence[NativePattern], events: Sequence[EventGraph], terms: Terms
) -> list[list[set[Row] | None]]:
    """For each pattern the solutions of each event; None where they are undecided."""
    return [answers(found, len(events)) for found in PatternSet(patterns).solve(*arrays(events, terms))]


def answers(found: Solutions, count: int) -> Answers:
    """The solutions of each event; asserts that they are sorted sets, and that undecided events have none."""
    rows: Answers = [*sets(AtomRows(found.row_event, found.columns), count)]
    assert AtomRows.of(found.row_event, found.columns).columns.tolist() == found.columns.tolist()
    assert found.undecided.tolist() == sorted(set(found.undecided.tolist()))
    for number in found.undecided.tolist():
        assert rows[number] == set()
        rows[number] = None
    return rows
