// Text that writers copy as it is: how much of it comes before a character that may need an escape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spaseq {

// A character of U+0080–00BF begins with this byte, and no other one does; of them those below U+00A0 are controls (C1).
static constexpr uint8_t BEFORE_C1 = 0xC2, AFTER_C1 = 0xA0;

// Whether a control character U+0080–009F begins a text of UTF-8; it takes two bytes, of which the second is its number.
static inline bool begins_with_c1(const char* text, size_t size) noexcept {
    return size > 1 && static_cast<uint8_t>(text[0]) == BEFORE_C1 && static_cast<uint8_t>(text[1]) < AFTER_C1;
}

// Whether it begins with a control character, a quote or a backslash.
static inline bool begins_with_special(const char* text, size_t size) noexcept {
    uint8_t byte = static_cast<uint8_t>(text[0]);
    return byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7F || begins_with_c1(text, size);
}

// Of eight bytes a bit for each that is `byte`; the lowest one is right, those above it may be too many.
static inline uint64_t those_that_are(uint64_t eight, uint8_t byte) noexcept {
    constexpr uint64_t ONES = 0x0101010101010101, HIGH = 0x8080808080808080;
    uint64_t zero = eight ^ (ONES * byte);
    return (zero - ONES) & ~zero & HIGH;
}

// The same for each that is below 0x20.
static inline uint64_t those_that_are_low(uint64_t eight) noexcept {
    return (eight - 0x2020202020202020) & ~eight & 0x8080808080808080;
}

// The first of eight bytes that may begin something special; 8: none does.
static inline size_t first_special(const char* text) noexcept {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t eight;
    std::memcpy(&eight, text, 8);
    uint64_t found = those_that_are_low(eight) | those_that_are(eight, '"') | those_that_are(eight, '\\')
        | those_that_are(eight, 0x7F) | those_that_are(eight, BEFORE_C1);
    return found ? __builtin_ctzll(found) / 8 : 8;
#else
    return 0;
#endif
}

// How many bytes a text begins with before a control character, a quote or a backslash.
static inline size_t plain_bytes(const char* text, size_t size) noexcept {
    size_t at = 0;
    while (size - at >= 8) {
        size_t plain = first_special(text + at);
        at += plain;
        if (plain < 8) {
            if (begins_with_special(text + at, size - at))
                return at;
            ++at;
        }
    }
    while (at < size && !begins_with_special(text + at, size - at))
        ++at;
    return at;
}

}  // namespace spaseq
