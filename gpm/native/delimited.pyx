# distutils: language = c++
# cython: language_level=3, cdivision=True
"""Rows of words as lines of CSV and TSV, and words as terms of N-Triples, in bulk."""

import numpy

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, strlen
from gpm.native.json cimport append_code, append_quoted, check_words, is_string, is_triple, type_name
from nfa_native.core.containers cimport string, take_bytes
from nfa_native.core.guard cimport attempted
from nfa_native.core.plain_text cimport begins_with_c1
from nfa_native.terms.literals cimport LONGEST_FORM
from nfa_native.terms.values cimport Value, load, spell
from nfa_native.terms.dictionary cimport (
    KIND_BLANK, KIND_INTEGER, KIND_IRI, KIND_TYPED, UNBOUND, Terms, TermStore, kind_of, print_value, word_t,
)

cdef const char* DIGITS = "0123456789ABCDEF"
cdef const char* TYPED = '"^^<http://www.w3.org/2001/XMLSchema#'
cdef enum:
    TYPED_SIZE = 37
    ROOM = 64   # characters that a term may well have

# ASCII characters that N-Triples has in an IRI by their numbers alone, as bits: controls, blank, <>"; from 64 on {}|^`\, DEL
cdef uint64_t OUTSIDE_LOW = 0x50000005FFFFFFFF
cdef uint64_t OUTSIDE_HIGH = 0xB800000150000000

# Writes a bound word as a field.
ctypedef void (*FieldWriter)(string& text, const TermStore* store, word_t word) noexcept nogil


def csv(Terms terms not None, const uint64_t[:, :] words not None):
    """Lines of plain values, which end in CR LF."""
    return lines(terms, words, append_plain, b",", b"\r\n", b'""')


def tsv(Terms terms not None, const uint64_t[:, :] words not None):
    """Lines of terms in the syntax of N-Triples, which end in LF."""
    return lines(terms, words, append_term, b"\t", b"\n", b"")


def ntriples(Terms terms not None, const uint64_t[:] words not None):
    """offsets, text: the term of each word; nothing for an unbound one."""
    cdef string text
    offsets = numpy.zeros(words.shape[0] + 1, numpy.int64)
    cdef int64_t[::1] ends = offsets
    check_words(terms, words[:, None])
    with nogil:
        attempted(append_terms, text, terms.store, words, ends)
    return offsets, <bytes>text


cdef void append_terms(string& text, const TermStore* store, const uint64_t[:] words, int64_t[::1] ends) noexcept nogil:
    cdef Py_ssize_t row
    text.reserve(ROOM * words.shape[0])
    for row in range(words.shape[0]):
        if words[row] != UNBOUND:
            append_term(text, store, words[row])
        ends[row + 1] = <int64_t>text.size()


cdef bytes lines(
    Terms terms, const uint64_t[:, :] words, FieldWriter write, bytes between, bytes end, bytes alone
):
    """The rows one after the other; ``alone`` stands for an empty field that is all of its row."""
    cdef Py_ssize_t row, column, width = words.shape[1]
    cdef string text
    cdef string around[3]
    cdef size_t before
    take_bytes(&around[0], between)
    take_bytes(&around[1], end)
    take_bytes(&around[2], alone)
    check_words(terms, words)
    with nogil:
        for row in range(words.shape[0]):
            before = text.size()
            for column in range(width):
                if column:
                    text.safe_append(around[0])
                if words[row, column] != UNBOUND:
                    attempted(write, text, terms.store, words[row, column])
            if width == 1 and text.size() == before:
                text.safe_append(around[2])
            text.safe_append(around[1])
    return <bytes>text


# ── CSV ──────────────────────────────────────────────────────────────────────────────────────────────────
cdef void append_plain(string& text, const TermStore* store, word_t word) noexcept nogil:
    """A term without its kind, but for the mark of a blank node."""
    cdef Value value
    if kind_of(word) >= KIND_INTEGER:
        append_form(text, store, word)
        return
    load(&value, store, word)
    spell(&value, store)
    append_field(text, b"_:" if value.kind == KIND_BLANK else b"", value.text, value.length)


cdef void append_field(string& text, const char* mark, const char* at, size_t size) noexcept nogil:
    """Characters behind a mark, in quotes if they need them."""
    if not has_special(at, size):
        text.append(mark)
        text.append(at, size)
        return
    text.push_back(c'"')
    text.append(mark)
    append_doubled(text, at, size)
    text.push_back(c'"')


cdef inline void append_form(string& text, const TermStore* store, word_t word) noexcept nogil:
    """The lexical form of a number, time or truth value."""
    cdef char form[LONGEST_FORM]
    text.append(form, print_value(store, word, form))


cdef inline bint has_special(const char* at, size_t size) noexcept nogil:
    """Whether a field must be quoted: it has a comma, a quote or an end of a line."""
    cdef size_t i
    for i in range(size):
        if at[i] == c"," or at[i] == c'"' or at[i] == c"\n" or at[i] == c"\r":
            return True
    return False


cdef void append_doubled(string& text, const char* at, size_t size) noexcept nogil:
    """Characters with each quote doubled."""
    cdef size_t i
    for i in range(size):
        text.push_back(at[i])
        if at[i] == c'"':
            text.push_back(c'"')


# ── TSV ──────────────────────────────────────────────────────────────────────────────────────────────────
cdef void append_term(string& text, const TermStore* store, word_t word) noexcept nogil:
    cdef Value value
    if kind_of(word) >= KIND_INTEGER:
        append_value(text, store, word)
        return
    load(&value, store, word)
    spell(&value, store)
    if value.kind == KIND_IRI:
        append_iri(text, value.text, value.length)
    elif value.kind == KIND_BLANK:
        text.append(b"_:")
        text.append(value.text, value.length)
    elif is_triple(&value):
        append_triple(text, value.text, value.length)
    else:
        append_literal(text, &value)


cdef void append_value(string& text, const TermStore* store, word_t word) noexcept nogil:
    """A number, time or truth value, of whose characters none needs an escape."""
    cdef char form[LONGEST_FORM + 64]   # room for what stands around it
    cdef const char* name = type_name(kind_of(word))
    cdef char* to = form + 1 + print_value(store, word, form + 1)
    form[0] = c'"'
    memcpy(to, TYPED, TYPED_SIZE)
    memcpy(to + TYPED_SIZE, name, strlen(name))
    to += TYPED_SIZE + strlen(name)
    to[0] = c">"
    text.append(form, to + 1 - form)


cdef void append_literal(string& text, const Value* value) noexcept nogil:
    """A string, one with a language, or one with another datatype."""
    append_quoted(text, value.text, value.length, DIGITS)
    if is_string(value):
        return
    if value.kind != KIND_TYPED:
        text.push_back(c"@")
        text.append(value.language, value.language_length)
    else:
        text.append(b"^^")
        append_iri(text, value.language, value.language_length)


cdef void append_triple(string& text, const char* at, size_t size) noexcept nogil:
    """N-Triples, in which nothing is left to escape but C1."""
    cdef size_t i
    cdef size_t plain = 0   # where the characters begin that are not written yet
    for i in range(size):
        if begins_with_c1(at + i, size - i):
            text.append(at + plain, i - plain)
            append_code(text, at[i + 1], DIGITS)
            plain = i + 2
    text.append(at + plain, size - plain)


cdef void append_iri(string& text, const char* at, size_t size) noexcept nogil:
    cdef size_t i
    cdef size_t plain = 0   # where the characters begin that are not written yet
    text.push_back(c"<")
    for i in range(size):
        if <uint8_t>at[i] < 0x80:
            if is_outside_iri(at[i]):
                text.append(at + plain, i - plain)
                append_code(text, at[i], DIGITS)
                plain = i + 1
        elif begins_with_c1(at + i, size - i):
            text.append(at + plain, i - plain)
            append_code(text, at[i + 1], DIGITS)
            plain = i + 2
    text.append(at + plain, size - plain)
    text.push_back(c">")


cdef inline bint is_outside_iri(uint8_t code) noexcept nogil:
    """Of a character of ASCII."""
    return ((OUTSIDE_LOW if code < 64 else OUTSIDE_HIGH) >> (code & 63)) & 1
