// Batches in, rows out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/events/aggregating/state.hpp"
#include "nfa_native/events/aggregating/step.hpp"

namespace spaseq::events::aggregating {

// The event's values, as far as it has them.
static void read_values(Aggregation* a, size_t at) noexcept {
    const Bounded& semiring = a->stacks.semiring;
    for (size_t q = semiring.counts_on; q < semiring.wides; ++q) {
        const bool has_value = a->wide_valid[q] == nullptr || a->wide_valid[q][at];
        a->event_wides.data()[q] = has_value ? a->wide_values[q][at] : semiring.no_value(q);
    }
    for (size_t q = 1; q < semiring.reals; ++q) {
        const bool has_value = a->real_valid[q] == nullptr || a->real_valid[q][at];
        a->event_reals.data()[q] = has_value ? a->real_values[q][at] : 0.0;
    }
}

static void write_log(Aggregation* a, Substream* s, uint32_t symbol, uint32_t group, int64_t start, int64_t local) {
    Window<Bounded, Logged>* w = &s->window;
    w->log.push_back({local, group == NO_GROUP ? NEVER : start, symbol, group});
    if (a->stacks.semiring.wides)
        w->log_wides.insert(w->log_wides.end(), a->event_wides.begin(), a->event_wides.end());
    if (a->stacks.semiring.reals)
        w->log_reals.insert(w->log_reals.end(), a->event_reals.begin(), a->event_reals.end());
}

// The matches that were found, by group; whether there are any.
static bool write_rows(Aggregation* a, const Substream* s) {
    const size_t before = a->rows.ends.size();
    for (size_t i = 0; i < s->window.groups.size(); ++i) {
        if (a->found.counts[i] == 0) continue;
        a->rows.ends.push_back(a->position);
        a->rows.keys.push_back(s->window.groups[i].key);
        a->rows.counts.push_back(a->found.counts[i]);
        for (size_t q = 0; q < a->stacks.semiring.wides; ++q)
            a->rows.wides.push_back(a->found.wides[q * a->found.size + i]);
        for (size_t q = 0; q < a->stacks.semiring.reals; ++q)
            a->rows.reals.push_back(a->found.reals[q * a->found.size + i]);
    }
    return a->rows.ends.size() > before;
}

// The event at `position` matched the atoms of `symbol`; whether matches end with it.
static bool take_event(
    Aggregation* a, Substream* s, size_t at, uint32_t symbol, int64_t local, int64_t start, int64_t least, uint32_t key
) {
    uint32_t group = NO_GROUP;
    if (a->windowed && least != NOTHING && a->stacks.expire(s->window, least)) make_front(a, s, least);
    if (a->opens[symbol] && start != NEVER) group = group_of(a, s, key);
    else if (!s->window.has_front && !s->window.has_back) return false;
    read_values(a, at);
    const size_t groups = s->window.groups.size();
    if (a->found.size < groups) a->stacks.semiring.resize(a->found, 2 * groups);
    a->stacks.semiring.clear_totals(a->stacks.semiring.span(a->found, 0), groups);
    take_entries(a, s, symbol, group, local, least);
    if (group != NO_GROUP) a->stacks.note_start(s->window, group, start);
    if (a->windowed && s->window.has_back) write_log(a, s, symbol, group, start, local);
    return write_rows(a, s);
}

// Matches have ended: what was there may be used up.
static void consume(Aggregation* a, uint32_t partition) {
    if (a->consume == Consumed::PARTITION) empty_substream(a, &a->substreams[partition]);
    if (a->consume != Consumed::ANY) return;
    for (uint32_t touched : a->touched) {
        empty_substream(a, &a->substreams[touched]);
        a->substreams[touched].is_touched = false;
    }
    a->touched.clear();
}

static inline void touch(Aggregation* a, uint32_t partition) {
    if (a->consume == Consumed::ANY && !a->substreams[partition].is_touched) {
        a->substreams[partition].is_touched = true;
        a->touched.push_back(partition);
    }
}

// Take events from number `at` on until there are `most` rows; gives the first one not taken.
//
// Of windows of `events` >= 0, positions in the partition are what is measured.
inline size_t feed_events(
    Aggregation* a, const uint32_t* symbols, const int64_t* starts, const int64_t* least, const uint32_t* partitions,
    const uint32_t* keys, size_t at, size_t count, size_t most, int64_t events
) {
    const int64_t first = a->position - int64_t(at);
    for (; at < count && a->rows.ends.size() < most; ++at) {
        const uint32_t partition = partitions != nullptr ? partitions[at] : 0;
        if (partition == NO_PARTITION || (partitions == nullptr && !symbols[at])) continue;
        if (partition >= a->substreams.size()) know_substream(a, partition);
        Substream* s = &a->substreams[partition];
        const int64_t local = partitions != nullptr ? s->events : first + int64_t(at);
        ++s->events;
        if (!symbols[at]) continue;
        const int64_t start = events >= 0 ? local : starts[at], begin = events >= 0 ? local - events : least[at];
        a->position = first + int64_t(at);
        touch(a, partition);
        if (take_event(a, s, at, symbols[at], local, start, begin, keys != nullptr ? keys[at] : 0))
            consume(a, partition);
    }
    a->position = first + int64_t(at);
    return at;
}

// No rows.
inline void clear_rows(Rows* rows) noexcept {
    rows->ends.clear();
    rows->keys.clear();
    rows->counts.clear();
    rows->wides.clear();
    rows->reals.clear();
}

}  // namespace spaseq::events::aggregating
