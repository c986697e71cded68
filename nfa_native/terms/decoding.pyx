# distutils: language = c++
# cython: language_level=3, cdivision=True
"""Columns of words as columns of plain values: numbers, times, truth values and texts of many words at once.

A column is uint64[n], 0 where a variable is unbound.  ValueError: a word is not of the table.
"""

import numpy

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted
from nfa_native.terms.literals cimport DECIMAL_DIGITS, DECIMAL_ONE, EPOCH, LONGEST_FORM, int128, multiply_overflows
from nfa_native.terms.values cimport Value, as_decimal, as_double, is_exact, is_number, load, spell
from nfa_native.terms.dictionary cimport (
    KIND_BOOLEAN, KIND_DATETIME, KIND_DOUBLE, KIND_INTEGER, MICROSECOND, TAG_TERM, UNBOUND, Terms, TermStore, is_word,
    kind_of, print_value, tag_of, word_t,
)

# What is known of a row.
cdef enum:
    IS_UNBOUND = 0
    FITS = 1
    MISFITS = 2   # the term is no value of the type

# What decimals are to be: units of 10**-18 become units of 10**-scale by one of the factors; below `limit`.
cdef struct Scaling:
    int128 factor
    int128 divisor
    int128 limit

# Writes a value; False if it is none of the type.
ctypedef bint (*Writer)(const Value* value, const Scaling* scaling, char* out) noexcept nogil


def kinds(Terms terms not None, const uint64_t[:] words not None):
    """uint8[n]: the kind of each word, 0 where it is unbound."""
    cdef Py_ssize_t row, count = words.shape[0]
    found = numpy.zeros(count, numpy.uint8)
    cdef uint8_t[::1] out = found
    cdef Py_ssize_t bad = -1
    with nogil:
        for row in range(count):
            if words[row] != UNBOUND:
                if not is_word(terms.store, words[row]):
                    bad = row
                    break
                out[row] = <uint8_t>kind_of(words[row])
    if bad >= 0:
        raise ValueError(f"no word of this table: {words[bad]:#x}")
    return found


def integers(Terms terms not None, const uint64_t[:] words not None):
    """int64[n], uint8[n]: numbers without a fraction, and the states of the rows."""
    values = numpy.zeros(words.shape[0], numpy.int64)
    return values, written(terms, words, write_integer, NULL, values)


def doubles(Terms terms not None, const uint64_t[:] words not None):
    """float64[n], uint8[n]: numbers, rounded to the next double, and the states of the rows."""
    values = numpy.zeros(words.shape[0], numpy.float64)
    return values, written(terms, words, write_double, NULL, values)


def decimals(Terms terms not None, const uint64_t[:] words not None, int precision, int scale):
    """uint64[n, 2], uint8[n]: integers and decimals in units of 10**-scale, as 128 bits each, and the states of the rows.

    Those with more than ``precision`` digits, or more than ``scale`` behind the point, do not fit.  ValueError unless
    0 ≤ scale ≤ precision ≤ 38.
    """
    cdef Scaling scaling
    if not 0 <= scale <= precision <= 38:
        raise ValueError(f"no decimal has {precision} digits, {scale} of them behind the point")
    scaling.factor = power_of_ten(scale - DECIMAL_DIGITS)
    scaling.divisor = power_of_ten(DECIMAL_DIGITS - scale)
    scaling.limit = power_of_ten(precision)
    values = numpy.zeros((words.shape[0], 2), numpy.uint64)
    return values, written(terms, words, write_decimal, &scaling, values)


def instants(Terms terms not None, const uint64_t[:] words not None):
    """int64[n], uint8[n]: dateTimes in microseconds since 1970 (UTC, also without a zone), and the states of the rows."""
    values = numpy.zeros(words.shape[0], numpy.int64)
    return values, written(terms, words, write_instant, NULL, values)


def truths(Terms terms not None, const uint64_t[:] words not None):
    """uint8[n], uint8[n]: truth values as 0 and 1, and the states of the rows."""
    values = numpy.zeros(words.shape[0], numpy.uint8)
    return values, written(terms, words, write_truth, NULL, values)


def texts(Terms terms not None, const uint64_t[:] words not None):
    """int64[n + 1], bytes: where the text of each word begins and ends, and the texts in UTF-8; none of unbound.

    That is an IRI, a label of a blank node or the lexical form of a literal, without language and datatype.
    """
    cdef Py_ssize_t row, count = words.shape[0], bad = -1
    offsets = numpy.zeros(count + 1, numpy.int64)
    cdef int64_t[::1] ends = offsets
    cdef vector[char] text
    with nogil:
        for row in range(count):
            if words[row] != UNBOUND:
                if not is_word(terms.store, words[row]):
                    bad = row
                    break
                attempted(append_text, &text, terms.store, words[row])
            ends[row + 1] = <int64_t>text.size()
    if bad >= 0:
        raise ValueError(f"no word of this table: {words[bad]:#x}")
    return offsets, <bytes>text.data()[:text.size()] if text.size() else b""


cdef void append_text(vector[char]* text, const TermStore* store, word_t word) noexcept nogil:
    cdef char buffer[LONGEST_FORM]
    cdef Value value
    cdef size_t before = text.size(), length
    if tag_of(word) != TAG_TERM:
        length = print_value(store, word, buffer)
        text.resize(before + length)
        memcpy(text.data() + before, buffer, length)
        return
    load(&value, store, word)
    spell(&value, store)
    if value.length:
        text.resize(before + value.length)
        memcpy(text.data() + before, value.text, value.length)


cdef object written(Terms terms, const uint64_t[:] words, Writer write, const Scaling* scaling, values):
    """Write all values into an array of n of them; uint8[n]: the states of the rows."""
    cdef Py_ssize_t row, count = words.shape[0], bad = -1
    cdef size_t width = values.strides[0]
    cdef const uint8_t[::1] memory = values.reshape(-1).view(numpy.uint8)
    cdef Value value
    states = numpy.zeros(count, numpy.uint8)
    cdef uint8_t[::1] state = states
    if count == 0:
        return states
    cdef char* out = <char*>&memory[0]
    with nogil:
        for row in range(count):
            if words[row] == UNBOUND:
                continue
            if not is_word(terms.store, words[row]):
                bad = row
                break
            load(&value, terms.store, words[row])
            state[row] = FITS if write(&value, scaling, out + row * width) else MISFITS
    if bad >= 0:
        raise ValueError(f"no word of this table: {words[bad]:#x}")
    return states


cdef int128 power_of_ten(int exponent) noexcept nogil:
    """1 for exponents below 0."""
    cdef int128 power = 1
    cdef int i
    for i in range(exponent):
        power = power * 10
    return power


cdef bint write_integer(const Value* value, const Scaling* scaling, char* out) noexcept nogil:
    cdef int64_t whole = 0
    cdef int128 number
    if value.kind == KIND_DOUBLE:
        if not (-9223372036854775808.0 <= value.real < 9223372036854775808.0) or value.real != <int64_t>value.real:
            return False
        whole = <int64_t>value.real
    elif value.kind == KIND_INTEGER:
        whole = value.whole
    elif is_number(value):
        number = value.number // DECIMAL_ONE
        if value.number % DECIMAL_ONE != 0 or number > INT64_MAX or number < INT64_MIN:
            return False
        whole = <int64_t>number
    else:
        return False
    memcpy(out, &whole, sizeof(int64_t))
    return True


cdef bint write_double(const Value* value, const Scaling* scaling, char* out) noexcept nogil:
    cdef double real
    if not is_number(value):
        return False
    real = as_double(value)
    memcpy(out, &real, sizeof(double))
    return True


cdef bint write_decimal(const Value* value, const Scaling* scaling, char* out) noexcept nogil:
    cdef int128 number
    if not is_exact(value):
        return False
    number = as_decimal(value)
    if number % scaling.divisor != 0 or multiply_overflows(number // scaling.divisor, scaling.factor, &number):
        return False
    if number >= scaling.limit or number <= -scaling.limit:
        return False
    memcpy(out, &number, sizeof(int128))
    return True


cdef bint write_instant(const Value* value, const Scaling* scaling, char* out) noexcept nogil:
    cdef int128 since
    cdef int64_t micros
    if value.kind != KIND_DATETIME:
        return False
    since = value.number - EPOCH
    micros = <int64_t>(since // MICROSECOND)
    if since % MICROSECOND != 0 or since // MICROSECOND != micros:
        return False
    memcpy(out, &micros, sizeof(int64_t))
    return True


cdef bint write_truth(const Value* value, const Scaling* scaling, char* out) noexcept nogil:
    if value.kind != KIND_BOOLEAN:
        return False
    out[0] = <char>value.whole
    return True
