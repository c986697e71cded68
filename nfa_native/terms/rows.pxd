# cython: language_level=3
"""The rows that one event has for one pattern."""


from nfa_native.core.containers cimport vector
from nfa_native.terms.dictionary cimport word_t

cdef class EventRows:
    cdef readonly size_t count
    cdef readonly size_t width
    cdef vector[word_t] words   # column after column
    cdef Py_ssize_t[2] shape    # width and count, and the bytes from one to the next, for who looks at them as an array
    cdef Py_ssize_t[2] strides


# Rows given one after the other.
cdef EventRows rows_of_event(const word_t* rows, size_t count, size_t width)
