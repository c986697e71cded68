// Encoded terms: 64-bit words with a tag, which say what they stand for, or where it is.
#pragma once

#include <cstdint>

namespace spaseq {

typedef uint64_t word_t;

constexpr word_t UNBOUND = 0;

// A word's low four bits.
enum WordTag : uint32_t {
    TAG_TERM = 0,      // id << 8 | kind << 4: a term of the dictionary
    TAG_INTEGER = 1,   // 60-bit value
    TAG_DECIMAL = 2,   // 55-bit mantissa << 9 | scale << 4, no trailing zero in the mantissa unless the scale is 0
    TAG_DOUBLE = 3,    // sign, 7-bit exponent, 52-bit fraction: zero and magnitudes from 2**-63 to 2**65
    TAG_DATETIME = 4,  // microseconds since 1970 << 5 | (no zone) << 4; UTC or without zone
    TAG_BOOLEAN = 5,   // 0 or 1
    TAG_SIDE = 6       // index << 8 | kind << 4: a value of the side table
};

static inline uint32_t tag_of(word_t word) noexcept { return static_cast<uint32_t>(word & 15); }

constexpr int64_t POWERS_OF_TEN[19] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
    10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000
};

}  // namespace spaseq
