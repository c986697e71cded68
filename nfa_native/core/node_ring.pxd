# cython: language_level=3
"""The ring of nodes: `node_ring.hpp`."""

from libc.stdint cimport uint32_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error

cdef extern from "nfa_native/core/node_ring.hpp" namespace "spaseq" nogil:
    cdef cppclass NodeRing[Node]:
        vector[Node] nodes
        void safe_open "open"(size_t size, uint32_t first) except +raise_cpp_error
        uint32_t count()

    cdef cppclass AgingRing[Node](NodeRing[Node]):
        pass
