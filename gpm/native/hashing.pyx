# cython: language_level=3
"""Rows found by the words in some of their columns: an open-addressing hash index that is built once."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import numpy

from nfa_native.core.containers cimport vector
from nfa_native.core.mixing cimport longest_run, mix
from nfa_native.core.prefetch cimport prefetch

cdef extern from *:
    """
    #include <cassert>
    """
    void invariant "assert"(bint) nogil

cdef enum:
    FIRST_SLOTS = 16
    LOOKAHEAD = 16    # keys whose slots are on their way from memory while one is looked up

# The rows with one key.  An entry without rows is empty.
cdef struct Entry:
    uint64_t key        # the word of a single column, a mixture of several
    uint32_t first      # of one row: its number; of several: where they begin in `rows`.  While building: the group
    uint32_t count      # how many rows; while building: 1


cdef uint64_t key_of(const uint64_t[:, :] columns, Py_ssize_t row) noexcept nogil:
    """One number for the words of a row: the word itself of a single column."""
    cdef Py_ssize_t k
    cdef uint64_t key = columns[0, row] if columns.shape[0] else 0
    for k in range(1, columns.shape[0]):
        key = mix(key) + columns[k, row]
    return key


cdef bint equal_rows(
    const uint64_t[:, :] left, Py_ssize_t a, const uint64_t[:, :] right, Py_ssize_t b
) noexcept nogil:
    """Whether two rows with the same key have the same words."""
    cdef Py_ssize_t k
    if left.shape[0] < 2:
        return True
    for k in range(left.shape[0]):
        if left[k, a] != right[k, b]:
            return False
    return True


cdef class HashIndex:
    """The rows of ``columns`` uint64[k, r] by all of their words, fewer than 2³² of them.

    The index holds a reference to ``columns``, which must not change.  With k = 0 every row has the same key.
    """

    cdef const uint64_t[:, :] columns
    cdef vector[Entry] entries        # a power of two of them
    cdef vector[uint32_t] rows        # rows of keys that have several, key by key, ascending
    cdef vector[uint32_t] leaders     # while building: the first row of each group
    cdef Py_ssize_t count

    def __init__(self, const uint64_t[:, :] columns not None, Py_ssize_t count = -1) -> None:
        if columns.shape[0] == 0 and count < 0:
            raise ValueError("rows without columns must be counted")
        self.columns = columns
        self.count = columns.shape[1] if count < 0 else count
        if self.count >= <Py_ssize_t>0xffffffff:
            raise ValueError(f"too many rows for an index: {self.count}")
        with nogil:
            self.build()

    def __len__(self) -> int:
        """Number of rows."""
        return self.count

    def memory(self) -> int:
        """Bytes reserved, columns apart."""
        return self.entries.capacity() * sizeof(Entry) + self.rows.capacity() * sizeof(uint32_t)

    def longest_run(self) -> int:
        """The most slots in a row that are taken."""
        cdef vector[uint8_t] taken
        cdef size_t i
        for i in range(self.entries.size()):
            taken.safe_push_back(self.entries[i].count != 0)
        return longest_run(taken)

    def probe(self, const uint64_t[:, :] columns not None, Py_ssize_t count = -1):
        """(int64[m], int64[m]): all pairs of a row of ``columns`` uint64[k, n] and an indexed row with the same words.

        In the order of the rows of ``columns``, then of the indexed rows.  ``count`` is n where k = 0.
        """
        cdef Py_ssize_t n = columns.shape[1] if count < 0 else count
        if columns.shape[0] != self.columns.shape[0] or (columns.shape[0] == 0 and count < 0):
            raise ValueError(f"{columns.shape[0]} columns, {self.columns.shape[0]} are indexed")
        cdef vector[const Entry*] found
        cdef size_t total
        with nogil:
            found.safe_resize(n)
            total = self.find(columns, n, found.data())
        left, right = numpy.empty(total, dtype=numpy.int64), numpy.empty(total, dtype=numpy.int64)
        cdef int64_t[::1] lefts = left
        cdef int64_t[::1] rights = right
        with nogil:
            self.write_pairs(found.data(), n, lefts, rights)
        return left, right

    # ── building ─────────────────────────────────────────────────────────────────────────────────────────
    cdef int build(self) except -1 nogil:
        """Group the rows by key, then lay the rows of each group side by side."""
        cdef vector[uint32_t] group_of
        cdef vector[uint32_t] sizes
        cdef Py_ssize_t row
        cdef uint32_t group
        group_of.safe_resize(self.count)
        self.entries.safe_resize(FIRST_SLOTS)
        for row in range(self.count):
            group = self.group(row)
            if group == sizes.size():
                sizes.safe_push_back(0)
            sizes[group] += 1
            group_of[row] = group
        self.lay_out(group_of, sizes)
        self.leaders.clear()
        self.leaders.shrink_to_fit()
        return 0

    cdef uint32_t group(self, Py_ssize_t row) except? 0xffffffff nogil:
        """The number of the group of a row, a new one if its key is new."""
        cdef uint64_t key = key_of(self.columns, row)
        cdef size_t mask = self.entries.size() - 1
        cdef size_t slot = mix(key) & mask
        cdef Entry* entry
        while True:
            entry = &self.entries[slot]
            if entry.count == 0:
                break
            if entry.key == key and equal_rows(self.columns, row, self.columns, self.leaders[entry.first]):
                return entry.first
            slot = (slot + 1) & mask
        entry.key = key
        entry.first = <uint32_t>self.leaders.size()
        entry.count = 1
        self.leaders.safe_push_back(<uint32_t>row)
        if self.leaders.size() * 2 > self.entries.size():
            self.grow()
        return <uint32_t>self.leaders.size() - 1

    cdef int grow(self) except -1 nogil:
        cdef vector[Entry] old
        cdef size_t i, slot, mask
        old.swap(self.entries)
        self.entries.safe_resize(old.size() * 2)
        mask = self.entries.size() - 1
        for i in range(old.size()):
            if old[i].count == 0:
                continue
            slot = mix(old[i].key) & mask
            while self.entries[slot].count:
                slot = (slot + 1) & mask
            self.entries[slot] = old[i]
        return 0

    cdef int lay_out(self, const vector[uint32_t]& group_of, vector[uint32_t]& sizes) except -1 nogil:
        """Give each entry its rows: a single one itself, several as a part of `rows`."""
        cdef vector[uint32_t] ends
        cdef uint32_t total = 0
        cdef size_t i
        cdef uint32_t group
        ends.safe_resize(sizes.size())
        for i in range(sizes.size()):
            ends[i] = total
            if sizes[i] > 1:
                total += sizes[i]
        for i in range(self.entries.size()):
            if self.entries[i].count:
                group = self.entries[i].first
                self.entries[i].count = sizes[group]
                self.entries[i].first = ends[group] if sizes[group] > 1 else self.leaders[group]
        self.rows.safe_resize(total)
        for i in range(group_of.size()):
            group = group_of[i]
            if sizes[group] > 1:
                self.rows[ends[group]] = <uint32_t>i
                ends[group] += 1
        return 0

    # ── probing ──────────────────────────────────────────────────────────────────────────────────────────
    cdef size_t find(self, const uint64_t[:, :] columns, Py_ssize_t n, const Entry** found) noexcept nogil:
        """The entry of each row, NULL if there is none; how many pairs that makes."""
        cdef uint64_t[LOOKAHEAD] keys
        cdef size_t mask = self.entries.size() - 1
        cdef Py_ssize_t row
        cdef size_t total = 0
        for row in range(n + LOOKAHEAD):
            if row >= LOOKAHEAD:
                found[row - LOOKAHEAD] = self.entry(columns, row - LOOKAHEAD, keys[row % LOOKAHEAD])
                if found[row - LOOKAHEAD] != NULL:
                    total += found[row - LOOKAHEAD].count
            if row < n:
                keys[row % LOOKAHEAD] = key_of(columns, row)
                prefetch(&self.entries[mix(keys[row % LOOKAHEAD]) & mask])
        return total

    cdef const Entry* entry(self, const uint64_t[:, :] columns, Py_ssize_t row, uint64_t key) noexcept nogil:
        cdef size_t mask = self.entries.size() - 1
        cdef size_t slot = mix(key) & mask
        cdef const Entry* entry
        cdef uint32_t leader
        while True:
            entry = &self.entries[slot]
            if entry.count == 0:
                return NULL
            if entry.key == key:
                leader = entry.first if entry.count == 1 else self.rows[entry.first]
                if equal_rows(columns, row, self.columns, leader):
                    return entry
            slot = (slot + 1) & mask

    cdef void write_pairs(
        self, const Entry** found, Py_ssize_t n, int64_t[::1] lefts, int64_t[::1] rights
    ) noexcept nogil:
        cdef Py_ssize_t row, at = 0
        cdef uint32_t i
        for row in range(n):
            if found[row] == NULL:
                continue
            if found[row].count == 1:
                lefts[at], rights[at] = row, found[row].first
                at += 1
                continue
            for i in range(found[row].first, found[row].first + found[row].count):
                lefts[at], rights[at] = row, self.rows[i]
                at += 1
        invariant(at == lefts.shape[0])
