# cython: language_level=3
"""What Cython sees of how much work there may be: `allowance.hpp`."""

from libc.stdint cimport uint64_t

cdef extern from "nfa_native/core/allowance.hpp" namespace "spaseq::shedding" nogil:
    cdef cppclass Allowance:
        double rate
        double most
        double spent
        double done
        uint64_t over

    uint64_t chance_of(uint64_t position, uint64_t judged)
