# cython: language_level=3
"""What searches of graphs and windows share."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.paths.search cimport Adjacency, PathAutomaton, PathGraph, vertex_t


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

# The flags of a column, one for each vertex, which `arrays` keeps.  ValueError: they are not as many.
cdef const uint8_t* flags_of(EdgeIndex edges, column, list arrays) except? NULL
# Starts that are vertices.  ValueError: one is none.
cdef int take_starts(vector[vertex_t]* into, const uint32_t[::1] starts, EdgeIndex edges) except -1
# ValueError: an automaton has other symbols than the graph, or other conditions than were given.
cdef int check_automaton(ExpressionAutomaton automaton, EdgeIndex edges, conditions) except -1
