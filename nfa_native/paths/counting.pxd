# cython: language_level=3
"""How many walks there are (`walk_count.hpp`)."""

from libc.stdint cimport uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error
from nfa_native.paths.search cimport PathAutomaton, PathGraph, PathRules, Subsets, vertex_t

cdef extern from "nfa_native/paths/walk_count.hpp" namespace "spaseq::paths" nogil:
    cdef cppclass WalkCount:
        const PathGraph* graph
        const PathAutomaton* automaton
        Subsets subsets
        PathRules rules
        vector[vertex_t] starts
        uint64_t edges
        bint broken
        bint is_done()
        void safe_open "open_count"() except +raise_cpp_error
        void advance_count(uint64_t most_edges)
        uint64_t low "low_bits"()
        uint64_t high "high_bits"()
