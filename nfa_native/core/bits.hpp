// Sets of small numbers as bits of words.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spaseq {

// Put a number into a set.
static inline void set_bit(uint64_t* bits, size_t number) noexcept { bits[number >> 6] |= uint64_t(1) << (number & 63); }

// Whether it is in the set.
static inline bool has_bit(const uint64_t* bits, size_t number) noexcept { return bits[number >> 6] >> (number & 63) & 1; }

}  // namespace spaseq
