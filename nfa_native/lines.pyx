# cython: language_level=3, boundscheck=False, wraparound=False
"""A quick look at N-Quads: which blocks are so plain that nobody needs to check them again."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t
from libc.string cimport memchr, memcmp
from libcpp.vector cimport vector

# What a character may be part of.
cdef enum:
    SCHEME = 1      # a-z 0-9 + . -
    HOST = 2        # A-Z a-z 0-9 . -
    PATH = 4        # a character of paths, queries and fragments that needs no look at its neighbours
    DIGIT = 8
    LETTER = 16     # a-z
    LABEL = 32      # A-Z a-z 0-9 _

cdef uint8_t[256] KINDS


cdef void set_kinds() noexcept:
    cdef int c
    for c in range(256):
        KINDS[c] = 0
        if c'a' <= c <= c'z':
            KINDS[c] = SCHEME | HOST | PATH | LETTER | LABEL
        elif c'A' <= c <= c'Z':
            KINDS[c] = HOST | PATH | LABEL
        elif c'0' <= c <= c'9':
            KINDS[c] = SCHEME | HOST | PATH | DIGIT | LABEL
    for c in b".-":
        KINDS[c] = SCHEME | HOST | PATH
    KINDS[<int>c'+'] = SCHEME | PATH
    KINDS[<int>c'_'] = PATH | LABEL
    for c in b"/:~!$&'()*,;=@":
        KINDS[c] = PATH


set_kinds()


cdef inline const uint8_t* over(const uint8_t* at, int kind) noexcept nogil:
    while KINDS[at[0]] & kind:
        at += 1
    return at


cdef inline const uint8_t* over_space(const uint8_t* at) noexcept nogil:
    while at[0] == c' ' or at[0] == c'\t':
        at += 1
    return at


# Each of these returns the end of what begins at `at`, or NULL if it is not plain.  A NUL byte ends every loop: bytes
# objects end with one.
cdef const uint8_t* plain_iri(const uint8_t* at) noexcept nogil:
    """An absolute IRI in ASCII, without percent signs, user names and IP addresses in brackets."""
    if at[0] != c'<' or not KINDS[at[1]] & LETTER:
        return NULL
    at = over(at + 1, SCHEME)
    if at[0] != c':':
        return NULL
    at += 1
    if at[0] == c'/' and at[1] == c'/':
        at = over(at + 2, HOST)
        if at[0] == c':':
            at = over(at + 1, DIGIT)
        if at[0] != c'/' and at[0] != c'#' and at[0] != c'?' and at[0] != c'>':
            return NULL
    at = over(at, PATH)
    if at[0] == c'?':
        at = over(at + 1, PATH)
    if at[0] == c'#':
        at = over(at + 1, PATH)
    return at + 1 if at[0] == c'>' else NULL


cdef const uint8_t* plain_label(const uint8_t* at) noexcept nogil:
    """A blank node with a label of letters, digits and underscores."""
    cdef const uint8_t* end
    if at[0] != c'_' or at[1] != c':':
        return NULL
    end = over(at + 2, LABEL)
    return end if end > at + 2 else NULL


cdef const uint8_t* plain_literal(const uint8_t* at, const uint8_t* line_end) noexcept nogil:
    """A literal without escapes; a language is a tag of two or three small letters."""
    cdef const uint8_t* end = <const uint8_t*>memchr(at + 1, c'"', line_end - at - 1)
    if end == NULL or memchr(at, c'\\', end - at) != NULL or memchr(at, c'\r', end - at) != NULL:
        return NULL
    at = end + 1
    if at[0] == c'^':
        return plain_iri(at + 2) if at[1] == c'^' else NULL
    if at[0] == c'@':
        end = over(at + 1, LETTER)
        return end if 2 <= end - at - 1 <= 3 else NULL
    return at


cdef inline const uint8_t* plain_node(const uint8_t* at) noexcept nogil:
    return plain_iri(at) if at[0] == c'<' else plain_label(at)


cdef struct Line:
    const uint8_t* graph   # where the name of the graph begins; NULL: the default graph
    size_t length          # of that name


cdef bint plain_line(const uint8_t* at, const uint8_t* end, Line* line) noexcept nogil:
    """Whether the statement from `at` to the line end is plain."""
    at = plain_node(at)
    if at == NULL or (at[0] != c' ' and at[0] != c'\t'):
        return False
    at = plain_iri(over_space(at))
    if at == NULL or (at[0] != c' ' and at[0] != c'\t'):
        return False
    at = over_space(at)
    at = plain_literal(at, end) if at[0] == c'"' else plain_node(at)
    if at == NULL or (at[0] != c' ' and at[0] != c'\t'):
        return False
    at = over_space(at)
    line.graph = NULL
    line.length = 0
    if at[0] != c'.':
        line.graph = at
        at = plain_node(at)
        if at == NULL or (at[0] != c' ' and at[0] != c'\t'):
            return False
        line.length = at - line.graph
        at = over_space(at)
    return at[0] == c'.' and over_space(at + 1) == end


cdef inline bint same_graph(const Line* one, const Line* other) noexcept nogil:
    return one.length == other.length and (one.length == 0 or memcmp(one.graph, other.graph, one.length) == 0)


cdef bint find_runs(const uint8_t* at, const uint8_t* end, vector[Py_ssize_t]* starts, Py_ssize_t* count) noexcept nogil:
    cdef Line line, last
    cdef const uint8_t* line_end
    count[0] = 0
    last.graph = NULL
    last.length = 0
    while at < end:
        line_end = <const uint8_t*>memchr(at, c'\n', end - at)
        if line_end == NULL:
            line_end = end
        at = over_space(at)
        if at < line_end and at[0] != c'#':
            if not plain_line(at, line_end, &line):
                return False
            if count[0] == 0 or not same_graph(&line, &last):
                starts.push_back(count[0])
                last = line
            count[0] += 1
        at = line_end + 1
    return True


def plain_runs(bytes block not None):
    """``(statements, starts)`` of a block of N-Quads lines, or None if the block needs a closer look.

    In a plain block every line is certainly valid (blank lines and comments count as such), except that its bytes may
    be no UTF-8; ``starts`` are the numbers of the statements at which another graph begins than that of the statement
    before.
    """
    cdef vector[Py_ssize_t] starts
    cdef Py_ssize_t count = 0
    cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(block)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(block)
    cdef bint plain
    with nogil:
        plain = find_runs(text, text + size, &starts, &count)
    return (count, starts) if plain else None
