# cython: language_level=3
"""Totals that know when they are too large, as a semiring: `bounded.hpp`."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.two_stacks cimport int128

cdef extern from "nfa_native/core/bounded.hpp" namespace "spaseq::semirings" nogil:
    int64_t high_half(int128 a)
    uint64_t low_half(int128 a)

    cdef cppclass BoundedTotals:
        size_t size
        vector[uint64_t] counts
        vector[int128] wides          # [quantity][size]
        vector[double] reals

    cdef cppclass BoundedSpan:
        pass

    cdef cppclass Bounded:
        size_t wides
        bint counts_on
        size_t reals
        vector[uint8_t] is_least
        void resize(BoundedTotals& totals, size_t size)
        BoundedSpan span(BoundedTotals& totals, size_t first)
        BoundedSpan part(const BoundedSpan& whole, size_t first)
        int128 no_value(size_t quantity)
        void clear_totals(const BoundedSpan& out, size_t count)
        void add_unit(const BoundedSpan& out)
        void copy_totals(const BoundedSpan& out, const BoundedSpan& origin, size_t count)
        void add_totals(const BoundedSpan& out, const BoundedSpan& more, size_t count)
        void append_event(
            const BoundedSpan& out, size_t count, const uint8_t* holds_wide, const int128* wides, const uint8_t* holds_real,
            const double* reals
        )
