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
    return r->program.events < 0 ? least : events_in(r, partition) - r->program.events;
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

// Give what waits in each partition its new number, which is none that is greater; NO_PARTITION: it is forgotten.
static void renumber_cells(Recognition* r, const std::vector<uint32_t>* numbers, size_t count) {
    RecognizerState* s = &r->state;
    size_t width = r->program.width;
    if (r->correlating != nullptr) renumber_lists(r, numbers);
    for (size_t old = 0; old < numbers->size(); ++old) {
        uint32_t renewed = (*numbers)[old];
        if (renewed == NO_PARTITION) continue;
        move_part(&s->heads, width, old, renewed);
        move_part(&s->last, width, old, renewed);
        s->is_touched[renewed] = s->is_touched[old];
    }
    s->heads.resize(count * width);
    s->last.resize(count * width);
    s->is_touched.resize(count);
    size_t kept = 0;
    for (uint32_t partition : s->touched)
        if ((*numbers)[partition] != NO_PARTITION) s->touched[kept++] = (*numbers)[partition];
    s->touched.resize(kept);
    if (r->correlating != nullptr) shorten_cells(r, numbers, count);
}

static void renumber_locals(RecognizerState* s, const std::vector<uint32_t>* numbers, size_t count) {
    for (size_t old = 0; old < numbers->size(); ++old)
        if ((*numbers)[old] != NO_PARTITION) s->locals[(*numbers)[old]] = s->locals[old];
    s->locals.resize(count);
}

// Forget partitions of rules that have no number, and give the others theirs: `numbers` has them by partition.
static void renumber_owned(Recognition* r, const std::vector<uint32_t>* numbers, size_t count) {
    Rules* rules = r->rules;
    renumber_cells(r, numbers, count);
    for (size_t old = 0; old < numbers->size(); ++old)
        if ((*numbers)[old] != NO_PARTITION) rules->owned[(*numbers)[old]] = rules->owned[old];
    rules->owned.resize(count);
    number_again(rules, r->program.partitioned);
}

// Forget the partitions of rules for which `is_kept` does not hold.
template <class Test> static void keep_owned(Recognition* r, Test is_kept) {
    uint32_t count = 0;
    std::vector<uint32_t> numbers(r->rules->owned.size(), NO_PARTITION);
    for (size_t i = 0; i < numbers.size(); ++i)
        if (is_kept(i)) numbers[i] = count++;
    renumber_owned(r, &numbers, count);
}

// Give each partition of the stream its new number, which is none that is greater; NO_PARTITION: it is forgotten.
inline void renumber_partitions(Recognition* r, const std::vector<uint32_t>* numbers, size_t count) {
    if (r->rules == nullptr) {
        renumber_cells(r, numbers, count);
    } else {
        std::vector<Owned>& owned = r->rules->owned;
        keep_owned(r, [&](size_t i) { return (*numbers)[owned[i].partition] != NO_PARTITION; });
        for (Owned& one : owned) one.partition = (*numbers)[one.partition];
        number_again(r->rules, r->program.partitioned);
    }
    renumber_locals(&r->state, numbers, count);
}

// Mark the partitions, those of rules if there are any, with something that starts at `least` or later.
inline void mark_living(Recognition* r, int64_t least, std::vector<uint8_t>* living) {
    living->assign(partitions_of(r), 0);
    for (size_t i = 0; i < living->size(); ++i) (*living)[i] = lives_in(r, i, least);
    if (r->correlating != nullptr) mark_lists(r, least, living);
}

// The partitions of the stream that some rule has something in, by its marks for its own.
inline void living_of_stream(const Recognition* r, const std::vector<uint8_t>* owned, std::vector<uint8_t>* living) {
    living->assign(r->state.locals.size(), 0);
    for (size_t i = 0; i < owned->size(); ++i) (*living)[partition_of(r->rules, i)] |= (*owned)[i];
}

// Forget partitions of rules in which nothing is left; only where the stream has partitions.
inline void sweep_owned(Recognition* r, int64_t least) {
    std::vector<uint8_t> living;
    mark_living(r, least, &living);
    keep_owned(r, [&](size_t i) { return living[i] != 0; });
}

// Rules get other numbers, which are none that are greater; NO_PARTITION: it is none any more.
inline void renumber_rules(Recognition* r, const std::vector<uint32_t>* numbers, size_t count) {
    Rules* rules = r->rules;
    std::vector<Owned>& owned = rules->owned;
    keep_owned(r, [&](size_t i) { return (*numbers)[owned[i].rule] != NO_PARTITION; });
    for (Owned& one : owned) one.rule = (*numbers)[one.rule];
    number_again(rules, r->program.partitioned);
    for (size_t old = 0; old < numbers->size(); ++old) {
        uint32_t renewed = (*numbers)[old];
        if (renewed == NO_PARTITION) continue;
        rules->met[renewed] = rules->met[old];
        if (!rules->windows.empty()) rules->windows[renewed] = rules->windows[old];
    }
    rules->met.resize(count);
    if (!rules->windows.empty()) rules->windows.resize(count);
    rules->count = count;
    rules->words = (count + 63) / 64;
}

}  // namespace spaseq::events
