# cython: language_level=3
"""Delimiters of messages."""

from libc.stdint cimport uint8_t

# Whether it says MESSAGE, in letters of any case.
cdef bint is_word(const uint8_t* at, const uint8_t* end, const char* word) noexcept nogil
# Whether a comment, at its #, says @message first.
cdef bint is_delimiting_comment(const uint8_t* at, const uint8_t* end) noexcept nogil
# Whether a line is nothing but a delimiter; `comments`: a comment may be one.
cdef bint is_delimiter(const uint8_t* at, const uint8_t* end, bint comments) noexcept nogil
# Whether @message stands somewhere in a text.
cdef bint may_hide_delimiter(const uint8_t* at, const uint8_t* end) noexcept nogil

# What became of a text.
cdef enum:
    TAKEN = 0
    CUT_OFF = 1       # it has no end yet
    UNSURE = 2        # somebody else has to look at it
    PAUSED = 3        # it goes on with the next call
