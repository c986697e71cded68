# cython: language_level=3
"""Which language tags are well-formed (BCP 47)."""

from libc.stdint cimport uint8_t

# Whether subtags of letters and digits, separated by single hyphens, are a well-formed tag.
cdef bint is_language(const uint8_t* at, const uint8_t* end) noexcept nogil
