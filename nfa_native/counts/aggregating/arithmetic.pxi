# Numbers that know when they are too large.  Counts stop at the greatest one: min(n, TOO_MANY) is compatible with sums and
# products, so that what is below is exact.  A number of 128 bits that does not fit becomes UNKNOWN, and stays it.

cdef extern from *:
    """
    #include <cstdint>
    typedef __int128 wide;
    static const uint64_t TOO_MANY = UINT64_MAX;
    static const wide UNKNOWN = (wide)((unsigned __int128)1 << 127);
    static const wide NOTHING_LEAST = (wide)1 << 100;

    static inline uint64_t add_counts(uint64_t a, uint64_t b) {
        uint64_t sum;
        return __builtin_add_overflow(a, b, &sum) ? TOO_MANY : sum;
    }
    static inline uint64_t multiply_counts(uint64_t a, uint64_t b) {
        uint64_t product;
        return __builtin_mul_overflow(a, b, &product) ? TOO_MANY : product;
    }
    static inline wide add_wide(wide a, wide b) {
        wide sum;
        return a == UNKNOWN || b == UNKNOWN || __builtin_add_overflow(a, b, &sum) ? UNKNOWN : sum;
    }
    static inline wide widened(uint64_t count) { return count == TOO_MANY ? UNKNOWN : (wide)count; }
    static inline wide multiply_wide(wide times, wide a) {
        wide product;
        if (times == 0 || a == 0) return 0;
        return times == UNKNOWN || a == UNKNOWN || __builtin_mul_overflow(times, a, &product) ? UNKNOWN : product;
    }
    static inline wide lesser(wide a, wide b) { return b < a ? b : a; }
    static inline int64_t high_half(wide a) { return (int64_t)(a >> 64); }
    static inline uint64_t low_half(wide a) { return (uint64_t)a; }
    """
    ctypedef long long wide              # 128 bits
    const uint64_t TOO_MANY
    const wide UNKNOWN
    const wide NOTHING_LEAST             # the least of no values: above all of 64 bits
    uint64_t add_counts(uint64_t a, uint64_t b) noexcept nogil
    uint64_t multiply_counts(uint64_t a, uint64_t b) noexcept nogil
    wide add_wide(wide a, wide b) noexcept nogil
    wide widened(uint64_t count) noexcept nogil
    wide multiply_wide(wide times, wide a) noexcept nogil
    wide lesser(wide a, wide b) noexcept nogil
    int64_t high_half(wide a) noexcept nogil
    uint64_t low_half(wide a) noexcept nogil
