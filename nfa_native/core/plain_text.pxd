# cython: language_level=3
"""See ``plain_text.hpp``."""


cdef extern from "nfa_native/core/plain_text.hpp" namespace "spaseq" nogil:
    size_t plain_bytes(const char* text, size_t size) noexcept
    bint begins_with_c1(const char* text, size_t size) noexcept
