# cython: language_level=3
"""Sets of partial matches that enumeration has still to look into (`frontier.hpp`)."""

from libc.stdint cimport int64_t, uint32_t

cdef extern from "nfa_native/events/frontier.hpp" namespace "spaseq::events" nogil:
    cdef struct Reached:
        int64_t place
        uint32_t age
        uint32_t origin
        uint32_t view
        bint is_view

    cdef cppclass Frontiers:
        bint empty()
        const Reached& newest()
        bint covers(const Frontiers& other)
        void add(const Reached& one)
        void drop_newest()
        size_t open()
        void close(size_t before)
        void clear()
