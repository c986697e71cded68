# cython: language_level=3
"""How many members compact sets have (`set_counts.hpp`)."""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from "nfa_native/core/set_counts.hpp" namespace "spaseq::set_counts" nogil:
    cdef struct Content:
        uint32_t number
        uint32_t pos
        uint32_t label
        uint32_t next
        uint32_t sibling

    cdef cppclass Profile:
        pass

    cdef cppclass Gathering:
        void begin()
        void gather(uint32_t start)
        void gather_all(const Profile& profile, uint32_t lo)
        size_t size()

    cdef cppclass Memory:
        void fit(size_t nodes)
        const Profile* find(const Content& content, uint32_t lo)
        void put(const Content& content, uint32_t lo, Gathering& members)

    cdef cppclass Tally:
        uint32_t first
        void begin()
        void add(uint32_t start, uint64_t number)
        void add_all(const Profile& profile, uint32_t lo)
        bint is_too_many()
        uint64_t high()
        uint64_t low()
