# cython: language_level=3
"""Sets of small numbers as bits of words."""

from libc.stddef cimport size_t
from libc.stdint cimport uint64_t


cdef inline void set_bit(uint64_t* bits, size_t number) noexcept nogil:
    """Put a number into a set."""
    bits[number >> 6] |= <uint64_t>1 << (number & 63)


cdef inline bint has_bit(const uint64_t* bits, size_t number) noexcept nogil:
    """Whether it is in the set."""
    return (bits[number >> 6] >> (number & 63)) & 1
