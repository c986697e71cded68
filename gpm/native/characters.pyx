# distutils: language = c++
"""Characters of RDF's line formats: classes of bytes, code points in UTF-8, escapes, and what a label may consist of."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr, memcpy


# ── UTF-8 ────────────────────────────────────────────────────────────────────────────────────────────────
cdef inline bint goes_on(uint8_t byte) noexcept nogil:
    return byte & 0xC0 == 0x80


cdef const uint8_t* read_code_point(const uint8_t* at, const uint8_t* end, uint32_t* code) noexcept nogil:
    cdef uint32_t first = at[0]
    if first < 0x80:
        code[0] = first
        return at + 1
    if first < 0xE0:
        if first < 0xC2 or end - at < 2 or not goes_on(at[1]):
            return NULL
        code[0] = (first & 0x1F) << 6 | at[1] & 0x3F
        return at + 2
    if first < 0xF0:
        if end - at < 3 or not goes_on(at[1]) or not goes_on(at[2]):
            return NULL
        code[0] = (first & 0x0F) << 12 | (<uint32_t>at[1] & 0x3F) << 6 | at[2] & 0x3F
        return at + 3 if code[0] >= 0x800 and is_scalar(code[0]) else NULL
    if first > 0xF4 or end - at < 4 or not (goes_on(at[1]) and goes_on(at[2]) and goes_on(at[3])):
        return NULL
    code[0] = (first & 7) << 18 | (<uint32_t>at[1] & 0x3F) << 12 | (<uint32_t>at[2] & 0x3F) << 6 | at[3] & 0x3F
    return at + 4 if code[0] >= 0x10000 and is_scalar(code[0]) else NULL


cdef inline bint is_scalar(uint32_t code) noexcept nogil:
    """Whether it is a character: no surrogate."""
    return code < 0xD800 or 0xE000 <= code <= 0x10FFFF


cdef int write_code_point(uint32_t code, uint8_t* out) noexcept nogil:
    if code < 0x80:
        out[0] = <uint8_t>code
        return 1
    if code < 0x800:
        out[0] = <uint8_t>(0xC0 | code >> 6)
        out[1] = <uint8_t>(0x80 | code & 0x3F)
        return 2
    if code < 0x10000:
        out[0] = <uint8_t>(0xE0 | code >> 12)
        out[1] = <uint8_t>(0x80 | code >> 6 & 0x3F)
        out[2] = <uint8_t>(0x80 | code & 0x3F)
        return 3
    out[0] = <uint8_t>(0xF0 | code >> 18)
    out[1] = <uint8_t>(0x80 | code >> 12 & 0x3F)
    out[2] = <uint8_t>(0x80 | code >> 6 & 0x3F)
    out[3] = <uint8_t>(0x80 | code & 0x3F)
    return 4


# ── escapes ──────────────────────────────────────────────────────────────────────────────────────────────
cdef inline uint32_t digit_value(uint8_t byte) noexcept nogil:
    return byte - c'0' if byte <= c'9' else (byte | 32) - c'a' + 10


cdef const uint8_t* read_code_escape(const uint8_t* at, const uint8_t* end, uint32_t* code) noexcept nogil:
    cdef int digits, i
    if end - at < 2:
        return NULL
    digits = 4 if at[1] == c'u' else 8 if at[1] == c'U' else 0
    if digits == 0 or end - at < digits + 2:
        return NULL
    code[0] = 0
    for i in range(2, digits + 2):
        if not is_kind(at[i], HEXADECIMAL):
            return NULL
        code[0] = code[0] << 4 | digit_value(at[i])
    return at + digits + 2 if is_scalar(code[0]) else NULL


cdef const uint8_t* read_escape(const uint8_t* at, const uint8_t* end, uint32_t* code) noexcept nogil:
    cdef uint8_t letter
    if end - at < 2:
        return NULL
    letter = at[1]
    if letter == c'u' or letter == c'U':
        return read_code_escape(at, end, code)
    if letter == c'"' or letter == c"'" or letter == c'\\':
        code[0] = letter
    elif letter == c't':
        code[0] = 9
    elif letter == c'b':
        code[0] = 8
    elif letter == c'n':
        code[0] = 10
    elif letter == c'r':
        code[0] = 13
    elif letter == c'f':
        code[0] = 12
    else:
        return NULL
    return at + 2


cdef size_t unescape(const uint8_t* text, size_t size, uint8_t* out) noexcept nogil:
    cdef const uint8_t* end = text + size
    cdef const uint8_t* mark
    cdef size_t n = 0
    cdef uint32_t code = 0
    while text < end:
        mark = <const uint8_t*>memchr(text, c'\\', end - text)
        if mark == NULL:
            mark = end
        memcpy(out + n, text, mark - text)
        n += mark - text
        text = mark
        if mark < end:
            text = read_escape(mark, end, &code)
            n += write_code_point(code, out + n)
    return n


# ── labels ───────────────────────────────────────────────────────────────────────────────────────────────
cdef bint begins_label(uint32_t code) noexcept nogil:
    if code < 0x80:
        return is_kind(<uint8_t>code, LABEL)
    return (
        0xC0 <= code <= 0x2FF and code != 0xD7 and code != 0xF7
        or 0x370 <= code <= 0x1FFF and code != 0x37E
        or 0x200C <= code <= 0x200D or 0x2070 <= code <= 0x218F or 0x2C00 <= code <= 0x2FEF
        or 0x3001 <= code <= 0xD7FF or 0xF900 <= code <= 0xFDCF or 0xFDF0 <= code <= 0xFFFD
        or 0x10000 <= code <= 0xEFFFF
    )


cdef bint continues_label(uint32_t code) noexcept nogil:
    return (
        begins_label(code) or code == c'-' or code == 0xB7 or 0x300 <= code <= 0x36F or 0x203F <= code <= 0x2040
    )


# ── Python ───────────────────────────────────────────────────────────────────────────────────────────────
def unescaped(const uint8_t[::1] text not None) -> bytes:
    """Text whose escapes are valid without them."""
    cdef bytearray out = bytearray(text.shape[0])
    cdef uint8_t[::1] view
    if text.shape[0] == 0:
        return b""
    view = out
    cdef size_t size = unescape(&text[0], text.shape[0], &view[0])
    return bytes(out[:size])
