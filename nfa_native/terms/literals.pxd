# cython: language_level=3
"""Values of XSD literals and their lexical forms, as pyoxigraph's Store reads and prints them."""

from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from *:
    """
    #ifndef SPASEQ_INT128
    #define SPASEQ_INT128
    typedef __int128 spaseq_int128;
    #define SPASEQ_DECIMAL_ONE ((__int128)1000000000000000000LL)
    #define SPASEQ_EPOCH (SPASEQ_DECIMAL_ONE * 62135596800LL)
    static const int64_t SPASEQ_POWERS[19] = {
        1LL, 10LL, 100LL, 1000LL, 10000LL, 100000LL, 1000000LL, 10000000LL, 100000000LL, 1000000000LL, 10000000000LL,
        100000000000LL, 1000000000000LL, 10000000000000LL, 100000000000000LL, 1000000000000000LL,
        10000000000000000LL, 100000000000000000LL, 1000000000000000000LL};
    #endif
    """
    # Cython has no 128-bit type: "long long" here only names its rank, the C compiler sees __int128.
    ctypedef long long int128 "spaseq_int128"
    const int128 DECIMAL_ONE "SPASEQ_DECIMAL_ONE"  # 10**18: decimals and seconds are counted in units of 10**-18
    const int128 EPOCH "SPASEQ_EPOCH"              # 1970 on the timeline of dateTimes, which begins with the year 1
    const int64_t POWERS_OF_TEN "SPASEQ_POWERS" [19]
    bint add_overflows "__builtin_add_overflow"(int128 a, int128 b, int128* out) nogil
    bint subtract_overflows "__builtin_sub_overflow"(int128 a, int128 b, int128* out) nogil
    bint multiply_overflows "__builtin_mul_overflow"(int128 a, int128 b, int128* out) nogil

cdef enum:
    LONGEST_FORM = 1200  # characters of the longest printed value: a subnormal double without exponent
    NO_ZONE = 32767      # zone of a dateTime without time zone, else minutes east of UTC
    DECIMAL_DIGITS = 18  # digits after the point of a decimal

cdef bint parse_integer(const char* text, size_t length, int64_t* value) noexcept nogil
cdef bint parse_decimal(const char* text, size_t length, int128* value) noexcept nogil
cdef bint parse_double(const char* text, size_t length, double* value) noexcept nogil
cdef bint parse_datetime(const char* text, size_t length, int128* instant, int32_t* zone) noexcept nogil

cdef size_t print_integer(int64_t value, char* out) noexcept nogil
cdef size_t print_decimal(int128 value, char* out) noexcept nogil
cdef size_t print_scaled(int64_t mantissa, int scale, char* out) noexcept nogil
cdef size_t print_double(double value, char* out) noexcept nogil
cdef size_t print_datetime(int128 instant, int32_t zone, char* out) noexcept nogil
cdef size_t print_zone(int32_t zone, char* out) noexcept nogil

cdef struct DateFields:
    int64_t year
    int32_t month
    int32_t day
    int32_t hour
    int32_t minute
    int128 second

cdef void date_fields(int128 instant, int32_t zone, DateFields* fields) noexcept nogil
