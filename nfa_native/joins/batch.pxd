# cython: language_level=3
"""The rows of a batch, borrowed from the caller: `batch.hpp`."""

from libc.stdint cimport uint32_t

from nfa_native.core.containers cimport vector
from nfa_native.terms.dictionary cimport word_t

cdef extern from "nfa_native/joins/batch.hpp" namespace "spaseq::joins" nogil:
    cdef struct RowSource:
        const uint32_t* row_event
        const word_t* columns
        size_t rows
        size_t at
        size_t end

    cdef struct RowTaker:
        uint32_t atom
        uint32_t slots
        uint32_t source

    cdef cppclass BatchRows:
        vector[RowSource] sources
        vector[RowTaker] takers

    bint is_ascending(const uint32_t* numbers, size_t count, size_t below)

cdef object borrow_rows(BatchRows* out, object rows, const vector[uint32_t]* slots, size_t events)
cdef int borrow_event(BatchRows* out, list rows, const vector[uint32_t]* slots, vector[uint32_t]* zeros) except -1
