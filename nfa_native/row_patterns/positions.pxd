# cython: language_level=3
"""Row patterns as positions (`positions.hpp`), and which rows a scan found (`scan.hpp`)."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error

cdef extern from "nfa_native/row_patterns/positions.hpp" namespace "spaseq::row_patterns" nogil:
    cdef cppclass Follower:
        Follower()
        int32_t position
        bint at_end

    cdef cppclass Positions:
        uint32_t count
        size_t words
        vector[uint32_t] begins
        vector[Follower] followers
        void safe_complete "complete"() except +raise_cpp_error


cdef extern from "nfa_native/row_patterns/scan.hpp" namespace "spaseq::row_patterns" nogil:
    cdef cppclass Found:
        vector[int64_t] firsts
        vector[int64_t] counts
        vector[int64_t] numbers
        vector[uint16_t] labels
        void clear()

    cdef cppclass Pulse:
        void (*check)() noexcept nogil
