# cython: language_level=3
"""What searches of graphs and windows share."""

from libc.stdint cimport uint32_t, uint64_t

from nfa_native.paths.search cimport Adjacency, Column, PathAutomaton, PathGraph


cdef class EdgeIndex:
    cdef PathGraph graph
    cdef list arrays                  # what the graph points into

    cdef Adjacency _opened(self, rows) except *


cdef class ExpressionAutomaton:
    cdef PathAutomaton automaton
    cdef readonly size_t symbols

    cdef int _check(self, uint64_t guard) except -1


# An array with a copy of `size` bytes.
cdef object copied(const char* data, size_t size, dtype)


cdef class ColumnMemory:
    cdef void* start
    cdef size_t size

# Arrays that have the memory of a column, which is empty then.
cdef object handed_numbers(Column[uint32_t]* column)
cdef object handed_ends(Column[uint64_t]* column)
