# cython: language_level=3
"""Walks of a fixed number of steps (`fixed_length.hpp`, `few_walks.hpp`)."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error
from nfa_native.paths.search cimport Column, PathGraph, symbol_t, vertex_t

cdef extern from "nfa_native/paths/few_walks.hpp" namespace "spaseq::paths" nogil:
    cdef cppclass FixedRoute:
        uint32_t query
        vertex_t start

    cdef cppclass FixedPlan:
        const PathGraph* graph
        vector[FixedRoute] routes
        void safe_add_query "add_query"(bint not_back, const uint8_t* ends) except +raise_cpp_error
        void safe_add_step "add_step"() except +raise_cpp_error
        void safe_add_symbol "add_step_symbol"(symbol_t symbol) except +raise_cpp_error

    cdef cppclass WalkColumns:
        uint32_t* queries
        uint64_t* ends
        vertex_t* vertices
        symbol_t* symbols

    cdef cppclass FewWalks:
        const FixedPlan* plan
        const vector[FixedRoute]* routes
        WalkColumns to
        uint64_t walks
        uint64_t steps
        uint64_t edges
        bint count_few()
        void write_all()

    cdef cppclass FixedFound:
        Column[uint32_t] queries
        Column[uint64_t] ends
        Column[uint32_t] vertices
        Column[uint32_t] symbols
        size_t size()

    cdef cppclass FixedLength:
        FixedFound found
        uint64_t edges
        bint broken
        bint is_done()
        void safe_open "open_walks"(const FixedPlan* plan, const vector[FixedRoute]* along) except +raise_cpp_error
        void advance_walks(uint64_t most_edges, size_t most_paths)
