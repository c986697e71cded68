// Lists of groups, which are partial matches of one state with the same registers (`groups.hpp`), by the partition, the
// state and the key by which an event looks them up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/core/mixing.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

// Enter what is not there; there is room.
static inline void put_slot(FlatTable<Slot>* table, uint64_t hash, uint32_t list, int64_t number) {
    table->put({hash, number, list});
}

// Room for the cells of another partition.
static void know_cells(Recognition* r, uint32_t partition) {
    Correlating* c = r->correlating;
    c->epochs.resize(partition + 1, 0);
    c->direct.resize((partition + 1) * r->program.width, NO_LIST);
    if (c->has_recents) c->recents.resize((partition + 1) * r->program.width);
}

static void empty_cells(Recognition* r, uint32_t partition) noexcept {
    Correlating* c = r->correlating;
    size_t first = partition * r->program.width;
    ++c->epochs[partition];
    for (size_t i = 0; c->has_recents && i < r->program.width; ++i) c->recents[first + i].local = -2;
}

static inline GroupList* list_at(Correlating* c, uint32_t number) noexcept { return c->lists.data()[number]; }

// Its partition was not emptied since.
static inline bool is_current(Recognition* r, const GroupList* list) noexcept {
    return list->epoch == r->correlating->epochs.data()[list->partition];
}

static uint32_t new_list(Recognition* r, uint32_t partition, uint32_t state) {
    Correlating* c = r->correlating;
    uint32_t number = uint32_t(c->lists.size());
    if (c->free_lists.empty()) {
        c->lists.push_back(nullptr);
        c->lists[number] = new GroupList();
    } else {
        number = c->free_lists.back();
        c->free_lists.pop_back();
    }
    GroupList* list = list_at(c, number);
    list->width = c->cells[state].width + 1;
    list->partition = partition;
    list->state = state;
    list->epoch = c->epochs[partition];
    return number;
}

// The list, emptied if its partition was.
static inline uint32_t current(Recognition* r, uint32_t number) noexcept {
    GroupList* list = number != NO_LIST ? list_at(r->correlating, number) : nullptr;
    if (list != nullptr && !is_current(r, list)) {
        empty_list(list);
        list->epoch = r->correlating->epochs[list->partition];
    }
    return number;
}

static inline uint64_t hash_of_key(uint32_t partition, uint32_t state, int64_t key) noexcept {
    return mix_on(mix_on((uint64_t(partition) << 16) + state, 1), uint64_t(key)) | 1;
}

static uint32_t find_keyed(Recognition* r, uint32_t partition, uint32_t state, int64_t key) noexcept {
    Correlating* c = r->correlating;
    uint64_t hash = hash_of_key(partition, state, key);
    const Slot* slots = c->keyed.slots.data();
    size_t place = c->keyed.home(hash);
    while (slots[place].hash != 0) {
        if (slots[place].hash == hash && slots[place].number == key) {
            const GroupList* list = list_at(c, slots[place].list);
            if (list->state == state && list->partition == partition) return current(r, slots[place].list);
        }
        place = c->keyed.next(place);
    }
    return NO_LIST;
}

// The list of a cell and key; NO_LIST if there is none.
static inline uint32_t find_list(Recognition* r, uint32_t partition, uint32_t state, int64_t key) noexcept {
    if (r->correlating->cells.data()[state].key < 0)
        return current(r, r->correlating->direct.data()[partition * r->program.width + state]);
    return find_keyed(r, partition, state, key);
}

// The event under way adds to a merged group.
static inline bool is_arriving(const GroupList* list, size_t place) noexcept {
    return place < list->arriving.size() && list->arriving.data()[place].youngest != NEVER;
}

// The list has nothing that starts at `own` or later.
static bool is_without(Recognition* r, GroupList* list, int64_t own) noexcept {
    if (!is_current(r, list)) return true;
    if (list->entering) return false;
    for (size_t i = list->first, i_end = groups_of(list); i < i_end; ++i) {
        if (youngest_in(list, i) >= own || is_arriving(list, i)) return false;
    }
    return true;
}

// Nothing in the list can become part of a match any more.
static bool is_lifeless(Recognition* r, GroupList* list, int64_t least) noexcept {
    return is_without(r, list, least_of(r, list->partition, least));
}

static void free_list(Correlating* c, uint32_t number) {
    empty_list(list_at(c, number));
    c->free_lists.push_back(number);
}

// Take lists without living groups out of the table, and make room in it.
static void sweep_lists(Recognition* r, int64_t least) {
    Correlating* c = r->correlating;
    for (Slot& slot : c->keyed.slots) {
        if (slot.hash != 0 && is_lifeless(r, list_at(c, slot.list), least)) {
            free_list(c, slot.list);
            slot.hash = 0;
        }
    }
    c->keyed.spread(FEW_SLOTS);
}

// The list for a group of a cell, a new one if there is none.
static inline uint32_t list_for(
    Recognition* r, uint32_t partition, uint32_t state, const int64_t* registers, int64_t least
) {
    Correlating* c = r->correlating;
    int32_t by = c->cells[state].key;
    int64_t key = by >= 0 ? registers[by] : 0;
    uint32_t number = find_list(r, partition, state, key);
    if (number != NO_LIST) return number;
    number = new_list(r, partition, state);
    if (by < 0) {
        c->direct[partition * r->program.width + state] = number;
        return number;
    }
    if (c->keyed.is_full()) sweep_lists(r, least);
    put_slot(&c->keyed, hash_of_key(partition, state, key), number, key);
    return number;
}

// ── merged groups ──
static uint64_t hash_of_registers(uint32_t partition, uint32_t state, const int64_t* registers, size_t count) noexcept {
    uint64_t hash = mix_on((uint64_t(partition) << 16) + state, 2);
    for (size_t i = 0; i < count; ++i) hash = mix_on(hash, uint64_t(registers[i]));
    return hash | 1;
}

static bool has_registers(GroupList* list, size_t place, const int64_t* registers) noexcept {
    const int64_t* own = record_of(list, place) + 1;
    for (size_t i = 0, i_end = size_t(list->width - 1); i < i_end; ++i) if (own[i] != registers[i]) return false;
    return true;
}

// Groups of the list are those of the cell.
static inline bool is_group_of(Recognition* r, const GroupList* list, uint32_t partition, uint32_t state) noexcept {
    return list->state == state && list->partition == partition && is_current(r, list);
}

// The group is not there any more, or nothing comes of it.
static bool is_dead(Recognition* r, const Slot* slot, int64_t least) noexcept {
    const GroupList* list = list_at(r->correlating, slot->list);
    size_t place = size_t(slot->number - list->base);
    if (slot->number < list->base || !is_current(r, list)) return true;
    return youngest_in(list, place) < least_of(r, list->partition, least) && !is_arriving(list, place);
}

// Take dead groups out of the table, and make room in it.
static void sweep_groups(Recognition* r, int64_t least) {
    FlatTable<Slot>* table = &r->correlating->merged;
    for (Slot& slot : table->slots)
        if (slot.hash != 0 && is_dead(r, &slot, least)) slot.hash = 0;
    table->spread(FEW_SLOTS);
}

static void know_group(Recognition* r, uint64_t hash, uint32_t list, int64_t number, int64_t least) {
    if (r->correlating->merged.is_full()) sweep_groups(r, least);
    put_slot(&r->correlating->merged, hash, list, number);
}

// Whether a group with these registers is there, and where.  None that is dead is: it would lie before others that are
// in front of it where a snapshot was restored.
[[gnu::always_inline]] static inline bool find_merged(
    Recognition* r, uint32_t partition, uint32_t state, const int64_t* registers, uint64_t hash, int64_t least,
    uint32_t* list_number, int64_t* number
) noexcept {
    Correlating* c = r->correlating;
    for (size_t place = c->merged.home(hash); c->merged.slots[place].hash != 0; place = c->merged.next(place)) {
        const Slot& slot = c->merged.slots[place];
        GroupList* list = list_at(c, slot.list);
        if (slot.hash != hash || slot.number < list->base || !is_group_of(r, list, partition, state)) continue;
        size_t at = size_t(slot.number - list->base);
        if (!has_registers(list, at, registers)) continue;
        if (r->program.rises && youngest_in(list, at) < least && !is_arriving(list, at)) continue;
        *list_number = slot.list;
        *number = slot.number;
        return true;
    }
    return false;
}

// Where the group with these registers is; a new and empty one if there is none.
static void merged_group(
    Recognition* r, uint32_t partition, uint32_t state, const int64_t* registers, int64_t least, uint32_t* list_number,
    int64_t* number
) {
    Correlating* c = r->correlating;
    uint64_t hash = hash_of_registers(partition, state, registers, c->cells[state].width);
    if (find_merged(r, partition, state, registers, hash, least, list_number, number)) return;
    *list_number = list_for(r, partition, state, registers, least);
    GroupList* list = list_at(c, *list_number);
    *number = list->base + int64_t(groups_of(list));
    add_group(list, registers, NO_NODE, NEVER);
    list->arriving.emplace_back();
    know_group(r, hash, *list_number, *number, least);
}

// Take dead groups out of a list of merged ones, or of ones apart, when there may be as many as living ones; all get new
// numbers.
static void close_up(Recognition* r, uint32_t number, int64_t least) {
    GroupList* list = list_at(r->correlating, number);
    if (!r->program.rises || groups_of(list) < GroupList::LEAST_TO_ERASE || groups_of(list) < 2 * list->living) return;
    list->base += int64_t(groups_of(list));
    keep_groups(list, list->first, least);
    list->living = groups_of(list);
    if (r->correlating->cells[list->state].kind != RegisterCells::MERGED) return;
    list->arriving.assign(list->living, Head{});
    for (size_t i = 0; i < list->living; ++i) {
        know_group(r, hash_of_registers(list->partition, list->state, record_of(list, i) + 1, list->width - 1), number,
            list->base + int64_t(i), least);
    }
}

}  // namespace spaseq::events
