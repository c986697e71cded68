// Sets of bits with numbers: those that are equal have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "nfa_native/core/flat_table.hpp"
#include "nfa_native/core/mixing.hpp"

namespace spaseq::row_patterns {

struct NumberedSets {
    struct Slot {
        uint64_t hash = 0;
        uint32_t number = 0;                    // of a set, plus one; 0: the slot is free
        bool is_free() const noexcept { return number == 0; }
    };

    size_t words = 0;                           // of 64 bits that a set takes
    std::vector<uint64_t> bits;                 // by number
    std::vector<uint64_t> found;                // the set that is being made
    FlatTable<Slot> numbers;

    // The first ones, all empty, are told apart by number alone.  std::bad_alloc.
    void open(size_t its_words, size_t first) {
        words = its_words;
        found.assign(words, 0);
        numbers.open(64);
        bits.assign(first * words, 0);
    }

    size_t count() const noexcept { return bits.size() / words; }
    const uint64_t* of(uint32_t number) const noexcept { return bits.data() + number * words; }

    // The number of `found`; a new one for a new set.  std::bad_alloc.
    uint32_t numbered() {
        const size_t bytes = words * sizeof(uint64_t);
        const uint64_t hash = hash_text(found.data(), bytes);
        for (size_t at = numbers.home(hash); !numbers.slots[at].is_free(); at = numbers.next(at)) {
            const Slot& slot = numbers.slots[at];
            if (slot.hash == hash && !std::memcmp(of(slot.number - 1), found.data(), bytes)) return slot.number - 1;
        }
        if (numbers.is_full()) numbers.spread(64);
        const uint32_t number = static_cast<uint32_t>(count());
        bits.insert(bits.end(), found.begin(), found.end());
        numbers.put(Slot{hash, number + 1});
        return number;
    }
};

inline bool has_bit(const uint64_t* set, int32_t bit) noexcept { return set[bit / 64] >> (bit % 64) & 1; }

// Whether two sets have something in common.
inline bool meet(const uint64_t* one, const uint64_t* other, size_t words) noexcept {
    for (size_t word = 0; word < words; ++word)
        if (one[word] & other[word]) return true;
    return false;
}

}  // namespace spaseq::row_patterns
