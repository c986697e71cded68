# distutils: language = c++
# cython: language_level=3
"""The aggregation: how many matches of an automaton end at each time, and totals of their events' values, by key.

No match is enumerated.  Where all partial matches of a state and key are alike, what an event does to them is linear: it
takes all of them along, or none.  So their totals are enough.  Those that leave the window are told apart by a product of
what was when the last ones of the window before had left it, and what became of it (a queue of two stacks).  An event
costs, for each way that it opens, a time that depends on the automaton alone.
"""

from typing import NamedTuple

import numpy as np

from libc.stdint cimport int64_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport Govern, MatchQuantity
from nfa_native.core.archive cimport Archive, close_archive, open_archive, renumber
from nfa_native.core.containers cimport take_numbers, vector
from nfa_native.core.guard cimport attempted, check_sound, guarded
from nfa_native.core.two_stacks cimport int128
from nfa_native.joins.totalling cimport (
    LONG_AGO, NO_LEAST, NO_SLOT, NO_STATE, Arc, AtomRows, Joint, Natural, QuantitySpec, StateRecord, Totalling,
    begin_totalling, check_rows_in_order, close_open_tick, feed_events, load_totalling, sum_found, write_totalling,
    youngest_starts,
)
from nfa_native.terms.dictionary cimport (
    KIND_DECIMAL, KIND_INTEGER, UNBOUND, Terms, TermStore, decimal_value, integer_value, kind_of, word_t,
)
from nfa_native.terms.literals cimport DECIMAL_ONE

NOBODY = -2**63

cdef int128 MOST_RANKED = <int128>1 << 125


class MatchTotal(NamedTuple):
    """What is to be known of all matches: a total over the values in a column of atoms' rows.

    ``slots`` has for each atom the number of the column, or None.  If ``first_only``, only the first event counts."""

    kind: int  # a MatchQuantity
    slots: tuple
    first_only: bool = False


class MatchedEvents(NamedTuple):
    """n events in the order of time: a column each.

    ``ticks`` are numbers of timestamps; ``measures`` is what windows measure of the event, ``leasts`` what the first event
    of a match that ends with it must have at least."""

    ticks: np.ndarray     # int64[n]
    times: np.ndarray     # int64[n]
    measures: np.ndarray  # int64[n]
    leasts: np.ndarray    # int64[n]


class Ends(NamedTuple):
    """A row for each time and key with matches that end then, m rows; ``totals[q]`` are those of quantity q.

    None stands for a number that is too large (of thousands of digits), and for the least of no values."""

    times: np.ndarray     # int64[m]
    keys: np.ndarray      # uint64[m, width]
    counts: list          # of integers
    totals: list


cdef class SemiringAggregation:
    """Runs an automaton whose partial matches are alike but for the key.

    ``keys[a]`` are the columns of atom a's rows that make the key.  Quantities of least values come last."""

    cdef Totalling state
    cdef readonly Terms terms
    cdef readonly object automaton
    cdef readonly object quantities
    cdef object _merged       # by state of the automaton: which one it is here

    def __init__(self, automaton, Terms terms, keys, quantities=()):
        self.terms = terms
        self.automaton = automaton
        self.quantities = tuple(quantities)
        self.state.store, self.state.measured = terms.store, measured
        self._merged = merged_states(automaton)
        build_totalling(&self.state, automaton, self._merged, keys, self.quantities)

    def feed(self, events, rows):
        """Take events; ``rows[a]`` are those of atom a, or None if it has none.

        An event that matched an atom has one row of it that counts, the first one: ``row_event`` (uint32[m], ascending) has
        for each row the number of its event, ``columns`` (uint64[slots, m]) its words."""
        cdef const int64_t[::1] ticks = events.ticks
        cdef const int64_t[::1] times = events.times
        cdef const int64_t[::1] measures = events.measures
        cdef const int64_t[::1] leasts = events.leasts
        cdef vector[AtomRows] borrowed
        cdef size_t count = times.shape[0]
        if len({len(column) for column in events}) != 1:
            raise ValueError("the columns of events have different lengths")
        kept = borrow_rows(&borrowed, rows, self.state.arcs.size())
        attempted(check_rows_in_order, &borrowed, count)
        if count:
            with nogil:
                guarded(
                    &self.terms.store.broken, feed_events, &self.state, &ticks[0], &times[0], &measures[0], &leasts[0],
                    &borrowed,
                )
        del kept

    def close_tick(self):
        """No more entries of the last tick will come."""
        with nogil:
            guarded(&self.terms.store.broken, close_open_tick, &self.state)

    def take(self):
        """What has ended since the last call, in ticks that are closed."""
        cdef Totalling* a = &self.state
        cdef size_t count = a.found.times.size()
        cdef size_t width = a.stacks.semiring.numbers
        cdef size_t leasts = a.stacks.semiring.leasts
        cdef size_t i
        check_sound(&self.terms.store.broken)
        times = np.array(a.found.times, np.int64)
        keys = np.array(a.found.keys, np.uint64).reshape(count, a.width)
        counts = [python_integer(&a.found.totals.numbers[i * width]) for i in range(count)]
        totals = [
            [python_integer(&a.found.totals.numbers[i * width + q]) for i in range(count)]
            for q in range(1, width)
        ] + [[python_least(a.found.totals.leasts[i * leasts + q]) for i in range(count)] for q in range(leasts)]
        self._forget_found()
        return Ends(times, keys, counts, totals)

    def take_count(self):
        """How many matches have ended since the last call, in ticks that are closed; None: too many (of thousands of
        digits)."""
        cdef Natural sum
        check_sound(&self.terms.store.broken)
        attempted(sum_found, &self.state, &sum)
        self._forget_found()
        return python_integer(&sum)

    cdef _forget_found(self):
        self.state.found.times.clear()
        self.state.found.keys.clear()

    def snapshot(self):
        """The state as bytes.  ValueError: rows wait to be taken."""
        cdef Archive archive
        check_sound(&self.terms.store.broken)
        if not self.state.found.times.empty():
            raise ValueError("take the rows before the snapshot")
        attempted(write_totalling, &self.state, &archive)
        return close_archive(&archive)

    def restore(self, bytes data not None, word_map):
        """Go on where the snapshot was taken, of one with the same automaton, keys and quantities.

        ``word_map`` renumbers arrays of words.  Nothing may have come before.  ValueError: the data are damaged, and this
        one is not to be used any more."""
        cdef Archive archive
        check_sound(&self.terms.store.broken)
        if self.state.tick != LONG_AGO:
            raise ValueError("only what has seen nothing can be restored")
        open_archive(&archive, data)
        words = renumber(&archive, word_map)
        attempted(load_totalling, &self.state, &archive)
        del words

    def youngest(self):
        """For each state what windows measure of the youngest first event of partial matches that may be there, or may
        come when the tick closes; NOBODY: there are none."""
        cdef int64_t[::1] starts = np.empty(self.state.states.size() + 1, np.int64)
        cdef int64_t[::1] after = np.empty_like(starts)
        youngest_starts(&self.state, &starts[0], &after[0])
        return np.array([NOBODY if state is None else after[state] for state in self._merged], np.int64)

    def has_key(self, const uint64_t[:, ::1] keys not None):
        """Whether partial matches may wait under each key: bool[n] for ``keys`` (width, n)."""
        cdef Totalling* a = &self.state
        found = np.zeros(keys.shape[1], np.bool_)
        cdef Py_ssize_t i, k
        for i in range(keys.shape[1]):
            a.key.clear()
            for k in range(keys.shape[0]):
                a.key.safe_append(<const char*>&keys[k, i], sizeof(uint64_t))
            found[i] = a.substream_of_key.count(a.key) > 0
        return found

    def groups(self):
        """Totals that are kept: in each state that something entered, those of every substream."""
        return sum([entered > 0 for entered in self._entered()]) * self.state.substream_of_key.size()

    cdef _entered(self):
        """What entered each state."""
        return [0 if state is None else self.state.states[<size_t>state].entered for state in self._merged]

    def statistics(self):
        """Events by atom, firings by transition; what entered states, and in how many substreams something may be."""
        cdef Totalling* a = &self.state
        cdef size_t i
        return {
            "atoms": [a.matched[i] for i in range(a.matched.size())],
            "fired": [a.fired[i] for i in range(a.fired.size())],
            "entered": self._entered(),
            "substreams": a.substream_of_key.size(),
            "log": sum([a.substreams[i].window.log.size() for i in range(a.substreams.size())]),
            "starts": sum([
                a.substreams[i].window.groups[0].left
                for i in range(a.substreams.size()) if not a.substreams[i].window.groups.empty()
            ]),
        }


cdef inline bint is_exact(const TermStore* store, word_t word) noexcept nogil:
    """An integer, or a decimal that is not too large to be ranked."""
    cdef int kind = kind_of(word)
    if kind == KIND_DECIMAL:
        return -MOST_RANKED < decimal_value(store, word) < MOST_RANKED
    return kind == KIND_INTEGER


cdef inline int128 rank_of(const TermStore* store, word_t word) noexcept nogil:
    """Its place in the order of exact numbers: the value in units of half 10**-18; a decimal comes after an equal integer."""
    if kind_of(word) == KIND_INTEGER:
        return <int128>integer_value(store, word) * DECIMAL_ONE * 2
    return decimal_value(store, word) * 2 + 1


cdef inline int128 positive(int128 value) noexcept nogil:
    return value if value > 0 else <int128>0


cdef int128 measured(const void* terms, MatchQuantity kind, word_t word) noexcept nogil:
    """What a bound word adds to a quantity; of sums of numbers, and of ranks, it is exact."""
    cdef const TermStore* store = <const TermStore*>terms
    cdef bint is_decimal = kind_of(word) == KIND_DECIMAL
    if kind == MatchQuantity.BOUND:
        return 1
    if kind == MatchQuantity.DECIMALS:
        return is_decimal
    if kind == MatchQuantity.POSITIVE:
        return <int128>0 if is_decimal else positive(integer_value(store, word))
    if kind == MatchQuantity.NEGATIVE:
        return <int128>0 if is_decimal else positive(-<int128>integer_value(store, word))
    if kind == MatchQuantity.POSITIVE_DECIMALS:
        return positive(decimal_value(store, word)) if is_decimal else <int128>0
    if kind == MatchQuantity.NEGATIVE_DECIMALS:
        return positive(-decimal_value(store, word)) if is_decimal else <int128>0
    return rank_of(store, word) if kind == MatchQuantity.LEAST else -rank_of(store, word)


def are_exact(Terms terms, const uint64_t[::1] words not None):
    """Whether all words are unbound or exact numbers, which can be added up and compared: integers, decimals."""
    cdef bint exact = True
    cdef Py_ssize_t i
    for i in range(words.shape[0]):
        exact = exact and (words[i] == UNBOUND or is_exact(terms.store, words[i]))
    return exact


def ranks(Terms terms, const uint64_t[::1] words not None):
    """The place of each bound word in the order of exact numbers: twice the value in units of 10**-18, and 1 more for a
    decimal; None for what is no exact number."""
    return [
        python_least(rank_of(terms.store, words[i])) if is_exact(terms.store, words[i]) else None
        for i in range(words.shape[0])
    ]


cdef object python_integer(Natural* number):
    """The number; None: it is too large."""
    cdef size_t i = number.size()
    if number.is_too_large():
        return None
    value = 0
    while i:
        i -= 1
        value = value << 64 | number.limb(i)
    return value


cdef object python_least(int128 value):
    if value == NO_LEAST:
        return None
    return <object><int64_t>(value >> 64) << 64 | <object><uint64_t>value


cdef object borrow_rows(vector[AtomRows]* out, object rows, size_t atoms):
    """Note where the rows of all atoms lie; the result keeps them alive."""
    cdef const uint32_t[::1] events
    cdef const uint64_t[:, ::1] view
    kept = []
    if len(rows) != atoms:
        raise ValueError(f"rows of {atoms} atoms are needed, {len(rows)} came")
    for some in rows:
        out.safe_resize(out.size() + 1)
        if some is not None and len(some.row_event):
            columns = np.ascontiguousarray(some.columns, np.uint64)
            events = np.ascontiguousarray(some.row_event, np.uint32)
            if columns.shape[1] != events.shape[0]:
                raise ValueError(f"{events.shape[0]} rows have {columns.shape[1]} words")
            out.back().rows = events.shape[0]
            out.back().events = &events[0]
            if columns.shape[0]:
                view = columns
                out.back().columns = &view[0, 0]
            kept.append((columns, events))
    return kept


def merged_states(automaton):
    """For each state the number of what it is here; None: it only begins or ends matches.

    States that partial matches enter and leave together, if by other steps, are one: so a Kleene closure has one, not two."""
    numbers, found = {}, []
    for number, state in enumerate(automaton.states):
        entered = frozenset(
            at for at, transition in enumerate(automaton.transitions)
            if any([target.state == number for target in transition.targets])
        )
        struck = frozenset(guard.choice.atoms for guard in state.guards) | frozenset(
            transition.choice.atoms for transition in automaton.transitions
            if transition.source == number and not transition.targets
        )
        together = frozenset([number, *state.twins]) if state.govern == Govern.NEXT else None
        alike = entered, state.govern, struck, together
        found.append(None if state.final or not entered else numbers.setdefault(alike, len(numbers)))
    return found


cdef build_totalling(Totalling* a, automaton, merged, keys, quantities):
    """The automaton as arrays of arcs."""
    cdef QuantitySpec quantity
    cdef StateRecord state
    leasts = sum([is_least(one.kind) for one in quantities])
    numbers = 1 + len(quantities) - leasts
    if any([is_least(one.kind) for one in quantities[: numbers - 1]]):
        raise ValueError("quantities of least values come last")
    a.stacks.semiring.numbers, a.stacks.semiring.leasts = numbers, leasts
    for one in quantities:
        quantity.kind = one.kind
        quantity.first_only = one.first_only
        take_numbers(&quantity.slots, [<uint32_t>NO_SLOT if slot is None else slot for slot in one.slots])
        a.quantities.safe_push_back(quantity)
    a.width = len(keys[0]) if keys else 0
    a.key_slots.safe_resize(len(keys))
    for number, columns in enumerate(keys):
        take_numbers(&a.key_slots[<size_t>number], columns)
    a.windowed = automaton.window.length > 0
    for number, one in enumerate(automaton.states):
        if merged[number] is not None and merged[number] == a.states.size():
            state.govern = one.govern
            take_numbers(&state.twins, {merged[twin] for twin in one.twins} - {merged[number], None})
            a.states.safe_push_back(state)
    a.arcs.safe_resize(len(automaton.slots))
    a.strikes.safe_resize(len(automaton.slots))
    for number, one in enumerate(automaton.states):
        for guard in one.guards:
            if len(guard.choice.atoms) > 1 or not guard.early:
                raise ValueError(f"a guard of state {number} looks at more than one event, or at finished matches")
            if merged[number] is not None:
                a.strikes[<uint32_t>guard.choice.atoms[0]].safe_push_back(merged[number])
    a.opens.safe_assign(len(automaton.slots), False)
    a.matched.safe_assign(len(automaton.slots), 0)
    a.fired.safe_assign(len(automaton.transitions), 0)
    for number, transition in enumerate(automaton.transitions):
        add_arcs(a, automaton, merged, number, transition)
    attempted(begin_totalling, a)


cdef bint is_least(kind):
    return kind in (MatchQuantity.STARTS, MatchQuantity.LEAST, MatchQuantity.GREATEST)


cdef add_arcs(Totalling* a, automaton, merged, uint32_t number, transition):
    cdef Joint joint
    cdef Arc arc
    source = merged[transition.source]
    if not transition.targets:
        if source is not None:
            a.strikes[<uint32_t>transition.choice.atoms[0]].safe_push_back(source)
        return
    is_first = automaton.states[transition.source].govern == Govern.FREE
    if source is None and not is_first:
        return
    arc.source = <uint32_t>NO_STATE if is_first else source
    arc.transition = number
    arc.counts = True
    for target in dict.fromkeys([merged[target.state] for target in transition.targets]):
        arc.target = <uint32_t>NO_STATE if target is None else target
        joint.arcs.safe_push_back(arc)
        arc.counts = False
    if is_first:
        for atom in transition.choice.atoms:
            a.opens[atom] = True
    if len(transition.choice.atoms) > 1:
        take_numbers(&joint.atoms, transition.choice.atoms)
        a.joints.safe_push_back(joint)
    else:
        for one in range(joint.arcs.size()):
            a.arcs[<uint32_t>transition.choice.atoms[0]].safe_push_back(joint.arcs[one])
