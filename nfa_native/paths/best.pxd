# cython: language_level=3
"""Searches for the best paths (`best_first.hpp`)."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error
from nfa_native.paths.search cimport FoundPaths, PathAutomaton, PathGraph, PathRules, vertex_t

cdef extern from "nfa_native/paths/best_first.hpp" namespace "spaseq::paths" nogil:
    cdef cppclass StepWeights:
        const double* labels
        const double* vertices

    cdef cppclass BestPaths:
        size_t top

    cdef cppclass BestFirst:
        const PathGraph* graph
        size_t most_kept
        BestPaths best
        vector[uint32_t] numbers
        vector[double] scores
        FoundPaths found
        uint64_t edges
        bint is_full
        bint broken
        void add_ranked_query(
            uint32_t number, const PathAutomaton* automaton, const vector[const uint8_t*]& conditions, const PathRules& rules,
            const StepWeights& weights
        )
        void safe_add_start "add_ranked_start"(vertex_t start) except +raise_cpp_error
        bint is_done()
        void advance_best(uint64_t most_edges)
        void write_best()
