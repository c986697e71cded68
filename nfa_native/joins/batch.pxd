# cython: language_level=3
"""The rows of a batch, borrowed from the caller."""

from libc.stdint cimport uint32_t

from nfa_native.core.containers cimport vector
from nfa_native.joins.kernel cimport BatchRows

cdef object borrow_rows(BatchRows* out, object rows, const vector[uint32_t]* slots, size_t events)
cdef int borrow_event(BatchRows* out, list rows, const vector[uint32_t]* slots, vector[uint32_t]* zeros) except -1
