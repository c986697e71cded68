# cython: language_level=3
"""Totals of any size, as a semiring: `exact.hpp`."""

from libc.stdint cimport uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.two_stacks cimport int128

cdef extern from *:
    ctypedef unsigned long long unsigned128 "unsigned __int128"      # Cython knows only its rank

cdef extern from "nfa_native/core/exact.hpp" namespace "spaseq::semirings" nogil:
    const int128 NO_LEAST

    cdef cppclass Natural:
        bint is_too_large()
        size_t size()
        uint64_t limb(size_t at)
        void clear()
        void set(unsigned128 value)
        void add(const Natural& other)

    cdef cppclass ExactTotals:
        vector[Natural] numbers       # [total][number]
        vector[int128] leasts         # [total][least]

    cdef cppclass ExactSpan:
        Natural* numbers
        int128* leasts
        bint is_nothing()

    cdef cppclass Exact:
        size_t numbers
        size_t leasts
        void resize(ExactTotals& totals, size_t size)
        ExactSpan span(ExactTotals& totals, size_t first)
        ExactSpan part(const ExactSpan& whole, size_t first)
        void clear_totals(const ExactSpan& out, size_t count)
        void set_unit(const ExactSpan& out)
        void copy_totals(const ExactSpan& out, const ExactSpan& origin, size_t count)
        void add_totals(const ExactSpan& out, const ExactSpan& more, size_t count)
        void add_product(const ExactSpan& out, const ExactSpan& one, const ExactSpan& other)
        bint add_products(const ExactSpan& out, const ExactSpan& some, size_t count, const ExactSpan& one)
