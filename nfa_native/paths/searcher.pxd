# cython: language_level=3
"""What searches of graphs and windows share."""

from libc.stdint cimport uint64_t

from nfa_native.paths.search cimport Adjacency, PathAutomaton, PathGraph


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
