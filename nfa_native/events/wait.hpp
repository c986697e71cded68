// Letting an event wait for a step that it would take, and what waits with the sets that it has seen, as columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/lazy_steps.hpp"
#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/questions.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

// How many values an event of the segment waits with.
static inline size_t values_each(const SegmentSpec& spec) noexcept { return spec.guards.size() + spec.held.size(); }

static inline bool is_reclaimed(const Correlating* c, int64_t listed) noexcept {
    return listed < c->listed_base + int64_t(c->listed_first);
}

// Forget events that have left the window, when they are half of all.
static void trim_waiting(const Correlating* c, const SegmentSpec& spec, WaitingEvents* waiting) noexcept {
    while (waiting->dead < waiting->size() && is_reclaimed(c, waiting->listed[waiting->dead])) ++waiting->dead;
    if (waiting->dead == 0 || 2 * waiting->dead < waiting->size()) return;
    ptrdiff_t dead = ptrdiff_t(waiting->dead);
    waiting->listed.erase(waiting->listed.begin(), waiting->listed.begin() + dead);
    waiting->seen.erase(waiting->seen.begin(), waiting->seen.begin() + dead);
    waiting->values.erase(waiting->values.begin(), waiting->values.begin() + dead * ptrdiff_t(values_each(spec)));
    waiting->dead = 0;
}

// What waits for the sets of a list; nothing so far, if there was none.
static inline WaitingEvents* waiting_for(WaitingSegment* segment, uint32_t list) {
    if (list >= segment->by_list.size()) segment->by_list.resize(list + 1);
    return &segment->by_list[list];
}

// The list of a partition's sets, if there are some.
static inline uint32_t list_of_sets(Recognition* r, const SegmentSpec& spec, uint32_t partition) noexcept {
    return find_list(r, partition, spec.source, 0);
}

static inline int64_t first_number(const GroupList* list) noexcept { return list->base + int64_t(list->first); }
static inline int64_t end_number(const GroupList* list) noexcept { return list->base + int64_t(list->count); }

// What the event itself puts into a register of the target.
static inline int64_t own_value(Recognition* r, const UpdateSpec* update) {
    Correlating* c = r->correlating;
    if (update->change == Change::LIST) return listed(r, NOT_SET);
    return update->change == Change::KEEP ? NOT_SET : c->columns[update->column][c->at];
}

// The event under way waits for what is in the list now.
static void wait_for_list(Recognition* r, const SegmentSpec& spec, WaitingEvents* waiting, const GroupList* list) {
    Correlating* c = r->correlating;
    const TransitionSpec& step = c->transitions[spec.transition];
    trim_waiting(c, spec, waiting);
    waiting->listed.push_back(listed(r, NOT_SET));
    waiting->seen.push_back(end_number(list));
    for (uint32_t i = 0; i < step.guards; ++i)
        waiting->values.push_back(c->columns[c->guards[step.first_guard + i].column][c->at]);
    for (size_t i = 0; i < spec.held.size(); ++i) {
        bool is_own = spec.held[i].owner == ValueOwner::WAITING;
        waiting->values.push_back(is_own ? own_value(r, &c->updates[step.first_update + i]) : NOT_SET);
    }
}

// The event takes the segment's step: it waits, if there is something to wait for.
static void keep_event(Recognition* r, uint32_t number, uint32_t partition, int64_t least) {
    WaitingSegment* segment = &r->correlating->waiting.segments[number];
    const SegmentSpec& spec = r->correlating->waiting.specs[number];
    uint32_t list_number = list_of_sets(r, spec, partition);
    if (list_number == NO_LIST) return;
    GroupList* list = list_at(r->correlating, list_number);
    drop_front(list, least);
    size_t sets = list->count - list->first;
    if (sets == 0) return;
    wait_for_list(r, spec, waiting_for(segment, list_number), list);
    segment->costs.seen += sets;
}

// ── sets as columns ──

static Column loaded_of_set(const Correlating* c, const SetLoad& load, const int64_t* registers) noexcept {
    int64_t number = registers[load.register_];
    if (number == NOT_SET || is_reclaimed(c, number)) return columns::unknown();
    size_t row = size_t(number - c->listed_base);
    return number_column(load.form, c->remembered[row * c->own.size() + load.argument]);
}

static void put_sets(const Correlating* c, const SegmentSpec& spec, WaitingEvents* waiting, const GroupList* list) {
    for (; waiting->known < end_number(list); ++waiting->known) {
        const int64_t* registers = list->record(size_t(waiting->known - list->base)) + 1;
        for (size_t i = 0; i < spec.loads.size(); ++i)
            waiting->columns[i].put(size_t(waiting->known - waiting->first), loaded_of_set(c, spec.loads[i], registers));
    }
}

// The columns have all sets of the list that are left, and not many more.
static void know_sets(const Correlating* c, const SegmentSpec& spec, WaitingEvents* waiting, const GroupList* list) {
    int64_t first = first_number(list);
    if (waiting->first == waiting->known || 2 * (first - waiting->first) > waiting->known - waiting->first) {
        waiting->columns.assign(spec.loads.size(), SetNumbers());
        waiting->first = waiting->known = first;
    }
    put_sets(c, spec, waiting, list);
}

}  // namespace spaseq::events
