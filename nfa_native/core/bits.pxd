# cython: language_level=3
"""Sets of small numbers as bits of words (`bits.hpp`)."""

from libc.stddef cimport size_t
from libc.stdint cimport uint64_t

cdef extern from "nfa_native/core/bits.hpp" namespace "spaseq" nogil:
    void set_bit(uint64_t* bits, size_t number)
    bint has_bit(const uint64_t* bits, size_t number)
