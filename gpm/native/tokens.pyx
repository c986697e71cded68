# distutils: language = c++
"""The N-Quads and N-Triples tokenizer: where the terms of a statement lie, and whether the statement is valid.

A statement is valid if pyoxigraph's strict parser takes the line.  Lines of a stream are alike: a subject or graph is
first compared with those of the line before, a predicate with the one that came next last time, the beginning of an
object's IRI with that of the predicate's last object.  What is new is checked byte by byte with a table of plain
characters, and what is not plain (escapes, percent signs, other scripts, IP addresses) by the grammar.

Functions that read something return where it ends, or NULL if it is not valid.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

from collections import namedtuple

from gpm.native.characters cimport (
    DIGIT, LABEL, LETTER, PATH, SCHEME, SPACE, begins_label, continues_label, is_kind, over, read_code_escape,
    read_code_point, read_escape, write_code_point,
)
from gpm.native.iris cimport is_iri
from gpm.native.languages cimport is_language
from nfa_native.core.containers cimport string
from nfa_native.core.guard cimport attempted, attempted_number
from nfa_native.core.mixing cimport hash_text

cdef extern from "<assert.h>" nogil:
    void invariant "assert"(bint holds) noexcept nogil

cdef extern from *:
    """
    /* Nonzero if any of eight bytes ends the plain part of a string: a quote, a backslash, a carriage return or a byte
       beyond ASCII. */
    static inline uint64_t spaseq_special(uint64_t bytes) {
        const uint64_t ones = 0x0101010101010101ULL, tops = ones << 7;
        const uint64_t quote = bytes ^ ones * '"', backslash = bytes ^ ones * '\\\\', feed = bytes ^ ones * '\\r';
        return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | ((feed - ones) & ~feed) | bytes) & tops;
    }
    /* Which byte it is: the first of those that `spaseq_special` marks, on machines whose first byte is the lowest. */
    static inline int spaseq_first_byte(uint64_t marks) {
    #if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return __builtin_ctzll(marks) >> 3;
    #else
        return 0;
    #endif
    }
    """
    uint64_t special_bytes "spaseq_special"(uint64_t bytes) nogil
    int first_byte "spaseq_first_byte"(uint64_t marks) nogil

cdef const char* XSD = b"<http://www.w3.org/2001/XMLSchema#"
cdef const char* RDF = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
cdef enum:
    XSD_SIZE = 34
    RDF_SIZE = 43
    FIRST_PREDICATE_SLOTS = 64
    PREDICATE_SLOTS = 4 * MOST_PREDICATES


cdef inline bint is_at(const uint8_t* at, const uint8_t* end, const void* text, size_t size) noexcept nogil:
    """Whether that text, which is not empty, comes next."""
    return size > 0 and <size_t>(end - at) >= size and memcmp(at, text, size) == 0


# ── IRIs ─────────────────────────────────────────────────────────────────────────────────────────────────
cdef const uint8_t* read_plain_iri(const uint8_t* at, const uint8_t** path) noexcept nogil:
    """An absolute IRI without anything that needs a second look; `path` is where its path begins."""
    if at[0] != c'<' or not is_kind(at[1], LETTER):
        return NULL
    at = over(at + 1, SCHEME)
    if at[0] != c':':
        return NULL
    at += 1
    if at[0] == c'/' and at[1] == c'/':
        at = over(at + 2, SCHEME)
        if at[0] == c':':
            at = over(at + 1, DIGIT)
        if at[0] != c'/' and at[0] != c'>' and at[0] != c'#' and at[0] != c'?':
            return NULL
    path[0] = at
    at = over(at, PATH)
    if at[0] == c'?':
        at = over(at + 1, PATH)
    if at[0] == c'#':
        at = over(at + 1, PATH)
    return at + 1 if at[0] == c'>' else NULL


cdef bint copy_iri(const uint8_t* at, const uint8_t* end, Memory* memory) noexcept nogil:
    """The text between angle brackets without its escapes into the scratch; False if an escape is wrong."""
    cdef size_t n = 0
    cdef uint32_t code = 0
    memory.scratch.resize(end - at)
    while at < end:
        if at[0] == c'\\':
            at = read_code_escape(at, end, &code)
            if at == NULL:
                return False
            n += write_code_point(code, memory.scratch.data() + n)
        else:
            memory.scratch.data()[n] = at[0]
            n += 1
            at += 1
    memory.scratch.resize(n)
    return True


cdef const uint8_t* read_hard_iri(const uint8_t* at, const uint8_t* end, Memory* memory) noexcept nogil:
    """Any absolute IRI; if it has escapes, it is without them in the scratch, which else is empty."""
    cdef const uint8_t* stop
    memory.scratch.clear()
    if at[0] != c'<':
        return NULL
    stop = <const uint8_t*>memchr(at, c'>', end - at)
    if stop == NULL:
        return NULL
    if memchr(at, c'\\', stop - at) == NULL:
        return stop + 1 if is_iri(at + 1, stop) else NULL
    if not copy_iri(at + 1, stop, memory):
        return NULL
    return stop + 1 if is_iri(memory.scratch.data(), memory.scratch.data() + memory.scratch.size()) else NULL


cdef const uint8_t* read_iri(const uint8_t* at, const uint8_t* end, Memory* memory) noexcept nogil:
    cdef const uint8_t* path
    cdef const uint8_t* stop = read_plain_iri(at, &path)
    return stop if stop != NULL else read_hard_iri(at, end, memory)


include "reading/predicates.pxi"


# ── nodes ────────────────────────────────────────────────────────────────────────────────────────────────
cdef const uint8_t* read_hard_label(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Any label; points at its end do not belong to it."""
    cdef uint32_t code = 0
    cdef const uint8_t* next = read_code_point(at, end, &code)
    cdef const uint8_t* last
    if next == NULL or not begins_label(code):
        return NULL
    last = next
    while next < end:
        next = read_code_point(next, end, &code)
        if next == NULL:
            return NULL
        if continues_label(code):
            last = next
        elif code != c'.':
            break
    return last


cdef const uint8_t* read_label(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """A blank node."""
    cdef const uint8_t* stop
    if end - at < 3 or at[1] != c':':
        return NULL
    stop = over(at + 2, LABEL)
    if stop == at + 2 or stop[0] == c'.' or stop[0] == c'-' or stop[0] >= 0x80:
        return read_hard_label(at + 2, end)
    return stop


cdef inline const uint8_t* read_node(const uint8_t* at, const uint8_t* end, Memory* memory) noexcept nogil:
    """An IRI or a blank node."""
    return read_label(at, end) if at[0] == c'_' else read_iri(at, end, memory)


# ── literals ─────────────────────────────────────────────────────────────────────────────────────────────
cdef const uint8_t* read_string(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """What follows a quote, to behind the next one."""
    cdef uint64_t bytes = 0
    cdef uint32_t code = 0
    while at != NULL and at < end:
        if end - at >= 8:
            memcpy(&bytes, at, 8)
            bytes = special_bytes(bytes)
            if not bytes:
                at += 8
                continue
            at += first_byte(bytes)
        if at[0] == c'"':
            return at + 1
        if at[0] == c'\\':
            at = read_escape(at, end, &code)
        elif at[0] >= 0x80:
            at = read_code_point(at, end, &code)
        else:
            at = at + 1 if at[0] != c'\r' else NULL
    return NULL


cdef const uint8_t* read_language(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """A language tag, with or without a base direction, behind the @."""
    cdef const uint8_t* stop = over(at, LETTER)
    if stop == at:
        return NULL
    while stop[0] == c'-' and is_kind(stop[1], LETTER | DIGIT):
        stop = over(stop + 1, LETTER | DIGIT)
    if not is_language(at, stop):
        return NULL
    if stop[0] != c'-':
        return stop
    if not (is_at(stop, end, b"--ltr", 5) or is_at(stop, end, b"--rtl", 5)) or is_kind(stop[5], LETTER):
        return NULL
    return stop + 5


cdef bint is_reserved(const uint8_t* at, size_t size) noexcept nogil:
    """Whether it is the datatype of literals with a language, which none without may have."""
    if size < RDF_SIZE or memcmp(at, RDF, RDF_SIZE) != 0:
        return False
    at += RDF_SIZE
    size -= RDF_SIZE
    return size == 10 and memcmp(at, b"langString", 10) == 0 or size == 13 and memcmp(at, b"dirLangString", 13) == 0


cdef const uint8_t* read_datatype(const uint8_t* at, const uint8_t* end, Memory* memory) noexcept nogil:
    cdef const uint8_t* path
    cdef const uint8_t* stop
    if is_at(at, end, XSD, XSD_SIZE):
        stop = over(at + XSD_SIZE, LETTER)
        if stop[0] == c'>':
            return stop + 1
    stop = read_plain_iri(at, &path)
    if stop != NULL:
        return stop if not is_reserved(at + 1, stop - at - 2) else NULL
    stop = read_hard_iri(at, end, memory)
    return stop if not is_reserved(memory.scratch.data(), memory.scratch.size()) else NULL


cdef const uint8_t* read_literal(const uint8_t* at, const uint8_t* end, int32_t number, Memory* memory) noexcept nogil:
    """A literal, the object of the predicate with that number: mostly its datatype is that of the last one."""
    cdef const uint8_t* stop = read_string(at + 1, end)
    cdef string* known
    if number < 0 or stop == NULL or stop[0] != c'^':
        return read_qualifier(stop, end, memory)
    known = &memory.namespaces.data()[number]
    if is_at(stop, end, known.data(), known.size()):
        return stop + known.size()
    at = read_qualifier(stop, end, memory)
    if at != NULL:
        known.assign(<const char*>stop, at - stop)
    return at


cdef const uint8_t* read_qualifier(const uint8_t* stop, const uint8_t* end, Memory* memory) noexcept nogil:
    """What may follow a string: a language or a datatype."""
    cdef const uint8_t* at
    if stop == NULL:
        return NULL
    at = over(stop, SPACE)
    if at[0] == c'@':
        return read_language(at + 1, end)
    if at[0] == c'^':
        return read_datatype(over(at + 2, SPACE), end, memory) if at[1] == c'^' else NULL
    return stop


# ── objects ──────────────────────────────────────────────────────────────────────────────────────────────
cdef void remember_namespace(
    Memory* memory, int32_t number, const uint8_t* at, const uint8_t* path, const uint8_t* stop
) noexcept nogil:
    """Keep a plain IRI up to the last slash or number sign of its path, query and fragment."""
    while stop > path and (stop - 1)[0] != c'/' and (stop - 1)[0] != c'#':
        stop -= 1
    if stop == path + 1 and (path - 1)[0] == c':':
        return  # another slash would begin an authority
    if stop > path:
        memory.namespaces.data()[number].assign(<const char*>at, stop - at)


cdef inline const uint8_t* read_object_iri(
    const uint8_t* at, const uint8_t* end, int32_t number, Memory* memory
) noexcept nogil:
    cdef const uint8_t* path
    cdef const uint8_t* stop
    cdef const string* known
    if number < 0:
        return read_iri(at, end, memory)
    known = &memory.namespaces[number]
    if is_at(at, end, known.data(), known.size()):
        stop = over(at + known.size(), PATH)
        if stop[0] == c'>':
            return stop + 1
    stop = read_plain_iri(at, &path)
    if stop == NULL:
        return read_hard_iri(at, end, memory)
    remember_namespace(memory, number, at, path, stop - 1)
    return stop


cdef const uint8_t* read_triple(const uint8_t* at, const uint8_t* end, Memory* memory) noexcept nogil:
    """A triple term: opening brackets, subject and predicate until there is an object that is none; closing brackets."""
    cdef int depth = 0
    while is_at(at, end, b"<<(", 3):
        depth += 1
        if depth > DEEPEST_TRIPLE:
            return NULL
        at = read_node(over(at + 3, SPACE), end, memory)
        if at == NULL:
            return NULL
        at = read_iri(over(at, SPACE), end, memory)
        if at == NULL:
            return NULL
        at = over(at, SPACE)
    at = read_literal(at, end, -1, memory) if at[0] == c'"' else read_node(at, end, memory)
    while at != NULL and depth:
        at = over(at, SPACE)
        at = at + 3 if is_at(at, end, b")>>", 3) else NULL
        depth -= 1
    return at


cdef inline const uint8_t* read_object(
    const uint8_t* at, const uint8_t* end, int32_t number, Memory* memory
) noexcept nogil:
    if at[0] == c'"':
        return read_literal(at, end, number, memory)
    if at[0] == c'_':
        return read_label(at, end)
    if at[0] == c'<' and at[1] == c'<':
        return read_triple(at, end, memory)
    return read_object_iri(at, end, number, memory)


# ── statements ───────────────────────────────────────────────────────────────────────────────────────────
cdef inline const uint8_t* read_subject(
    const uint8_t* at, const uint8_t* end, Statement* out, Memory* memory
) noexcept nogil:
    cdef const uint8_t* stop
    out.subject = at
    if at[0] == c'<' and is_at(at, end, memory.last.subject, memory.last.subject_size):
        out.same_subject = True
        out.subject_size = memory.last.subject_size
        return at + memory.last.subject_size
    stop = read_node(at, end, memory)
    out.subject_size = <uint32_t>(stop - at) if stop != NULL else 0
    out.same_subject = (
        at[0] == c'_' and out.subject_size == memory.last.subject_size
        and is_at(at, end, memory.last.subject, memory.last.subject_size)
    )
    return stop


cdef inline const uint8_t* read_graph(
    const uint8_t* at, const uint8_t* end, Statement* out, Memory* memory
) noexcept nogil:
    """The graph, which is often the subject; nothing for the default graph."""
    cdef const uint8_t* stop
    out.graph = at
    out.graph_size = 0
    out.same_graph = False
    if at[0] == c'.':
        out.same_graph = memory.last.begun and memory.last.graph_size == 0
        return at
    if at[0] == c'<' and is_at(at, end, memory.last.graph, memory.last.graph_size):
        out.same_graph = True
        stop = at + memory.last.graph_size
    elif at[0] == c'<' and is_at(at, end, out.subject, out.subject_size):
        stop = at + out.subject_size
    else:
        stop = read_node(at, end, memory)
        if stop == NULL:
            return NULL
        out.same_graph = (
            at[0] == c'_' and <uint32_t>(stop - at) == memory.last.graph_size
            and is_at(at, end, memory.last.graph, memory.last.graph_size)
        )
    out.graph_size = <uint32_t>(stop - at)
    return stop


cdef inline void remember_statement(const Statement* out, Memory* memory) noexcept nogil:
    if memory.last.predicate >= 0:
        memory.successors.data()[memory.last.predicate] = out.number
    memory.last.begun = True
    memory.last.predicate = out.number
    memory.last.subject = out.subject
    memory.last.subject_size = out.subject_size
    memory.last.graph = out.graph
    memory.last.graph_size = out.graph_size


cdef inline bint is_comment(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Whether the rest of the line is one: behind a carriage return there may be another statement."""
    return at[0] == c'#' and memchr(at, c'\r', end - at) == NULL


cdef int read_statement(const uint8_t* at, const uint8_t* end, Statement* out, Memory* memory) noexcept nogil:
    invariant(end[0] == c'\n' or end[0] == 0)
    at = over(at, SPACE)
    if at == end or is_comment(at, end):
        return NOTHING
    if end - at > LONGEST_LINE:
        return BAD
    at = read_subject(at, end, out, memory)
    if at == NULL:
        return BAD
    out.predicate = over(at, SPACE)
    at = read_predicate(out.predicate, end, &out.number, memory)
    if at == NULL:
        return BAD
    out.predicate_size = <uint32_t>(at - out.predicate)
    out.object = over(at, SPACE)
    at = read_object(out.object, end, out.number, memory)
    if at == NULL:
        return BAD
    out.object_size = <uint32_t>(at - out.object)
    at = read_graph(over(at, SPACE), end, out, memory)
    if at == NULL:
        return BAD
    at = over(at, SPACE)
    if at[0] != c'.':
        return BAD
    at = over(at + 1, SPACE)
    if at != end and not is_comment(at, end):
        return BAD
    remember_statement(out, memory)
    return STATEMENT


cdef void forget_text(Memory* memory) noexcept nogil:
    cdef string subject, graph
    if not memory.last.begun:
        return
    subject.assign(<const char*>memory.last.subject, memory.last.subject_size)   # it may lie in what is kept already
    graph.assign(<const char*>memory.last.graph, memory.last.graph_size)
    memory.kept_subject.swap(subject)
    memory.kept_graph.swap(graph)
    memory.last.subject = <const uint8_t*>memory.kept_subject.data()
    memory.last.graph = <const uint8_t*>memory.kept_graph.data()


# ── Python ───────────────────────────────────────────────────────────────────────────────────────────────
Line = namedtuple("Line", "kind subject predicate object graph number same_subject same_graph")


cdef object shown_line(int kind, const Statement* s):
    if kind != STATEMENT:
        return Line(kind, b"", b"", b"", b"", -1, False, False)
    return Line(
        kind, s.subject[:s.subject_size], s.predicate[:s.predicate_size], s.object[:s.object_size],
        s.graph[:s.graph_size], s.number, bool(s.same_subject), bool(s.same_graph),
    )


def read_lines(bytes block not None) -> list:
    """What each line says; one memory has read them all, and forgets each line before it reads the next."""
    cdef Memory memory
    cdef Statement s
    cdef bytes line
    cdef const uint8_t* at
    cdef list found = []
    for line in block.replace(b"\r", b"\n").split(b"\n"):
        at = line
        found.append(shown_line(attempted_number(read_statement, at, at + <size_t>len(line), &s, &memory), &s))
        attempted(forget_text, &memory)
    return found


def count_statements(bytes block not None) -> int:
    """How many statements there are.  ValueError: the number of the first line, from 0, that is not valid."""
    cdef const uint8_t* at = block
    cdef const uint8_t* end = at + len(block)
    cdef const uint8_t* stop
    cdef Memory memory
    cdef Statement s
    cdef int kind = NOTHING
    cdef Py_ssize_t line = 0, count = 0
    with nogil:
        while at < end and kind != BAD:
            stop = end_of_line(at, end)
            kind = <int>attempted_number(read_statement, at, stop, &s, &memory)
            count += kind == STATEMENT
            line += 1
            at = stop + 1
    if kind == BAD:
        raise ValueError(line - 1)
    return count
