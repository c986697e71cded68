# cython: language_level=3
"""Hash tables: `flat_table.hpp`."""

from libc.stdint cimport uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error

cdef extern from "nfa_native/core/flat_table.hpp" namespace "spaseq" nogil:
    cdef cppclass FlatTable[Slot]:
        vector[Slot] slots
        size_t used
        size_t mask
        size_t home(uint64_t hash)
        size_t next(size_t at)
        bint is_full()
        void open(size_t size)
        void safe_open "open"(size_t size) except +raise_cpp_error
        void put(const Slot& slot)
        void spread(size_t least)
        void clear()
        size_t longest_run()
