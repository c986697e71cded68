# distutils: language = c++
# cython: language_level=3
"""Results of the recognizer as arrays."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport int64_t, uint16_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from nfa_native.automata.kinds cimport EnumerationKind
from nfa_native.core.containers cimport vector
from nfa_native.events.state cimport Found, Recognition, Table, column_of, copy_rows


class ComplexEvents(NamedTuple):
    """Results as columns, in the order of their ends; m results.

    ``offsets[i]:offsets[i + 1]`` are the picks of result i, first one first.
    """

    starts: np.ndarray     # int64[m], positions in the whole stream
    ends: np.ndarray       # int64[m]
    offsets: np.ndarray    # int64[m + 1]
    positions: np.ndarray  # int64[p], of marked states
    states: np.ndarray     # uint16[p], in which they were picked
    columns: np.ndarray | None = None   # of a chain: int64[states, m or more], the positions again, by state
    rules: np.ndarray | None = None     # uint32[m], if there are rules: by which each is found


cdef object found_events(Recognition* r):
    """The results since they were cleared, as ComplexEvents."""
    found = events_in_columns(r)
    return found if r.rules == NULL else found._replace(rules=rules_of(&r.scratch.found.rules))


cdef object events_in_columns(Recognition* r):
    cdef Found* f = &r.scratch.found
    if r.program.enumeration == EnumerationKind.ROWS:
        return by_state(lines(r.scratch.table, f.count), f.count)
    if r.program.is_chain:
        return by_state(rows_and_columns(f, r.program.width), f.count)
    return ComplexEvents(
        integers(&f.starts, f.count), integers(&f.ends, f.count), integers(&f.offsets, f.count + 1),
        integers(&f.positions, f.positions.size()), numbers_of(&f.states),
    )


cdef object by_state(lines, size_t count):
    """Results with one pick of each state: the first half of the lines has their positions by row, the other by column."""
    width = len(lines) // 2
    offsets, states = even(width, max(1 << 14, 1 << int(count).bit_length()))
    positions, columns = lines.reshape(-1)[:count * width], lines[width:]
    starts, ends = columns[0, :count], columns[width - 1, :count]
    return ComplexEvents(starts, ends, offsets[:count + 1], positions, states[:count * width], columns)


cdef object rows_and_columns(const Found* found, size_t width):
    """All positions by row, and by column: int64[2 * width, count]."""
    both = np.empty((2 * width, found.count), np.int64)
    cdef int64_t[:, ::1] view = both
    if found.count:
        with nogil:
            copy_rows(found, width, &view[0, 0], &view[width, 0])
    return both


@lru_cache(maxsize=16)
def even(width, count):
    """Offsets of as many results with so many picks each, and the states of these: read-only."""
    offsets = np.arange(count + 1, dtype=np.int64) * width
    states = np.tile(np.arange(width, dtype=np.uint16), count)
    offsets.flags.writeable = states.flags.writeable = False
    return offsets, states


cdef object integers(const vector[int64_t]* values, size_t count):
    """The first ones."""
    array = np.empty(count, np.int64)
    cdef int64_t[::1] view = array
    if count:
        memcpy(&view[0], values.data(), count * sizeof(int64_t))
    return array


cdef object rules_of(const vector[uint32_t]* values):
    array = np.empty(values.size(), np.uint32)
    cdef uint32_t[::1] view = array
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(uint32_t))
    return array


cdef object numbers_of(const vector[uint16_t]* values):
    array = np.empty(values.size(), np.uint16)
    cdef uint16_t[::1] view = array
    if values.size():
        memcpy(&view[0], values.data(), values.size() * sizeof(uint16_t))
    return array


cdef class Memory:
    """The memory of an array, which is given back with it."""

    cdef void* start
    cdef Py_ssize_t size

    def __dealloc__(self):
        free(self.start)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.start, self.size, 0, flags)


cdef void forget_table(Table* t) noexcept:
    if t != NULL:
        free(t.memory)
        del t


cdef object lines(Table* t, size_t count):
    """The memory of `count` rows, int64[2 * width, at least count]: as it is, or copied if most of it is free."""
    cdef Memory memory
    cdef int64_t[:, ::1] target
    cdef size_t state
    if 2 * count >= t.room and t.memory != NULL:
        memory = Memory()
        memory.start, memory.size = t.memory, 2 * t.width * t.line * sizeof(int64_t)
        t.memory = NULL
        return np.frombuffer(memory, np.int64).reshape(2 * t.width, t.line)
    found = np.empty((2 * t.width, count), np.int64)
    if count:
        target = found
        memcpy(&target[0, 0], t.memory, t.width * count * sizeof(int64_t))
        for state in range(t.width):
            memcpy(&target[t.width + state, 0], column_of(t, state), count * sizeof(int64_t))
    return found
