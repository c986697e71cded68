# cython: language_level=3
"""Results of the recognizer as arrays."""

from libc.stdint cimport int64_t

from nfa_native.core.containers cimport vector
from nfa_native.events.state cimport Recognition, Table

cdef object found_events(Recognition* r)
# The first ones: int64[count].
cdef object integers(const vector[int64_t]* values, size_t count)
cdef void forget_table(Table* t) noexcept
