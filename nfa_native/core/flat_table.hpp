// Hash tables with open addressing.  They know hashes; whether a slot with the right one has what is looked for, the owner says.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spaseq {

// A `Slot` has a `hash` and `is_free()`, as it is when it is made.  To look for something, go from slot to slot until one is free:
//     for (size_t at = table.home(hash); !table.slots[at].is_free(); at = table.next(at)) …
template <class Slot>
struct FlatTable {
    std::vector<Slot> slots;   // a power of two of them; or none, and nothing may be looked for
    size_t used = 0;           // slots that are not free

    size_t mask = 0;           // to the place of a hash

    size_t home(uint64_t hash) const noexcept { return hash & mask; }
    size_t next(size_t at) const noexcept { return (at + 1) & mask; }
    bool is_full() const noexcept { return used * 2 >= mask; }

    // Nothing is in it; there is room for half of `size`, a power of two.  std::bad_alloc.
    void open(size_t size) {
        assert((size & (size - 1)) == 0);
        slots.assign(size, Slot());
        mask = size - 1;
        used = 0;
    }

    // Enter what is not there; it is not full.
    void put(const Slot& slot) noexcept {
        size_t at = home(slot.hash);
        assert(!slot.is_free() && used < slots.size());
        while (!slots[at].is_free()) at = next(at);
        slots[at] = slot;
        ++used;
    }

    // Keep those that are not free: some may have become so, or have another hash.  Room for four times as many, at least for
    // `least`, a power of two.  std::bad_alloc: nothing has changed.
    void spread(size_t least) {
        size_t living = 0, size = least;
        for (const Slot& slot : slots) living += !slot.is_free();
        while (size < living * 4 + 4) size *= 2;
        std::vector<Slot> before(size);
        before.swap(slots);
        mask = size - 1;
        used = 0;
        for (const Slot& slot : before)
            if (!slot.is_free()) put(slot);
    }

    void clear() noexcept {
        slots.clear();
        used = mask = 0;
    }

    // The most slots in a row that are not free; also around the end.
    size_t longest_run() const noexcept {
        size_t longest = 0, run = 0;
        for (size_t i = 0; i < 2 * slots.size(); ++i) {
            run = slots[i % slots.size()].is_free() ? 0 : run + 1;
            longest = run > longest ? run : longest;
        }
        return longest;
    }
};

}  // namespace spaseq
