# cython: language_level=3
"""Hashes of what comes from outside (`mixing.hpp`)."""

from libc.stdint cimport uint8_t, uint64_t

from nfa_native.core.containers cimport vector

cdef extern from "nfa_native/core/mixing.hpp" namespace "spaseq" nogil:
    uint64_t mix(uint64_t value)
    uint64_t hash_text(const void* text, size_t size)

    cppclass TextHash:
        pass

    cppclass NumberHash:
        pass


cdef inline size_t longest_run(const vector[uint8_t]& taken) noexcept nogil:
    """The most slots in a row that are taken, in a table with open addressing: few, where values do not collide."""
    cdef size_t longest = 0, run = 0, i
    for i in range(2 * taken.size()):     # twice, as a run may go on at the beginning
        run = run + 1 if taken[i % taken.size()] else 0
        longest = max(longest, run)
    return longest
