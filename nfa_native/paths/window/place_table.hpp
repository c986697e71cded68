// Places by hashes: a hash table without keys, which those have that stand at the places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/graph.hpp"

namespace spaseq::paths {

struct PlaceTable {
    static constexpr size_t FEW = 16;

    struct Slot {
        uint32_t hash = 0;
        uint32_t place = NO_PLACE;  // NO_PLACE: the slot is free
    };

    std::vector<Slot> slots;        // a power of two of them, half of them free at least; or none
    size_t used = 0;

    // The place with this hash of which `is_it(place)` is true; NO_PLACE: there is none.
    template <class IsIt>
    uint32_t find_place(uint32_t hash, IsIt is_it) const noexcept {
        if (slots.empty()) return NO_PLACE;
        const Slot* all = slots.data();
        for (size_t at = hash & mask(); all[at].place != NO_PLACE; at = (at + 1) & mask())
            if (all[at].hash == hash && is_it(all[at].place)) return all[at].place;
        return NO_PLACE;
    }

    // A place that is not there.  std::bad_alloc: nothing has changed.
    void enter_place(uint32_t hash, uint32_t place) {
        if (used * 2 >= slots.size()) resize_slots(slots.size() * 2);
        put_slot(Slot{hash, place});
        ++used;
    }

    // Another place instead of one that is there.
    void replace_place(uint32_t hash, uint32_t place, uint32_t other) noexcept { slots[slot_with(hash, place)].place = other; }

    // A place that is there goes.
    void leave_place(uint32_t hash, uint32_t place) noexcept {
        size_t hole = slot_with(hash, place);
        for (size_t at = (hole + 1) & mask(); slots[at].place != NO_PLACE; at = (at + 1) & mask()) {
            if (((at - slots[at].hash) & mask()) < ((at - hole) & mask())) continue;    // it stands behind the hole, where it belongs
            slots[hole] = slots[at];
            hole = at;
        }
        slots[hole] = Slot();
        --used;
    }

    // Ask for the memory that a look-up needs first.
    void prefetch_slot(uint32_t hash) const noexcept {
        if (slots.size()) __builtin_prefetch(&slots[hash & mask()]);
    }

    // Give memory back if few of many are left.  std::bad_alloc: nothing has changed.
    void tighten_slots() {
        if (slots.size() > 4 * FEW && used * 16 < slots.size()) resize_slots(used * 4);
    }

  private:
    size_t mask() const noexcept { return slots.size() - 1; }

    size_t slot_with(uint32_t hash, uint32_t place) const noexcept {
        size_t at = hash & mask();
        while (slots[at].place != place) at = (at + 1) & mask();
        return at;
    }

    void put_slot(const Slot& slot) noexcept {
        size_t at = slot.hash & mask();
        while (slots[at].place != NO_PLACE) at = (at + 1) & mask();
        slots[at] = slot;
    }

    void resize_slots(size_t least) {
        size_t size = FEW;
        while (size < least) size *= 2;
        std::vector<Slot> before(size);
        before.swap(slots);
        for (const Slot& slot : before)
            if (slot.place != NO_PLACE) put_slot(slot);
    }
};

}  // namespace spaseq::paths
