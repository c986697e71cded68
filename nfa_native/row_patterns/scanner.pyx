# distutils: language = c++
# cython: language_level=3
"""The matches of row patterns whose conditions ask single rows (`scan.hpp`)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted, guarded, raise_cpp_error

cdef extern from "nfa_native/row_patterns/scan.hpp" namespace "spaseq::row_patterns" nogil:
    cdef cppclass Follower:
        Follower()
        int32_t position
        bint at_end

    cdef cppclass Positions:
        uint32_t count
        size_t words
        vector[uint32_t] begins
        vector[Follower] followers
        void safe_close "close"() except +raise_cpp_error

    cpdef enum class Skip(uint32_t):
        PAST_LAST_ROW
        TO_NEXT_ROW
        TO_FIRST
        TO_LAST

    cpdef enum class Stuck(uint32_t):
        NO
        NOT_THERE
        FIRST_ROW

    cdef cppclass Found:
        vector[int64_t] firsts
        vector[int64_t] counts
        vector[int64_t] numbers
        vector[uint16_t] labels
        void clear()

    cdef cppclass Scan:
        const Positions* positions
        const uint64_t* allowed
        size_t classes
        const uint32_t* rows
        const int64_t* last
        Skip skip
        vector[uint8_t] targets
        bint tells_unmatched
        Found found
        Stuck stuck
        void safe_open "open"() except +raise_cpp_error


cdef extern from *:
    """
    static inline void spaseq_scan_partition(spaseq::row_patterns::Scan* scan, int64_t begin, int64_t end) {
        scan->partition(begin, end);
    }
    """
    void scan_partition "spaseq_scan_partition"(Scan* scan, int64_t begin, int64_t end) noexcept nogil


cdef class PositionGraph:
    """Positions and what follows each: ``followers[begins[n]:begins[n + 1]]`` are those of node n, ACCEPT is -1.

    Nodes are the positions, then where a match begins with any row, and with the first one of a partition.
    ``at_end``: of which followers ACCEPT is only behind the last row of a partition.
    """

    cdef Positions positions

    def __init__(self, const uint32_t[::1] begins not None, const int32_t[::1] followers not None, const uint8_t[::1] at_end not None):
        cdef Py_ssize_t at, nodes = begins.shape[0] - 1
        cdef Follower follower
        if nodes < 2 or begins[0] != 0 or begins[nodes] != followers.shape[0] or at_end.shape[0] != followers.shape[0]:
            raise ValueError("the followers are not those of the nodes")
        if nodes - 2 > 65_535:
            raise ValueError(f"{nodes - 2} positions are too many")
        self.positions.count = <uint32_t>(nodes - 2)
        for at in range(nodes + 1):
            if at and begins[at] < begins[at - 1]:
                raise ValueError("the followers are not in the order of the nodes")
            self.positions.begins.safe_push_back(begins[at])
        for at in range(followers.shape[0]):
            if not -1 <= followers[at] < nodes - 2:
                raise ValueError(f"there is no position {followers[at]}")
            follower.position, follower.at_end = followers[at], at_end[at]
            self.positions.followers.safe_push_back(follower)
        self.positions.safe_close()


cdef class RowPatternScanner:
    """Finds the matches of partitions, one after the other.

    ``allowed``: by class of rows, which positions they may have, as bits of 64-bit words.  ``rows``: the class of each.
    ``last``: the last row that a match from there may reach (None: any).  ``targets``: by position, 1 where the next
    match begins (of TO_FIRST and TO_LAST).  ``tells_unmatched``: rows of no match are told, too.
    """

    cdef Scan scan
    cdef readonly PositionGraph graph
    cdef const uint64_t[:, ::1] allowed
    cdef const uint32_t[::1] rows
    cdef const int64_t[::1] last
    cdef bint broken

    def __init__(
        self, PositionGraph graph not None, const uint64_t[:, ::1] allowed not None, const uint32_t[::1] rows not None,
        Skip skip, const uint8_t[::1] targets not None, bint tells_unmatched=False, const int64_t[::1] last=None,
    ):
        cdef Py_ssize_t at
        self.graph, self.allowed, self.rows, self.last = graph, allowed, rows, last
        if <size_t>allowed.shape[1] != graph.positions.words or <size_t>targets.shape[0] != graph.positions.count:
            raise ValueError("classes or targets are not those of the positions")
        for at in range(rows.shape[0]):
            if rows[at] >= <size_t>allowed.shape[0]:
                raise ValueError(f"row {at} has no class")
        if last is not None and last.shape[0] != rows.shape[0]:
            raise ValueError("the reach is not that of the rows")
        self.scan.positions = &graph.positions
        self.scan.classes = <size_t>allowed.shape[0]
        self.scan.allowed = &allowed[0, 0] if allowed.shape[0] and allowed.shape[1] else NULL
        self.scan.rows = &rows[0] if rows.shape[0] else NULL
        self.scan.last = &last[0] if last is not None and last.shape[0] else NULL
        self.scan.skip, self.scan.tells_unmatched = skip, tells_unmatched
        for at in range(targets.shape[0]):
            self.scan.targets.safe_push_back(targets[at])
        self.scan.safe_open()

    def partition(self, int64_t begin, int64_t end):
        """Find the matches of a partition, whose rows are ``begin`` to before ``end``."""
        if not 0 <= begin <= end <= self.rows.shape[0]:
            raise ValueError(f"there are no rows {begin} to {end}")
        with nogil:
            guarded(&self.broken, scan_partition, &self.scan, begin, end)

    @property
    def stuck(self):
        """Why the match behind the last one that was found cannot begin anywhere."""
        return Stuck(self.scan.stuck)

    def take(self):
        """What was found since it was last taken: first rows, numbers of rows, numbers of matches, positions of rows.

        The number of a match is 0 where there is none: that row is in no match.
        """
        cdef Found* found = &self.scan.found
        taken = (
            copied(found.firsts.data(), found.firsts.size() * sizeof(int64_t), np.int64),
            copied(found.counts.data(), found.counts.size() * sizeof(int64_t), np.int64),
            copied(found.numbers.data(), found.numbers.size() * sizeof(int64_t), np.int64),
            copied(found.labels.data(), found.labels.size() * sizeof(uint16_t), np.uint16),
        )
        found.clear()
        return taken


cdef copied(const void* values, size_t size, dtype):
    """An array of its own with these bytes."""
    array = np.empty(size // np.dtype(dtype).itemsize, dtype)
    cdef uint8_t[::1] view
    if size:
        view = array.view(np.uint8)
        memcpy(&view[0], values, size)
    return array
