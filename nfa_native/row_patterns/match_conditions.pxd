# cython: language_level=3
"""What the conditions of a search are, and what they read (`search.hpp`)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector

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


cdef class MatchConditions:
    cdef Conditions conditions
    cdef readonly list arrays
    cdef readonly Py_ssize_t rows
    cdef add_group(self, const uint8_t[::1] members, uint32_t firsts, uint32_t lasts, Py_ssize_t positions)
    cdef add_column(self, const int64_t[::1] values, const uint8_t[::1] known)
    cdef add_reading(self, uint32_t group, bint first, int64_t offset, int64_t shift, int32_t column)
    cdef add_adding(self, function, uint32_t group, columns, Py_ssize_t positions)
    cdef check_read(self, uint32_t group, int32_t column)
