// Forgetting partitions of which nothing is left: the others get new numbers.
#pragma once

#include <algorithm>
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

// Mark the list's partition, if something in the list can become part of a match.
static void mark_list(Recognition* r, GroupList* list, int64_t least, std::vector<uint8_t>* living) noexcept {
    if (!is_without(r, list, least_to_come(r, list->partition, least))) (*living)[list->partition] = true;
}

static bool has_recent(const Recent* recent, int64_t least) noexcept {
    for (size_t i = 0, i_end = recent->youngest.size(); i < i_end; ++i) if (recent->youngest[i] >= least) return true;
    return false;
}

// Mark the partitions that have groups with something that starts at `least` or later.
inline void mark_lists(Recognition* r, int64_t least, std::vector<uint8_t>* living) noexcept {
    Correlating* c = r->correlating;
    for (uint32_t number : c->direct)
        if (number != NO_LIST) mark_list(r, list_at(c, number), least, living);
    for (const Slot& slot : c->keyed.slots)
        if (slot.hash != 0) mark_list(r, list_at(c, slot.list), least, living);
    for (size_t i = 0; i < c->recents.size(); ++i) {
        size_t partition = i / r->program.width;
        if (is_latest(r, partition, c->recents[i].local))
            (*living)[partition] |= has_recent(&c->recents[i], least_to_come(r, partition, least));
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
    for (size_t i = 0; i < c->direct.size(); ++i)
        if (c->direct[i] != NO_LIST && (*numbers)[i / r->program.width] == NO_PARTITION) free_list(c, c->direct[i]);
    for (Slot& slot : c->keyed.slots) {
        if (slot.hash != 0 && (*numbers)[list_at(c, slot.list)->partition] == NO_PARTITION) {
            free_list(c, slot.list);
            slot.hash = 0;
        }
    }
    for (GroupList* list : c->lists)
        if (list->partition < numbers->size()) list->partition = (*numbers)[list->partition];
    for (Slot& slot : c->keyed.slots)
        if (slot.hash != 0) slot.hash = hash_in_keyed(c, &slot);
    for (Slot& slot : c->merged.slots)
        if (slot.hash != 0) slot.hash = slot.number >= list_at(c, slot.list)->base ? hash_in_merged(c, &slot) : 0;
    c->keyed.spread(FEW_SLOTS);
    c->merged.spread(FEW_SLOTS);
}

// What a partition has in a table of `width` for each, as that of a number that is not greater.
template <class T> static void move_part(std::vector<T>* table, size_t width, size_t old, size_t renewed) {
    if (renewed != old) std::copy_n(table->begin() + old * width, width, table->begin() + renewed * width);
}

static void shorten_cells(Recognition* r, const std::vector<uint32_t>* numbers, size_t count) {
    Correlating* c = r->correlating;
    for (size_t old = 0; old < numbers->size(); ++old) {
        uint32_t renewed = (*numbers)[old];
        if (renewed == NO_PARTITION) continue;
        c->epochs[renewed] = c->epochs[old];
        move_part(&c->direct, r->program.width, old, renewed);
        if (c->has_recents) move_part(&c->recents, r->program.width, old, renewed);
    }
    c->epochs.resize(count);
    c->direct.resize(count * r->program.width);
    if (c->has_recents) c->recents.resize(count * r->program.width);
}

// Give each partition its new number, which is none that is greater; NO_PARTITION: it is forgotten.
inline void renumber_partitions(Recognition* r, const std::vector<uint32_t>* numbers, size_t count) {
    RecognizerState* s = &r->state;
    size_t width = r->program.width;
    if (r->correlating != nullptr) renumber_lists(r, numbers);
    for (size_t old = 0; old < numbers->size(); ++old) {
        uint32_t renewed = (*numbers)[old];
        if (renewed == NO_PARTITION) continue;
        move_part(&s->heads, width, old, renewed);
        move_part(&s->last, width, old, renewed);
        s->locals[renewed] = s->locals[old];
        s->is_touched[renewed] = s->is_touched[old];
    }
    s->heads.resize(count * width);
    s->last.resize(count * width);
    s->locals.resize(count);
    s->is_touched.resize(count);
    size_t kept = 0;
    for (uint32_t partition : s->touched)
        if ((*numbers)[partition] != NO_PARTITION) s->touched[kept++] = (*numbers)[partition];
    s->touched.resize(kept);
    if (r->correlating != nullptr) shorten_cells(r, numbers, count);
}

}  // namespace spaseq::events
