# distutils: language = c++
"""Terms as N-Quads writes them → words.

Numbers, booleans and dateTimes go straight from the text into a word.  Other terms are written as the bytes that the
term table knows: a letter for the kind, then the text without quotes, brackets and escapes.
"""

from libc.stdint cimport INT64_MAX as GREATEST
from libc.stdint cimport INT64_MIN as LEAST
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

import numpy
import pyoxigraph

from gpm.native.characters cimport DIGIT, SPACE, is_kind, over, unescape
from gpm.native.tokens cimport BAD, STATEMENT, Memory, Statement, end_of_line, read_statement
from gpm.terms import event_label, term_bytes, triple_term
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted_bint, attempted_number, guarded_number
from nfa_native.terms.literals cimport int128
from nfa_native.terms.dictionary cimport (
    TAG_DECIMAL, TAG_INTEGER, UNBOUND, UNDECIDED, Terms, TermStore, intern_term, is_derived_integer, known_term,
    value_literal, word_t,
)

cdef const char* XSD = b"http://www.w3.org/2001/XMLSchema#"
cdef const char* XSD_STRING = b"http://www.w3.org/2001/XMLSchema#string"
cdef enum:
    XSD_SIZE = 33
    XSD_STRING_SIZE = 39
    SMALL = 512            # bytes of a term for which no memory is reserved

# Where the parts of a literal lie, without quotes and brackets.
cdef struct Parts:
    const uint8_t* form
    const uint8_t* datatype   # NULL: none
    const uint8_t* language   # NULL: none; a base direction is part of it
    size_t form_size
    size_t datatype_size
    size_t language_size
    bint is_escaped           # the form or the datatype has escapes


# ── literals ─────────────────────────────────────────────────────────────────────────────────────────────
cdef inline const uint8_t* closing_quote(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """The quote that ends a string, of which `at` is the first character."""
    cdef const uint8_t* quote = <const uint8_t*>memchr(at, c'"', end - at)
    if memchr(at, c'\\', quote - at) == NULL:
        return quote
    while at[0] != c'"':
        at += 2 if at[0] == c'\\' else 1
    return at


cdef void split_literal(const uint8_t* text, size_t size, Parts* parts) noexcept nogil:
    cdef const uint8_t* end = text + size
    cdef const uint8_t* quote = closing_quote(text + 1, end)
    cdef const uint8_t* rest = over(quote + 1, SPACE) if quote + 1 < end else end
    parts.form = text + 1
    parts.form_size = quote - text - 1
    parts.datatype = parts.language = NULL
    parts.datatype_size = parts.language_size = 0
    if rest < end and rest[0] == c'@':
        parts.language = rest + 1
        parts.language_size = end - rest - 1
    elif rest < end:
        parts.datatype = over(rest + 2, SPACE) + 1
        parts.datatype_size = end - 1 - parts.datatype
    parts.is_escaped = memchr(parts.form, c'\\', parts.form_size) != NULL or (
        parts.datatype != NULL and memchr(parts.datatype, c'\\', parts.datatype_size) != NULL
    )


cdef inline bint is_xsd(const uint8_t* datatype, size_t size) noexcept nogil:
    return size > XSD_SIZE and memcmp(datatype, XSD, XSD_SIZE) == 0


cdef size_t write_qualifier(const Parts* parts, uint8_t* out) noexcept nogil:
    """The kind, and the language or datatype with the NUL behind it."""
    cdef size_t n, i
    out[0] = c'S'
    if parts.language != NULL:
        out[0] = c'L'
        for i in range(parts.language_size):
            out[i + 1] = parts.language[i] + 32 if c'A' <= parts.language[i] <= c'Z' else parts.language[i]
        out[parts.language_size + 1] = 0
        return parts.language_size + 2
    if parts.datatype == NULL:
        return 1
    n = unescape(parts.datatype, parts.datatype_size, out + 1)
    if n == XSD_STRING_SIZE and memcmp(out + 1, XSD_STRING, n) == 0:
        return 1
    out[0] = c'T'
    out[n + 1] = 0
    return n + 2


cdef size_t write_literal(const Parts* parts, uint8_t* out) noexcept nogil:
    cdef size_t n = write_qualifier(parts, out)
    return n + unescape(parts.form, parts.form_size, out + n)


# ── terms ────────────────────────────────────────────────────────────────────────────────────────────────
cdef inline bint is_triple(const uint8_t* text) noexcept nogil:
    return text[0] == c'<' and text[1] == c'<'


cdef size_t write_term(
    const uint8_t* text, size_t size, const char* prefix, size_t prefix_size, uint8_t* out
) noexcept nogil:
    """The bytes of a term that is no triple term; `out` has room for `size` + `prefix_size`."""
    cdef Parts parts
    if text[0] == c'"':
        split_literal(text, size, &parts)
        return write_literal(&parts, out)
    if text[0] == c'<':
        out[0] = c'I'
        return 1 + unescape(text + 1, size - 2, out + 1)
    out[0] = c'B'
    if prefix_size:
        memcpy(out + 1, prefix, prefix_size)
    memcpy(out + 1 + prefix_size, text + 2, size - 2)
    return prefix_size + size - 1


cdef inline word_t short_number(const uint8_t* at, const uint8_t* end, bint is_decimal) noexcept nogil:
    """The word of an integer or decimal of at most 16 digits, none of which is missing around the point; else UNBOUND."""
    cdef bint negative = at < end and at[0] == c'-'
    cdef const uint8_t* start
    cdef const uint8_t* point = NULL
    cdef int64_t value = 0
    cdef word_t scale = 0
    at += negative
    start = at
    if end - at > 16 or at == end:
        return UNBOUND
    while at < end:
        if is_kind(at[0], DIGIT):
            value = value * 10 + at[0] - c'0'
        elif at[0] == c'.' and is_decimal and point == NULL and at > start and at + 1 < end:
            point = at
        else:
            return UNBOUND
        at += 1
    if negative:
        value = -value
    if not is_decimal:
        return <word_t>value << 4 | TAG_INTEGER
    if point != NULL:
        scale = end - point - 1
    while scale and value % 10 == 0:
        value //= 10
        scale -= 1
    return <word_t>value << 9 | scale << 4 | TAG_DECIMAL


cdef inline word_t encode_value(TermStore* store, const uint8_t* text, size_t size) noexcept nogil:
    """The word of a literal that has a value; UNBOUND if it has none, or if it has escapes."""
    cdef Parts parts
    cdef const char* name
    cdef word_t word
    split_literal(text, size, &parts)
    if parts.is_escaped or not is_xsd(parts.datatype, parts.datatype_size):
        return UNBOUND
    name = <const char*>parts.datatype + XSD_SIZE
    if parts.datatype_size == XSD_SIZE + 7 and (memcmp(name, b"decimal", 7) == 0 or memcmp(name, b"integer", 7) == 0):
        word = short_number(parts.form, parts.form + parts.form_size, name[0] == c'd')
        if word:
            return word
    return value_literal(store, name, parts.datatype_size - XSD_SIZE, <const char*>parts.form, parts.form_size)


cdef word_t encode_term(
    TermStore* store, const uint8_t* text, uint32_t size, const char* prefix, size_t prefix_size
) noexcept nogil:
    cdef uint8_t small[SMALL]
    cdef vector[uint8_t] large
    cdef uint8_t* out = small
    cdef word_t word = encode_value(store, text, size) if text[0] == c'"' else <word_t>UNBOUND
    if word or is_triple(text):
        return word
    if size + prefix_size > SMALL:
        large.resize(size + prefix_size)
        out = large.data()
    return intern_term(store, <const char*>out, write_term(text, size, prefix, prefix_size, out))


cdef word_t find_term(
    const TermStore* store, const uint8_t* text, uint32_t size, const char* prefix, size_t prefix_size
) noexcept nogil:
    cdef uint8_t small[SMALL]
    cdef vector[uint8_t] large
    cdef uint8_t* out = small
    if is_triple(text):
        return UNDECIDED
    if size + prefix_size > SMALL:
        large.resize(size + prefix_size)
        out = large.data()
    return known_term(store, <const char*>out, write_term(text, size, prefix, prefix_size, out))


cdef object labelled(term, str prefix):
    """A term in which the labels of blank nodes have the prefix."""
    if isinstance(term, pyoxigraph.BlankNode):
        return pyoxigraph.BlankNode(prefix + term.value)
    if isinstance(term, pyoxigraph.Triple):
        return pyoxigraph.Triple(labelled(term.subject, prefix), term.predicate, labelled(term.object, prefix))
    return term


cdef word_t encode_hard(Terms terms, bytes text, bytes prefix) except? 0:
    cdef const uint8_t* at = text
    cdef bytearray out
    cdef uint8_t* written
    if is_triple(at):
        return terms.transient_word(term_bytes(labelled(triple_term(text.decode()), prefix.decode())))
    out = bytearray(len(text) + len(prefix))
    written = out
    return terms.transient_word(bytes(out[:write_term(at, len(text), prefix, len(prefix), written)]))


include "reading/times.pxi"


# ── Python ───────────────────────────────────────────────────────────────────────────────────────────────
cdef word_t encode_any(
    Terms terms, const uint8_t* text, uint32_t size, const char* prefix, size_t prefix_size
) except? 0 nogil:
    cdef word_t word = guarded_number(
        &terms.store.broken, encode_term, terms.store, text, size, prefix, prefix_size
    )
    if word:
        return word
    with gil:
        return encode_hard(terms, text[:size], prefix[:prefix_size])


def encode_text(Terms terms not None, bytes text not None, scope) -> int:
    """The word of a valid term in N-Quads, a blank node's label in the scope of an event."""
    cdef bytes prefix = event_label(scope, "").encode()
    return encode_any(terms, text, <uint32_t>len(text), prefix, len(prefix))


def find_text(Terms terms not None, bytes text not None, scope) -> int | None:
    """As `encode_text`, but adds nothing: 0 if no word stands for the term, None if that is hard to tell."""
    cdef bytes prefix = event_label(scope, "").encode()
    cdef word_t word = attempted_number(
        find_term, terms.store, <const uint8_t*>text, <uint32_t>len(text), <const char*>prefix, <size_t>len(prefix)
    )
    return None if word == UNDECIDED else word


def time_of(bytes text not None, int64_t unit=1) -> int | None:
    """The microseconds of an object that is a time; None if it is none."""
    cdef int64_t microseconds = 0
    cdef bint is_time = attempted_bint(
        parse_time, <const uint8_t*>text, <uint32_t>len(text), unit, &microseconds
    )
    return microseconds if is_time else None


# Triples in one scope, and what is known of their predicates.
cdef cppclass Triples:
    Memory memory
    vector[word_t] known        # words of the memory's predicates
    vector[word_t] columns[3]


cdef word_t predicate_word(Terms terms, Triples* triples, const Statement* s) except? 0 nogil:
    cdef word_t word
    if 0 <= s.number < <int64_t>triples.known.size():
        return triples.known[s.number]
    word = encode_any(terms, s.predicate, s.predicate_size, NULL, 0)
    if s.number >= 0:
        triples.known.safe_push_back(word)
    return word


cdef int read_triple(
    Terms terms, Triples* triples, const uint8_t* line, const uint8_t* end, const char* prefix, size_t size
) except -2 nogil:
    """Read a line and add its triple; what was on the line."""
    cdef Statement s
    cdef word_t subject
    cdef int kind = <int>attempted_number(read_statement, line, end, &s, &triples.memory)
    if kind != STATEMENT:
        return kind
    if s.same_subject:
        subject = triples.columns[0].back()
    else:
        subject = encode_any(terms, s.subject, s.subject_size, prefix, size)
    triples.columns[0].safe_push_back(subject)
    triples.columns[1].safe_push_back(predicate_word(terms, triples, &s))
    triples.columns[2].safe_push_back(encode_any(terms, s.object, s.object_size, prefix, size))
    return kind


def encode_lines(Terms terms not None, bytes block not None, scope):
    """uint64[3, n]: subjects, predicates and objects of the statements, all in one scope.

    ValueError: the number of the first line, from 0, that is not valid.
    """
    cdef bytes prefix = event_label(scope, "").encode()
    cdef const char* prefix_text = prefix
    cdef size_t prefix_size = len(prefix)
    cdef const uint8_t* at = block
    cdef const uint8_t* end = at + len(block)
    cdef const uint8_t* stop
    cdef Triples triples
    cdef Py_ssize_t line = 0
    cdef int i
    with nogil:
        while at < end:
            stop = end_of_line(at, end)
            if read_triple(terms, &triples, at, stop, prefix_text, prefix_size) == BAD:
                with gil:
                    raise ValueError(line)
            at = stop + 1
            line += 1
    words = numpy.empty((3, triples.columns[0].size()), dtype=numpy.uint64)
    cdef uint64_t[:, ::1] out = words
    for i in range(3 if words.size else 0):
        memcpy(&out[i, 0], triples.columns[i].data(), triples.columns[i].size() * sizeof(word_t))
    return words
