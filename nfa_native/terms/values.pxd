# cython: language_level=3
"""Decoded operands of expressions, with SPARQL's equality, order and effective boolean value."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from nfa_native.terms.literals cimport DECIMAL_ONE, int128
from nfa_native.terms.dictionary cimport (
    KIND_BOOLEAN, KIND_DATETIME, KIND_DECIMAL, KIND_DOUBLE, KIND_INTEGER, UNBOUND, TermStore, datetime_value,
    decimal_value, double_value, integer_value, kind_of, word_t,
)

# Beside the KINDs of words: no value, and a value that only the external evaluator can tell.
cdef enum:
    KIND_ERROR = 0
    KIND_UNKNOWN = 15

# Truth values: three of SPARQL and "not known here".
cdef enum:
    IS_FALSE = 0
    IS_TRUE = 1
    IS_ERROR = -1
    IS_UNKNOWN = 2

# Results of `order` beside -1, 0 and 1.
cdef enum:
    INCOMPARABLE = 2
    ORDER_UNKNOWN = 3

cdef struct Value:
    int kind
    int32_t zone             # of a dateTime
    word_t word              # its word; UNBOUND if the value was computed
    int64_t whole            # integer or boolean
    double real              # double
    int128 number            # decimal, or instant of a dateTime
    const char* text         # of a computed or `spell`ed term: the characters of an IRI, label or literal
    size_t length
    const char* language     # tag of a string with language, datatype of an opaque literal
    size_t language_length


cdef inline void load(Value* value, const TermStore* store, word_t word) noexcept nogil:
    """Decode a word; UNBOUND is an error."""
    value.word = word
    if word == UNBOUND:
        value.kind = KIND_ERROR
        return
    value.kind = kind_of(word)
    if value.kind == KIND_DECIMAL:
        value.number = decimal_value(store, word)
    elif value.kind == KIND_INTEGER:
        value.whole = integer_value(store, word)
    elif value.kind == KIND_DOUBLE:
        value.real = double_value(store, word)
    elif value.kind == KIND_DATETIME:
        value.number = datetime_value(store, word, &value.zone)
    elif value.kind == KIND_BOOLEAN:
        value.whole = <int64_t>(word >> 4)
    else:
        value.text = NULL


cdef inline bint is_number(const Value* value) noexcept nogil:
    return value.kind >= KIND_INTEGER and value.kind <= KIND_DOUBLE


cdef inline int128 as_decimal(const Value* value) noexcept nogil:
    """Of an integer or decimal."""
    if value.kind == KIND_INTEGER:
        return <int128>value.whole * DECIMAL_ONE
    return value.number


cdef inline bint is_exact(const Value* value) noexcept nogil:
    """Whether it is an integer or decimal."""
    return value.kind == KIND_INTEGER or value.kind == KIND_DECIMAL


cdef inline int order_exact(const Value* a, const Value* b) noexcept nogil:
    """The order of integers and decimals."""
    cdef int128 x, y
    if a.kind == KIND_INTEGER and b.kind == KIND_INTEGER:
        return (a.whole > b.whole) - (a.whole < b.whole)
    x = as_decimal(a)
    y = as_decimal(b)
    return (x > y) - (x < y)


cdef inline int order_doubles(double a, double b) noexcept nogil:
    if a < b:
        return -1
    if a > b:
        return 1
    if a == b:
        return 0
    # Two NaNs are in order if they are the same NaN, which their words do not tell.
    return ORDER_UNKNOWN if a != a and b != b else INCOMPARABLE


cdef inline void set_error(Value* value) noexcept nogil:
    value.kind = KIND_ERROR


cdef inline void set_unknown(Value* value) noexcept nogil:
    value.kind = KIND_UNKNOWN


cdef inline void set_truth(Value* value, int truth) noexcept nogil:
    """A boolean, error or unknown."""
    value.word = UNBOUND
    value.whole = truth
    value.kind = KIND_BOOLEAN if truth == IS_TRUE or truth == IS_FALSE else (
        KIND_ERROR if truth == IS_ERROR else KIND_UNKNOWN)


cdef inline void set_integer(Value* value, int64_t whole) noexcept nogil:
    value.word = UNBOUND
    value.kind = KIND_INTEGER
    value.whole = whole


cdef inline void set_decimal(Value* value, int128 number) noexcept nogil:
    value.word = UNBOUND
    value.kind = KIND_DECIMAL
    value.number = number


cdef inline void set_double(Value* value, double real) noexcept nogil:
    value.word = UNBOUND
    value.kind = KIND_DOUBLE
    value.real = real


cdef inline void set_text(Value* value, int kind, const char* text, size_t length) noexcept nogil:
    """A computed term; the text must outlive the evaluation's use of it."""
    value.word = UNBOUND
    value.kind = kind
    value.text = text
    value.length = length
    value.language = text
    value.language_length = 0


# Decimal with its trailing zeros taken off, at most `most`; how many there were.
cdef int strip_zeros(int128* value, int most) noexcept nogil
cdef double as_double(const Value* value) noexcept nogil
# Fill in text and language of a term.
cdef void spell(Value* value, const TermStore* store) noexcept nogil
cdef int equal(Value* a, Value* b, const TermStore* store) noexcept nogil
cdef int same_term(Value* a, Value* b, const TermStore* store) noexcept nogil
cdef int order(Value* a, Value* b, const TermStore* store) noexcept nogil
# IS_ERROR or IS_UNKNOWN if an operand is that, else IS_TRUE.
cdef int failure(const Value* a, const Value* b) noexcept nogil
cdef int truth_of_term(Value* value, const TermStore* store) noexcept nogil
cdef word_t word_of(Value* value, TermStore* store) noexcept nogil


cdef inline int truth(Value* value, const TermStore* store) noexcept nogil:
    """The effective boolean value."""
    return <int>value.whole if value.kind == KIND_BOOLEAN else truth_of_term(value, store)
