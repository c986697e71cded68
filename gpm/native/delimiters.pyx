# distutils: language = c++
"""Delimiters of messages, as ``spaseq/sources/rdf/text.py`` knows them: ``MESSAGE``, ``@message .`` and, in streams of
earlier drafts, comments ``# @message``.  Letters may be small or large."""

from libc.stdint cimport uint8_t
from libc.string cimport memchr

from gpm.native.characters cimport LABEL, SPACE, is_kind, over


cdef bint is_word(const uint8_t* at, const uint8_t* end, const char* word) noexcept nogil:
    """Whether that word of small letters comes next, in letters of any case; a longer word may."""
    while word[0]:
        if at == end or at[0] | 32 != <uint8_t>word[0]:
            return False
        at += 1
        word += 1
    return True


cdef bint is_delimiting_comment(const uint8_t* at, const uint8_t* end) noexcept nogil:
    at = over(at + 1, SPACE)
    if at == end or at[0] != c'@' or not is_word(at + 1, end, b"message"):
        return False
    return at + 8 == end or not is_kind(at[8], LABEL)


cdef bint is_delimiter(const uint8_t* at, const uint8_t* end, bint comments) noexcept nogil:
    at = over(at, SPACE)
    if at[0] == c'#':
        return comments and is_delimiting_comment(at, end)
    if at[0] == c'@' and is_word(at + 1, end, b"message"):
        at = over(at + 8, SPACE)
        if at[0] != c'.':
            return False
        at += 1
    elif is_word(at, end, b"message"):
        at += 7
    else:
        return False
    if at < end and at[0] != c'#' and not is_kind(at[0], SPACE):
        return False
    at = over(at, SPACE)
    return at == end or at[0] == c'#' and not (comments and is_delimiting_comment(at, end))


cdef bint may_hide_delimiter(const uint8_t* at, const uint8_t* end) noexcept nogil:
    while at < end:
        at = <const uint8_t*>memchr(at, c'@', end - at)
        if at == NULL:
            return False
        if is_word(at + 1, end, b"message"):
            return True
        at += 1
    return False
