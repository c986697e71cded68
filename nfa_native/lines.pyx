# cython: language_level=3, boundscheck=False, wraparound=False
"""A quick look at N-Quads: which blocks are so plain that nobody needs to check them again."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
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
    const uint8_t* predicate  # where each term begins, and how long it is
    size_t predicate_length
    const uint8_t* object
    size_t object_length
    const uint8_t* graph      # NULL: the default graph
    size_t length             # of its name


cdef bint plain_line(const uint8_t* at, const uint8_t* end, Line* line) noexcept nogil:
    """Whether the statement from `at` to the line end is plain."""
    at = plain_node(at)
    if at == NULL or (at[0] != c' ' and at[0] != c'\t'):
        return False
    line.predicate = over_space(at)
    at = plain_iri(line.predicate)
    if at == NULL or (at[0] != c' ' and at[0] != c'\t'):
        return False
    line.predicate_length = at - line.predicate
    line.object = at = over_space(at)
    at = plain_literal(at, end) if at[0] == c'"' else plain_node(at)
    if at == NULL or (at[0] != c' ' and at[0] != c'\t'):
        return False
    line.object_length = at - line.object
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


# Statements that follow each other in one graph.
cdef struct Run:
    size_t start           # of its first line, in bytes
    size_t graph           # of the name of its graph; the name's length is 0 for the default graph
    size_t length
    size_t statements


cdef bint find_runs(const uint8_t* text, const uint8_t* end, vector[Run]* runs) noexcept nogil:
    cdef Line line, last
    cdef Run run
    cdef const uint8_t* at = text
    cdef const uint8_t* line_end
    cdef const uint8_t* start
    last.graph = NULL
    last.length = 0
    while at < end:
        line_end = <const uint8_t*>memchr(at, c'\n', end - at)
        if line_end == NULL:
            line_end = end
        start = at
        at = over_space(at)
        if at < line_end and at[0] != c'#':
            if not plain_line(at, line_end, &line):
                return False
            if runs.empty() or not same_graph(&line, &last):
                run.start = start - text
                run.graph = line.graph - text if line.length else 0
                run.length = line.length
                run.statements = 0
                runs.push_back(run)
                last = line
            runs.data()[runs.size() - 1].statements += 1
        at = line_end + 1
    return True


def plain_runs(bytes block not None):
    """The runs of a block of N-Quads lines as ``(graph, statements, lines)``, or None if it needs a closer look.

    In a plain block every line is certainly valid (blank lines and comments count as such), except that its bytes may
    be no UTF-8.  ``graph`` is the name as written, empty for the default graph; ``lines`` are the run's bytes.
    """
    cdef vector[Run] runs
    cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(block)
    cdef size_t size = PyBytes_GET_SIZE(block)
    cdef bint plain
    cdef size_t i, end
    with nogil:
        plain = find_runs(text, text + size, &runs)
    if not plain:
        return None
    found = []
    for i in range(runs.size()):
        end = runs[i + 1].start if i + 1 < runs.size() else size
        found.append((
            block[runs[i].graph : runs[i].graph + runs[i].length],
            runs[i].statements,
            block[runs[i].start : end],
        ))
    return found


cdef void append(vector[uint8_t]* out, const uint8_t* text, size_t length) noexcept nogil:
    out.insert(out.end(), text, text + length)


cdef void append_node(vector[uint8_t]* out, const uint8_t* node, size_t length, bytes label):
    """A term, a blank node with `label` before its own."""
    if node[0] == c'_':
        append(out, <const uint8_t*>PyBytes_AS_STRING(label), PyBytes_GET_SIZE(label))
        append(out, node + 2, length - 2)
    else:
        append(out, node, length)


cdef bint is_wanted(const Line* line, object wanted):
    return wanted is None or line.predicate[: line.predicate_length] in wanted


def stage_lines(list runs not None, wanted, str graph not None, list labels not None):
    """The plain lines of many graphs as one text, in which graph n is called ``<{graph}{n}>``.

    Only predicates in ``wanted`` (a set of bytes with angle brackets; None: all) are kept.  ``labels[n]`` goes before the
    blank node labels of graph n.  Returns the text and whether it has blank nodes.
    """
    cdef vector[uint8_t] out
    cdef Line line
    cdef const uint8_t* at
    cdef const uint8_t* end
    cdef const uint8_t* line_end
    cdef bytes run, name, label
    cdef bint blank = False
    for n, run in enumerate(runs):
        name = f" <{graph}{n}> .\n".encode()
        label = b"_:" + labels[n]
        at = <const uint8_t*>PyBytes_AS_STRING(run)
        end = at + PyBytes_GET_SIZE(run)
        while at < end:
            line_end = <const uint8_t*>memchr(at, c'\n', end - at)
            if line_end == NULL:
                line_end = end
            at = over_space(at)
            if at < line_end and at[0] != c'#' and plain_line(at, line_end, &line) and is_wanted(&line, wanted):
                blank = blank or at[0] == c'_' or line.object[0] == c'_'
                append_node(&out, at, line.predicate - at, label)
                append(&out, line.predicate, line.predicate_length)
                out.push_back(c' ')
                append_node(&out, line.object, line.object_length, label)
                append(&out, <const uint8_t*>PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name))
            at = line_end + 1
    return PyBytes_FromStringAndSize(<const char*>out.data(), out.size()), blank
