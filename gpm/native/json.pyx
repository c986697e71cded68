# distutils: language = c++
# cython: language_level=3, cdivision=True
"""JSON of many words and texts at once, byte for byte what ``spaseq.text.json_text`` writes."""

import numpy

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp

from gpm.native.texts cimport TextColumn, opened
from nfa_native.core.containers cimport string, take_bytes, take_texts, vector
from nfa_native.core.guard cimport attempted, attempted_bint
from nfa_native.core.plain_text cimport plain_bytes
from nfa_native.terms.literals cimport LONGEST_FORM
from nfa_native.terms.values cimport Value, load, spell
from nfa_native.terms.dictionary cimport (
    KIND_BLANK, KIND_DATETIME, KIND_DECIMAL, KIND_DOUBLE, KIND_INTEGER, KIND_IRI, KIND_TYPED, UNBOUND, Terms, TermStore,
    is_word, kind_of, print_value, word_t,
)

from gpm.terms import TRIPLE_TERM

cdef const char* HEX = "0123456789abcdef"
cdef bytes TRIPLE = TRIPLE_TERM.encode()
cdef const char* TRIPLE_TYPE = TRIPLE
cdef size_t TRIPLE_SIZE = len(TRIPLE)
cdef const char* STRING_TYPE = "http://www.w3.org/2001/XMLSchema#string"
cdef const char* XSD = "http://www.w3.org/2001/XMLSchema#"
cdef enum:
    STRING_SIZE = 39


def solutions(Terms terms not None, const uint64_t[:, :] words not None, names not None, triple not None):
    """offsets, text: an object for each row, the terms of SPARQL JSON under these names."""
    cdef Py_ssize_t row, column, count = words.shape[0], width = words.shape[1]
    cdef vector[string] heads
    cdef string text, other
    cdef bint first
    offsets = numpy.zeros(count + 1, numpy.int64)
    cdef int64_t[::1] ends = offsets
    take_texts(&heads, names)
    if <Py_ssize_t>heads.size() != width:
        raise ValueError(f"{heads.size()} names of {width} columns")
    check_words(terms, words)
    with nogil:
        for row in range(count):
            text.safe_push_back(c'{')
            first = True
            for column in range(width):
                if words[row, column] == UNBOUND:
                    continue
                attempted(append_key, text, heads[column], first)
                first = False
                if not attempted_bint(append_term, text, terms.store, words[row, column]):
                    with gil:
                        take_bytes(&other, triple(words[row, column]).encode())
                        text.safe_append(other)
            text.safe_push_back(c'}')
            ends[row + 1] = <int64_t>text.size()
    return offsets, <bytes>text


cdef int check_words(Terms terms, const uint64_t[:, :] words) except -1:
    """ValueError: a word is not of the table."""
    cdef Py_ssize_t row, column
    for row in range(words.shape[0]):
        for column in range(words.shape[1]):
            if words[row, column] != UNBOUND and not is_word(terms.store, words[row, column]):
                raise ValueError(f"no word of this table: {words[row, column]:#x}")
    return 0


cdef inline void append_key(string& text, const string& name, bint first) noexcept nogil:
    """A name and what stands around it."""
    if not first:
        text.append(b", ", 2)
    text.append(name)
    text.append(b": ", 2)


# ── terms ────────────────────────────────────────────────────────────────────────────────────────────────
cdef bint append_term(string& text, const TermStore* store, word_t word) noexcept nogil:
    """A bound word as a term of SPARQL JSON; False, and nothing, if it is a triple term."""
    cdef Value value
    if kind_of(word) >= KIND_INTEGER:
        append_value(text, store, word)
        return True
    load(&value, store, word)
    spell(&value, store)
    if value.kind == KIND_IRI:
        append_typed(text, b'{"type": "uri", "value": ', &value)
    elif value.kind == KIND_BLANK:
        append_typed(text, b'{"type": "bnode", "value": ', &value)
    elif is_triple(&value):
        return False
    else:
        append_typed(text, b'{"type": "literal", "value": ', &value)
        append_tag(text, &value)
    text.push_back(c'}')
    return True


cdef inline void append_typed(string& text, const char* head, const Value* value) noexcept nogil:
    text.append(head)
    append_string(text, value.text, value.length)


cdef bint is_triple(const Value* value) noexcept nogil:
    return (
        value.kind == KIND_TYPED and value.language_length == TRIPLE_SIZE
        and memcmp(value.language, TRIPLE_TYPE, TRIPLE_SIZE) == 0
    )


cdef void append_tag(string& text, const Value* value) noexcept nogil:
    """The datatype, or the language with its direction, of a literal; nothing of a plain string."""
    cdef const char* tag = value.language
    cdef size_t size = value.language_length, before
    if is_string(value):
        return
    if value.kind == KIND_TYPED:
        text.append(b', "datatype": ')
        append_string(text, tag, size)
        return
    before = size_before_dashes(tag, size)
    text.append(b', "xml:lang": ')
    append_string(text, tag, before)
    if before + 2 < size:
        text.append(b', "its:dir": ')
        append_string(text, tag + before + 2, size - before - 2)


cdef bint is_string(const Value* value) noexcept nogil:
    cdef size_t size = value.language_length
    return size == 0 or (
        value.kind == KIND_TYPED and size == STRING_SIZE and memcmp(value.language, STRING_TYPE, size) == 0
    )


cdef size_t size_before_dashes(const char* tag, size_t size) noexcept nogil:
    """Where the first ``--`` stands, or the end."""
    cdef size_t at
    for at in range(1, size):
        if tag[at] == c'-' and tag[at - 1] == c'-':
            return at - 1
    return size


cdef void append_value(string& text, const TermStore* store, word_t word) noexcept nogil:
    """A number, time or truth value, of whose characters none needs an escape."""
    cdef char form[LONGEST_FORM]
    cdef size_t size = print_value(store, word, form)
    text.append(b'{"type": "literal", "value": "')
    text.append(form, size)
    text.append(b'", "datatype": "')
    text.append(XSD)
    text.append(type_name(kind_of(word)))
    text.append(b'"}')


cdef const char* type_name(int kind) noexcept nogil:
    if kind == KIND_INTEGER:
        return "integer"
    if kind == KIND_DECIMAL:
        return "decimal"
    if kind == KIND_DOUBLE:
        return "double"
    if kind == KIND_DATETIME:
        return "dateTime"
    return "boolean"


# ── strings ──────────────────────────────────────────────────────────────────────────────────────────────
cdef inline void append_string(string& text, const char* at, size_t size) noexcept nogil:
    append_quoted(text, at, size, HEX)


cdef void append_quoted(string& text, const char* at, size_t size, const char* digits) noexcept nogil:
    cdef const char* end = at + size
    cdef const char* plain = at     # where the characters begin that are not written yet
    text.push_back(c'"')
    while True:
        at += plain_bytes(at, end - at)
        if at == end:
            break
        text.append(plain, at - plain)
        if <uint8_t>at[0] < 0x80:
            append_escape(text, at[0], digits)
            at += 1
        else:
            append_code(text, at[1], digits)
            at += 2
        plain = at
    text.append(plain, end - plain)
    text.push_back(c'"')


cdef void append_escape(string& text, char letter, const char* digits) noexcept nogil:
    cdef const char* short_form = short_escape(letter)
    if short_form != NULL:
        text.append(short_form)
    else:
        append_code(text, letter, digits)


cdef void append_code(string& text, char letter, const char* digits) noexcept nogil:
    text.append(b"\\u00", 4)
    text.push_back(digits[<uint8_t>letter >> 4])
    text.push_back(digits[<uint8_t>letter & 15])


cdef const char* short_escape(char letter) noexcept nogil:
    """NULL if there is none."""
    if letter == c'"':
        return b'\\"'
    if letter == c'\\':
        return b"\\\\"
    if letter == c'\n':
        return b"\\n"
    if letter == c'\r':
        return b"\\r"
    if letter == c'\t':
        return b"\\t"
    if letter == c'\b':
        return b"\\b"
    if letter == c'\f':
        return b"\\f"
    return NULL


# ── lists ────────────────────────────────────────────────────────────────────────────────────────────────
def lists(const int64_t[:] offsets not None, const uint16_t[:] keys not None, names not None, tuple items not None):
    """offsets, text: an object for each range of items, lists of them by key."""
    cdef Py_ssize_t i, count = offsets.shape[0] - 1
    cdef vector[string] heads
    cdef TextColumn texts = opened(items, keys.shape[0])
    cdef string text
    cdef vector[Py_ssize_t] shown   # by key: the last range that has it
    take_texts(&heads, names)
    check_ranges(offsets, keys, heads.size())
    shown.safe_assign(heads.size(), -1)
    ends_array = numpy.zeros(count + 1, numpy.int64)
    cdef int64_t[::1] ends = ends_array
    with nogil:
        for i in range(count):
            text.safe_push_back(c'{')
            attempted(append_lists, text, i, offsets, keys, heads, texts, shown)
            text.safe_push_back(c'}')
            ends[i + 1] = <int64_t>text.size()
    return ends_array, <bytes>text


cdef int check_ranges(const int64_t[:] offsets, const uint16_t[:] keys, size_t known) except -1:
    cdef Py_ssize_t i
    if offsets.shape[0] == 0 or offsets[0] < 0 or offsets[offsets.shape[0] - 1] > keys.shape[0]:
        raise ValueError("ranges outside of the items")
    for i in range(offsets.shape[0] - 1):
        if offsets[i] > offsets[i + 1]:
            raise ValueError(f"range {i} ends before it begins")
    for i in range(keys.shape[0]):
        if keys[i] >= known:
            raise ValueError(f"key {keys[i]} of {known}")
    return 0


cdef void append_lists(
    string& text, Py_ssize_t number, const int64_t[:] offsets, const uint16_t[:] keys, const vector[string]& heads,
    TextColumn texts, vector[Py_ssize_t]& shown,
) noexcept nogil:
    """The lists of one range, each at the place of its first item."""
    cdef int64_t item, other
    cdef bint first = True
    for item in range(offsets[number], offsets[number + 1]):
        if shown[keys[item]] == number:
            continue
        shown[keys[item]] = number
        append_key(text, heads[keys[item]], first)
        first = False
        text.push_back(c'[')
        for other in range(item, offsets[number + 1]):
            if keys[other] == keys[item]:
                if other != item:
                    text.append(b", ", 2)
                append_string(text, texts.text + texts.ends[other], texts.ends[other + 1] - texts.ends[other])
        text.push_back(c']')
