# cython: language_level=3
"""What always holds, checked in debug and sanitizer builds (SPASEQ_DEBUG=1, SPASEQ_SANITIZE=1)."""

cdef extern from "<cassert>":
    void invariant "assert"(bint holds) noexcept nogil
