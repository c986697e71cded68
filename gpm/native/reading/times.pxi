# Literals that are times, as spaseq/streams/timestamps.py reads them.


cdef inline int two_digits(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """A number of two digits; −1 if there is none."""
    if end - at < 2 or not is_kind(at[0], DIGIT) or not is_kind(at[1], DIGIT):
        return -1
    return (at[0] - c'0') * 10 + at[1] - c'0'


cdef inline bint is_mark(const uint8_t* at, const uint8_t* end, char mark) noexcept nogil:
    return at < end and at[0] == mark


cdef int64_t days_since_1970(int64_t year, int month, int day) noexcept nogil:
    """Days to a date of the proleptic Gregorian calendar, which has a year 0."""
    cdef int64_t era, year_of_era, day_of_year
    year -= month <= 2  # years begin in March here, and leap days end them
    era = (year if year >= 0 else year - 399) // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719468


cdef inline int last_day(int64_t year, int month) noexcept nogil:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


cdef const uint8_t* read_date(const uint8_t* at, const uint8_t* end, int64_t* days) noexcept nogil:
    """Behind an ISO date; NULL if there is none, or one far beyond 64 bits of microseconds."""
    cdef bint negative = is_mark(at, end, c'-')
    cdef const uint8_t* start = at + negative
    cdef int64_t year = 0
    cdef int month, day
    at = start
    while at < end and is_kind(at[0], DIGIT) and at - start <= 6:
        year = year * 10 + at[0] - c'0'
        at += 1
    if at - start < 4 or at - start > 6 or at - start > 4 and start[0] == c'0':
        return NULL
    if end - at < 6 or at[0] != c'-' or at[3] != c'-':
        return NULL
    month = two_digits(at + 1, end)
    day = two_digits(at + 4, end)
    if negative:
        year = -year
    if month < 1 or month > 12 or day < 1 or day > last_day(year, month):
        return NULL
    days[0] = days_since_1970(year, month, day)
    return at + 6


cdef const uint8_t* read_clock(const uint8_t* at, const uint8_t* end, int64_t* seconds) noexcept nogil:
    """Behind T and a time of day to the second; NULL if there is none."""
    cdef int hours, minutes, rest
    if end - at < 9 or at[0] != c'T' or at[3] != c':' or at[6] != c':':
        return NULL
    hours = two_digits(at + 1, end)
    minutes = two_digits(at + 4, end)
    rest = two_digits(at + 7, end)
    seconds[0] = hours * 3600 + minutes * 60 + rest
    if hours < 0 or minutes < 0 or minutes > 59 or rest < 0 or rest > 59 or seconds[0] > 86400:
        return NULL
    return at + 9


cdef const uint8_t* read_fraction(const uint8_t* at, const uint8_t* end, int64_t* micros) noexcept nogil:
    """Behind a point and digits, if there is a point, of which six count; NULL if no digits follow it."""
    cdef int64_t worth = 100_000
    micros[0] = 0
    if not is_mark(at, end, c'.'):
        return at
    at += 1
    if at == end or not is_kind(at[0], DIGIT):
        return NULL
    while at < end and is_kind(at[0], DIGIT):
        micros[0] += worth * (at[0] - c'0')
        worth //= 10
        at += 1
    return at


cdef bint read_zone(const uint8_t* at, const uint8_t* end, int64_t* minutes) noexcept nogil:
    """Whether all that is left is a time zone, or nothing, which is UTC."""
    cdef int hours, rest
    minutes[0] = 0
    if at == end or at[0] == c'Z':
        return end - at <= 1
    if end - at != 6 or at[0] != c'+' and at[0] != c'-' or at[3] != c':':
        return False
    hours = two_digits(at + 1, end)
    rest = two_digits(at + 4, end)
    minutes[0] = hours * 60 + rest
    if hours < 0 or rest < 0 or rest > 59 or minutes[0] > 840:
        return False
    if at[0] == c'-':
        minutes[0] = -minutes[0]
    return True


cdef inline bint as_time(int128 value, int64_t* microseconds) noexcept nogil:
    """Whether it fits 64 bits; the least and the greatest number of them are no times."""
    microseconds[0] = <int64_t>value
    return value == microseconds[0] and microseconds[0] != LEAST and microseconds[0] != GREATEST


cdef bint datetime_time(const uint8_t* at, const uint8_t* end, int64_t* microseconds) noexcept nogil:
    cdef int64_t days = 0, seconds = 0, micros = 0, zone = 0
    at = read_date(at, end, &days)
    if at != NULL:
        at = read_clock(at, end, &seconds)
    if at != NULL:
        at = read_fraction(at, end, &micros)
    if at == NULL or not read_zone(at, end, &zone):
        return False
    return as_time((<int128>(days * 86400 + seconds - zone * 60)) * 1_000_000 + micros, microseconds)


cdef bint integer_time(const uint8_t* at, const uint8_t* end, int64_t unit, int64_t* microseconds) noexcept nogil:
    cdef bint negative = is_mark(at, end, c'-')
    cdef int128 value = 0
    at += negative or is_mark(at, end, c'+')
    if at == end or end - at > 30:
        return False
    while at < end:
        if not is_kind(at[0], DIGIT):
            return False
        value = value * 10 + at[0] - c'0'
        at += 1
    if value != <int64_t>value:
        return False
    return as_time(-value * unit if negative else value * unit, microseconds)


cdef bint value_time(const Parts* parts, int64_t unit, int64_t* microseconds) noexcept nogil:
    """The time of a literal without escapes."""
    cdef const char* name
    cdef size_t n
    if not is_xsd(parts.datatype, parts.datatype_size):
        return False
    name = <const char*>parts.datatype + XSD_SIZE
    n = parts.datatype_size - XSD_SIZE
    if n == 8 and memcmp(name, b"dateTime", 8) == 0 or n == 13 and memcmp(name, b"dateTimeStamp", 13) == 0:
        return datetime_time(parts.form, parts.form + parts.form_size, microseconds)
    if n == 7 and memcmp(name, b"integer", 7) == 0 or is_derived_integer(name, n):
        return integer_time(parts.form, parts.form + parts.form_size, unit, microseconds)
    return False


cdef bint parse_time(const uint8_t* text, uint32_t size, int64_t unit, int64_t* microseconds) noexcept nogil:
    cdef Parts parts
    cdef vector[uint8_t] plain
    if text[0] != c'"':
        return False
    split_literal(text, size, &parts)
    if not parts.is_escaped or parts.datatype == NULL:
        return value_time(&parts, unit, microseconds)
    plain.resize(size)
    parts.datatype_size = unescape(parts.datatype, parts.datatype_size, plain.data())
    parts.form_size = unescape(parts.form, parts.form_size, plain.data() + parts.datatype_size)
    parts.datatype = plain.data()
    parts.form = plain.data() + parts.datatype_size
    return value_time(&parts, unit, microseconds)
