# cython: language_level=3
"""Which character strings are absolute IRIs (RFC 3987), and how any characters stand in one."""

from libc.stdint cimport uint8_t

from nfa_native.core.containers cimport string

# Whether UTF-8 text without angle brackets and escapes is an absolute IRI.
cdef bint is_iri(const uint8_t* at, const uint8_t* end) noexcept nogil
# UTF-8 text percent-encoded, all but letters of ASCII, digits and - _ . ~: ENCODE_FOR_URI of SPARQL 1.1.
cdef void append_encoded(const char* text, size_t size, string* out) noexcept nogil
