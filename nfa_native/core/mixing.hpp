// Hashes of what comes from outside.  Nobody who does not know the secrets of the process can make values that collide.
//
// Python draws them: its hash of bytes is SipHash under a key from the operating system, or from PYTHONHASHSEED.  Hashes are
// in no snapshot, and nothing that is shown depends on them.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace spaseq {

static inline uint64_t drawn_secret(const char* name) {
    PyObject* text = PyBytes_FromString(name);
    uint64_t drawn = text == nullptr ? 0 : static_cast<uint64_t>(PyObject_Hash(text));
    Py_XDECREF(text);
    return drawn | 1;      // factors are odd, so that they lose nothing
}

// Drawn when the module is loaded, which the interpreter does.
static const uint64_t MIXING_SECRET = drawn_secret("spaseq: what is added");
static const uint64_t MIXING_FACTOR = drawn_secret("spaseq: the first factor");
static const uint64_t MIXING_SECOND_FACTOR = drawn_secret("spaseq: the second factor");

// Both halves of the 128-bit product, folded.
static inline uint64_t folded(uint64_t a, uint64_t b) noexcept {
    unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// A hash of 64 bits.
static inline uint64_t mix(uint64_t value) noexcept {
    return folded(folded(value ^ MIXING_SECRET, MIXING_FACTOR), MIXING_SECOND_FACTOR);
}

// The hash of several values: from one to the next, the first time from any number.
static inline uint64_t mix_on(uint64_t state, uint64_t value) noexcept {
    return folded(state ^ value ^ MIXING_SECRET, MIXING_FACTOR);
}

// A hash of bytes.
static inline uint64_t hash_text(const void* bytes, size_t size) noexcept {
    const char* text = static_cast<const char*>(bytes);
    uint64_t state = MIXING_SECRET ^ size, block = 0;
    for (; size > 8; text += 8, size -= 8) {
        std::memcpy(&block, text, 8);
        state = folded(state ^ block, MIXING_FACTOR);
    }
    block = 0;
    std::memcpy(&block, text, size);
    return folded(folded(state ^ block, MIXING_FACTOR), MIXING_SECOND_FACTOR);
}

// For `unordered_map`, whose own hashes are known to everybody.
struct TextHash {      // may throw for all that the library knows: so it keeps hashes of texts beside them
    size_t operator()(const std::string& text) const { return hash_text(text.data(), text.size()); }
};

struct NumberHash {
    size_t operator()(uint64_t value) const noexcept { return mix(value); }
};

}  // namespace spaseq
