# distutils: language = c++
# cython: language_level=3
"""The matches of row patterns whose conditions ask single rows (`scan.hpp`)."""

from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted, guarded, raise_cpp_error
from nfa_native.row_patterns.match_conditions cimport Conditions, MatchConditions, Search
from nfa_native.row_patterns.positions cimport Follower, Found, Positions, Pulse

cdef extern from "nfa_native/row_patterns/scan.hpp" namespace "spaseq::row_patterns" nogil:
    cpdef enum class Skip(uint32_t):
        PAST_LAST_ROW
        TO_NEXT_ROW
        TO_FIRST
        TO_LAST

    cpdef enum class Stuck(uint32_t):
        NO
        NOT_THERE
        FIRST_ROW
        BEYOND
        DIVISION
        STEPS

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
        Pulse pulse
        Stuck stuck
        int64_t stuck_at
        const Conditions* conditions
        Search search
        void safe_open "open"() except +raise_cpp_error


cdef extern from *:
    """
    static inline void spaseq_scan_partition(spaseq::row_patterns::Scan* scan, int64_t begin, int64_t end) {
        scan->partition(begin, end);
    }
    """
    void scan_partition "spaseq_scan_partition"(Scan* scan, int64_t begin, int64_t end) noexcept nogil


cdef extern from *:
    """
    static void* (*spaseq_signal_error)() = nullptr;
    static void spaseq_check_signals() {
        if (void* error = spaseq_signal_error()) spaseq_pass_on(error);
    }
    """
    void* (*SIGNAL_ERROR "spaseq_signal_error")() noexcept nogil
    void check_signals "spaseq_check_signals"() noexcept nogil


cdef void* signal_error() noexcept with gil:
    """What a signal's handler raised, a reference of its own; NULL: nothing."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        Py_INCREF(error)
        return <void*>error
    return NULL


SIGNAL_ERROR = signal_error


cdef void heed_signals(Pulse* pulse) noexcept:
    pulse.check = check_signals


cdef class PositionGraph:
    """Positions and what follows each: ``followers[begins[n]:begins[n + 1]]`` are those of node n, ACCEPT is -1.

    Nodes are the positions, then where a match begins with any row, and with the first one of a partition.
    ``at_end``: of which followers ACCEPT is only behind the last row of a partition.
    """

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
        self.positions.safe_complete()


cdef class RowPatternScanner:
    """Finds the matches of partitions, one after the other.

    ``allowed``: by class of rows, which positions they may have, as bits of 64-bit words.  ``rows``: the class of each.
    ``last``: the last row that a match from there may reach (None: any).  ``targets``: by position, 1 where the next
    match begins (of TO_FIRST and TO_LAST).  ``tells_unmatched``: rows of no match are told, too.  ``conditions`` are those
    that read the match, ``most_steps`` how many a search from one row may take (0: any number).
    """

    cdef Scan scan
    cdef readonly PositionGraph graph
    cdef readonly MatchConditions conditions
    cdef const uint64_t[:, ::1] allowed
    cdef const uint32_t[::1] rows
    cdef const int64_t[::1] last
    cdef bint broken

    def __init__(
        self, PositionGraph graph not None, const uint64_t[:, ::1] allowed not None, const uint32_t[::1] rows not None,
        Skip skip, const uint8_t[::1] targets not None, bint tells_unmatched=False, const int64_t[::1] last=None,
        MatchConditions conditions=None, uint64_t most_steps=0,
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
        if conditions is not None:
            if conditions.conditions.names.size() != graph.positions.count or conditions.rows not in (-1, rows.shape[0]):
                raise ValueError("the conditions are not those of the positions and rows")
            self.conditions, self.scan.conditions = conditions, &conditions.conditions
            self.scan.search.most_steps = most_steps
        self.scan.positions = &graph.positions
        self.scan.classes = <size_t>allowed.shape[0]
        self.scan.allowed = &allowed[0, 0] if allowed.shape[0] and allowed.shape[1] else NULL
        self.scan.rows = &rows[0] if rows.shape[0] else NULL
        self.scan.last = &last[0] if last is not None and last.shape[0] else NULL
        self.scan.skip, self.scan.tells_unmatched = skip, tells_unmatched
        heed_signals(&self.scan.pulse)
        for at in range(targets.shape[0]):
            self.scan.targets.safe_push_back(targets[at])
        self.scan.safe_open()

    def partition(self, int64_t begin, int64_t end):
        """Find the matches of a partition, whose rows are ``begin`` to before ``end``; what a signal's handler raises."""
        if not 0 <= begin <= end <= self.rows.shape[0]:
            raise ValueError(f"there are no rows {begin} to {end}")
        with nogil:
            guarded(&self.broken, scan_partition, &self.scan, begin, end)

    @property
    def stuck(self):
        """Why the scan cannot go on."""
        return Stuck(self.scan.stuck)

    @property
    def stuck_at(self):
        """The first row of the match where that is so."""
        return self.scan.stuck_at

    def take(self):
        """What was found since it was last taken: first rows, numbers of rows, numbers of matches, positions of rows.

        The number of a match is 0 where there is none: that row is in no match.
        """
        return taken(&self.scan.found)


cdef taken(Found* found):
    arrays = (
        copied(found.firsts.data(), found.firsts.size() * sizeof(int64_t), np.int64),
        copied(found.counts.data(), found.counts.size() * sizeof(int64_t), np.int64),
        copied(found.numbers.data(), found.numbers.size() * sizeof(int64_t), np.int64),
        copied(found.labels.data(), found.labels.size() * sizeof(uint16_t), np.uint16),
    )
    found.clear()
    return arrays


cdef copied(const void* values, size_t size, dtype):
    """An array of its own with these bytes."""
    array = np.empty(size // np.dtype(dtype).itemsize, dtype)
    cdef uint8_t[::1] view
    if size:
        view = array.view(np.uint8)
        memcpy(&view[0], values, size)
    return array
