# cython: language_level=3
"""The ring of nodes: `node_ring.hpp`."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error

cdef extern from "nfa_native/core/node_ring.hpp" namespace "spaseq" nogil:
    cdef cppclass NodeRing[Node]:
        vector[Node] nodes
        uint32_t mask
        uint32_t head
        uint32_t tail
        uint32_t count()
        bint has(uint32_t number)
        bint has_room(uint64_t more)
        bint is_widest()
        Node* at(uint32_t number)
        void open(size_t size, uint32_t first)
        void safe_open "open"(size_t size, uint32_t first) except +raise_cpp_error
        uint32_t take()
        uint32_t claim()
        void grow()
        bint could_grow()

    cdef struct RingMark:
        int64_t start
        uint32_t head

    cdef cppclass AgingRing[Node](NodeRing[Node]):
        vector[RingMark] marks
        size_t first_mark
        uint32_t until_mark()
        void mark(int64_t start)
        void forget(int64_t least)
        void clear()
