# distutils: language = c++
"""Which language tags are well-formed (BCP 47).

A tag is a language, up to three extensions of it, a script, a region, variants, extensions and something private, in
that order; or all private; or one of those that were registered before there was an order.
"""

from libc.stdint cimport uint8_t

from gpm.native.characters cimport DIGIT, LETTER, is_kind

# What came last.
cdef enum:
    LANGUAGE = 0
    LONG_LANGUAGE = 1   # more than three letters: nothing extends it
    SCRIPT = 2
    REGION = 3          # or a variant
    SINGLETON = 4       # must be followed by a subtag of the extension
    EXTENSION = 5
    PRIVATE_MARK = 6    # x
    PRIVATE = 7

cdef const char* IRREGULAR = (
    b"|art-lojban|cel-gaulish|en-gb-oed|i-ami|i-bnn|i-default|i-enochian|i-hak|i-klingon|i-lux|i-mingo|i-navajo|i-pwn"
    b"|i-tao|i-tay|i-tsu|no-bok|no-nyn|sgn-be-fr|sgn-be-nl|sgn-ch-de|zh-guoyu|zh-hakka|zh-min|zh-min-nan|zh-xiang|"
)


cdef bint is_irregular(const uint8_t* tag, size_t size) noexcept nogil:
    """Whether it is one of the tags that were registered before."""
    cdef const char* at = IRREGULAR + 1
    cdef size_t i
    while at[0]:
        i = 0
        while i < size and at[i] == (tag[i] | 32):
            i += 1
        if i == size and at[i] == c'|':
            return True
        while at[0] != c'|':
            at += 1
        at += 1
    return False


cdef inline bint are_all(const uint8_t* subtag, size_t size, int kind) noexcept nogil:
    cdef size_t i
    for i in range(size):
        if not is_kind(subtag[i], kind):
            return False
    return True


cdef int state_after(int state, const uint8_t* subtag, size_t size) noexcept nogil:
    """What a subtag of one to eight letters and digits makes of the state; −1: it must not stand there."""
    cdef bint alphabetic = are_all(subtag, size, LETTER)
    if state >= PRIVATE_MARK:
        return PRIVATE
    if size == 1:
        return -1 if state == SINGLETON else PRIVATE_MARK if subtag[0] | 32 == c'x' else SINGLETON
    if state >= SINGLETON:
        return EXTENSION
    if state <= LONG_LANGUAGE and size == 4 and alphabetic:
        return SCRIPT
    if state <= SCRIPT and (size == 2 and alphabetic or size == 3 and are_all(subtag, size, DIGIT)):
        return REGION
    return REGION if size >= 5 or size == 4 and is_kind(subtag[0], DIGIT) else -1


cdef bint is_ordered(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Whether the subtags stand in the order of the grammar."""
    cdef const uint8_t* stop
    cdef int state = -1
    cdef int extensions = 0
    while True:
        stop = at
        while stop < end and stop[0] != c'-':
            stop += 1
        if stop == at or stop - at > 8:
            return False
        if state < 0:
            if stop - at == 1 and at[0] | 32 == c'x':
                state = PRIVATE_MARK
            elif stop - at < 2 or not are_all(at, stop - at, LETTER):
                return False
            else:
                state = LANGUAGE if stop - at < 4 else LONG_LANGUAGE
        elif state == LANGUAGE and stop - at == 3 and extensions < 3 and are_all(at, 3, LETTER):
            extensions += 1
        else:
            state = state_after(state, at, stop - at)
            if state < 0:
                return False
        if stop == end:
            return state != SINGLETON and state != PRIVATE_MARK
        at = stop + 1


cdef bint is_language(const uint8_t* at, const uint8_t* end) noexcept nogil:
    return is_ordered(at, end) or is_irregular(at, end - at)


def valid_language(const uint8_t[::1] tag not None) -> bool:
    """Whether subtags of letters and digits, separated by single hyphens, are a well-formed tag."""
    return tag.shape[0] > 0 and is_language(&tag[0], &tag[0] + tag.shape[0])
