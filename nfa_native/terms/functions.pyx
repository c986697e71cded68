# distutils: language = c++
# cython: cdivision=True
"""SPARQL's operators and functions, with pyoxigraph's arithmetic to the last digit.

An operand that is no number, dateTime or string as the function wants it gives an error, an opaque literal that pyoxigraph
might know a value of gives "unknown".
"""

from libc.math cimport ceil, fabs, floor
from libc.math cimport round as round_half_away
from libc.stdint cimport INT64_MIN, int64_t
from libc.string cimport memcmp, memcpy

from nfa_native.terms.literals cimport (
    DECIMAL_DIGITS, DECIMAL_ONE, LONGEST_FORM, POWERS_OF_TEN, DateFields, add_overflows, date_fields, int128,
    multiply_overflows, print_datetime, print_decimal, print_double, print_integer, print_zone, subtract_overflows,
)
from nfa_native.terms.operations cimport Op
from nfa_native.terms.values cimport (
    IS_ERROR, KIND_ERROR, KIND_UNKNOWN, as_decimal, as_double, is_number, set_decimal, set_double, set_error,
    set_integer, set_text, set_truth, set_unknown, spell, strip_zeros,
)
from nfa_native.terms.dictionary cimport (
    KIND_BLANK, KIND_BOOLEAN, KIND_DATETIME, KIND_DECIMAL, KIND_DOUBLE, KIND_INTEGER, KIND_IRI, KIND_LANGUAGE,
    KIND_STRING, KIND_TYPED, scratch,
)

cdef extern from "<string.h>" nogil:
    void* memmem(const void* haystack, size_t length, const void* needle, size_t needle_length)

cdef extern from *:
    bint add_overflows_64 "__builtin_add_overflow"(int64_t a, int64_t b, int64_t* out) nogil
    bint subtract_overflows_64 "__builtin_sub_overflow"(int64_t a, int64_t b, int64_t* out) nogil
    bint multiply_overflows_64 "__builtin_mul_overflow"(int64_t a, int64_t b, int64_t* out) nogil


cdef enum:
    LONGEST_TEXT = 1 << 24  # bytes of a computed string, as in gpm/string_limits.py

cdef const char* DATETIME = b"http://www.w3.org/2001/XMLSchema#dateTime"


cdef inline void fail(Value* a) noexcept nogil:
    """The result for an operand of the wrong kind."""
    if a.kind == KIND_TYPED or a.kind == KIND_UNKNOWN:
        set_unknown(a)
    else:
        set_error(a)


# ── arithmetic ───────────────────────────────────────────────────────────────────────────────────────────
cdef inline bint may_be_temporal(int kind) noexcept nogil:
    return kind == KIND_DATETIME or kind == KIND_TYPED or kind == KIND_UNKNOWN


cdef int operands(Value* a, const Value* b) noexcept nogil:
    """The kind in which two numbers meet; else 0, and `a` is an error or unknown."""
    if is_number(a) and is_number(b):
        return a.kind if a.kind > b.kind else b.kind
    # Dates and durations can be added and subtracted, and an opaque literal may be an xsd:float.
    if (may_be_temporal(a.kind) and (may_be_temporal(b.kind) or is_number(b))
            or may_be_temporal(b.kind) and is_number(a)):
        if (a.kind == KIND_DATETIME and is_number(b)) or (b.kind == KIND_DATETIME and is_number(a)):
            set_error(a)
        else:
            set_unknown(a)
    else:
        set_error(a)
    return 0


cdef inline void set_decimal_unless(Value* a, bint overflowed, int128 number) noexcept nogil:
    if overflowed:
        set_error(a)
    else:
        set_decimal(a, number)


cdef inline void set_integer_unless(Value* a, bint overflowed, int64_t whole) noexcept nogil:
    if overflowed:
        set_error(a)
    else:
        set_integer(a, whole)


cdef void add(Value* a, const Value* b) noexcept nogil:
    cdef int kind = operands(a, b)
    cdef int64_t whole = 0
    cdef int128 number = 0
    cdef bint overflowed
    if kind == KIND_INTEGER:
        overflowed = add_overflows_64(a.whole, b.whole, &whole)
        set_integer_unless(a, overflowed, whole)
    elif kind == KIND_DECIMAL:
        overflowed = add_overflows(as_decimal(a), as_decimal(b), &number)
        set_decimal_unless(a, overflowed, number)
    elif kind == KIND_DOUBLE:
        set_double(a, as_double(a) + as_double(b))


cdef void subtract(Value* a, const Value* b) noexcept nogil:
    cdef int kind = operands(a, b)
    cdef int64_t whole = 0
    cdef int128 number = 0
    cdef bint overflowed
    if kind == KIND_INTEGER:
        overflowed = subtract_overflows_64(a.whole, b.whole, &whole)
        set_integer_unless(a, overflowed, whole)
    elif kind == KIND_DECIMAL:
        overflowed = subtract_overflows(as_decimal(a), as_decimal(b), &number)
        set_decimal_unless(a, overflowed, number)
    elif kind == KIND_DOUBLE:
        set_double(a, as_double(a) - as_double(b))


cdef bint power_of_ten(int exponent, int128* power) noexcept nogil:
    """False if it exceeds 128 bits or the exponent is negative."""
    if exponent < 0 or exponent > 38:
        return False
    power[0] = POWERS_OF_TEN[exponent if exponent <= 18 else 18]
    if exponent > 18:
        power[0] *= POWERS_OF_TEN[exponent - 18 if exponent <= 36 else 18]
    if exponent > 36:
        power[0] *= POWERS_OF_TEN[exponent - 36]
    return True


cdef int cancel_tens(int128* twos, int128* fives, int most) noexcept nogil:
    """Divide one number by two and the other by five, at most so many times; how often it went."""
    cdef int count = 0
    while count < most and twos[0] % 2 == 0 and fives[0] % 5 == 0:
        twos[0] = twos[0] // 2
        fives[0] = fives[0] // 5
        count += 1
    return count


cdef void multiply_decimals(Value* a, int128 x, int128 y) noexcept nogil:
    """The exact product, or an error if 18 digits after the point cannot hold it."""
    cdef int shift
    cdef int128 product = 0, power = 1
    if x == 0 or y == 0:
        set_decimal(a, 0)
        return
    shift = strip_zeros(&x, 38) + strip_zeros(&y, 38) - DECIMAL_DIGITS
    if shift < 0:
        shift += cancel_tens(&x, &y, -shift)
        shift += cancel_tens(&y, &x, -shift)
    if not power_of_ten(shift, &power) or multiply_overflows(x, y, &product):
        set_error(a)
    elif multiply_overflows(product, power, &product):
        set_error(a)
    else:
        set_decimal(a, product)


cdef void divide_decimals(Value* a, int128 x, int128 y) noexcept nogil:
    """The dividend is shifted to the left as far as it goes, the divisor to the right."""
    cdef int shift = 0
    cdef int128 next_x, power
    while x != 0 and not multiply_overflows(x, 10, &next_x):
        x = next_x
        shift += 1
    shift += strip_zeros(&y, 38) - DECIMAL_DIGITS
    if y == 0 or not power_of_ten(shift, &power):
        set_error(a)
    else:
        set_decimal(a, x // y // power)


cdef void multiply(Value* a, const Value* b) noexcept nogil:
    cdef int kind = operands(a, b)
    cdef int64_t whole = 0
    cdef bint overflowed
    if kind == KIND_INTEGER:
        overflowed = multiply_overflows_64(a.whole, b.whole, &whole)
        set_integer_unless(a, overflowed, whole)
    elif kind == KIND_DECIMAL:
        multiply_decimals(a, as_decimal(a), as_decimal(b))
    elif kind == KIND_DOUBLE:
        set_double(a, as_double(a) * as_double(b))


cdef void divide(Value* a, const Value* b) noexcept nogil:
    cdef int kind = operands(a, b)
    if kind == KIND_INTEGER or kind == KIND_DECIMAL:
        divide_decimals(a, as_decimal(a), as_decimal(b))
    elif kind == KIND_DOUBLE:
        set_double(a, as_double(a) / as_double(b))


cdef void negate(Value* a) noexcept nogil:
    cdef int64_t whole = 0
    cdef int128 number = 0
    cdef bint overflowed
    if a.kind == KIND_INTEGER:
        overflowed = subtract_overflows_64(0, a.whole, &whole)
        set_integer_unless(a, overflowed, whole)
    elif a.kind == KIND_DECIMAL:
        overflowed = subtract_overflows(0, a.number, &number)
        set_decimal_unless(a, overflowed, number)
    elif a.kind == KIND_DOUBLE:
        set_double(a, -a.real)
    else:
        fail(a)


cdef void plus(Value* a) noexcept nogil:
    if not is_number(a):
        fail(a)


cdef void absolute(Value* a) noexcept nogil:
    if a.kind == KIND_DOUBLE:
        set_double(a, fabs(a.real))
    elif not is_number(a):
        fail(a)
    elif (a.whole if a.kind == KIND_INTEGER else a.number) < 0:
        negate(a)


# ── rounding ─────────────────────────────────────────────────────────────────────────────────────────────
cdef inline void set_whole(Value* a, int128 whole) noexcept nogil:
    """A decimal without fraction."""
    cdef int128 number = 0
    cdef bint overflowed = multiply_overflows(whole, DECIMAL_ONE, &number)
    set_decimal_unless(a, overflowed, number)


cdef void ceiling(Value* a) noexcept nogil:
    if a.kind == KIND_DOUBLE:
        set_double(a, ceil(a.real))
    elif a.kind == KIND_DECIMAL:
        set_whole(a, a.number // DECIMAL_ONE + (1 if a.number > 0 and a.number % DECIMAL_ONE != 0 else 0))
    elif a.kind != KIND_INTEGER:
        fail(a)


cdef void floor_number(Value* a) noexcept nogil:
    if a.kind == KIND_DOUBLE:
        set_double(a, floor(a.real))
    elif a.kind == KIND_DECIMAL:
        set_whole(a, a.number // DECIMAL_ONE - (1 if a.number < 0 and a.number % DECIMAL_ONE != 0 else 0))
    elif a.kind != KIND_INTEGER:
        fail(a)


cdef void round_number(Value* a) noexcept nogil:
    """To the nearest whole number; halves go up."""
    cdef int128 rest
    if a.kind == KIND_DOUBLE:
        if a.real < 0 and a.real - floor(a.real) == 0.5:
            set_double(a, ceil(a.real))
        else:
            set_double(a, round_half_away(a.real))
    elif a.kind == KIND_DECIMAL:
        rest = a.number % DECIMAL_ONE
        if rest < 0:
            rest += DECIMAL_ONE
        set_whole(a, (a.number // DECIMAL_ONE) - (1 if a.number % DECIMAL_ONE < 0 else 0) + (2 * rest >= DECIMAL_ONE))
    elif a.kind != KIND_INTEGER:
        fail(a)


# ── dateTime ─────────────────────────────────────────────────────────────────────────────────────────────
cdef void date_part(Value* a, int part) noexcept nogil:
    """Part 0 is the year, 1 the month, 2 the day, 3 hours, 4 minutes, 5 seconds."""
    cdef DateFields fields
    if a.kind != KIND_DATETIME:
        fail(a)
        return
    date_fields(a.number, a.zone, &fields)
    if part == 0:
        set_integer(a, fields.year)
    elif part == 1:
        set_integer(a, fields.month)
    elif part == 2:
        set_integer(a, fields.day)
    elif part == 3:
        set_integer(a, fields.hour)
    elif part == 4:
        set_integer(a, fields.minute)
    else:
        set_decimal(a, fields.second)


cdef void zone_text(Value* a, TermStore* store) noexcept nogil:
    cdef char* text
    if a.kind != KIND_DATETIME:
        fail(a)
        return
    text = scratch(store, 6)
    set_text(a, KIND_STRING, text, print_zone(a.zone, text))


# ── terms to strings ─────────────────────────────────────────────────────────────────────────────────────
cdef void print_number(Value* a, TermStore* store) noexcept nogil:
    """The lexical form of a number or dateTime as a string."""
    cdef char buffer[LONGEST_FORM]
    cdef size_t length
    cdef char* text
    if a.kind == KIND_INTEGER:
        length = print_integer(a.whole, buffer)
    elif a.kind == KIND_DECIMAL:
        length = print_decimal(a.number, buffer)
    elif a.kind == KIND_DOUBLE:
        length = print_double(a.real, buffer)
    else:
        length = print_datetime(a.number, a.zone, buffer)
    text = scratch(store, length)
    memcpy(text, buffer, length)
    set_text(a, KIND_STRING, text, length)


cdef void string_of(Value* a, TermStore* store) noexcept nogil:
    if is_number(a) or a.kind == KIND_DATETIME:
        print_number(a, store)
    elif a.kind == KIND_BOOLEAN:
        set_text(a, KIND_STRING, b"true" if a.whole else b"false", 4 if a.whole else 5)
    elif a.kind == KIND_UNKNOWN or a.kind == KIND_ERROR or a.kind == KIND_BLANK:
        if a.kind == KIND_BLANK:
            set_error(a)
    elif a.kind != KIND_STRING:
        spell(a, store)
        if a.kind == KIND_TYPED and a.language_length >= 41 and memcmp(a.language, DATETIME, 41) == 0:
            set_unknown(a)  # it may be one that the Store prints in another form
        else:
            set_text(a, KIND_STRING, a.text, a.length)


cdef bint has_direction(const Value* a) noexcept nogil:
    """Whether a language tag carries a base direction (``ar--rtl``)."""
    return memmem(a.language, a.language_length, b"--", 2) != NULL


cdef void language_of(Value* a, TermStore* store) noexcept nogil:
    if a.kind == KIND_LANGUAGE:
        spell(a, store)
        if has_direction(a):
            set_unknown(a)
        else:
            set_text(a, KIND_STRING, a.language, a.language_length)
    elif a.kind == KIND_IRI or a.kind == KIND_BLANK:
        set_error(a)
    elif a.kind != KIND_ERROR and a.kind != KIND_UNKNOWN:
        set_text(a, KIND_STRING, b"", 0)


cdef inline void set_datatype(Value* a, const char* name, size_t length) noexcept nogil:
    set_text(a, KIND_IRI, name, length)


cdef void datatype_of(Value* a, TermStore* store) noexcept nogil:
    if a.kind == KIND_INTEGER:
        set_datatype(a, b"http://www.w3.org/2001/XMLSchema#integer", 40)
    elif a.kind == KIND_DECIMAL:
        set_datatype(a, b"http://www.w3.org/2001/XMLSchema#decimal", 40)
    elif a.kind == KIND_DOUBLE:
        set_datatype(a, b"http://www.w3.org/2001/XMLSchema#double", 39)
    elif a.kind == KIND_BOOLEAN:
        set_datatype(a, b"http://www.w3.org/2001/XMLSchema#boolean", 40)
    elif a.kind == KIND_DATETIME:
        set_datatype(a, DATETIME, 41)
    elif a.kind == KIND_STRING:
        set_datatype(a, b"http://www.w3.org/2001/XMLSchema#string", 39)
    elif a.kind == KIND_TYPED:
        spell(a, store)
        set_datatype(a, a.language, a.language_length)
    elif a.kind == KIND_LANGUAGE:
        spell(a, store)
        if has_direction(a):
            set_unknown(a)
        else:
            set_datatype(a, b"http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", 53)
    elif a.kind != KIND_UNKNOWN:
        set_error(a)


# ── strings ──────────────────────────────────────────────────────────────────────────────────────────────
cdef inline bint is_text(const Value* a) noexcept nogil:
    return a.kind == KIND_STRING or a.kind == KIND_LANGUAGE


cdef inline void fail_text(Value* a) noexcept nogil:
    """No string: an error, whatever an opaque literal may mean."""
    if a.kind != KIND_UNKNOWN:
        set_error(a)


cdef void string_length(Value* a, const TermStore* store) noexcept nogil:
    cdef int64_t count = 0
    cdef size_t i
    if not is_text(a):
        fail_text(a)
        return
    spell(a, store)
    for i in range(a.length):
        count += (a.text[i] & 0xC0) != 0x80  # not a UTF-8 continuation byte
    set_integer(a, count)


cdef bint same_language(const Value* a, const Value* b) noexcept nogil:
    return (
        a.kind == b.kind and a.language_length == b.language_length
        and memcmp(a.language, b.language, a.language_length) == 0
    )


cdef bint compatible(Value* a, Value* b, const TermStore* store) noexcept nogil:
    """Whether `b` can be looked for in `a`: no language, or the same.  If not, `a` is an error or unknown."""
    if is_text(a) and is_text(b):
        spell(a, store)
        spell(b, store)
        if b.kind == KIND_STRING or same_language(a, b):
            return True
        set_error(a)
    elif (a.kind == KIND_UNKNOWN or is_text(a)) and (b.kind == KIND_UNKNOWN or is_text(b)):
        set_unknown(a)
    else:
        set_error(a)
    return False


cdef void contains(Value* a, Value* b, const TermStore* store) noexcept nogil:
    if compatible(a, b, store):
        set_truth(a, b.length == 0 or memmem(a.text, a.length, b.text, b.length) != NULL)


cdef void starts_with(Value* a, Value* b, const TermStore* store) noexcept nogil:
    if compatible(a, b, store):
        set_truth(a, a.length >= b.length and memcmp(a.text, b.text, b.length) == 0)


cdef void ends_with(Value* a, Value* b, const TermStore* store) noexcept nogil:
    if compatible(a, b, store):
        set_truth(a, a.length >= b.length and memcmp(a.text + (a.length - b.length), b.text, b.length) == 0)


cdef void change_case(Value* a, TermStore* store, bint upper) noexcept nogil:
    """ASCII only; other letters are unknown here."""
    cdef char* text
    cdef size_t i
    cdef char first = c'a' if upper else c'A'
    if not is_text(a):
        fail_text(a)
        return
    spell(a, store)
    if a.length > LONGEST_TEXT:
        set_error(a)
        return
    text = scratch(store, a.length)
    for i in range(a.length):
        if a.text[i] & 0x80:
            set_unknown(a)
            return
        text[i] = a.text[i] ^ 32 if first <= a.text[i] < first + 26 else a.text[i]
    a.text = text
    a.word = 0


cdef void concatenate(Value* a, int count, TermStore* store) noexcept nogil:
    """CONCAT of `count` operands, with their language if they share one; one that is too long is an error."""
    cdef size_t length = 0
    cdef bint shared = True, unknown = False
    cdef char* text
    cdef int i
    for i in range(count):
        if a[i].kind == KIND_UNKNOWN:
            unknown = True
        elif not is_text(&a[i]):
            set_error(a)
            return
        else:
            spell(&a[i], store)
            length += a[i].length
            shared = shared and same_language(a, &a[i])
    if length > LONGEST_TEXT:
        set_error(a)
        return
    if unknown:
        set_unknown(a)
        return
    text = scratch(store, length)
    length = 0
    for i in range(count):
        memcpy(text + length, a[i].text, a[i].length)
        length += a[i].length
    if count == 0 or not shared:
        set_text(a, KIND_STRING, text, length)
    else:
        a.text = text
        a.length = length
        a.word = 0


# ── by number ────────────────────────────────────────────────────────────────────────────────────────────
cdef void apply_function(Op op, Value* a, int argument, TermStore* store) noexcept nogil:
    """The functions, by their numbers; operands begin at `a`, of which CONCAT has `argument`."""
    if op == Op.NEGATE:
        negate(a)
    elif op == Op.PLUS:
        plus(a)
    elif op == Op.ABS:
        absolute(a)
    elif op == Op.CEIL:
        ceiling(a)
    elif op == Op.FLOOR:
        floor_number(a)
    elif op == Op.ROUND:
        round_number(a)
    elif op >= Op.YEAR and op <= Op.SECONDS:
        date_part(a, <int>op - <int>Op.YEAR)
    elif op == Op.TZ:
        zone_text(a, store)
    elif op == Op.STR:
        string_of(a, store)
    elif op == Op.LANG:
        language_of(a, store)
    elif op == Op.DATATYPE:
        datatype_of(a, store)
    elif op == Op.STRLEN:
        string_length(a, store)
    elif op == Op.CONTAINS:
        contains(a, a + 1, store)
    elif op == Op.STRSTARTS:
        starts_with(a, a + 1, store)
    elif op == Op.STRENDS:
        ends_with(a, a + 1, store)
    elif op == Op.LCASE or op == Op.UCASE:
        change_case(a, store, op == Op.UCASE)
    else:
        concatenate(a, argument, store)
