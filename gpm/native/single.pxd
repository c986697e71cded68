# cython: language_level=3
"""One encoded event by itself."""

from libc.stdint cimport int64_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.terms.dictionary cimport word_t

cdef class SingleEvent:
    cdef vector[word_t] words      # subjects, then predicates, then objects
    cdef readonly size_t size      # triples
    cdef readonly int64_t time
    cdef readonly uint64_t scope
    cdef readonly uint64_t version
    cdef readonly object text
    cdef public str name
    cdef public uint64_t knowledge
