# cython: language_level=3
"""Positions as Python has them."""

from nfa_native.row_patterns.positions cimport Found, Positions, Pulse


cdef class PositionGraph:
    cdef Positions positions


# Let a signal's handler end the work.
cdef void heed_signals(Pulse* pulse) noexcept
# What was found, as arrays of its own; it is empty then.
cdef taken(Found* found)
# An array of its own with these bytes.
cdef copied(const void* values, size_t size, dtype)
