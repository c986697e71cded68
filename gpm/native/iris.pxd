# cython: language_level=3
"""Which character strings are absolute IRIs (RFC 3987)."""

from libc.stdint cimport uint8_t

# Whether UTF-8 text without angle brackets and escapes is an absolute IRI.
cdef bint is_iri(const uint8_t* at, const uint8_t* end) noexcept nogil
