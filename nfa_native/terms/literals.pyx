# distutils: language = c++
# cython: cdivision=True
"""XSD integers, decimals, doubles and dateTimes: lexical forms to exact values and back.

Valid are exactly the forms, and printed are exactly the forms, of pyoxigraph's Store: integers are int64, decimals
int128 in units of 10**-18, an instant is a number of such units of a second since the beginning of the year 1.
"""

from libc.math cimport INFINITY, NAN, isinf, isnan, signbit
from libc.string cimport memcpy

cdef extern from "<charconv>" namespace "std" nogil:
    cdef enum class errc "std::errc":
        pass
    cdef enum class chars_format "std::chars_format":
        scientific
    cdef struct from_chars_result "std::from_chars_result":
        const char* ptr
        errc ec
    cdef struct to_chars_result "std::to_chars_result":
        char* ptr
    from_chars_result from_chars "std::from_chars"(const char* begin, const char* end, double& value)
    to_chars_result to_chars "std::to_chars"(char* begin, char* end, double value, chars_format form)
    to_chars_result to_chars_precisely "std::to_chars"(
        char* begin, char* end, double value, chars_format form, int precision)

cdef extern from *:
    """
    static inline int spaseq_is_ok(std::errc code) { return code == std::errc(); }
    """
    bint is_ok "spaseq_is_ok"(errc code) nogil


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────
cdef inline bint is_digit(char c) noexcept nogil:
    return c >= c'0' and c <= c'9'


cdef inline bint append_digit(int128* value, int sign, char digit) noexcept nogil:
    """value = value * 10 ± digit, unless that overflows."""
    if multiply_overflows(value[0], 10, value):
        return False
    return not add_overflows(value[0], <int128>(sign * (digit - c'0')), value)


cdef bint parse_integer(const char* text, size_t length, int64_t* value) noexcept nogil:
    cdef int sign = -1 if length and text[0] == c'-' else 1
    cdef size_t start = 1 if length and (text[0] == c'-' or text[0] == c'+') else 0
    cdef size_t i
    cdef int128 result = 0
    if start == length:
        return False
    for i in range(start, length):
        if not is_digit(text[i]):
            return False
        result = result * 10 + sign * (text[i] - c'0')
        if result != <int64_t>result:
            return False
    value[0] = <int64_t>result
    return True


cdef bint parse_decimal(const char* text, size_t length, int128* value) noexcept nogil:
    cdef int sign = -1 if length and text[0] == c'-' else 1
    cdef size_t i = 1 if length and (text[0] == c'-' or text[0] == c'+') else 0
    cdef size_t start = i
    cdef int digits = 0
    cdef int128 result = 0
    while i < length and is_digit(text[i]):
        if not append_digit(&result, sign, text[i]):
            return False
        i += 1
    if i == length:
        if i == start:
            return False
    else:
        if text[i] != c'.' or (i == start and i + 1 == length):
            return False
        i += 1
        while length > i and text[length - 1] == c'0':
            length -= 1
        while i < length:
            digits += 1
            if digits > DECIMAL_DIGITS or not is_digit(text[i]) or not append_digit(&result, sign, text[i]):
                return False
            i += 1
    return not multiply_overflows(result, <int128>POWERS_OF_TEN[DECIMAL_DIGITS - digits], value)


cdef bint is_word(const char* text, size_t length, const char* word, size_t word_length) noexcept nogil:
    """Whether the text is that lower-case word in letters of any case."""
    cdef size_t i
    if length != word_length:
        return False
    for i in range(length):
        if (text[i] | 32) != word[i]:
            return False
    return True


cdef bint double_is_huge(const char* text, size_t length) noexcept nogil:
    """Of a number out of a double's range: whether it is too large rather than too small."""
    cdef size_t i = 0
    cdef int64_t order = 0, exponent = 0
    cdef bint point = False, significant = False, negative = False
    while i < length and (text[i] | 32) != c'e':
        if text[i] == c'.':
            point = True
        else:
            significant = significant or text[i] != c'0'
            if significant and not point:
                order += 1
            elif point and not significant:
                order -= 1
        i += 1
    i += 1
    if i < length and (text[i] == c'-' or text[i] == c'+'):
        negative = text[i] == c'-'
        i += 1
    while i < length and exponent < 1_000_000_000:
        exponent = exponent * 10 + (text[i] - c'0')
        i += 1
    return order + (-exponent if negative else exponent) > 0


cdef bint parse_double(const char* text, size_t length, double* value) noexcept nogil:
    cdef bint negative = length > 0 and text[0] == c'-'
    cdef double result = 0
    cdef from_chars_result end
    if length and (text[0] == c'-' or text[0] == c'+'):
        text += 1
        length -= 1
    if length == 0:
        return False
    if is_word(text, length, "inf", 3) or is_word(text, length, "infinity", 8):
        result = INFINITY
    elif is_word(text, length, "nan", 3):
        value[0] = NAN
        return True
    elif not is_digit(text[0]) and text[0] != c'.':
        return False
    else:
        end = from_chars(text, text + length, result)
        if end.ptr != text + length:
            return False
        if not is_ok(end.ec):
            result = INFINITY if double_is_huge(text, length) else 0.0
    value[0] = -result if negative else result
    return True


# ── dateTime ─────────────────────────────────────────────────────────────────────────────────────────────
cdef inline bint is_leap(int64_t year) noexcept nogil:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


cdef inline int days_in_month(int64_t year, int month) noexcept nogil:
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


cdef inline int64_t floor_divide(int64_t a, int64_t b) noexcept nogil:
    """For b > 0."""
    return a // b if a >= 0 else -((-a + b - 1) // b)


cdef int two_digits(const char* text, const char* end, char before) noexcept nogil:
    """The number after the character `before` (none if 0) that has exactly two digits; -1: something else."""
    if before:
        if text == end or text[0] != before:
            return -1
        text += 1
    if end - text < 2 or not is_digit(text[0]) or not is_digit(text[1]) or (end - text > 2 and is_digit(text[2])):
        return -1
    return (text[0] - c'0') * 10 + (text[1] - c'0')


cdef const char* parse_year(const char* text, const char* end, int64_t* year) noexcept nogil:
    """At least four digits, no needless zero before them; NULL if ill-formed."""
    cdef const char* start = text
    if text < end and text[0] == c'-':
        start += 1
    text = start
    while text < end and is_digit(text[0]):
        text += 1
    if text - start < 4 or (text - start > 4 and start[0] == c'0') or not parse_integer(start, text - start, year):
        return NULL
    return text


cdef bint parse_zone(const char* text, const char* end, int32_t* zone) noexcept nogil:
    cdef int hours, minutes
    if text == end:
        zone[0] = NO_ZONE
        return True
    if text[0] == c'Z':
        zone[0] = 0
        return end - text == 1
    if (text[0] != c'+' and text[0] != c'-') or end - text != 6:
        return False
    hours = two_digits(text + 1, end, 0)
    minutes = two_digits(text + 3, end, c':')
    if hours < 0 or minutes < 0 or minutes > 59 or hours * 60 + minutes > 14 * 60:
        return False
    zone[0] = hours * 60 + minutes
    if text[0] == c'-':
        zone[0] = -zone[0]
    return True


cdef bint on_timeline(int64_t year, int month, int day, int128 seconds, int128 fraction, int128* instant) noexcept nogil:
    """The instant of a date and the whole seconds in it; False if it overflows."""
    cdef int64_t before, leap_days
    cdef int128 days
    cdef int i
    if year // 1_000_000 > 10_000_000 or year // 1_000_000 < -10_000_000:
        return False  # an instant holds half as many years, and int64 arithmetic a thousand times as many
    before = year - 1
    leap_days = floor_divide(before, 4) - floor_divide(before, 100) + floor_divide(before, 400)
    days = <int128>before * 365 + leap_days + (day - 1)
    for i in range(1, month):
        days += days_in_month(year, i)
    seconds += days * 86400
    return not (multiply_overflows(seconds, DECIMAL_ONE, instant) or add_overflows(instant[0], fraction, instant))


cdef bint parse_datetime(const char* text, size_t length, int128* instant, int32_t* zone) noexcept nogil:
    cdef const char* end = text + length
    cdef const char* second_start
    cdef int64_t year
    cdef int128 second, whole
    cdef int month, day, hour, minute
    cdef bint negative = length > 0 and text[0] == c'-'
    text = parse_year(text, end, &year)
    if text == NULL or end - text < 15:
        return False
    if negative:
        year = -year
    month = two_digits(text, end, c'-')
    day = two_digits(text + 3, end, c'-')
    hour = two_digits(text + 6, end, c'T')
    minute = two_digits(text + 9, end, c':')
    second_start = text + 13
    if two_digits(text + 12, end, c':') < 0 or month < 1 or month > 12 or day < 1 or day > days_in_month(year, month):
        return False
    text += 15
    if text < end and text[0] == c'.':
        text += 1
        if text == end or not is_digit(text[0]):
            return False
        while text < end and is_digit(text[0]):
            text += 1
    if not parse_decimal(second_start, text - second_start, &second) or second >= 60 * DECIMAL_ONE:
        return False
    if hour < 0 or hour > 24 or minute < 0 or minute > 59 or (hour == 24 and (minute or second)):
        return False
    if not parse_zone(text, end, zone):
        return False
    whole = hour * 3600 + minute * 60
    if zone[0] != NO_ZONE:
        whole -= zone[0] * 60
    return on_timeline(year, month, day, whole, second, instant)


cdef void date_fields(int128 instant, int32_t zone, DateFields* fields) noexcept nogil:
    """Calendar and clock of an instant in its own zone (none: as it stands)."""
    cdef int128 seconds = instant // DECIMAL_ONE
    cdef int128 fraction = instant % DECIMAL_ONE
    cdef int128 days, era, within
    cdef int64_t day_of_era, year_of_era, day_of_year, clock
    if fraction < 0:
        fraction += DECIMAL_ONE
        seconds -= 1
    if zone != NO_ZONE:
        seconds += zone * 60
    days = seconds // 86400
    clock = <int64_t>(seconds % 86400)
    if clock < 0:
        clock += 86400
        days -= 1
    # Count days from the first of March of the year 0, so that a leap day ends its year; eras have 400 years.
    days += 306
    era = days // 146097
    within = days % 146097
    if within < 0:
        within += 146097
        era -= 1
    day_of_era = <int64_t>within
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    fields.month = <int32_t>((5 * day_of_year + 2) // 153)
    fields.day = <int32_t>(day_of_year - (153 * fields.month + 2) // 5 + 1)
    fields.month += 3 if fields.month < 10 else -9
    fields.year = <int64_t>(era * 400) + year_of_era + (1 if fields.month <= 2 else 0)
    fields.hour = <int32_t>(clock // 3600)
    fields.minute = <int32_t>(clock % 3600 // 60)
    fields.second = <int128>(clock % 60) * DECIMAL_ONE + fraction


# ── printing ─────────────────────────────────────────────────────────────────────────────────────────────
cdef size_t print_digits(int128 value, int least, char* out) noexcept nogil:
    """A number ≥ 0 with at least so many digits."""
    cdef char buffer[48]
    cdef int n = 0
    cdef int i
    cdef int64_t small
    while value != <int64_t>value:  # division of 128 bits is slow
        buffer[n] = <char>(c'0' + <int>(value % 10))
        value = value // 10
        n += 1
    small = <int64_t>value
    while small > 0 or n < least:
        buffer[n] = <char>(c'0' + <int>(small % 10))
        small = small // 10
        n += 1
    for i in range(n):
        out[i] = buffer[n - 1 - i]
    return n


cdef size_t print_integer(int64_t value, char* out) noexcept nogil:
    cdef int128 wide = value
    if wide >= 0:
        return print_digits(wide, 1, out)
    out[0] = c'-'
    return 1 + print_digits(-wide, 1, out + 1)


cdef size_t print_unsigned(int128 whole, int128 fraction, int least, char* out) noexcept nogil:
    """Whole part with at least so many digits, and the fraction without trailing zeros."""
    cdef size_t n = print_digits(whole, least, out)
    if fraction:
        out[n] = c'.'
        n += 1 + print_digits(fraction, DECIMAL_DIGITS, out + n + 1)
        while out[n - 1] == c'0':
            n -= 1
    return n


cdef size_t print_decimal(int128 value, char* out) noexcept nogil:
    # The least value has no positive counterpart: take the sign off after the division.
    cdef int128 whole = value // DECIMAL_ONE
    cdef int128 fraction = value % DECIMAL_ONE
    if value >= 0:
        return print_unsigned(whole, fraction, 1, out)
    out[0] = c'-'
    return 1 + print_unsigned(-whole, -fraction, 1, out + 1)


cdef size_t print_scaled(int64_t mantissa, int scale, char* out) noexcept nogil:
    """The decimal mantissa · 10**-scale, of which no digit behind the point is a 0 at the end; the scale is below 32."""
    cdef char buffer[48]
    cdef int at = sizeof(buffer)
    cdef int digits = 0
    cdef uint64_t rest = -<uint64_t>mantissa if mantissa < 0 else <uint64_t>mantissa
    while rest or digits <= scale:
        if digits == scale and scale:
            at -= 1
            buffer[at] = c'.'
        at -= 1
        buffer[at] = <char>(c'0' + rest % 10)
        rest //= 10
        digits += 1
    if mantissa < 0:
        at -= 1
        buffer[at] = c'-'
    memcpy(out, buffer + at, sizeof(buffer) - at)
    return sizeof(buffer) - at


cdef size_t print_special(double value, char* out) noexcept nogil:
    """NaN, INF or -INF."""
    if isnan(value):
        memcpy(out, "NaN", 3)
        return 3
    if value > 0:
        memcpy(out, "INF", 3)
        return 3
    memcpy(out, "-INF", 4)
    return 4


cdef int shortest_digits(double value, char* digits, int* exponent) noexcept nogil:
    """The fewest digits d1 d2 … of a positive number d1.d2… · 10**exponent that read back to it; how many they are."""
    cdef char* end = to_chars(digits, digits + 40, value, chars_format.scientific).ptr
    cdef char* at = digits
    cdef int count = 0
    cdef bint negative
    while at[0] != c'e':  # squeeze the point out
        if at[0] != c'.':
            digits[count] = at[0]
            count += 1
        at += 1
    negative = at[1] == c'-'
    at += 2
    exponent[0] = 0
    while at < end:
        exponent[0] = exponent[0] * 10 + (at[0] - c'0')
        at += 1
    if negative:
        exponent[0] = -exponent[0]
    return count


cdef bint is_tie(double value, const char* digits, int count) noexcept nogil:
    """Whether the number lies in the middle between those digits and the next larger ones."""
    cdef char precise[LONGEST_FORM]
    cdef int i
    # Fewer digits cannot be ambiguous: 15 of them always survive a double.
    if count < 15:
        return False
    to_chars_precisely(precise, precise + LONGEST_FORM, value, chars_format.scientific, count)
    if precise[count + 1] != c'5':
        return False
    to_chars_precisely(precise, precise + LONGEST_FORM, value, chars_format.scientific, 800)
    for i in range(1, count):
        if precise[i + 1] != digits[i]:
            return False
    if precise[count + 1] != c'5':
        return False
    for i in range(count + 2, 802):
        if precise[i] != c'0':
            return False
    return True


cdef void break_tie(double value, char* digits, int count) noexcept nogil:
    """Of two equally near candidates the Store takes the larger one, if it reads back."""
    cdef char text[48]
    cdef char* end
    cdef double back = 0
    digits[count - 1] += 1
    end = to_chars(text, text + 48, value, chars_format.scientific).ptr
    text[count] = digits[count - 1]
    from_chars(text, end, back)
    if back != value:
        digits[count - 1] -= 1


cdef size_t print_double(double value, char* out) noexcept nogil:
    """The shortest digits that read back to the value, never with an exponent."""
    cdef char digits[40]
    cdef size_t n = 0
    cdef int count, exponent
    if isnan(value) or isinf(value):
        return print_special(value, out)
    if signbit(value):
        out[0] = c'-'
        n = 1
        value = -value
    count = shortest_digits(value, digits, &exponent)
    if is_tie(value, digits, count):
        break_tie(value, digits, count)
    return n + print_positional(digits, count, exponent, out + n)


cdef size_t print_positional(const char* digits, int count, int exponent, char* out) noexcept nogil:
    """Digits d1 d2 … with the value d1.d2… · 10**exponent."""
    cdef size_t n = 0
    cdef int i
    if exponent < 0:
        out[0] = c'0'
        out[1] = c'.'
        n = 2
        for i in range(-exponent - 1):
            out[n] = c'0'
            n += 1
    for i in range(count):
        out[n] = digits[i]
        n += 1
        if i == exponent and i + 1 < count:
            out[n] = c'.'
            n += 1
    for i in range(count, exponent + 1):
        out[n] = c'0'
        n += 1
    return n


cdef size_t print_zone(int32_t zone, char* out) noexcept nogil:
    """Nothing, Z, or the signed offset."""
    if zone == NO_ZONE:
        return 0
    if zone == 0:
        out[0] = c'Z'
        return 1
    out[0] = c'-' if zone < 0 else c'+'
    zone = -zone if zone < 0 else zone
    print_digits(zone // 60, 2, out + 1)
    out[3] = c':'
    print_digits(zone % 60, 2, out + 4)
    return 6


cdef size_t print_datetime(int128 instant, int32_t zone, char* out) noexcept nogil:
    cdef DateFields fields
    cdef size_t n = 0
    date_fields(instant, zone, &fields)
    if fields.year < 0:
        out[0] = c'-'
        n = 1
        fields.year = -fields.year
    n += print_digits(fields.year, 4, out + n)
    out[n] = c'-'
    n += 1 + print_digits(fields.month, 2, out + n + 1)
    out[n] = c'-'
    n += 1 + print_digits(fields.day, 2, out + n + 1)
    out[n] = c'T'
    n += 1 + print_digits(fields.hour, 2, out + n + 1)
    out[n] = c':'
    n += 1 + print_digits(fields.minute, 2, out + n + 1)
    out[n] = c':'
    n += 1 + print_unsigned(fields.second // DECIMAL_ONE, fields.second % DECIMAL_ONE, 2, out + n + 1)
    return n + print_zone(zone, out + n)
