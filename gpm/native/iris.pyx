# distutils: language = c++
"""Which character strings are absolute IRIs (RFC 3987), and how any characters stand in one.

An IRI is cut into scheme, authority, path, query and fragment; each part allows some characters of ASCII, percent
signs with two digits, and the code points that the RFC lists.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr

from gpm.native.characters cimport DIGIT, HEXADECIMAL, LETTER, PATH, REGISTERED, SCHEME, is_kind, read_code_point
from nfa_native.core.containers cimport string


cdef inline const uint8_t* find(const uint8_t* at, const uint8_t* end, char byte) noexcept nogil:
    """The first such byte, or the end."""
    cdef const uint8_t* found = <const uint8_t*>memchr(at, byte, end - at) if at < end else NULL
    return found if found != NULL else end


cdef bint is_international(uint32_t code) noexcept nogil:
    """Whether it is one of the code points beyond ASCII that every part but the scheme may have."""
    if code < 0x10000:
        return 0xA0 <= code <= 0xD7FF or 0xF900 <= code <= 0xFDCF or 0xFDF0 <= code <= 0xFFEF
    return code & 0xFFFF <= 0xFFFD and code <= 0xEFFFD and not 0xE0000 <= code < 0xE1000


cdef bint is_private(uint32_t code) noexcept nogil:
    return 0xE000 <= code <= 0xF8FF or code >= 0xF0000 and code & 0xFFFF <= 0xFFFD


cdef bint consists_of(const uint8_t* at, const uint8_t* end, int kind, char also, bint private) noexcept nogil:
    """Whether all characters are of that kind, `also`, percent signs with digits, or beyond ASCII."""
    cdef uint32_t code = 0
    while at < end:
        if is_kind(at[0], kind) or at[0] == also:
            at += 1
        elif at[0] == c'%':
            if end - at < 3 or not is_kind(at[1], HEXADECIMAL) or not is_kind(at[2], HEXADECIMAL):
                return False
            at += 3
        else:
            at = read_code_point(at, end, &code)
            if at == NULL or not (is_international(code) or private and is_private(code)):
                return False
    return True


cdef bint is_scheme(const uint8_t* at, const uint8_t* end) noexcept nogil:
    if at == end or not is_kind(at[0], LETTER):
        return False
    while at < end:
        if not is_kind(at[0], SCHEME):
            return False
        at += 1
    return True


# ── hosts ────────────────────────────────────────────────────────────────────────────────────────────────
cdef const uint8_t* over_ipv4(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Behind four numbers below 256 without needless zeros; NULL if there are none."""
    cdef int part, number
    cdef const uint8_t* start
    for part in range(4):
        if part:
            if at == end or at[0] != c'.':
                return NULL
            at += 1
        start = at
        number = 0
        while at < end and is_kind(at[0], DIGIT) and at - start < 4:
            number = number * 10 + (at[0] - c'0')
            at += 1
        if at == start or number > 255 or at - start > 3 or start[0] == c'0' and at - start > 1:
            return NULL
    return at


cdef const uint8_t* over_group(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Behind one to four hexadecimal digits; NULL if there are fewer or more."""
    cdef const uint8_t* start = at
    while at < end and is_kind(at[0], HEXADECIMAL) and at - start < 5:
        at += 1
    return at if 1 <= at - start <= 4 else NULL


cdef const uint8_t* over_groups(const uint8_t* at, const uint8_t* end, int limit, int* count, bint* dotted) noexcept nogil:
    """Behind up to `limit` groups of 16 bits separated by colons; an IPv4 address (`dotted`) is two, and the last ones."""
    cdef const uint8_t* start
    cdef const uint8_t* next
    count[0] = 0
    dotted[0] = False
    while count[0] < limit:
        start = at
        if count[0]:
            if at == end or at[0] != c':':
                return at
            start = at + 1
        next = over_ipv4(start, end) if count[0] < limit - 1 else NULL
        if next != NULL:
            count[0] += 2
            dotted[0] = True
            return next
        next = over_group(start, end)
        if next == NULL:
            return at
        at = next
        count[0] += 1
    return at


cdef bint is_ipv6(const uint8_t* at, const uint8_t* end) noexcept nogil:
    cdef int before = 0, behind = 0
    cdef bint dotted = False
    at = over_groups(at, end, 8, &before, &dotted)
    if before == 8:
        return at == end
    if dotted or end - at < 2 or at[0] != c':' or at[1] != c':':
        return False
    return over_groups(at + 2, end, 7 - before, &behind, &dotted) == end


cdef bint is_future_address(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """What follows the v of an address of a future version."""
    cdef const uint8_t* start = at
    while at < end and is_kind(at[0], HEXADECIMAL):
        at += 1
    if at == start or end - at < 2 or at[0] != c'.':
        return False
    at += 1
    while at < end:
        if not is_kind(at[0], REGISTERED) and at[0] != c':':
            return False
        at += 1
    return True


cdef bint is_port(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Nothing, or a colon and any number of digits."""
    if at == end:
        return True
    if at[0] != c':':
        return False
    at += 1
    while at < end:
        if not is_kind(at[0], DIGIT):
            return False
        at += 1
    return True


cdef bint is_authority(const uint8_t* at, const uint8_t* end) noexcept nogil:
    cdef const uint8_t* mark = find(at, end, c'@')
    if mark < end:
        if not consists_of(at, mark, REGISTERED, c':', False):
            return False
        at = mark + 1
    if at < end and at[0] == c'[':
        mark = find(at, end, c']')
        if mark == end or not is_port(mark + 1, end):
            return False
        if at[1] | 32 == c'v':
            return is_future_address(at + 2, mark)
        return is_ipv6(at + 1, mark)
    mark = find(at, end, c':')
    return is_port(mark, end) and consists_of(at, mark, REGISTERED, c'.', False)


cdef bint is_iri(const uint8_t* at, const uint8_t* end) noexcept nogil:
    cdef const uint8_t* colon = find(at, end, c':')
    cdef const uint8_t* fragment
    cdef const uint8_t* query
    cdef const uint8_t* path
    if colon == end or not is_scheme(at, colon):
        return False
    fragment = find(colon, end, c'#')
    query = find(colon, fragment, c'?')
    path = colon + 1
    if query - path >= 2 and path[0] == c'/' and path[1] == c'/':
        at = path + 2
        path = find(at, query, c'/')
        if not is_authority(at, path):
            return False
    if not consists_of(path, query, PATH, c'/', False):
        return False
    if query < fragment and not consists_of(query + 1, fragment, PATH, c'?', True):
        return False
    return fragment == end or consists_of(fragment + 1, end, PATH, c'?', False)


cdef inline bint is_unreserved(uint8_t c) noexcept nogil:
    return is_kind(c, LETTER | DIGIT) or c in (c'-', c'_', c'.', c'~')


cdef inline char hexadecimal(uint8_t digit) noexcept nogil:
    return <char>(c'0' + digit if digit < 10 else c'A' + digit - 10)


cdef void append_encoded(const char* text, size_t size, string* out) noexcept nogil:
    cdef size_t i
    cdef size_t plain = 0   # where the characters begin that are not written yet
    cdef uint8_t c
    for i in range(size):
        c = <uint8_t>text[i]
        if not is_unreserved(c):
            out.append(text + plain, i - plain)
            out.push_back(c'%')
            out.push_back(hexadecimal(c >> 4))
            out.push_back(hexadecimal(c & 15))
            plain = i + 1
    out.append(text + plain, size - plain)


def valid_iri(const uint8_t[::1] text not None) -> bool:
    """Whether UTF-8 text is an absolute IRI, percent signs and IP addresses in brackets included."""
    return text.shape[0] > 0 and is_iri(&text[0], &text[0] + text.shape[0])
