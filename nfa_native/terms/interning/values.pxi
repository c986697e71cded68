# Values to words.


cdef inline word_t inline_word(int64_t value, int shift) noexcept nogil:
    return <word_t>value << shift


cdef word_t integer_word(TermStore* store, int64_t value) noexcept nogil:
    if value >> 59 == 0 or value >> 59 == -1:
        return inline_word(value, 4) | TAG_INTEGER
    return side_word(store, KIND_INTEGER, value, 0)


cdef word_t decimal_word(TermStore* store, int128 value) noexcept nogil:
    cdef int scale = DECIMAL_DIGITS
    cdef int128 mantissa = value
    cdef word_t word = UNBOUND
    if mantissa != <int64_t>mantissa and mantissa % 1_000_000_000 == 0:  # dividing 128 bits is slow
        mantissa = mantissa // 1_000_000_000
        scale -= 9
    while scale > 0 and mantissa != <int64_t>mantissa and mantissa % 10 == 0:
        mantissa = mantissa // 10
        scale -= 1
    if mantissa == <int64_t>mantissa:
        word = small_decimal(<int64_t>mantissa, scale)
    return side_word(store, KIND_DECIMAL, value, 0) if word == UNBOUND else word


cdef word_t small_decimal(int64_t mantissa, int scale) noexcept nogil:
    """The word of a decimal with `scale` digits behind the point if it has room in one, else UNBOUND."""
    while scale >= 4 and mantissa % 10_000 == 0:
        mantissa = mantissa // 10_000
        scale -= 4
    while scale > 0 and mantissa % 10 == 0:
        mantissa = mantissa // 10
        scale -= 1
    if mantissa >> 54 != 0 and mantissa >> 54 != -1:
        return UNBOUND
    return inline_word(mantissa, 9) | <word_t>(scale << 4) | TAG_DECIMAL


cdef inline uint64_t double_bits(double value) noexcept nogil:
    """The bits of a double; there is one NaN."""
    cdef uint64_t bits
    if value != value:
        return <uint64_t>0x7ff8000000000000
    memcpy(&bits, &value, sizeof(double))
    return bits


cdef word_t bits_word(TermStore* store, uint64_t bits) noexcept nogil:
    cdef uint64_t magnitude = bits & ~DOUBLE_SIGN
    if magnitude == 0:
        return bits | TAG_DOUBLE
    if magnitude > DOUBLE_BASE and magnitude - DOUBLE_BASE <= DOUBLE_MAGNITUDE:
        return (bits & DOUBLE_SIGN) | (magnitude - DOUBLE_BASE) << 4 | TAG_DOUBLE
    return side_word(store, KIND_DOUBLE, <int128>bits, 0)


cdef word_t double_word(TermStore* store, double value) noexcept nogil:
    return bits_word(store, double_bits(value))


cdef word_t datetime_word(TermStore* store, int128 instant, int32_t zone) noexcept nogil:
    cdef int128 since = instant - EPOCH
    cdef int128 micros
    if (zone == 0 or zone == NO_ZONE) and since % MICROSECOND == 0:
        micros = since // MICROSECOND
        if micros >= -(<int64_t>1 << 58) and micros < <int64_t>1 << 58:
            return inline_word(<int64_t>micros, 5) | (16 if zone == NO_ZONE else 0) | TAG_DATETIME
    return side_word(store, KIND_DATETIME, instant, zone)


cdef word_t boolean_word(bint value) noexcept nogil:
    return <word_t>(1 if value else 0) << 4 | TAG_BOOLEAN
