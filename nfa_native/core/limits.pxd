# cython: language_level=3
"""What no count and no position of a stream comes to (`limits.hpp`)."""

from libc.stdint cimport int64_t

cdef extern from "nfa_native/core/limits.hpp" namespace "spaseq" nogil:
    const int64_t FARTHEST
