# cython: language_level=3
"""Windows of edges (`window.hpp` and what it includes)."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport PathSelection
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error
from nfa_native.paths.search cimport PathAutomaton, PathRules

cdef extern from "nfa_native/paths/window/window.hpp" namespace "spaseq::paths" nogil:
    cdef cppclass Scrambler:
        uint64_t secret
        uint64_t factor

    cdef cppclass NumberTable:
        void safe_put "put_place"(uint64_t key, uint32_t place) except +raise_cpp_error

    cdef cppclass WindowEdge:
        uint32_t subject
        uint32_t object
        uint32_t predicate
        int64_t time
        uint32_t newer

    cdef cppclass WindowName:
        uint64_t word
        uint32_t uses

    cdef cppclass WindowNames:
        vector[WindowName] names
        size_t living
        bint has_lost

    cdef cppclass Pacer:
        void (*heed)() noexcept nogil

    cdef cppclass WindowGraph:
        Pacer pacer
        WindowNames vertices
        WindowNames predicates
        NumberTable labels
        vector[WindowEdge] edges
        size_t living
        uint32_t oldest
        void open_graph(Scrambler scrambler, uint32_t others)

    cdef cppclass GivenNames:
        vector[uint64_t] words

    cdef cppclass AppearedPaths:
        vector[uint64_t] ends
        vector[uint32_t] queries
        vector[uint32_t] events
        vector[uint32_t] vertices
        vector[uint32_t] symbols
        GivenNames nodes
        GivenNames predicates
        void clear()

    cdef cppclass WindowQuery:
        const PathAutomaton* automaton
        PathRules rules
        PathSelection selector
        uint32_t count
        bint any_length
        size_t first_condition
        vector[vector[uint8_t]] conditions
        bint has_ends
        void safe_open "open_query"(WindowGraph* graph) except +raise_cpp_error
        void safe_add_start "add_start"(uint64_t word) except +raise_cpp_error
        void safe_add_end "add_end"(uint64_t word) except +raise_cpp_error

    cdef cppclass EdgeWindow:
        WindowGraph graph
        AppearedPaths found
        int64_t width
        bint broken
        WindowQuery* safe_add_query "add_query"() except +raise_cpp_error
        void pass_time(int64_t time)
        void look_ahead(const uint64_t* words, size_t stride, size_t left)
        void take_edges(
            const uint64_t* words, const uint8_t* flags, size_t stride, size_t count, int64_t time, uint32_t event
        )
        void give_all(size_t query)
