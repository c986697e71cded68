// Forgetting partitions of which nothing is left: the others get new numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

// The least start that is of use to a partition's next event, whose window begins at `least` or later.
static inline int64_t least_to_come(const Recognition* r, size_t partition, int64_t least) noexcept {
    return r->program.events < 0 ? least : r->state.locals[partition] - r->program.events;
}

// Some partial match of a partition, outside of groups, starts at `least` or later.
inline bool lives_in(const Recognition* r, size_t partition, int64_t least) noexcept {
    int64_t own = least_to_come(r, partition, least);
    for (size_t i = partition * r->program.width, i_end = (partition + 1) * r->program.width; i < i_end; ++i) {
        if (r->state.heads[i].node != NO_NODE && r->state.heads[i].youngest >= own) return true;
        if (r->state.last[i].node != NO_NODE && r->state.last[i].youngest >= own) {
            if (is_latest(r, partition, r->state.last[i].local)) return true;
        }
    }
    return false;
}

// Something in the list can become part of a match.
static bool has_living(Recognition* r, GroupList* list, int64_t least) noexcept {
    return !is_without(r, list, least_to_come(r, list->partition, least));
}

static bool has_recent(const Recent* recent, int64_t least) noexcept {
    for (size_t i = 0, i_end = recent->youngest.size(); i < i_end; ++i) if (recent->youngest[i] >= least) return true;
    return false;
}

// Mark the partitions that have groups with something that starts at `least` or later.
inline void mark_lists(Recognition* r, int64_t least, std::vector<uint8_t>* living) noexcept {
    Correlating* c = r->correlating;
    for (size_t i = 0, i_end = c->direct.size(); i < i_end; ++i) {
        if (c->direct[i] != NO_LIST && has_living(r, list_at(c, c->direct[i]), least))
            living->data()[i / r->program.width] = true;
    }
    for (size_t i = 0, i_end = c->keyed.slots.size(); i < i_end; ++i) {
        if (c->keyed.slots[i].hash != 0 && has_living(r, list_at(c, c->keyed.slots[i].list), least))
            living->data()[list_at(c, c->keyed.slots[i].list)->partition] = true;
    }
    for (size_t i = 0, i_end = c->recents.size(); i < i_end; ++i) {
        if (is_latest(r, i / r->program.width, c->recents[i].local)) {
            living->data()[i / r->program.width] |= has_recent(&c->recents[i],
                least_to_come(r, i / r->program.width, least));
        }
    }
}

static uint64_t hash_in_keyed(Correlating* c, const Slot* slot) noexcept {
    const GroupList* list = list_at(c, slot->list);
    return hash_of_key(list->partition, list->state, slot->number);
}

static uint64_t hash_in_merged(Correlating* c, const Slot* slot) noexcept {
    GroupList* list = list_at(c, slot->list);
    const int64_t* registers = record_of(list, size_t(slot->number - list->base)) + 1;
    return hash_of_registers(list->partition, list->state, registers, list->width - 1);
}

// Free the lists of forgotten partitions, and let the tables know the new numbers of the others.
static void renumber_lists(Recognition* r, const std::vector<uint32_t>* numbers) {
    Correlating* c = r->correlating;
    for (size_t i = 0, i_end = c->direct.size(); i < i_end; ++i) {
        if (c->direct[i] != NO_LIST && (*numbers)[i / r->program.width] == NO_PARTITION) free_list(c, c->direct[i]);
    }
    for (size_t i = 0, i_end = c->keyed.slots.size(); i < i_end; ++i) {
        Slot* slot = &c->keyed.slots[i];
        if (slot->hash != 0 && (*numbers)[list_at(c, slot->list)->partition] == NO_PARTITION) {
            free_list(c, slot->list);
            slot->hash = 0;
        }
    }
    for (size_t i = 0, i_end = c->lists.size(); i < i_end; ++i) {
        if (list_at(c, uint32_t(i))->partition < numbers->size())
            list_at(c, uint32_t(i))->partition = (*numbers)[list_at(c, uint32_t(i))->partition];
    }
    for (size_t i = 0, i_end = c->keyed.slots.size(); i < i_end; ++i) {
        Slot* slot = &c->keyed.slots[i];
        slot->hash = slot->hash != 0 ? hash_in_keyed(c, slot) : 0;
    }
    for (size_t i = 0, i_end = c->merged.slots.size(); i < i_end; ++i) {
        Slot* slot = &c->merged.slots[i];
        if (slot->hash != 0) slot->hash = slot->number >= list_at(c, slot->list)->base ? hash_in_merged(c, slot) : 0;
    }
    c->keyed.spread(FEW_SLOTS);
    c->merged.spread(FEW_SLOTS);
}

static void shorten_cells(Recognition* r, const std::vector<uint32_t>* numbers, size_t count) {
    Correlating* c = r->correlating;
    for (size_t old = 0, old_end = numbers->size(); old < old_end; ++old) {
        uint32_t renewed = (*numbers)[old];
        if (renewed == NO_PARTITION) continue;
        c->epochs[renewed] = c->epochs[old];
        for (size_t i = 0, i_end = r->program.width; i < i_end; ++i) {
            c->direct[renewed * r->program.width + i] = c->direct[old * r->program.width + i];
            if (c->has_recents && renewed < old)
                c->recents[renewed * r->program.width + i] = c->recents[old * r->program.width + i];
        }
    }
    c->epochs.resize(count);
    c->direct.resize(count * r->program.width);
    if (c->has_recents) c->recents.resize(count * r->program.width);
}

// Give each partition its new number, which is none that is greater; NO_PARTITION: it is forgotten.
inline void renumber_partitions(Recognition* r, const std::vector<uint32_t>* numbers, size_t count) {
    size_t i;
    if (r->correlating != nullptr) renumber_lists(r, numbers);
    for (size_t old = 0, old_end = numbers->size(); old < old_end; ++old) {
        uint32_t renewed = (*numbers)[old];
        if (renewed == NO_PARTITION) continue;
        for (i = 0; i < r->program.width; ++i) {
            r->state.heads[renewed * r->program.width + i] = r->state.heads[old * r->program.width + i];
            r->state.last[renewed * r->program.width + i] = r->state.last[old * r->program.width + i];
        }
        r->state.locals[renewed] = r->state.locals[old];
        r->state.is_touched[renewed] = r->state.is_touched[old];
    }
    r->state.heads.resize(count * r->program.width);
    r->state.last.resize(count * r->program.width);
    r->state.locals.resize(count);
    r->state.is_touched.resize(count);
    i = 0;
    for (size_t old = 0, old_end = r->state.touched.size(); old < old_end; ++old) {
        if ((*numbers)[r->state.touched[old]] != NO_PARTITION) {
            r->state.touched[i] = (*numbers)[r->state.touched[old]];
            ++i;
        }
    }
    r->state.touched.resize(i);
    if (r->correlating != nullptr) shorten_cells(r, numbers, count);
}

}  // namespace spaseq::events
