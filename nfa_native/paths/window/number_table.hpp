// A hash table from numbers to places, from which numbers may go again: its slots follow what is in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/graph.hpp"

namespace spaseq::paths {

// Hashes of numbers that nobody can foresee who does not know what was drawn.
struct Scrambler {
    uint64_t secret = 0;
    uint64_t factor = 1;            // odd

    static uint64_t folded(uint64_t a, uint64_t b) noexcept {
        unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }

    uint64_t scrambled(uint64_t number) const noexcept { return folded(folded(number ^ secret, factor), secret | 1); }
    uint64_t scrambled_on(uint64_t state, uint64_t number) const noexcept { return folded(state ^ number ^ secret, factor); }
};

// Two numbers as one key.
static inline uint64_t key_of(uint32_t one, uint32_t other) noexcept { return uint64_t(one) << 32 | other; }

struct NumberTable {
    static constexpr size_t FEW = 16;

    struct Slot {
        uint64_t key = 0;
        uint32_t place = NO_PLACE;  // NO_PLACE: the slot is free
    };

    Scrambler scrambler;
    std::vector<Slot> slots;        // a power of two of them, half of them free at least; or none
    size_t used = 0;

    uint32_t at(uint64_t key) const noexcept {
        if (slots.empty()) return NO_PLACE;
        return slots[slot_of(key)].place;
    }

    // Enter a place, or write another one.  std::bad_alloc.
    void put_place(uint64_t key, uint32_t place) {
        if (used * 2 >= slots.size()) resize_table(slots.size() * 2);
        Slot& slot = slots[slot_of(key)];
        used += slot.place == NO_PLACE;
        slot.key = key;
        slot.place = place;
    }

    // Write another place of a number that is there.
    void rewrite(uint64_t key, uint32_t place) noexcept { slots[slot_of(key)].place = place; }

    // Take out a number that is there.
    void remove(uint64_t key) noexcept {
        size_t mask = slots.size() - 1, hole = slot_of(key);
        for (size_t at = (hole + 1) & mask; slots[at].place != NO_PLACE; at = (at + 1) & mask) {
            size_t home = scrambler.scrambled(slots[at].key) & mask;
            if (((at - home) & mask) < ((at - hole) & mask)) continue;      // it stands behind the hole, where it belongs
            slots[hole] = slots[at];
            hole = at;
        }
        slots[hole] = Slot();
        --used;
    }

    // Give memory back if few of many are left.  std::bad_alloc: nothing has changed.
    void tighten_table() {
        if (slots.size() > 4 * FEW && used * 16 < slots.size()) resize_table(used * 4);
    }

    // Its memory stays if much of it was used.
    void clear() noexcept {
        if (slots.size() > 4 * FEW && used * 8 < slots.size()) std::vector<Slot>().swap(slots);
        std::fill(slots.begin(), slots.end(), Slot());
        used = 0;
    }

  private:
    size_t slot_of(uint64_t key) const noexcept {
        size_t mask = slots.size() - 1, at = scrambler.scrambled(key) & mask;
        while (slots[at].place != NO_PLACE && slots[at].key != key) at = (at + 1) & mask;
        return at;
    }

    void resize_table(size_t least) {
        size_t size = FEW;
        while (size < least) size *= 2;
        std::vector<Slot> before(size);
        before.swap(slots);
        for (const Slot& slot : before)
            if (slot.place != NO_PLACE) slots[slot_of(slot.key)] = slot;
    }
};

}  // namespace spaseq::paths
