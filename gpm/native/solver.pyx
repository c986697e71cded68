# distutils: language = c++
"""The native solver: compiled graph patterns on the encoded triples of events."""

import dataclasses
from functools import lru_cache
from typing import NamedTuple

import numpy

from gpm import native_steps as plans
from nfa_native.terms.operations import Op

from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from gpm.native.single cimport SingleEvent
from nfa_native.core.containers cimport pair, sort, unordered_map, vector
from nfa_native.core.guard cimport attempted_number, created, guarded
from nfa_native.terms.literals cimport DECIMAL_ONE, int128
from nfa_native.core.mixing cimport NumberHash, mix
from nfa_native.terms.program cimport TRUE, UNKNOWN, Code, Program, compute, test
from nfa_native.terms.rows cimport rows_of_event
from nfa_native.terms.dictionary cimport (
    KIND_DECIMAL, KIND_INTEGER, UNBOUND, Terms, TermStore, boolean_word, decimal_value, integer_value, kind_of, word_t,
)

cdef extern from "<cassert>":
    # Invariants, checked in debug and sanitizer builds (SPASEQ_DEBUG=1, SPASEQ_SANITIZE=1).
    void invariant "assert"(bint holds) noexcept nogil

cdef int NO_COMPARISON = -1
cdef int OP_LESS = Op.LESS
cdef int OP_LESS_EQUAL = Op.LESS_EQUAL
cdef int OP_GREATER = Op.GREATER
SWAPPED = {
    Op.LESS: Op.GREATER, Op.GREATER: Op.LESS, Op.LESS_EQUAL: Op.GREATER_EQUAL, Op.GREATER_EQUAL: Op.LESS_EQUAL,
}
READING = (Op.LOAD, Op.BOUND)

include "solving/records.pxi"
include "solving/rows.pxi"
include "solving/events.pxi"
include "solving/run.pxi"
include "solving/build.pxi"
include "solving/routing.pxi"


class Solutions(NamedTuple):
    """The rows of a pattern on a run of events; see the stub."""

    row_event: numpy.ndarray
    columns: numpy.ndarray
    undecided: numpy.ndarray


cdef class PatternSet:
    """Patterns that are evaluated together; those with the same base share its evaluation."""

    cdef vector[Machine*] machines
    cdef Routes routes           # which machines an event can concern
    cdef list members            # for each machine the positions of its patterns
    cdef list programs
    cdef Py_ssize_t count
    cdef EventTriples event
    cdef bint broken             # memory ran out in the middle of a run: see `nfa_native.core.guard`

    def __cinit__(self, patterns, Terms terms=None):
        cdef size_t i
        patterns = list(patterns)
        self.broken = False
        self.programs = []
        self.members = []
        self.count = len(patterns)
        self.event.indexed = False
        self.event.views.safe_resize(ORDERS)
        for i in range(ORDERS):
            self.event.views[i].ready = False
        self.routes.run = 0
        groups = {}
        for number, pattern in enumerate(patterns):
            groups.setdefault((pattern.base, id(pattern.terms)), []).append(number)
        for numbers in groups.values():
            self.members.append(numbers)
            self.add_machine([patterns[number] for number in numbers], terms)

    def __dealloc__(self):
        cdef size_t i
        for i in range(self.machines.size()):
            del self.machines[i]

    cdef int add_machine(self, list patterns, Terms terms) except -1:
        """The machine of patterns with the same base."""
        cdef Builder builder = Builder(patterns[0].terms if terms is None else terms, self.programs)
        cdef Machine* machine = created[Machine]()
        self.machines.safe_push_back(machine)
        add_route(&self.routes, patterns[0].base)
        machine.event = &self.event
        machine.out.found = 0
        builder.machine = machine
        self.programs.append(builder.terms)
        if len(patterns) == 1:
            builder.write(patterns[0].whole, patterns[0].output)
            return 0
        registers = shared_registers(patterns)
        places = {register: place for place, register in enumerate(registers)}
        builder.write(patterns[0].base, registers)
        for pattern in patterns:
            add_member(machine, pattern, places, builder.terms, self.programs)
        return 0

    def solve(self, const uint32_t[::1] offsets, const word_t[:, ::1] triples, const int64_t[::1] times):
        """The solutions of each pattern; see the stub."""
        cdef size_t count = times.shape[0]
        cdef size_t stride = triples.shape[1]
        cdef const word_t* words = &triples[0, 0] if stride else NULL
        if offsets.shape[0] != times.shape[0] + 1 or triples.shape[0] != 3:
            raise ValueError(f"{offsets.shape[0]} offsets and {triples.shape[0]} columns do not fit {count} events")
        check_offsets(offsets, stride)
        if count:
            with nogil:
                guarded(
                    &self.broken, run_all, &self.machines, &self.routes, &self.event, &offsets[0], words, stride,
                    &times[0], count,
                )
        found = [None] * self.count
        for i, numbers in enumerate(self.members):
            for j, number in enumerate(numbers):
                found[number] = take(self.machines[i], j, len(numbers))
        self.forget()
        return found

    def solve_event(self, SingleEvent event not None):
        """The solutions of one event; see the stub."""
        cdef const word_t* words = event.words.data()
        cdef size_t i
        with nogil:
            guarded(
                &self.broken, run_one, &self.machines, &self.routes, &self.event, words, <uint32_t>event.size, &event.time
            )
        found = []
        for i in range(self.routes.concerned.size()):
            add_solutions(found, self.machines[self.routes.concerned[i]], self.members[self.routes.concerned[i]])
        return found

    cdef void forget(self):
        """Empty the rows of all patterns; their room is kept."""
        cdef size_t i, j
        for i in range(self.machines.size()):
            clear_rows(&self.machines[i].out)
            for j in range(self.machines[i].members.size()):
                clear_rows(&self.machines[i].members[j].out)


cdef void run_all(
    const vector[Machine*]* machines, Routes* routes, EventTriples* event, const uint32_t* offsets, const word_t* words,
    size_t stride, const int64_t* times, size_t count
) noexcept nogil:
    """Run all machines on a run of events."""
    cdef size_t i, number
    for number in range(count):
        open_event(event, words, stride, offsets[number], offsets[number + 1], times[number])
        run_event(machines, routes, event, <uint32_t>number)
    for i in range(machines.size()):
        run_members(machines.data()[i], times)


cdef void run_one(
    const vector[Machine*]* machines, Routes* routes, EventTriples* event, const word_t* words, uint32_t size,
    const int64_t* time
) noexcept nogil:
    """Run the machines on one event."""
    cdef size_t i
    open_event(event, words, size, 0, size, time[0])
    run_event(machines, routes, event, 0)
    for i in range(routes.concerned.size()):
        run_members(machines.data()[routes.concerned[i]], time)


cdef void run_event(
    const vector[Machine*]* machines, Routes* routes, EventTriples* event, uint32_t number
) noexcept nogil:
    """Run the machines that the open event can concern."""
    cdef Machine* machine
    cdef size_t i
    find_concerned(routes, event)
    for i in range(routes.concerned.size()):
        machine = machines.data()[routes.concerned[i]]
        close_event(&machine.out, number, enter(machine, 0))


cdef void clear_rows(RowsOut* out) noexcept:
    out.rows.clear()
    out.row_event.clear()
    out.undecided.clear()


def check_offsets(const uint32_t[::1] offsets, size_t end) -> None:
    """ValueError unless they ascend to at most ``end``."""
    cdef Py_ssize_t i
    for i in range(offsets.shape[0] - 1):
        if offsets[i] > offsets[i + 1]:
            raise ValueError("offsets must not descend")
    if offsets[offsets.shape[0] - 1] > end:
        raise ValueError(f"offsets go beyond {end} triples")


cdef object take(Machine* machine, size_t member, size_t members):
    """The rows of one pattern as arrays."""
    if members == 1:
        return solutions(&machine.out, numpy.empty(0, dtype=numpy.uint32))
    return solutions(&machine.members[member].out, numbers_of(&machine.out.undecided))


cdef int add_solutions(list found, Machine* machine, list numbers) except -1:
    """Add what one event brought to the patterns of a machine, and forget it."""
    cdef size_t i
    cdef bint undecided = not machine.out.undecided.empty()
    if undecided:
        found += [(number, None) for number in numbers]
    elif machine.members.empty():
        add_rows(found, &machine.out, numbers[0])
    for i in range(machine.members.size()):
        if not undecided:
            add_rows(found, &machine.members[i].out, numbers[i])
        clear_rows(&machine.members[i].out)
    clear_rows(&machine.out)
    return 0


cdef int add_rows(list found, RowsOut* out, object number) except -1:
    """Add what one event brought to one pattern, if anything."""
    if not out.undecided.empty():
        found.append((number, None))
    elif not out.row_event.empty():
        found.append((number, rows_of_event(out.rows.data(), out.row_event.size(), out.width)))
    return 0


cdef object solutions(RowsOut* out, object undecided):
    if out.row_event.empty() and out.undecided.empty() and not len(undecided):
        return no_solutions(out.width)
    own = numbers_of(&out.undecided)
    if len(undecided):
        own = numpy.union1d(own, undecided)
    return Solutions(numbers_of(&out.row_event), columns_of(out), own)


@lru_cache(maxsize=None)
def no_solutions(width):
    """Nothing, with `width` columns; the same arrays each time, and read-only."""
    nothing = Solutions(
        numpy.empty(0, numpy.uint32), numpy.empty((width, 0), numpy.uint64), numpy.empty(0, numpy.uint32)
    )
    for array in nothing:
        array.setflags(write=False)
    return nothing


cdef object numbers_of(vector[uint32_t]* numbers):
    array = numpy.empty(numbers.size(), dtype=numpy.uint32)
    cdef uint32_t[::1] view = array
    if numbers.size():
        memcpy(&view[0], numbers.data(), numbers.size() * sizeof(uint32_t))
    return array


cdef object columns_of(RowsOut* out):
    """The words of rows as columns."""
    cdef size_t count = out.row_event.size()
    cdef size_t i, j
    array = numpy.empty((out.width, count), dtype=numpy.uint64)
    cdef word_t[:, ::1] view = array
    with nogil:
        for j in range(out.width):
            for i in range(count):
                view[j, i] = out.rows[i * out.width + j]
    return array


def solve(patterns, offsets, triples, times):
    """The solutions of patterns on a run of events; see the stub."""
    return PatternSet(patterns).solve(offsets, triples, times)
