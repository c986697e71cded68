# distutils: language = c++
# cython: cdivision=True
"""Decoded operands of expressions.

Everything answers exactly as pyoxigraph does, or "unknown".  Opaque literals (KIND_TYPED) are what pyoxigraph knows
values of (xsd:float, durations, dates …) as well as ill-typed and foreign ones, so most comparisons with them are unknown.
"""

from libc.string cimport memchr, memcmp, memcpy

from nfa_native.terms.literals cimport NO_ZONE, POWERS_OF_TEN, add_overflows, subtract_overflows
from nfa_native.terms.dictionary cimport (
    KIND_BLANK, KIND_IRI, KIND_LANGUAGE, KIND_STRING, KIND_TYPED, TermEntry, boolean_word, datetime_word, decimal_word,
    double_word, integer_word, intern_term, scratch, term_entry,
)


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────────────
cdef int strip_zeros(int128* value, int most) noexcept nogil:
    """Division of 128 bits is slow: take off many zeros at once, and use 64 bits as soon as they do."""
    cdef int stripped = 0
    cdef int step = 16
    cdef int64_t small
    if value[0] == 0:
        return 0
    while step and value[0] != <int64_t>value[0]:
        while stripped + step <= most and value[0] % POWERS_OF_TEN[step] == 0:
            value[0] = value[0] // POWERS_OF_TEN[step]
            stripped += step
        step = step // 2
    small = <int64_t>value[0]
    while step:
        while stripped + step <= most and small % POWERS_OF_TEN[step] == 0:
            small = small // POWERS_OF_TEN[step]
            stripped += step
        step = step // 2
    if value[0] == <int64_t>value[0]:
        value[0] = small
    return stripped


cdef double as_double(const Value* value) noexcept nogil:
    cdef int128 number = value.number
    cdef int stripped
    if value.kind == KIND_DOUBLE:
        return value.real
    if value.kind == KIND_INTEGER:
        return <double>value.whole
    stripped = strip_zeros(&number, 18)
    if number == 0:
        return 0.0
    return <double>number / <double>POWERS_OF_TEN[18 - stripped]


cdef inline int order_numbers(const Value* a, const Value* b) noexcept nogil:
    if a.kind == KIND_DOUBLE or b.kind == KIND_DOUBLE:
        return order_doubles(as_double(a), as_double(b))
    return order_exact(a, b)


# ── dateTime ─────────────────────────────────────────────────────────────────────────────────────────────
cdef inline int order_instants(int128 a, int128 b) noexcept nogil:
    return (a > b) - (a < b)


cdef int order_mixed(int128 zoned, int128 local) noexcept nogil:
    """The order of an instant and a dateTime without zone, which may be 14 hours off either way."""
    cdef int128 latest, earliest
    cdef int order_latest, order_earliest
    if (add_overflows(local, 14 * 3600 * DECIMAL_ONE, &latest)
            or subtract_overflows(local, 14 * 3600 * DECIMAL_ONE, &earliest)):
        return INCOMPARABLE
    order_latest = order_instants(zoned, latest)
    order_earliest = order_instants(zoned, earliest)
    return order_latest if order_latest == order_earliest else INCOMPARABLE


cdef int order_datetimes(const Value* a, const Value* b) noexcept nogil:
    cdef int reverse
    if (a.zone == NO_ZONE) == (b.zone == NO_ZONE):
        return order_instants(a.number, b.number)
    if b.zone == NO_ZONE:
        return order_mixed(a.number, b.number)
    reverse = order_mixed(b.number, a.number)
    return INCOMPARABLE if reverse == INCOMPARABLE else -reverse


# ── terms ────────────────────────────────────────────────────────────────────────────────────────────────
cdef void spell(Value* value, const TermStore* store) noexcept nogil:
    cdef const TermEntry* entry
    cdef const char* nul
    if value.text != NULL:
        return
    entry = term_entry(store, value.word)
    value.text = entry.text + 1
    value.length = entry.length - 1
    value.language = value.text
    value.language_length = 0
    if value.kind == KIND_LANGUAGE or value.kind == KIND_TYPED:
        nul = <const char*>memchr(value.text, 0, value.length)
        value.language_length = nul - value.text
        value.length -= value.language_length + 1
        value.text = nul + 1


cdef bint same_text(Value* a, Value* b, const TermStore* store) noexcept nogil:
    """Whether two terms of one kind are the same."""
    if a.word and b.word:
        return a.word == b.word
    spell(a, store)
    spell(b, store)
    return (
        a.length == b.length and a.language_length == b.language_length and memcmp(a.text, b.text, a.length) == 0
        and memcmp(a.language, b.language, a.language_length) == 0
    )


cdef int order_text(Value* a, Value* b, const TermStore* store) noexcept nogil:
    """By UTF-8 bytes, which is the order of code points."""
    cdef int sign
    spell(a, store)
    spell(b, store)
    if a.language_length != b.language_length or memcmp(a.language, b.language, a.language_length) != 0:
        return INCOMPARABLE
    sign = memcmp(a.text, b.text, a.length if a.length < b.length else b.length)
    if sign == 0:
        return (a.length > b.length) - (a.length < b.length)
    return 1 if sign > 0 else -1


cdef inline bint has_kind(const Value* a, const Value* b, int kind) noexcept nogil:
    return a.kind == kind or b.kind == kind


cdef int failure(const Value* a, const Value* b) noexcept nogil:
    """What becomes of an operation with an operand that is an error or unknown; IS_TRUE if neither is."""
    if a.kind == KIND_ERROR or b.kind == KIND_ERROR:
        return IS_ERROR
    if a.kind == KIND_UNKNOWN or b.kind == KIND_UNKNOWN:
        return IS_UNKNOWN
    return IS_TRUE


cdef int equal_opaque(Value* a, Value* b, const TermStore* store) noexcept nogil:
    """``=`` with an opaque literal: a known literal of its own kind, or an error."""
    cdef Value* other = b if a.kind == KIND_TYPED else a
    if other.kind == KIND_IRI or other.kind == KIND_BLANK or other.kind == KIND_LANGUAGE:
        return IS_FALSE
    if a.word and a.word == b.word:
        spell(a, store)
        return IS_UNKNOWN if a.length == 3 and memcmp(a.text, "NaN", 3) == 0 else IS_TRUE
    return IS_UNKNOWN


cdef int equal(Value* a, Value* b, const TermStore* store) noexcept nogil:
    """SPARQL's ``=``."""
    cdef int failed
    if is_number(a) and is_number(b):
        if has_kind(a, b, KIND_DOUBLE):
            return as_double(a) == as_double(b)
        return order_exact(a, b) == 0
    failed = failure(a, b)
    if failed != IS_TRUE:
        return failed
    if has_kind(a, b, KIND_TYPED):
        return equal_opaque(a, b, store)
    if a.kind != b.kind:
        return IS_FALSE
    if a.kind == KIND_DATETIME:
        return (a.zone == NO_ZONE) == (b.zone == NO_ZONE) and a.number == b.number
    if a.kind == KIND_BOOLEAN:
        return a.whole == b.whole
    return same_text(a, b, store)


cdef int order(Value* a, Value* b, const TermStore* store) noexcept nogil:
    """SPARQL's ``<`` as a sign, or INCOMPARABLE (an error) or ORDER_UNKNOWN."""
    cdef int failed
    if is_number(a) and is_number(b):
        return order_numbers(a, b)
    failed = failure(a, b)
    if failed != IS_TRUE:
        return INCOMPARABLE if failed == IS_ERROR else ORDER_UNKNOWN
    if has_kind(a, b, KIND_TYPED):
        # Only a number, a dateTime or another opaque literal can be in order with one.
        if a.kind == b.kind or is_number(a) or is_number(b) or has_kind(a, b, KIND_DATETIME):
            return ORDER_UNKNOWN
        return INCOMPARABLE
    if a.kind != b.kind:
        return INCOMPARABLE
    if a.kind == KIND_DATETIME:
        return order_datetimes(a, b)
    if a.kind == KIND_STRING or a.kind == KIND_LANGUAGE:
        return order_text(a, b, store)
    # Other terms are only in order with themselves.
    if a.kind == KIND_BOOLEAN:
        return 0 if a.whole == b.whole else INCOMPARABLE
    return 0 if same_text(a, b, store) else INCOMPARABLE


cdef int same_term(Value* a, Value* b, const TermStore* store) noexcept nogil:
    """sameTerm."""
    cdef int failed = failure(a, b)
    if failed != IS_TRUE:
        return failed
    if a.kind != b.kind:
        return IS_FALSE
    if a.kind == KIND_DOUBLE:
        if a.real != a.real and b.real != b.real:
            return IS_UNKNOWN
        return a.real == b.real and (1 / a.real == 1 / b.real)
    if a.kind == KIND_DATETIME:
        return a.number == b.number and a.zone == b.zone
    if a.kind == KIND_DECIMAL:
        return a.number == b.number
    if a.kind == KIND_INTEGER or a.kind == KIND_BOOLEAN:
        return a.whole == b.whole
    return same_text(a, b, store)


cdef int truth_of_term(Value* value, const TermStore* store) noexcept nogil:
    """The effective boolean value of anything but a boolean."""
    if value.kind == KIND_INTEGER:
        return value.whole != 0
    if value.kind == KIND_DECIMAL:
        return value.number != 0
    if value.kind == KIND_DOUBLE:
        return value.real == value.real and value.real != 0
    if value.kind == KIND_STRING:
        spell(value, store)
        return value.length != 0
    return IS_UNKNOWN if value.kind == KIND_UNKNOWN or value.kind == KIND_TYPED else IS_ERROR


# ── back to words ────────────────────────────────────────────────────────────────────────────────────────
cdef word_t word_of_text(Value* value, TermStore* store) noexcept nogil:
    """Intern a computed IRI or string."""
    cdef size_t tag = value.language_length + 1 if value.kind == KIND_LANGUAGE else 0
    cdef size_t length = 1 + tag + value.length
    cdef char* term = scratch(store, length)
    term[0] = c'I' if value.kind == KIND_IRI else (c'S' if value.kind == KIND_STRING else c'L')
    if tag:
        memcpy(term + 1, value.language, tag - 1)
        term[tag] = 0
    memcpy(term + 1 + tag, value.text, value.length)
    return intern_term(store, term, length)


cdef word_t word_of(Value* value, TermStore* store) noexcept nogil:
    """The word of a value that is neither error nor unknown."""
    if value.word:
        return value.word
    if value.kind == KIND_INTEGER:
        return integer_word(store, value.whole)
    if value.kind == KIND_DECIMAL:
        return decimal_word(store, value.number)
    if value.kind == KIND_DOUBLE:
        return double_word(store, value.real)
    if value.kind == KIND_DATETIME:
        return datetime_word(store, value.number, value.zone)
    if value.kind == KIND_BOOLEAN:
        return boolean_word(value.whole)
    return word_of_text(value, store)
