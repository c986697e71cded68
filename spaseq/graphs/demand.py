"""What a query can do with the events of a batch, as it stands before it: when somebody waits, and for which keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpm.rows import AtomRows, Numbers
from nfa_native.automata.automaton import Automaton, Target, Transition
from nfa_native.automata.kinds import ColumnSource, Govern
from nfa_native.joins.matcher import NOBODY
from spaseq.graphs.matchers import AnyMatcher, Words
from spaseq.plan.sequences.cells import LazyUse, is_initial

Mask = NDArray[np.bool_]
Key = tuple[tuple[int, int], ...]  # pairs (column of a state's cells, slot of the atom)


class Ticks:
    """The n events of a batch by timestamp, in t ticks.

    ``of`` (n) is the tick of each event, ``first`` (t) the first event of each tick.  ``complete``: no event with the
    last timestamp will come any more.
    """

    def __init__(self, times: Numbers, complete: bool) -> None:
        later = times[1:] != times[:-1]
        self.times = times
        self.complete = complete
        self.of = np.concatenate([[0], np.cumsum(later)])
        self.first = np.concatenate([[0], np.flatnonzero(later) + 1])

    def __len__(self) -> int:
        return len(self.first)

    def with_some(self, events: NDArray[np.integer]) -> Mask:
        """The ticks of these events."""
        found = np.zeros(len(self), np.bool_)
        found[self.of[events]] = True
        return found


class Demand:
    """What one query, as it stands before a batch, can do with the batch's events.

    ``came`` (a mask of ticks for each atom) are those that may have rows, before more is known: ``tell``.
    """

    def __init__(self, matcher: AnyMatcher, ticks: Ticks, came: Mapping[int, Mask]) -> None:
        self.ticks = ticks
        self.automaton: Automaton = matcher.automaton
        self._matcher = matcher
        self._came = dict(came)
        self._rows: dict[int, AtomRows] = {}
        self._began = matcher.waiting()
        self._continued = matcher.open_tick == ticks.times[0]
        self._undecided = np.zeros(len(ticks), np.bool_)
        self._undecided[0] = self._continued
        self._undecided[-1] |= not ticks.complete
        self._firing: dict[int, Mask] = {}
        self._entered: dict[int, int] | None = None

    def tell(self, atom: int, rows: AtomRows) -> None:
        """The rows of an atom are known now."""
        self._rows[atom] = rows
        self._came[atom] = self.ticks.with_some(rows.row_event)
        self._firing.clear()
        self._entered = None

    # ── when ─────────────────────────────────────────────────────────────────────────────────────────────
    def when(self, use: LazyUse) -> Mask:
        """The ticks in which a partial match may wait and the rest of the conjunction may be there."""
        found = self._reachable(self.automaton.transitions[use.transition].source)
        for partner in use.partners:
            found = found & (self._came[partner] | self._undecided)
        return found

    def _reachable(self, state: int) -> Mask:
        """The ticks before which a partial match may have come to the state and not have left the window."""
        if is_initial(self.automaton, state):
            return np.ones(len(self.ticks), np.bool_)
        since = self._since.get(state)
        if since is None:
            return np.zeros(len(self.ticks), np.bool_)
        found = self._in_window.copy()
        found[:since] = False
        return found & self._just_entered(state) if self.automaton.states[state].govern is Govern.STRICT else found

    @property
    def _since(self) -> dict[int, int]:
        """The first tick before which each state may hold a partial match; states that cannot are left out."""
        if self._entered is None:
            since = dict.fromkeys(np.flatnonzero(self._began > NOBODY).tolist(), 0)
            while any(self._spread(number, since) for number in range(len(self.automaton.transitions))):
                pass
            self._entered = since
        return self._entered

    def _spread(self, number: int, since: dict[int, int]) -> bool:
        """Enter the targets of a transition as soon as it can fire; whether that is news."""
        first = self._first_firing(number, since)
        late = [
            target.state
            for target in self.automaton.transitions[number].targets
            if first is not None and since.get(target.state, len(self.ticks)) > first + 1
        ]
        since |= dict.fromkeys(late, (first or 0) + 1)
        return bool(late)

    def _first_firing(self, number: int, since: Mapping[int, int]) -> int | None:
        """The first tick in which a transition can fire."""
        source = self.automaton.transitions[number].source
        start = 0 if is_initial(self.automaton, source) else since.get(source)
        if start is None:
            return None
        ticks = np.flatnonzero(self._fires(number)[start:])
        return start + int(ticks[0]) if len(ticks) else None

    def _fires(self, number: int) -> Mask:
        """The ticks in which this batch may have the last event that a transition needs."""
        if number not in self._firing:
            came = [self._came[atom] for atom in set(self.automaton.transitions[number].choice.atoms)]
            some, every = came[0], came[0] | self._undecided
            for one in came[1:]:
                some, every = some | one, every & (one | self._undecided)
            self._firing[number] = some & every
        return self._firing[number]

    def _just_entered(self, state: int) -> Mask:
        """The ticks right after those that enter a state; with what was there before the batch, the first two."""
        found = np.zeros(len(self.ticks) + 1, np.bool_)
        found[:2] = self._began[state] > NOBODY
        for number, _ in self._into(state):
            found[1:] |= self._fires(number)
        return found[:-1]

    def _into(self, state: int) -> Iterator[tuple[int, Target]]:
        """The transitions into a state, by number."""
        for number, transition in enumerate(self.automaton.transitions):
            for target in transition.targets:
                if target.state == state:
                    yield number, target

    @property
    def _in_window(self) -> Mask:
        """The ticks that lie in a window of a match that may have begun."""
        window = self.automaton.window
        if not window.length:
            return np.ones(len(self.ticks), np.bool_)
        here, last = self._measures
        length = window.length - window.events
        youngest = int(self._began.max())
        found = here - youngest <= length if youngest > NOBODY else np.zeros(len(self.ticks), np.bool_)
        starts = np.flatnonzero(self._starts())
        if len(starts):
            before = np.searchsorted(starts, np.arange(len(self.ticks))) - 1
            found |= (before >= 0) & (here - last[starts[before]] <= length)
        return found

    def _starts(self) -> Mask:
        """The ticks in which a match may begin."""
        found = np.zeros(len(self.ticks), np.bool_)
        for number, transition in enumerate(self.automaton.transitions):
            if is_initial(self.automaton, transition.source):
                found |= self._fires(number)
        return found

    @cached_property
    def _measures(self) -> tuple[Numbers, Numbers]:
        """What windows measure of the first and of the last event of each tick."""
        times, first = self.ticks.times, self.ticks.first
        if not self.automaton.window.events:
            return times[first], times[first]
        return self._matcher.position + first, self._matcher.position + np.append(first[1:], len(times)) - 1

    # ── what it must join ────────────────────────────────────────────────────────────────────────────────
    def may_join(self, use: LazyUse, columns: Words) -> Mask:
        """Which rows of the atom (columns by slot, 0: not known) may join a partial match that waits, or will."""
        found = np.zeros(columns.shape[1], np.bool_)
        waiting = [(self.automaton.transitions[use.transition].source, use.key)]
        seen = set(waiting)
        while waiting:
            state, key = waiting.pop()
            if not key or is_initial(self.automaton, state):
                return np.ones_like(found)
            if self._began[state] > NOBODY:
                found |= self._held(state, key, columns)
            for number, target in self._into(state):
                if self._first_firing(number, self._since) is None:
                    continue
                carried = self._brought(self.automaton.transitions[number], target, key, columns, found)
                if carried is not None and (carried not in seen):
                    seen.add(carried)
                    waiting.append(carried)
        for slot in {slot for _, slot in use.key}:
            found |= columns[slot] == 0
        return found

    def _held(self, state: int, key: Key, columns: Words) -> Mask:
        """Which rows may join what was in the state before the batch, by the best index that the key serves."""
        slots = dict(key)
        indexes = self.automaton.states[state].indexes
        usable = [number for number, index in enumerate(indexes) if index and set(index) <= set(slots)]
        if not usable:
            return np.ones(columns.shape[1], np.bool_)
        best = max(usable, key=lambda number: len(indexes[number]))
        keys = np.ascontiguousarray(columns[[slots[column] for column in indexes[best]]])
        return self._matcher.may_join(state, best, keys)

    def _brought(
        self, transition: Transition, target: Target, key: Key, columns: Words, found: Mask
    ) -> tuple[int, Key] | None:
        """Add to ``found`` the rows that may join what a transition brings to its target.

        If all of the key comes from its source's cells: that state, and the key there.
        """
        values = [(target.values[column], slot) for column, slot in key]
        brought = [(value.row, slot) for value, slot in values if value.kind is ColumnSource.ROW]
        if brought:
            allowed = np.ones_like(found)
            for row, slot in brought:
                allowed &= self._among(transition, row, columns[slot])
            found |= allowed
            return None
        # A value of either side is that of the cell, unless that is unbound: then it is found where the cell got it.
        if all(value.kind in (ColumnSource.CELL, ColumnSource.EITHER) for value, _ in values):
            return transition.source, tuple(sorted({value.cell: slot for value, slot in values}.items()))
        found |= True
        return None

    def _among(self, transition: Transition, row: int, words: Words) -> Mask:
        """Which words occur in a column of the rows that a transition may take in this batch."""
        choice = transition.choice
        for atom, slots in zip(choice.atoms, choice.slots, strict=True):
            # Of a conjunction that began before the batch not all rows are here.
            if row in slots and atom in self._rows and not (self._continued and len(choice.atoms) > 1):
                known = self._rows[atom].columns[slots.index(row)]
                if known.all():
                    return np.isin(words, known)
        return np.ones(len(words), np.bool_)
