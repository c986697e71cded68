// The step: an event enters states from what was there before it.  And the back becomes the front: going back from the
// last event, it is known for each slot what becomes of a path there, so that each event is read once more, and then
// forgotten.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "nfa_native/events/aggregating/state.hpp"

namespace spaseq::events::aggregating {

// Each path with an event more, which entered the state.
static inline void append_event(
    const Aggregation* a, uint32_t state, const BoundedSpan& out, size_t count, const wide* wides, const double* reals
) noexcept {
    const Bounded& semiring = a->stacks.semiring;
    const uint8_t* holds_wide = a->holds_wide.data() + state * semiring.wides;
    const uint8_t* holds_real = a->holds_real.data() + state * semiring.reals;
    semiring.append_event(out, count, holds_wide, wides, holds_real, reals);
}

// ── the front ──

// Find groups by their keys.
inline void number_groups(Substream* s) {
    const size_t groups = s->window.groups.size();
    if (s->group_of_key.bucket_count() > 4 * groups + MANY_BUCKETS)
        std::unordered_map<uint32_t, uint32_t, NumberHash>().swap(s->group_of_key);
    s->group_of_key.clear();
    for (uint32_t i = 0; groups > 1 && i < groups; ++i) s->group_of_key[s->window.groups[i].key] = i;
}

// Nothing comes of paths that had to go on with the next event.
static void end_newest(Aggregation* a) noexcept {
    for (const Entry& entry : a->entries)
        if (entry.last_slot != NO_SLOT) a->stacks.end_future(entry.last_slot);
}

// What becomes of paths that enter a state with the event.
static void find_turned(
    Aggregation* a, Substream* s, size_t at, const Entry* entry, const BoundedSpan& out
) noexcept {
    const Bounded& semiring = a->stacks.semiring;
    const BoundedSpan turned = semiring.part(out, entry->reach);
    const size_t reach = a->stacks.slots - entry->reach;
    semiring.clear_totals(turned, reach);
    for (uint32_t own : {entry->slot, entry->last_slot})
        if (own != NO_SLOT) semiring.add_totals(turned, semiring.part(a->stacks.future_of(own), entry->reach), reach);
    if (entry->counts) {
        append_event(a, entry->state, turned, reach, s->window.log_wides.data() + at * semiring.wides,
            s->window.log_reals.data() + at * semiring.reals);
    }
}

// Add what becomes of paths that enter the state to what becomes of those before it, and of a start if there is one.
static void turn_back(
    Aggregation* a, const Entry* entry, const BoundedSpan& turned, const BoundedSpan* start
) noexcept {
    const Bounded& semiring = a->stacks.semiring;
    const BoundedSpan more = semiring.part(turned, entry->reach);
    const uint32_t* source = a->sources.data() + entry->first;
    const size_t reach = a->stacks.slots - entry->reach;
    if (entry->initial && start != nullptr) semiring.add_totals(semiring.part(*start, entry->reach), more, reach);
    for (uint32_t k = 0; k < entry->after + entry->directly; ++k)
        semiring.add_totals(semiring.part(a->stacks.future_of(source[k]), entry->reach), more, reach);
}

// What becomes of paths in a slot before an event of the log, from what becomes of those after it: they stay, or enter
// a state.
//
// What is read must not be written before: so all that enters is found first, unless going from the first state to the
// last is enough.
static void turn(Aggregation* a, Substream* s, size_t at, const BoundedSpan* start) noexcept {
    const uint32_t symbol = s->window.log[at].symbol;
    const uint32_t* entered = a->symbol_entries.data() + a->symbol_begin[symbol];
    const size_t count = a->symbol_begin[symbol + 1] - a->symbol_begin[symbol];
    const bool at_once = a->in_order[symbol] && !a->has_newest;
    for (size_t i = 0; i < count; ++i) {
        const Entry* entry = &a->entries[entered[count - 1 - i]];
        BoundedSpan turned = a->stacks.semiring.span(a->turned, i * a->stacks.slots);
        if (at_once && !entry->counts && !entry->loops && entry->slot != NO_SLOT)
            turned = a->stacks.future_of(entry->slot);
        else find_turned(a, s, at, entry, turned);
        if (at_once) turn_back(a, entry, turned, start);
    }
    if (at_once) return;
    end_newest(a);
    for (size_t i = 0; i < count; ++i) {
        const BoundedSpan turned = a->stacks.semiring.span(a->turned, i * a->stacks.slots);
        turn_back(a, &a->entries[entered[count - 1 - i]], turned, start);
    }
}

// Put the starts of the log that are in the window into the front.
static void replay(Aggregation* a, Substream* s, int64_t least) {
    const std::vector<Logged>& log = s->window.log;
    for (size_t left = log.size(); left-- > 0;) {
        const Logged& event = log[left];
        const bool begins = event.start != NEVER;
        if (begins && event.start < least) break;
        if (a->has_newest && left + 1 < log.size() && log[left + 1].local != event.local + 1) end_newest(a);
        BoundedSpan start{};
        if (begins) start = a->stacks.begin_start(s->window, event.group, event.start);
        turn(a, s, left, begins ? &start : nullptr);
    }
}

static void make_front(Aggregation* a, Substream* s, int64_t least) {
    a->stacks.begin_front(s->window);
    replay(a, s, least);
    if (a->stacks.end_front(s->window)) number_groups(s);
}

// ── the event ──

// The number of the group with the key, maybe a new one.
static uint32_t group_of(Aggregation* a, Substream* s, uint32_t key) {
    if (s->window.groups.size() == 1) {
        if (s->window.groups[0].key == key) return 0;
        s->group_of_key[s->window.groups[0].key] = 0;
    } else {
        auto found = s->group_of_key.find(key);
        if (found != s->group_of_key.end()) return found->second;
    }
    uint32_t number = a->stacks.add_group(s->window, key);
    if (number) s->group_of_key[key] = number;
    return number;
}

// The paths that enter a state with the event, from row `first` on.
static void enter(
    Aggregation* a, Substream* s, const Entry* entry, const BoundedSpan& out, size_t first, uint32_t group,
    int64_t local
) noexcept {
    const Bounded& semiring = a->stacks.semiring;
    const uint32_t* source = a->sources.data() + entry->first;
    const size_t height = s->window.height;
    const BoundedSpan rows = semiring.part(out, first);
    semiring.clear_totals(rows, height - first);
    for (uint32_t i = 0; i < entry->after + entry->directly; ++i) {
        if (!s->window.filled.data()[source[i]]) continue;
        if (i >= entry->after && s->entered_at.data()[source[i]] != local - 1) continue;
        const size_t begin = std::max(first, size_t(a->begins.data()[source[i]]));
        const BoundedSpan more = semiring.part(a->stacks.column(s->window, source[i]), begin);
        semiring.add_totals(semiring.part(out, begin), more, height - begin);
    }
    if (entry->initial && group != NO_GROUP) semiring.add_unit(semiring.part(out, a->stacks.slots + group));
    if (entry->counts)
        append_event(a, entry->state, rows, height - first, a->event_wides.data(), a->event_reals.data());
}

// What entered a state, from row `first` on, is added to what was there.
static void settle(
    Aggregation* a, Substream* s, const Entry* entry, const BoundedSpan& entering, size_t first, int64_t local
) noexcept {
    const Bounded& semiring = a->stacks.semiring;
    const BoundedSpan rows = semiring.part(entering, first);
    const size_t count = s->window.height - first;
    if (entry->slot != NO_SLOT)
        semiring.add_totals(semiring.part(a->stacks.filled_column(s->window, entry->slot), first), rows, count);
    if (entry->last_slot != NO_SLOT) {
        const BoundedSpan column = a->stacks.column(s->window, entry->last_slot);
        semiring.clear_totals(column, first);
        semiring.copy_totals(semiring.part(column, first), rows, count);
        s->window.filled.data()[entry->last_slot] = true;
        s->entered_at.data()[entry->last_slot] = local;
    }
}

// Of what entered a final state, add for each group that which began in the window.
static void finish(Aggregation* a, Substream* s, const BoundedSpan& entering, size_t first, int64_t least) noexcept {
    for (size_t i = 0; i < s->window.groups.size(); ++i)
        a->stacks.add_window(s->window, i, least, entering, first, a->stacks.semiring.span(a->found, i));
}

// Enter all states of the symbol.
static void take_entries(
    Aggregation* a, Substream* s, uint32_t symbol, uint32_t group, int64_t local, int64_t least
) {
    const Bounded& semiring = a->stacks.semiring;
    const uint32_t* entered = a->symbol_entries.data() + a->symbol_begin[symbol];
    const size_t count = a->symbol_begin[symbol + 1] - a->symbol_begin[symbol];
    const size_t least_row = a->stacks.first_row(s->window), height = s->window.height;
    const bool in_order = a->in_order[symbol];
    if (a->entering.size < count * height) semiring.resize(a->entering, count * height);
    for (size_t i = 0; i < count; ++i) {
        const Entry* entry = a->entries.data() + entered[i];
        const size_t first = std::max(least_row, size_t(entry->begin));
        if (entry->opens && in_order) {
            if (group == NO_GROUP) continue;
            semiring.add_unit(semiring.part(a->stacks.filled_column(s->window, entry->slot), a->stacks.slots + group));
            continue;
        }
        BoundedSpan entering = semiring.span(a->entering, i * height);
        if (entry->plain && in_order) {
            const uint32_t source = a->sources.data()[entry->first];
            if (!s->window.filled.data()[source]) continue;
            entering = a->stacks.column(s->window, source);
        } else {
            enter(a, s, entry, entering, first, group, local);
        }
        if (entry->final && least != NOTHING) finish(a, s, entering, first, least);
        if (in_order) settle(a, s, entry, entering, first, local);
    }
    for (size_t i = 0; !in_order && i < count; ++i) {
        const Entry* entry = a->entries.data() + entered[i];
        const BoundedSpan entering = semiring.span(a->entering, i * height);
        settle(a, s, entry, entering, std::max(least_row, size_t(entry->begin)), local);
    }
}

}  // namespace spaseq::events::aggregating
