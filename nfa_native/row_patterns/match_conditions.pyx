# distutils: language = c++
# cython: language_level=3
"""Conditions that read the match, as programs that a search runs (`search.hpp`)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector

cdef class MatchConditions:
    """Conditions that read the match: by position a program, pairs of an ``MatchOp`` and its argument; none: it always holds.

    ``constants`` are (bits, known); ``groups`` (members by position, how many of the first and last rows are read);
    ``readings`` (group, first, offset, shift, column), of column -1 the rank of the variable's name in ``names``;
    ``addings`` (``Adds``, group, columns by position), of column -2 rows are counted; ``columns`` (values, known) by row.
    """

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
