# cython: language_level=3
"""The rows that one event has for one pattern."""

from libcpp.vector cimport vector

from nfa_native.words cimport word_t

cdef class EventRows:
    cdef readonly size_t count
    cdef readonly size_t width
    cdef vector[word_t] words   # column after column


# Rows given one after the other.
cdef EventRows rows_of_event(const word_t* rows, size_t count, size_t width)
