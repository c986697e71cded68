# distutils: language = c++
# cython: language_level=3
"""The matches of row patterns in partitions whose rows come bit by bit (`stream.hpp`)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport check_sound, guarded, raise_cpp_error
from nfa_native.row_patterns.match_conditions cimport Conditions, MatchConditions
from nfa_native.row_patterns.positions cimport Found, Positions, Pulse
from nfa_native.row_patterns.scanner cimport PositionGraph, copied, heed_signals, taken
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

    cdef cppclass RowAsked:
        RowAsked()
        vector[uint32_t] programs
        vector[int32_t] possible, certain

    cdef cppclass RowTests:
        const Conditions* conditions
        vector[RowAsked] asked
        uint64_t held

    cdef cppclass OpenPartition:
        int64_t first
        vector[uint32_t] classes
        vector[int64_t] origins
        vector[int64_t] times, bits
        vector[uint8_t] known
        int64_t start, number, beyond
        bint is_used, is_noted
        bint is_decided()

    cdef cppclass Reach:
        size_t ahead, lag, context, before, behind

    cdef cppclass FoundInStream:
        Found found
        vector[uint32_t] partitions, leads, tails
        vector[int64_t] origins

    cdef cppclass StreamScan:
        const Positions* positions
        SkipMode skip
        vector[uint8_t] targets
        bint tells_unmatched, remembers
        int64_t length
        Reach far
        const Conditions* conditions
        RowTests tests
        uint64_t most_steps
        PossibleSets sets
        vector[OpenPartition] partitions
        vector[uint32_t] free, done
        size_t kept
        int64_t promised
        FoundInStream told
        Pulse pulse
        StuckReason stuck
        uint32_t stuck_in
        int64_t stuck_at
        void safe_open "open"() except +raise_cpp_error
        uint32_t safe_new_partition "take_partition"() except +raise_cpp_error
        void give_back(uint32_t partition)
        int64_t next_due()
        size_t needed_from(const OpenPartition& its)


cdef extern from *:
    """
    static inline void spaseq_add_rows(
        spaseq::row_patterns::StreamScan* scan, const uint32_t* of, const uint32_t* classes, const int64_t* times, const int64_t* bits,
        const uint8_t* known, int64_t origin, size_t count
    ) {
        scan->add(of, classes, times, bits, known, origin, count);
    }
    static inline void spaseq_add_tested(
        spaseq::row_patterns::StreamScan* scan, const uint32_t* of, const int64_t* times, const int64_t* bits, const uint8_t* known,
        int64_t origin, size_t count, size_t* taken
    ) {
        *taken = scan->add_tested(of, times, bits, known, origin, count);
    }
    static inline void spaseq_foresee(
        spaseq::row_patterns::StreamScan* scan, uint32_t partition, int64_t row, uint32_t of_class, const int64_t* bits, const uint8_t* known
    ) {
        scan->foresee(partition, row, of_class, bits, known);
    }
    static inline void spaseq_promise(spaseq::row_patterns::StreamScan* scan, int64_t time) { scan->promise(time); }
    static inline void spaseq_end_stream(spaseq::row_patterns::StreamScan* scan) { scan->close(); }
    static inline void spaseq_go_on(
        spaseq::row_patterns::StreamScan* scan, uint32_t partition, const uint32_t* classes, const int64_t* origins, const int64_t* times,
        const int64_t* bits, const uint8_t* known, size_t count
    ) {
        scan->go_on(partition, classes, origins, times, bits, known, count);
    }
    """
    void add_rows "spaseq_add_rows"(
        StreamScan* scan, const uint32_t* of, const uint32_t* classes, const int64_t* times, const int64_t* bits, const uint8_t* known,
        int64_t origin, size_t count
    ) noexcept nogil
    void add_tested_rows "spaseq_add_tested"(
        StreamScan* scan, const uint32_t* of, const int64_t* times, const int64_t* bits, const uint8_t* known, int64_t origin, size_t count,
        size_t* taken
    ) noexcept nogil
    void foresee_row "spaseq_foresee"(
        StreamScan* scan, uint32_t partition, int64_t row, uint32_t of_class, const int64_t* bits, const uint8_t* known
    ) noexcept nogil
    void promise_rows "spaseq_promise"(StreamScan* scan, int64_t time) noexcept nogil
    void end_stream "spaseq_end_stream"(StreamScan* scan) noexcept nogil
    void go_on_with "spaseq_go_on"(
        StreamScan* scan, uint32_t partition, const uint32_t* classes, const int64_t* origins, const int64_t* times, const int64_t* bits,
        const uint8_t* known, size_t count
    ) noexcept nogil


cdef class RowPatternStreamScanner:
    """Finds the matches of partitions, each as soon as it is certain; rows are numbered within their partitions.

    ``targets``: by position, 1 where the next match begins (of TO_FIRST and TO_LAST).  ``tells_unmatched``: rows of no
    match are told, too.  ``length``: the times of a match's rows differ by less (0: by any length); then rows come with
    their times, which rise.  ``remembers``: a partition stays when nothing of it is undecided.

    A class of rows is a pair of sets of positions, as bits of 64-bit words: those that such rows may have, as far as is
    known, and those that they surely may.  A row's class is certain when ``ahead`` rows came behind it.  ``context`` rows of
    each partition stay; ``before`` a match and ``behind`` it so many rows are told with it.

    ``tests`` are of single rows, a program each, which read rows by their distance; ``asked``: by how many rows came behind one,
    which tests (at most 64) are asked of it, and by position which of these tells whether a row may have it, and whether it
    surely may (-1: any may).

    ``conditions`` are those that read the match, ``most_steps`` how many a search from one row may take (0: any number);
    then rows come with values, of each of their columns, which are known when ``lag`` rows came behind, at most ``ahead``.
    """

    cdef StreamScan scan
    cdef readonly PositionGraph graph
    cdef readonly MatchConditions conditions, tests
    cdef bint broken

    def __init__(
        self, PositionGraph graph not None, skip, const uint8_t[::1] targets not None, bint tells_unmatched=False, int64_t length=0, *,
        bint remembers=False, size_t ahead=0, size_t context=0, size_t before=0, size_t behind=0, MatchConditions conditions=None,
        size_t lag=0, uint64_t most_steps=0, MatchConditions tests=None, asked=(),
    ):
        cdef Py_ssize_t at
        if <size_t>targets.shape[0] != graph.positions.count or length < 0:
            raise ValueError("the targets are not those of the positions, or the length is negative")
        self.graph, self.scan.length = graph, length
        self.scan.positions = &graph.positions
        self.scan.skip, self.scan.tells_unmatched = <SkipMode><uint32_t>int(Skip(skip)), tells_unmatched
        self.scan.remembers = remembers
        self.scan.far.ahead, self.scan.far.lag, self.scan.far.context = ahead, min(lag, ahead), context
        self.scan.far.before, self.scan.far.behind = before, behind
        for at in range(targets.shape[0]):
            self.scan.targets.safe_push_back(targets[at])
        if conditions is not None:
            if conditions.conditions.names.size() != graph.positions.count:
                raise ValueError("the conditions are not those of the positions")
            self.conditions, self.scan.conditions, self.scan.most_steps = conditions, &conditions.conditions, most_steps
        if tests is not None:
            self.take_tests(tests, asked)
        heed_signals(&self.scan.pulse)
        self.scan.safe_open()

    cdef take_tests(self, MatchConditions tests, asked):
        cdef RowAsked its
        cdef size_t programs = tests.conditions.programs.size()
        if <size_t>len(asked) != self.scan.far.ahead + 1 or self.scan.far.lag:
            raise ValueError("the tests are not those of rows behind which others come")
        if self.conditions is not None and self.conditions.conditions.columns.size() != tests.conditions.columns.size():
            raise ValueError("the columns of tests are not those of conditions")
        for numbers, possible, certain in asked:
            its.programs.clear()
            its.possible.clear()
            its.certain.clear()
            if len(numbers) > 64 or not all(0 <= number < programs for number in numbers):
                raise ValueError("there are no such tests, or too many")
            for number in numbers:
                its.programs.safe_push_back(<uint32_t>number)
            for side, out in ((possible, 0), (certain, 1)):
                if len(side) != self.graph.positions.count or not all(-1 <= test < len(numbers) for test in side):
                    raise ValueError("the tests are not those of the positions")
                for test in side:
                    if out:
                        its.certain.safe_push_back(<int32_t>test)
                    else:
                        its.possible.safe_push_back(<int32_t>test)
            self.scan.tests.asked.safe_push_back(its)
        self.tests, self.scan.tests.conditions = tests, &tests.conditions

    def add_class(self, const uint64_t[::1] possible not None, const uint64_t[::1] certain not None):
        """The number of a new class."""
        check_sound(&self.broken)
        if <size_t>possible.shape[0] != self.graph.positions.words or possible.shape[0] != certain.shape[0]:
            raise ValueError("the sets are not those of the positions")
        return self.scan.sets.safe_add_class(&possible[0], &certain[0])

    def new_partition(self):
        """The number of a partition for a new key."""
        check_sound(&self.broken)
        return self.scan.safe_new_partition()

    def done(self):
        """The partitions of which nothing is undecided any more: their numbers are given to others from now on."""
        cdef size_t at
        cdef uint32_t partition
        found = []
        for at in range(self.scan.done.size()):
            partition = self.scan.done[at]
            self.scan.partitions[partition].is_noted = False
            if self.scan.partitions[partition].is_used and self.scan.partitions[partition].is_decided():
                self.scan.give_back(partition)
                found.append(partition)
        self.scan.done.clear()
        return found

    # ── what comes ───────────────────────────────────────────────────────────────────────────────────────
    def add(
        self, const uint32_t[::1] partitions not None, const uint32_t[:, ::1] classes not None, const int64_t[::1] times,
        int64_t origin, values=None,
    ):
        """Rows come, each to its partition, at these times where matches have a bound; the first is that one of all.

        ``classes`` (rows × (1 + ahead)): of each row its class so far, then those that the rows before it in its partition
        have by now, the next one first.  ``values`` (two arrays, rows × columns, values and whether they are known): of the
        row ``lag`` before, if it is there.
        """
        cdef Py_ssize_t row, count = partitions.shape[0], at
        cdef int64_t before = self.scan.promised
        check_sound(&self.broken)
        if classes.shape[0] != count or <size_t>classes.shape[1] != self.scan.far.ahead + 1:
            raise ValueError("there are not as many classes as rows")
        if (times is not None) != (self.scan.length != 0) or (times is not None and times.shape[0] != count):
            raise ValueError("rows have times where matches have a bound, and nowhere else")
        for row in range(count):
            self.check(partitions[row])
            for at in range(classes.shape[1]):
                if classes[row, at] >= self.scan.sets.classes():
                    raise ValueError(f"row {row} has no class")
            if times is not None:
                if times[row] < before:
                    raise ValueError(f"the time of row {row} falls")
                before = times[row]
        cdef const int64_t* bits
        cdef const uint8_t* known
        arrays = self.values_of(values, count, &bits, &known)
        if not count:
            return
        with nogil:
            guarded(
                &self.broken, add_rows, &self.scan, &partitions[0], &classes[0, 0],
                &times[0] if times is not None else <const int64_t*>NULL, bits, known, origin, <size_t>count,
            )

    def add_tested(self, const uint32_t[::1] partitions not None, values, const int64_t[::1] times, int64_t origin):
        """As ``add`` of rows whose classes are found by tests of their ``values``; how many: the next one has none."""
        cdef Py_ssize_t row, count = partitions.shape[0]
        cdef int64_t before = self.scan.promised
        cdef const int64_t* bits
        cdef const uint8_t* known
        cdef size_t done = 0
        check_sound(&self.broken)
        if self.tests is None:
            raise ValueError("there are no tests")
        if (times is not None) != (self.scan.length != 0) or (times is not None and times.shape[0] != count):
            raise ValueError("rows have times where matches have a bound, and nowhere else")
        for row in range(count):
            self.check(partitions[row])
            if times is not None:
                if times[row] < before:
                    raise ValueError(f"the time of row {row} falls")
                before = times[row]
        arrays = self.values_of(values, count, &bits, &known)
        if count:
            with nogil:
                guarded(
                    &self.broken, add_tested_rows, &self.scan, &partitions[0], &times[0] if times is not None else <const int64_t*>NULL,
                    bits, known, origin, <size_t>count, &done,
                )
        return done

    @property
    def held(self):
        """The set of tests of those asked last that held of some row."""
        return self.scan.tests.held

    @property
    def found(self):
        """How much was found since it was last taken."""
        return self.scan.told.partitions.size()

    cdef values_of(self, values, Py_ssize_t rows, const int64_t** bits, const uint8_t** known):
        """What holds the arrays of values that conditions read."""
        cdef Py_ssize_t columns = 0
        if self.scan.tests.conditions is not NULL:
            columns = <Py_ssize_t>self.scan.tests.conditions.columns.size()
        elif self.scan.conditions is not NULL:
            columns = <Py_ssize_t>self.scan.conditions.columns.size()
        cdef const int64_t[:, ::1] its
        cdef const uint8_t[:, ::1] there
        bits[0] = NULL
        known[0] = NULL
        if not columns:
            return None
        if values is None:
            raise ValueError("rows have values where conditions read the match")
        its, there = values
        if its.shape[0] != rows or its.shape[1] != columns or there.shape[0] != rows or there.shape[1] != columns:
            raise ValueError("there are not as many values as rows and columns")
        if rows:
            bits[0], known[0] = &its[0, 0], &there[0, 0]
        return values

    def promise(self, int64_t time):
        """No row before a time will come."""
        check_sound(&self.broken)
        with nogil:
            guarded(&self.broken, promise_rows, &self.scan, time)

    @property
    def promised(self):
        """No row before that time will come; the least of 64 bits: that is not known."""
        return self.scan.promised

    @property
    def due(self):
        """The least promise that decides something, or the greatest of 64 bits."""
        return self.scan.next_due()

    def foresee(self, uint32_t partition, int64_t row, uint32_t of_class, values=None):
        """Before the end, of each row behind which not enough came, in turn: as no more come, its class and values."""
        cdef const int64_t* bits
        cdef const uint8_t* known
        check_sound(&self.broken)
        self.check(partition)
        if of_class >= self.scan.sets.classes():
            raise ValueError(f"row {row} has no class")
        arrays = self.values_of(values, 1, &bits, &known)
        with nogil:
            guarded(&self.broken, foresee_row, &self.scan, partition, row, of_class, bits, known)

    def close(self):
        """No further row comes."""
        check_sound(&self.broken)
        with nogil:
            guarded(&self.broken, end_stream, &self.scan)

    cdef check(self, uint32_t partition):
        if partition >= self.scan.partitions.size() or not self.scan.partitions[partition].is_used:
            raise ValueError(f"there is no partition {partition}")

    # ── what there is ────────────────────────────────────────────────────────────────────────────────────
    @property
    def rows(self):
        """How many rows are kept, about: they go when they are as many as those that stay."""
        return self.scan.kept

    def last_rows(self, const uint32_t[::1] partitions not None):
        """Of some partitions the last rows, as many as stay there as context: how many, and which of all these are."""
        cdef Py_ssize_t at
        cdef size_t some, each, size
        counts, origins = np.empty(partitions.shape[0], np.int64), np.empty(partitions.shape[0] * self.scan.far.context, np.int64)
        cdef int64_t[::1] of = counts, all_ = origins
        cdef int64_t end = 0
        for at in range(partitions.shape[0]):
            self.check(partitions[at])
            size = self.scan.partitions[partitions[at]].origins.size()
            some = min(self.scan.far.context, size)
            of[at] = <int64_t>some
            for each in range(size - some, size):
                all_[end] = self.scan.partitions[partitions[at]].origins[each]
                end += 1
        return counts, origins[:end]

    def kept(self):
        """What is of use of each partition: its number, first row, next start, matches, the row that none reached, and how
        many rows are kept (partitions × 6); then which of all these are, by partition."""
        cdef uint32_t partition
        cdef size_t first, count
        heads, origins = [], []
        for partition in range(self.scan.partitions.size()):
            if not self.scan.partitions[partition].is_used:
                continue
            first = self.scan.needed_from(self.scan.partitions[partition])
            count = self.scan.partitions[partition].origins.size() - first
            heads.append((
                partition, self.scan.partitions[partition].first + <int64_t>first, self.scan.partitions[partition].start,
                self.scan.partitions[partition].number, self.scan.partitions[partition].beyond, count,
            ))
            origins.append(copied(self.scan.partitions[partition].origins.data() + first, count * sizeof(int64_t), np.int64))
        return np.array(heads, np.int64).reshape(-1, 6), np.concatenate([np.zeros(0, np.int64), *origins])

    def go_on(
        self, const int64_t[::1] head not None, const uint32_t[::1] classes not None, const int64_t[::1] origins not None,
        const int64_t[::1] times, values=None,
    ):
        """A new partition is as one was when ``kept`` told of it; what is decided then was told before."""
        cdef uint32_t partition = self.new_partition()
        cdef Py_ssize_t at, count = head[5]
        if count < 0 or classes.shape[0] != count or origins.shape[0] != count or (times is not None and times.shape[0] != count):
            raise ValueError("there are not as many rows as there were")
        if (times is not None) != (self.scan.length != 0):
            raise ValueError("rows have times where matches have a bound, and nowhere else")
        for at in range(count):
            if classes[at] >= self.scan.sets.classes():
                raise ValueError(f"row {at} has no class")
            if at and (origins[at] <= origins[at - 1] or (times is not None and times[at] < times[at - 1])):
                raise ValueError("rows are in no order")
        if not 0 <= head[1] <= head[2] <= head[1] + count or max(head[1], head[3], head[4]) > 1 << 62 or min(head[3], head[4]) < 0:
            raise ValueError("a match begins nowhere")
        cdef const int64_t* bits
        cdef const uint8_t* known
        arrays = self.values_of(values, count - min(count, <Py_ssize_t>self.scan.far.lag), &bits, &known)
        self.scan.partitions[partition].first, self.scan.partitions[partition].start = head[1], head[2]
        self.scan.partitions[partition].number, self.scan.partitions[partition].beyond = head[3], head[4]
        if count:
            with nogil:
                guarded(
                    &self.broken, go_on_with, &self.scan, partition, &classes[0], &origins[0],
                    &times[0] if times is not None else <const int64_t*>NULL, bits, known, <size_t>count,
                )
        return partition

    @property
    def stuck(self):
        """Why the scan cannot go on, in which partition, and which of all rows is the first of the match where that is so."""
        return Stuck(<uint32_t>self.scan.stuck), self.scan.stuck_in, self.scan.stuck_at

    def take(self):
        """What was found since it was last taken, in the order in which it was decided.

        First rows, numbers of rows, numbers of matches, positions, partitions; then how many rows before each match are told
        and how many behind it, and which of all rows are told: those before, its own, those behind.  The number of a match is
        0 where there is none: that row is in no match.
        """
        partitions = copied(self.scan.told.partitions.data(), self.scan.told.partitions.size() * sizeof(uint32_t), np.uint32)
        leads = copied(self.scan.told.leads.data(), self.scan.told.leads.size() * sizeof(uint32_t), np.uint32)
        tails = copied(self.scan.told.tails.data(), self.scan.told.tails.size() * sizeof(uint32_t), np.uint32)
        origins = copied(self.scan.told.origins.data(), self.scan.told.origins.size() * sizeof(int64_t), np.int64)
        self.scan.told.partitions.clear()
        self.scan.told.leads.clear()
        self.scan.told.tails.clear()
        self.scan.told.origins.clear()
        return (*taken(&self.scan.told.found), partitions, leads, tails, origins)
