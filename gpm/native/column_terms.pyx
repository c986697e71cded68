# distutils: language = c++
# cython: language_level=3
"""Columns of a table as words of terms, and the IRIs that are made of such words; see the stub."""

import numpy

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memset

from gpm.native.iris cimport append_encoded
from nfa_native.core.containers cimport string, vector
from nfa_native.core.guard cimport attempted, guarded
from nfa_native.terms.dictionary cimport (
    KIND_BLANK, MICROSECOND, TAG_TERM, UNBOUND, Lookup, TermEntry, Terms, TermStore, begin_lookup, datetime_word,
    decimal_word, double_word, finish_lookups, integer_word, is_word, kind_of, print_value, small_decimal, tag_of,
    term_entry, word_t,
)
from nfa_native.terms.literals cimport (
    DECIMAL_DIGITS, DECIMAL_ONE, EPOCH, LONGEST_FORM, POWERS_OF_TEN, int128, multiply_overflows,
)

cdef enum:
    AT_ONCE = 64  # terms that are looked up together
    KNOWN_BITS = 8
    KNOWN = 1 << KNOWN_BITS  # values whose IRIs are remembered


# ── numbers and times ────────────────────────────────────────────────────────────────────────────────────
def integer_words(Terms terms not None, const int64_t[::1] values not None):
    """uint64[n]: integers; see the stub."""
    terms.check_open()
    words = numpy.zeros(values.shape[0], numpy.uint64)
    cdef uint64_t[::1] out = words
    if values.shape[0]:
        guarded(&terms.store.broken, put_integers, terms.store, &values[0], <size_t>values.shape[0], &out[0])
    return words


cdef void put_integers(TermStore* store, const int64_t* values, size_t count, uint64_t* words) noexcept nogil:
    cdef size_t i
    for i in range(count):
        words[i] = integer_word(store, values[i])


def double_words(Terms terms not None, const double[::1] values not None):
    """uint64[n]: doubles; see the stub."""
    terms.check_open()
    words = numpy.zeros(values.shape[0], numpy.uint64)
    cdef uint64_t[::1] out = words
    if values.shape[0]:
        guarded(&terms.store.broken, put_doubles, terms.store, &values[0], <size_t>values.shape[0], &out[0])
    return words


cdef void put_doubles(TermStore* store, const double* values, size_t count, uint64_t* words) noexcept nogil:
    cdef size_t i
    for i in range(count):
        words[i] = double_word(store, values[i])


def decimal_words(Terms terms not None, const uint64_t[:, ::1] halves not None, int scale):
    """uint64[n]: decimals; see the stub."""
    terms.check_open()
    if not 0 <= scale <= DECIMAL_DIGITS or halves.shape[1] != 2:
        raise ValueError(f"no decimals of scale {scale}, in {halves.shape[1]} halves")
    words = numpy.zeros(halves.shape[0], numpy.uint64)
    cdef uint64_t[::1] out = words
    if halves.shape[0]:
        guarded(
            &terms.store.broken, put_decimals, terms.store, &halves[0, 0], <size_t>halves.shape[0], scale, &out[0],
        )
    return words


cdef void put_decimals(
    TermStore* store, const uint64_t* halves, size_t count, int scale, uint64_t* words
) noexcept nogil:
    cdef int128 number, power = <int128>POWERS_OF_TEN[DECIMAL_DIGITS - scale]
    cdef size_t i
    for i in range(count):
        number = <int128>(<int64_t>halves[2 * i + 1]) * (<int128>1 << 64) + <int128>halves[2 * i]
        words[i] = small_decimal(<int64_t>number, scale) if number == <int64_t>number else UNBOUND
        if words[i] == UNBOUND and not multiply_overflows(number, power, &number):
            words[i] = decimal_word(store, number)


def time_words(Terms terms not None, const int64_t[::1] microseconds not None):
    """uint64[n]: dateTimes in UTC; see the stub."""
    terms.check_open()
    words = numpy.zeros(microseconds.shape[0], numpy.uint64)
    cdef uint64_t[::1] out = words
    if microseconds.shape[0]:
        guarded(
            &terms.store.broken, put_times, terms.store, &microseconds[0], <size_t>microseconds.shape[0], &out[0]
        )
    return words


cdef void put_times(TermStore* store, const int64_t* microseconds, size_t count, uint64_t* words) noexcept nogil:
    cdef int128 instant
    cdef size_t i
    for i in range(count):
        instant = EPOCH + <int128>microseconds[i] * MICROSECOND
        words[i] = UNBOUND if instant < 0 and instant % DECIMAL_ONE != 0 else datetime_word(store, instant, 0)


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────
def string_words(Terms terms not None, const int64_t[::1] offsets not None, const uint8_t[::1] text not None):
    """uint64[n]: strings; see the stub."""
    cdef Py_ssize_t count = offsets.shape[0] - 1, i
    cdef const char* characters = NULL
    terms.check_open()
    if count < 0 or offsets[0] < 0 or offsets[count] > text.shape[0]:
        raise ValueError("offsets do not fit the text")
    for i in range(count):
        if offsets[i] > offsets[i + 1]:
            raise ValueError("offsets fall")
    words = numpy.zeros(count, numpy.uint64)
    cdef uint64_t[::1] out = words
    if text.shape[0]:
        characters = <const char*>&text[0]
    if count:
        guarded(&terms.store.broken, intern_strings, terms.store, &offsets[0], characters, <size_t>count, &out[0])
    return words


cdef void intern_strings(
    TermStore* store, const int64_t* offsets, const char* text, size_t count, uint64_t* words
) noexcept nogil:
    cdef Lookup lookups[AT_ONCE]
    cdef string written
    cdef size_t first = 0, size, i
    while first < count:
        size = min(count - first, <size_t>AT_ONCE)
        written.clear()
        for i in range(size):
            lookups[i].start = written.size()
            written.push_back(c'S')
            written.append(text + offsets[first + i], offsets[first + i + 1] - offsets[first + i])
            lookups[i].size = written.size() - lookups[i].start
        look_up(store, &written, &lookups[0], size)
        for i in range(size):
            words[first + i] = lookups[i].word
        first += size


cdef void look_up(TermStore* store, const string* written, Lookup* lookups, size_t count) noexcept nogil:
    cdef size_t i
    for i in range(count):
        begin_lookup(store, written.data(), &lookups[i])
    finish_lookups(store, written.data(), lookups, count)


# ── IRIs ─────────────────────────────────────────────────────────────────────────────────────────────────
# The IRIs of some values that were met: `words[i]` is that of `values[i]`, which is UNBOUND where there is none.
cdef struct KnownIris:
    word_t values[KNOWN]
    word_t words[KNOWN]


cdef inline size_t place_of(word_t value) noexcept nogil:
    """Where the IRI of a value is remembered."""
    return <size_t>((value * <uint64_t>0x9E3779B97F4A7C15) >> (64 - KNOWN_BITS))


# What stays of an IRI where values differ: piece i is bytes starts[i] to starts[i + 1] of the text.
cdef cppclass IriPieces:
    string text
    vector[size_t] starts


def iri_words(Terms terms not None, pieces not None, const uint64_t[:, ::1] values not None):
    """uint64[n]: IRIs of a template; see the stub."""
    cdef IriPieces kept
    cdef Py_ssize_t count = values.shape[1]
    terms.check_open()
    keep_pieces(pieces, terms, values, &kept)
    words = numpy.zeros(count, numpy.uint64)
    cdef uint64_t[::1] out = words
    if count and values.shape[0]:
        guarded(
            &terms.store.broken, intern_iris, terms.store, &kept, &values[0, 0], <size_t>values.shape[0],
            <size_t>count, &out[0],
        )
    return words


def iri_texts(Terms terms not None, pieces not None, const uint64_t[:, ::1] values not None):
    """(int64[n + 1], bytes): the same IRIs as texts; see the stub."""
    cdef IriPieces kept
    cdef string text
    cdef Py_ssize_t count = values.shape[1]
    keep_pieces(pieces, terms, values, &kept)
    ends = numpy.zeros(count + 1, numpy.int64)
    cdef int64_t[::1] out = ends
    if count and values.shape[0]:
        attempted(
            write_iris, terms.store, &kept, &values[0, 0], <size_t>values.shape[0], <size_t>count, &text, &out[1],
        )
    return ends, <bytes>text


cdef int keep_pieces(pieces, Terms terms, const uint64_t[:, ::1] values, IriPieces* kept) except -1:
    """ValueError: they do not surround the values, or one of these is no word."""
    cdef Py_ssize_t i, k
    cdef bytes piece
    if len(pieces) != values.shape[0] + 1 or not pieces[0]:
        raise ValueError(f"{len(pieces)} pieces do not surround {values.shape[0]} values")
    for k in range(values.shape[0]):
        for i in range(values.shape[1]):
            if values[k, i] and not is_word(terms.store, values[k, i]):
                raise ValueError("no word of this table")
    kept.starts.safe_push_back(0)
    for piece in pieces:
        kept.text.safe_append(<const char*>piece, <size_t>len(piece))
        kept.starts.safe_push_back(kept.text.size())
    return 0


cdef void write_iris(
    const TermStore* store, const IriPieces* pieces, const uint64_t* values, size_t holes, size_t count, string* out,
    int64_t* ends,
) noexcept nogil:
    cdef size_t i, start
    for i in range(count):
        start = out.size()
        if not append_iri(store, pieces, values + i, holes, count, out):
            out.resize(start)
        ends[i] = out.size()


cdef void intern_iris(
    TermStore* store, const IriPieces* pieces, const uint64_t* values, size_t holes, size_t count, uint64_t* words
) noexcept nogil:
    cdef Lookup lookups[AT_ONCE]
    cdef size_t rows[AT_ONCE]
    cdef KnownIris known
    cdef string written
    cdef size_t first = 0, size, filled, start, i
    memset(&known, 0, sizeof(KnownIris))
    while first < count:
        size = min(count - first, <size_t>AT_ONCE)
        written.clear()
        filled = 0
        for i in range(first, first + size):
            start = place_of(values[i])
            if holes == 1 and values[i] != UNBOUND and known.values[start] == values[i]:
                words[i] = known.words[start]
                continue
            start = written.size()
            written.push_back(c'I')
            if not append_iri(store, pieces, values + i, holes, count, &written):
                written.resize(start)
                continue
            lookups[filled].start, lookups[filled].size, rows[filled] = start, written.size() - start, i
            filled += 1
        look_up(store, &written, &lookups[0], filled)
        for i in range(filled):
            words[rows[i]] = lookups[i].word
            start = place_of(values[rows[i]])
            known.values[start], known.words[start] = values[rows[i]], lookups[i].word
        first += size


cdef bint append_iri(
    const TermStore* store, const IriPieces* pieces, const uint64_t* values, size_t holes, size_t stride, string* out
) noexcept nogil:
    """An IRI; False: a value is unbound, or a blank node."""
    cdef const char* text = pieces.text.data()
    cdef size_t hole
    out.append(text, pieces.starts[1])
    for hole in range(holes):
        if not append_value(store, values[hole * stride], out):
            return False
        out.append(text + pieces.starts[hole + 1], pieces.starts[hole + 2] - pieces.starts[hole + 1])
    return True


cdef bint append_value(const TermStore* store, word_t word, string* out) noexcept nogil:
    """ENCODE_FOR_URI(STR(value))."""
    cdef char buffer[LONGEST_FORM]
    cdef const TermEntry* entry
    cdef const char* start
    if word == UNBOUND or (tag_of(word) == TAG_TERM and kind_of(word) == KIND_BLANK):
        return False
    if tag_of(word) != TAG_TERM:
        append_encoded(buffer, print_value(store, word, buffer), out)
        return True
    entry = term_entry(store, word)
    start = entry.text + 1
    if entry.text[0] == c'L' or entry.text[0] == c'T':  # behind the language or the datatype
        start = <const char*>memchr(start, 0, entry.length - 1) + 1
    append_encoded(start, entry.text + entry.length - start, out)
    return True
