# cython: language_level=3
"""End points of walks (`reach.hpp`, `reach_search.hpp`)."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error
from nfa_native.paths.search cimport PathGraph, symbol_t, vertex_t

cdef extern from "nfa_native/paths/reach_search.hpp" namespace "spaseq::paths" nogil:
    const uint32_t NO_PLACE

    cdef cppclass ReachMove:
        uint32_t origin "from"
        uint32_t to
        uint32_t step
        uint64_t guard

    cdef cppclass ReachPlan:
        const PathGraph* graph
        vector[const uint8_t*] conditions
        bint not_back
        void safe_add_step "add_reach_step"() except +raise_cpp_error
        void safe_add_symbol "add_reach_symbol"(symbol_t symbol) except +raise_cpp_error
        void safe_add_part "add_reach_part"(uint32_t size) except +raise_cpp_error
        void safe_add_move "add_reach_move"(const ReachMove& move) except +raise_cpp_error
        void safe_add_query "add_reach_query"(uint32_t state, uint32_t number, const uint8_t* ends) except +raise_cpp_error
        void safe_end "end_reach_plan"() except +raise_cpp_error
        void merge_reach_rows()

    cdef cppclass FoundEnds:
        vector[uint32_t] queries
        vector[vertex_t] starts
        vector[uint64_t] run_ends
        vector[vertex_t] ends
        void clear()

    cdef cppclass EndSearch:
        vector[vertex_t] starts
        FoundEnds found
        uint64_t edges
        bint broken
        bint is_done()
        void safe_open "open_ends"(const ReachPlan* plan) except +raise_cpp_error
        void advance_ends(uint64_t most_edges, size_t most_pairs)
