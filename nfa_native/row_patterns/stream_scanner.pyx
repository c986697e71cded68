# distutils: language = c++
# cython: language_level=3
"""The matches of row patterns in partitions whose rows come bit by bit (`stream.hpp`)."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport check_sound, guarded, raise_cpp_error
from nfa_native.row_patterns.positions cimport Found, Positions, Pulse
from nfa_native.row_patterns.scanner cimport PositionGraph, heed_signals, taken
from nfa_native.row_patterns.scanner import Skip, Stuck

cdef extern from "nfa_native/row_patterns/scan.hpp" namespace "spaseq::row_patterns" nogil:
    cdef enum class SkipMode "spaseq::row_patterns::Skip"(uint32_t):
        pass
    cdef enum class StuckReason "spaseq::row_patterns::Stuck"(uint32_t):
        pass


cdef extern from "nfa_native/row_patterns/stream.hpp" namespace "spaseq::row_patterns" nogil:
    cdef cppclass PossibleSets:
        size_t classes()
        uint32_t safe_add_class "add_class"(const uint64_t* possible, const uint64_t* certain) except +raise_cpp_error

    cdef cppclass OpenPartition:
        OpenPartition()
        vector[int64_t] times
        int64_t start
        bint is_closed

    cdef cppclass StreamScan:
        const Positions* positions
        SkipMode skip
        vector[uint8_t] targets
        bint tells_unmatched
        int64_t length
        PossibleSets sets
        vector[OpenPartition] partitions
        Found found
        vector[uint32_t] of
        Pulse pulse
        StuckReason stuck
        uint32_t stuck_in
        int64_t stuck_at
        void safe_open "open"() except +raise_cpp_error
        int64_t rows_of(uint32_t partition)
        void change(uint32_t partition, int64_t row, uint32_t of_class)


cdef extern from *:
    """
    static inline void spaseq_add_rows(
        spaseq::row_patterns::StreamScan* scan, uint32_t partition, const uint32_t* classes, const int64_t* times, size_t count
    ) {
        scan->add(partition, classes, times, count);
    }
    static inline void spaseq_promise(spaseq::row_patterns::StreamScan* scan, uint32_t partition, int64_t time) {
        scan->promise(partition, time);
    }
    static inline void spaseq_rows_changed(spaseq::row_patterns::StreamScan* scan, uint32_t partition, int64_t row) {
        scan->changed(partition, row);
    }
    static inline void spaseq_close_partition(spaseq::row_patterns::StreamScan* scan, uint32_t partition) {
        scan->close(partition);
    }
    """
    void add_rows "spaseq_add_rows"(
        StreamScan* scan, uint32_t partition, const uint32_t* classes, const int64_t* times, size_t count
    ) noexcept nogil
    void promise_partition "spaseq_promise"(StreamScan* scan, uint32_t partition, int64_t time) noexcept nogil
    void rows_changed "spaseq_rows_changed"(StreamScan* scan, uint32_t partition, int64_t row) noexcept nogil
    void close_partition "spaseq_close_partition"(StreamScan* scan, uint32_t partition) noexcept nogil


cdef class RowPatternStreamScanner:
    """Finds the matches of partitions, each as soon as it is certain; rows are numbered within their partitions.

    ``targets``: by position, 1 where the next match begins (of TO_FIRST and TO_LAST).  ``tells_unmatched``: rows of no
    match are told, too.  A class of rows is a pair of sets of positions, as bits of 64-bit words: those that such rows may
    have, as far as is known, and those that they surely may.  ``length``: the times of a match's rows differ by less (0: by
    any length); then rows come with their times, which rise.
    """

    cdef StreamScan scan
    cdef readonly PositionGraph graph
    cdef bint broken

    def __init__(
        self, PositionGraph graph not None, skip, const uint8_t[::1] targets not None, bint tells_unmatched=False, int64_t length=0,
    ):
        cdef Py_ssize_t at
        if <size_t>targets.shape[0] != graph.positions.count or length < 0:
            raise ValueError("the targets are not those of the positions, or the length is negative")
        self.graph, self.scan.length = graph, length
        self.scan.positions = &graph.positions
        self.scan.skip, self.scan.tells_unmatched = <SkipMode><uint32_t>int(Skip(skip)), tells_unmatched
        for at in range(targets.shape[0]):
            self.scan.targets.safe_push_back(targets[at])
        heed_signals(&self.scan.pulse)
        self.scan.safe_open()

    def add_class(self, const uint64_t[::1] possible not None, const uint64_t[::1] certain not None):
        """The number of a new class."""
        check_sound(&self.broken)
        if <size_t>possible.shape[0] != self.graph.positions.words or possible.shape[0] != certain.shape[0]:
            raise ValueError("the sets are not those of the positions")
        return self.scan.sets.safe_add_class(&possible[0], &certain[0])

    def add_partition(self):
        """The number of a new partition."""
        cdef OpenPartition partition
        check_sound(&self.broken)
        self.scan.partitions.safe_push_back(partition)
        return self.scan.partitions.size() - 1

    def add(self, uint32_t partition, const uint32_t[::1] classes not None, const int64_t[::1] times=None):
        """Rows of these classes come to a partition, at these times where matches have a bound."""
        cdef Py_ssize_t at
        cdef int64_t before
        self.check(partition)
        for at in range(classes.shape[0]):
            if classes[at] >= self.scan.sets.classes():
                raise ValueError(f"row {at} has no class")
        if (times is not None) != (self.scan.length != 0) or (times is not None and times.shape[0] != classes.shape[0]):
            raise ValueError("rows have times where matches have a bound, and nowhere else")
        if not classes.shape[0]:
            return
        if times is not None:
            before = self.scan.partitions[partition].times.back() if self.scan.partitions[partition].times.size() else times[0]
            for at in range(times.shape[0]):
                if times[at] < before:
                    raise ValueError(f"the time of row {at} falls")
                before = times[at]
        with nogil:
            guarded(
                &self.broken, add_rows, &self.scan, partition, &classes[0], &times[0] if times is not None else <const int64_t*>NULL,
                <size_t>classes.shape[0],
            )

    def promise(self, uint32_t partition, int64_t time):
        """No row before a time will come to a partition."""
        self.check(partition)
        with nogil:
            guarded(&self.broken, promise_partition, &self.scan, partition, time)

    def change(self, uint32_t partition, int64_t row, const uint32_t[::1] classes not None):
        """More is known of a partition's rows from ``row`` on: they have these classes now."""
        cdef Py_ssize_t at
        self.check(partition)
        if row < 0 or row + classes.shape[0] > self.scan.rows_of(partition):
            raise ValueError(f"there are no rows {row} to {row + classes.shape[0]}")
        for at in range(classes.shape[0]):
            if classes[at] >= self.scan.sets.classes():
                raise ValueError(f"row {at} has no class")
        for at in range(classes.shape[0]):
            self.scan.change(partition, row + at, classes[at])
        with nogil:
            guarded(&self.broken, rows_changed, &self.scan, partition, row)

    def close(self, uint32_t partition):
        """No further row comes to a partition."""
        self.check(partition)
        with nogil:
            guarded(&self.broken, close_partition, &self.scan, partition)

    cdef check(self, uint32_t partition):
        check_sound(&self.broken)
        if partition >= self.scan.partitions.size():
            raise ValueError(f"there is no partition {partition}")
        if self.scan.partitions[partition].is_closed:
            raise ValueError(f"the partition {partition} has ended")

    def start(self, uint32_t partition):
        """The first row of a partition of which it is not decided whether a match begins there."""
        if partition >= self.scan.partitions.size():
            raise ValueError(f"there is no partition {partition}")
        return self.scan.partitions[partition].start

    @property
    def stuck(self):
        """Why the scan cannot go on, in which partition, and the first row of the match where that is so."""
        return Stuck(<uint32_t>self.scan.stuck), self.scan.stuck_in, self.scan.stuck_at

    def take(self):
        """What was found since it was last taken: partitions, first rows, numbers of rows, numbers of matches, positions.

        The number of a match is 0 where there is none: that row is in no match.
        """
        partitions = np.array([self.scan.of[at] for at in range(self.scan.of.size())], np.uint32)
        self.scan.of.clear()
        return (partitions, *taken(&self.scan.found))
