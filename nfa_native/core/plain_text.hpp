// Text that writers copy as it is: how much of it comes before a character that may need an escape.
#ifndef SPASEQ_PLAIN_TEXT
#define SPASEQ_PLAIN_TEXT

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spaseq {

// A character of U+0080–00BF begins with this byte, and no other one does; of them those below U+00A0 are controls (C1).
static constexpr uint8_t BEFORE_C1 = 0xC2, AFTER_C1 = 0xA0;

// Whether a byte is no control character, quote or backslash, and does not begin a character that may be one.
static inline bool is_plain(uint8_t byte) noexcept {
    return byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7F && byte != BEFORE_C1;
}

// Of eight bytes a bit that is set if one of them is `byte`.
static inline uint64_t any_is(uint64_t eight, uint8_t byte) noexcept {
    constexpr uint64_t ONES = 0x0101010101010101, HIGH = 0x8080808080808080;
    uint64_t zero = eight ^ (ONES * byte);
    return (zero - ONES) & ~zero & HIGH;
}

// The same if one of them is a control character of ASCII but DEL.
static inline uint64_t any_is_low(uint64_t eight) noexcept {
    return (eight - 0x2020202020202020) & ~eight & 0x8080808080808080;
}

// How many plain bytes a text begins with.
static inline size_t plain_bytes(const char* text, size_t size) noexcept {
    size_t at = 0;
    for (; size - at >= 8; at += 8) {
        uint64_t eight;
        std::memcpy(&eight, text + at, 8);
        if (any_is_low(eight) | any_is(eight, '"') | any_is(eight, '\\') | any_is(eight, 0x7F) | any_is(eight, BEFORE_C1))
            break;
    }
    while (at < size && is_plain(static_cast<uint8_t>(text[at])))
        ++at;
    return at;
}

// Whether a control character U+0080–009F begins a text of UTF-8; it takes two bytes, of which the second is its number.
static inline bool begins_with_c1(const char* text, size_t size) noexcept {
    return size > 1 && static_cast<uint8_t>(text[0]) == BEFORE_C1 && static_cast<uint8_t>(text[1]) < AFTER_C1;
}

}  // namespace spaseq

#endif
