# cython: language_level=3
"""Searches for paths (`search.hpp` and what it includes)."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport PathRestrictor, PathSelection
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error

ctypedef uint32_t vertex_t
ctypedef uint32_t symbol_t

cdef extern from "nfa_native/paths/column.hpp" namespace "spaseq::paths" nogil:
    cdef cppclass Column[T]:
        size_t size()
        T* release()

cdef extern from "nfa_native/paths/search.hpp" namespace "spaseq::paths" nogil:
    cdef cppclass Adjacency:
        const vertex_t* vertices
        const uint32_t* offsets
        const vertex_t* targets
        size_t rows

    cdef cppclass PathGraph:
        vector[Adjacency] symbols
        size_t vertices
        void safe_add_label "add_label"(const Adjacency& along, const Adjacency& against) except +raise_cpp_error

    cdef cppclass PathState:
        pass

    cdef cppclass PathAutomaton:
        vector[PathState] states
        size_t conditions
        void safe_add_state "add_state"() except +raise_cpp_error
        void safe_add_symbol "add_symbol"(uint32_t state, symbol_t symbol) except +raise_cpp_error
        void safe_add_transition "add_way"(uint32_t origin, uint32_t to, uint64_t guard) except +raise_cpp_error
        void safe_add_accepting "add_accepting"(uint32_t state, uint64_t guard) except +raise_cpp_error
        void safe_end "find_alike"() except +raise_cpp_error

    cdef cppclass PathRules:
        PathRestrictor restrictor
        bint not_back
        const uint8_t* ends

    cdef cppclass FoundPaths:
        Column[uint64_t] ends
        Column[uint32_t] vertices
        Column[uint32_t] symbols

    cdef cppclass Subsets:
        vector[const uint8_t*] conditions

    cdef cppclass PathSearch:
        const PathGraph* graph
        const PathAutomaton* automaton
        Subsets subsets
        PathRules rules
        PathSelection selector
        uint32_t count
        vector[vertex_t] starts
        vector[vertex_t] targets
        FoundPaths found
        uint64_t edges
        bint broken
        bint is_done()
        void safe_open "open_search"() except +raise_cpp_error
        void advance_search(uint64_t most_edges, size_t most_paths)
