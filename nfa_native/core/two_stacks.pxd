# cython: language_level=3
"""A sliding window of totals by two stacks (`two_stacks.hpp`)."""

cdef extern from *:
    ctypedef long long int128 "__int128"      # Cython knows only its rank

cdef extern from "nfa_native/core/two_stacks.hpp" namespace "spaseq" nogil:
    cdef cppclass StartGroup[Semiring]:
        size_t left
