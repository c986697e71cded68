# distutils: language = c++
# cython: language_level=3
"""The recognizer: complex event automata on plain tuples, each of which comes as the set of atoms that it matches.

Grez and Riveros' constant-delay evaluation with compact sets of matches (KERNEL.md): an event costs one step for each state
that it can enter, however many matches there are; matches are enumerated when they are taken.
"""

from typing import NamedTuple

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cython.operator cimport dereference, preincrement
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.map cimport map
from libcpp.vector cimport vector

cdef extern from "<cassert>":
    # Invariants, checked in debug and sanitizer builds (SPASEQ_DEBUG=1, SPASEQ_SANITIZE=1).
    void invariant "assert"(bint holds) noexcept nogil

include "recognizing/records.pxi"
include "recognizing/groups.pxi"
include "recognizing/correlation.pxi"
include "recognizing/nodes.pxi"
include "recognizing/step.pxi"
include "recognizing/cells.pxi"
include "recognizing/views.pxi"
include "recognizing/questions.pxi"
include "recognizing/correlate.pxi"
include "recognizing/correlated.pxi"
include "recognizing/enumerate.pxi"
include "recognizing/choose.pxi"
include "recognizing/feed.pxi"

STRATEGIES = ("ALL", "ANY", "NEXT", "LAST", "MAX", "STRICT")
CONSUMPTIONS = ("NONE", "ANY", "PARTITION")


class ComplexEvents(NamedTuple):
    """Results as columns, in the order of their ends; m results.

    ``offsets[i]:offsets[i + 1]`` are the picks of result i, first one first.
    """

    starts: np.ndarray     # int64[m], positions in the whole stream
    ends: np.ndarray       # int64[m]
    offsets: np.ndarray    # int64[m + 1]
    positions: np.ndarray  # int64[p], of marked states
    states: np.ndarray     # uint16[p], in which they were picked


cdef class Recognizer:
    """Runs one automaton over one stream, or over each partition of it."""

    cdef Recognition state
    cdef readonly object automaton
    cdef int64_t events
    cdef readonly object answer
    cdef object _interruption

    def __init__(
        self, automaton, *, strategy="ALL", consume="NONE", limit=None, partitioned=False, forgets=True,
        events=None, update_only=False, first_node=1, first_position=0, answer=None,
    ):
        """``forgets``: neither starts nor windows ever move back.  ``events``: a window of so many positions within a
        partition (end − start), instead of starts and windows.  ``update_only``: results are found and not enumerated.
        ``first_node`` (not 0) and ``first_position`` are where the numbers of nodes and events begin.

        ``answer(number, position, cases)`` says of each case whether the condition of that number holds for the event
        at ``position``; a case has the list of positions, last one first, of each of its variables."""
        cdef Recognition* r = &self.state
        self.automaton = automaton
        self.events = -1 if events is None else events
        r.strategy = STRATEGIES.index(strategy)
        r.consume = CONSUMPTIONS.index(consume)
        r.limit = -1 if limit is None else limit
        if strategy == "ANY":
            r.limit = 1
        r.partitioned = partitioned
        r.numbered = partitioned and strategy == "STRICT"
        r.forgets = forgets and self.events < 0
        r.update_only = update_only
        r.ambiguous = automaton.ambiguous
        r.enumerating = False
        r.position = r.first_number = first_position
        r.is_full = r.is_stopped = False
        r.owner = <void*>self
        r.ring.nodes.resize(1 << 12)
        r.ring.mask = (1 << 12) - 1
        r.ring.head = r.ring.tail = first_node
        r.ring.first_mark = 0
        r.is_chain = automaton.is_chain
        clear_found(&r.found, r.is_chain)
        build(r, automaton.states)
        r.correlating = NULL
        if automaton.correlation is not None:
            r.correlating = correlating(automaton.correlation)
        self.answer = answer
        know_partition(r, 0)
        r.symbol_begin.assign(2, 0)
        r.in_order.assign(1, True)

    def know_symbols(self, symbols):
        """Symbols after those that are known, each as the atoms that it stands for (a bit mask).  Symbol 0 is no atom."""
        states = list(enumerate(self.automaton.states))
        for atoms in symbols:
            entered = [number for number, state in reversed(states) if any([atoms >> atom & 1 for atom in state.atoms])]
            late = False
            for number in entered:
                state = self.automaton.states[number]
                late = late or any([one > number and one in entered for one in (*state.after, *state.directly_after)])
                self.state.symbol_entries.push_back(<uint32_t>number)
            self.state.symbol_begin.push_back(<uint32_t>self.state.symbol_entries.size())
            self.state.in_order.push_back(not late)

    @property
    def symbols(self):
        """How many symbols are known, 0 included."""
        return self.state.symbol_begin.size() - 1

    def feed(
        self, const uint32_t[::1] symbols not None, const int64_t[::1] starts not None,
        const int64_t[::1] least not None, const uint32_t[::1] partitions=None, size_t at=0, size_t most=1 << 20,
        columns=(),
    ):
        """Take the events of a batch from number ``at`` on, until all are taken or ``most`` results wait.

        An event's ``starts`` is what its window measures of a match that begins with it, ``least`` the least one for a match
        that ends with it; the least int64 as ``starts``: no match begins.  ``columns`` are the
        values that registers are compared with (int64[n] each).  Gives the first event that is not done with.
        """
        cdef Recognition* r = &self.state
        cdef size_t count = symbols.shape[0]
        cdef size_t i
        if <size_t>starts.shape[0] != count or <size_t>least.shape[0] != count:
            raise ValueError(f"{count} symbols came with {starts.shape[0]} starts and {least.shape[0]} windows")
        if (partitions is None) == r.partitioned or (r.partitioned and <size_t>partitions.shape[0] != count):
            raise ValueError("each event needs its partition" if r.partitioned else "there are no partitions")
        if at >= count:
            return count
        read_columns(r, columns, count)
        if at == 0:
            for i in range(count):
                if symbols[i] >= r.symbol_begin.size() - 1:
                    raise ValueError(f"symbol {symbols[i]} is not known")
        if r.partitioned:
            with nogil:
                forget_numbers(r)
                at = feed_partitions(
                    r, &symbols[0], &partitions[0], &starts[0], &least[0], at, count, most, self.events
                )
        else:
            with nogil:
                at = feed_events(r, &symbols[0], &starts[0], &least[0], at, count, most)
        if r.is_stopped:
            interruption, self._interruption = self._interruption, None
            raise interruption
        if r.is_full:
            raise MemoryError(f"there are more than {MOST_NODES} sets of partial matches: a window would bound them")
        return at

    def __dealloc__(self):
        forget_correlating(self.state.correlating)

    def take(self):
        """The results since the last call."""
        cdef Found* f = &self.state.found
        cdef object out
        if self.state.is_chain:
            out = chains(integers(&f.positions, f.count * self.state.width).reshape(-1, self.state.width))
        else:
            out = ComplexEvents(
                integers(&f.starts, f.count), integers(&f.ends, f.count), integers(&f.offsets, f.count + 1),
                integers(&f.positions, f.positions.size()), numbers_of(&f.states),
            )
        clear_found(f, self.state.is_chain)
        return out

    def statistics(self):
        """Events taken, nodes in the ring and its size, partitions, groups and zones that were scanned."""
        return {
            "events": self.state.position,
            "nodes": self.state.ring.head - self.state.ring.tail,
            "room": self.state.ring.nodes.size(),
            "partitions": self.state.locals.size() if self.state.partitioned else 0,
            "scanned": self.state.correlating.scanned if self.state.correlating != NULL else 0,
        }


def chains(positions):
    """Results with one pick of each state: int64[m, states]."""
    count, states = positions.shape
    offsets = np.arange(0, positions.size + 1, states, np.int64)
    numbers = np.broadcast_to(np.arange(states, dtype=np.uint16), positions.shape).reshape(-1)
    return ComplexEvents(positions[:, 0].copy(), positions[:, -1].copy(), offsets, positions.reshape(-1), numbers)


cdef build(Recognition* r, states):
    """The automaton as arrays."""
    cdef EntrySpec entry
    waited = {one for state in states for one in state.after}
    waited_next = {one for state in states for one in state.directly_after}
    r.width = len(states)
    r.all_marked = all(state.marked for state in states)
    for number, state in enumerate(states):
        entry.state = number
        entry.first = <uint32_t>r.sources.size()
        entry.after = len(state.after)
        entry.directly = len(state.directly_after)
        entry.initial = state.initial
        entry.final = state.final
        entry.simple = len(state.after) == 1 and not state.directly_after and not state.initial
        entry.waits = number in waited
        entry.waits_next = number in waited_next
        for one in (*state.after, *state.directly_after):
            r.sources.push_back(one)
        r.entries.push_back(entry)
        r.marked.push_back(state.marked)
    r.most_nodes = 4 * <uint32_t>(r.sources.size() + r.width)


cdef object integers(const vector[int64_t]* values, size_t count):
    """The first ones."""
    array = np.empty(count, np.int64)
    cdef int64_t[::1] view = array
    if count:
        memcpy(&view[0], values.data(), count * sizeof(int64_t))
    return array


cdef object numbers_of(const vector[uint16_t]* values):
    array = np.empty(values.size(), np.uint16)
    cdef uint16_t[::1] view = array
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(uint16_t))
    return array
