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


cdef extern from "nfa_native/row_patterns/search.hpp" namespace "spaseq::row_patterns" nogil:
    cpdef enum class MatchOp(uint32_t):
        CONSTANT
        READ
        AGGREGATE
        NUMBER
        EQUAL
        LESS
        LESS_EQUAL
        SAME
        REAL_EQUAL
        REAL_LESS
        REAL_LESS_EQUAL
        REAL_SAME
        ADD
        SUBTRACT
        MULTIPLY
        DIVIDE
        REMAINDER
        REAL_ADD
        REAL_SUBTRACT
        REAL_MULTIPLY
        REAL_DIVIDE
        REAL_REMAINDER
        DIVIDE_ROUNDED
        NEGATE
        ABSOLUTE
        REAL_NEGATE
        REAL_ABSOLUTE
        TO_REAL
        SCALE
        NOT
        IS_NULL
        AND
        OR
        UNLESS_TRUE
        UNLESS_FALSE
        UNLESS_KNOWN
        WHEN
        JUMP
        DROP
        LEAST
        GREATEST
        REAL_LEAST
        REAL_GREATEST

    cpdef enum class Adds(uint32_t):
        COUNT
        SUM
        REAL_SUM
        AVERAGE
        REAL_AVERAGE
        DECIMAL_AVERAGE
        LEAST
        GREATEST
        REAL_LEAST
        REAL_GREATEST

    cdef cppclass Value:
        Value()
        int64_t bits
        bint known

    cdef cppclass Instruction:
        Instruction()
        MatchOp op
        int64_t a

    cdef cppclass RowGroup:
        RowGroup()
        vector[uint8_t] members
        uint32_t firsts
        uint32_t lasts

    cdef cppclass Reading:
        Reading()
        uint32_t group
        bint first
        int64_t offset
        int64_t shift
        int32_t column

    cdef cppclass Adding:
        Adding()
        Adds function
        uint32_t group
        vector[int32_t] columns

    cdef cppclass Values:
        Values()
        const int64_t* bits
        const uint8_t* known

    cdef cppclass Conditions:
        vector[vector[Instruction]] programs
        vector[Value] constants
        vector[RowGroup] groups
        vector[Reading] readings
        vector[Adding] addings
        vector[Values] columns
        vector[int64_t] names
        bint reads_number
        bint reads_far_labels

    cdef cppclass Search:
        uint64_t most_steps


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


cdef class MatchConditions:
    """Conditions that read the match: by position a program, pairs of an ``MatchOp`` and its argument; none: it always holds.

    ``constants`` are (bits, known); ``groups`` (members by position, how many of the first and last rows are read);
    ``readings`` (group, first, offset, shift, column), of column -1 the rank of the variable's name in ``names``;
    ``addings`` (``Adds``, group, columns by position), of column -2 rows are counted; ``columns`` (values, known) by row.
    """

    cdef Conditions conditions
    cdef readonly list arrays
    cdef readonly Py_ssize_t rows

    def __init__(self, programs, constants, groups, readings, addings, columns, const int64_t[::1] names not None, bint reads_number):
        cdef vector[Instruction] program
        cdef Instruction step
        cdef Value constant
        cdef Py_ssize_t positions = names.shape[0]
        self.arrays, self.rows = [], -1
        if len(programs) != positions:
            raise ValueError("the programs are not those of the positions")
        for bits, known in constants:
            constant.bits, constant.known = bits, known
            self.conditions.constants.safe_push_back(constant)
        for members, firsts, lasts in groups:
            self.add_group(members, firsts, lasts, positions)
        for values, known in columns:
            self.add_column(values, known)
        for group, first, offset, shift, column in readings:
            self.add_reading(group, first, offset, shift, column)
        for function, group, its in addings:
            self.add_adding(function, group, its, positions)
        for each in programs:
            check_program(each, len(constants), len(readings), len(addings))
            program.clear()
            for op, argument in each:
                step.op, step.a = <MatchOp><uint32_t>int(op), argument
                program.safe_push_back(step)
            self.conditions.programs.safe_push_back(program)
        for name in names:
            self.conditions.names.safe_push_back(<int64_t>name)
        self.conditions.reads_number = reads_number

    cdef add_group(self, const uint8_t[::1] members, uint32_t firsts, uint32_t lasts, Py_ssize_t positions):
        cdef RowGroup group
        cdef Py_ssize_t at
        if members.shape[0] != positions:
            raise ValueError("the members are not those of the positions")
        for at in range(positions):
            group.members.safe_push_back(members[at])
        group.firsts, group.lasts = firsts, lasts
        self.conditions.groups.safe_push_back(group)

    cdef add_column(self, const int64_t[::1] values, const uint8_t[::1] known):
        cdef Values column
        if values.shape[0] != known.shape[0] or self.rows not in (-1, values.shape[0]):
            raise ValueError("the columns are not of the same rows")
        self.rows = values.shape[0]
        column.bits = &values[0] if self.rows else NULL
        column.known = &known[0] if self.rows else NULL
        self.arrays.append((values, known))
        self.conditions.columns.safe_push_back(column)

    cdef add_reading(self, uint32_t group, bint first, int64_t offset, int64_t shift, int32_t column):
        cdef Reading reading
        self.check_read(group, column)
        if offset < 0:
            raise ValueError("an offset is negative")
        reading.group, reading.first, reading.offset, reading.shift, reading.column = group, first, offset, shift, column
        self.conditions.reads_far_labels |= column == -1 and shift != 0
        self.conditions.readings.safe_push_back(reading)

    cdef add_adding(self, function, uint32_t group, columns, Py_ssize_t positions):
        cdef Adding adding
        adding.function, adding.group = <Adds><uint32_t>int(function), group
        if len(columns) != positions:
            raise ValueError("the columns are not those of the positions")
        for column in columns:
            self.check_read(group, max(column, -1))
            if column < -2 or (column == -2 and adding.function != Adds.COUNT):
                raise ValueError("rows are counted, and nothing else")
            adding.columns.safe_push_back(<int32_t>column)
        self.conditions.addings.safe_push_back(adding)

    cdef check_read(self, uint32_t group, int32_t column):
        if group >= self.conditions.groups.size() or not -1 <= column < <int32_t>self.conditions.columns.size():
            raise ValueError("there is no such group, or no such column")


# What steps take and leave on the stack.
_TAKEN = {
    **dict.fromkeys((MatchOp.CONSTANT, MatchOp.READ, MatchOp.AGGREGATE, MatchOp.NUMBER), (0, 1)),
    **dict.fromkeys((MatchOp.NEGATE, MatchOp.ABSOLUTE, MatchOp.REAL_NEGATE, MatchOp.REAL_ABSOLUTE, MatchOp.TO_REAL, MatchOp.SCALE, MatchOp.NOT, MatchOp.IS_NULL), (1, 1)),
    **dict.fromkeys((MatchOp.UNLESS_TRUE, MatchOp.UNLESS_FALSE, MatchOp.UNLESS_KNOWN), (1, 1)),
    **dict.fromkeys((MatchOp.WHEN, MatchOp.DROP), (1, 0)),
    MatchOp.JUMP: (0, 0),
}


def check_program(program, constants, readings, addings):
    """ValueError: a program reads what is not there, goes back, or does not leave one value, whichever way it takes."""
    heights, bounds = {0: 0}, {MatchOp.CONSTANT: constants, MatchOp.READ: readings, MatchOp.AGGREGATE: addings}
    for place, (op, argument) in enumerate(program):
        op = MatchOp(op)
        if place not in heights:
            raise ValueError(f"step {place} is never reached")
        taken, left = _TAKEN.get(op, (2, 1))
        height = heights[place] - taken
        if height < 0 or not 0 <= argument < bounds.get(op, 1 << 63):
            raise ValueError(f"step {place} lacks what it needs")
        height += left
        after = [place + 1] if op is not MatchOp.JUMP else []
        if op in (MatchOp.UNLESS_TRUE, MatchOp.UNLESS_FALSE, MatchOp.UNLESS_KNOWN, MatchOp.WHEN, MatchOp.JUMP):
            if not place < argument <= len(program):
                raise ValueError(f"step {place} goes back, or beyond the end")
            after.append(argument)
        if any(heights.setdefault(each, height) != height for each in after):
            raise ValueError(f"behind step {place} the stack has several heights")
    if program and heights.get(len(program)) != 1:
        raise ValueError("a program leaves one value")


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
