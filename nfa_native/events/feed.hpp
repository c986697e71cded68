// Batches in, matches out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/events/best.hpp"
#include "nfa_native/events/chains.hpp"
#include "nfa_native/events/enumerate.hpp"
#include "nfa_native/events/gather.hpp"
#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/maximal.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/step.hpp"

namespace spaseq::events {

static void empty_partition(Recognition* r, uint32_t partition) noexcept {
    size_t first = partition * r->program.width;
    for (size_t i = first; i < first + r->program.width; ++i) {
        r->state.heads[i] = Head{};
        r->state.last[i] = LastEntry{};
    }
    if (r->correlating != nullptr) empty_cells(r, partition);
}

// There are no partial matches: nothing of what was made is needed.
static void free_all(Recognition* r) noexcept {
    Correlating* c = r->correlating;
    r->state.ring.clear();
    if (c == nullptr) return;
    c->views.tail = c->views.head;
    c->listed_base += int64_t(c->listed.size());
    c->listed.clear();
    c->remembered.clear();
    c->listed_first = 0;
}

// The event's matches are all out: it may have consumed what was there.
static void finish_event(Recognition* r, uint32_t partition) noexcept {
    r->scratch.endings.clear();
    if (r->program.consume == Consumed::NONE || r->scratch.given == 0) return;
    if (r->program.consume == Consumed::PARTITION) {
        empty_partition(r, partition);
        return;
    }
    for (uint32_t touched : r->state.touched) {
        empty_partition(r, touched);
        r->state.is_touched[touched] = 0;
    }
    r->state.touched.clear();
    free_all(r);
}

// Nothing waits anywhere: partitions are not known.
inline void let_go(Recognition* r) noexcept {
    r->state.heads.clear();
    r->state.last.clear();
    r->state.is_touched.clear();
    if (r->correlating == nullptr) return;
    r->correlating->epochs.clear();
    r->correlating->direct.clear();
    r->correlating->recents.clear();
}

// Room for what waits in another partition.
static inline void know_waiting(Recognition* r, uint32_t partition) {
    r->state.heads.resize((partition + 1) * r->program.width);
    r->state.last.resize((partition + 1) * r->program.width);
    r->state.is_touched.resize(partition + 1, 0);
    if (r->correlating != nullptr) know_cells(r, partition);
}

// Room for another partition.
inline void know_partition(Recognition* r, uint32_t partition) {
    r->state.locals.resize(partition + 1, 0);
    know_waiting(r, partition);
}

static inline void touch(Recognition* r, uint32_t partition) {
    if (r->program.consume == Consumed::ANY && !r->state.is_touched[partition]) {
        r->state.is_touched[partition] = 1;
        r->state.touched.push_back(partition);
    }
}

// Local positions of events before those that nodes mention are not asked for any more.
inline void forget_numbers(Recognition* r) noexcept {
    int64_t oldest = r->state.position;
    if (!r->program.numbered) return;
    if (r->state.ring.count()) oldest = position_of(&r->state, match_node(&r->state, r->state.ring.tail)->pos);
    int64_t dead = oldest - r->state.first_number;
    if (dead > 1024 && size_t(dead) * 2 > r->state.local_numbers.size()) {
        r->state.local_numbers.erase(r->state.local_numbers.begin(), r->state.local_numbers.begin() + dead);
        r->state.first_number = oldest;
    }
}

// Write matches of the last event until there are `most` in all; whether that was the last of them.
static inline bool enumerate_more(Recognition* r, size_t most) {
    if (r->program.enumeration == EnumerationKind::ROWS) return enumerate_rows(r, most);
    if (r->program.enumeration == EnumerationKind::DISTINCT || r->program.enumeration == EnumerationKind::MAXIMAL)
        return enumerate_distinct(r, most);
    return enumerate_some(r, most);
}

// Enumerate the event's matches, or go on with it; False: there are `most` results before it is done.
// (Not inlined: the loops over events, most of which enter nothing, need the registers.)
[[gnu::noinline]] static bool give(Recognition* r, uint32_t partition, size_t most) {
    if (!r->scratch.enumerating) begin_enumeration(r);
    if (r->program.update_only) {
        r->scratch.given = 1;
        r->scratch.enumerating = false;
    } else if (r->program.enumeration == EnumerationKind::BEST) {
        choose_best(r);
    } else if (!enumerate_more(r, most)) {
        return false;
    }
    if (r->shedding) r->shedding->found += double(r->scratch.given);
    finish_event(r, partition);
    return true;
}

// The start of a match that begins with the event; NEVER: none does, as it is not drawn.
static inline int64_t drawn_start(const Recognition* r, int64_t start) noexcept {
    bool drawn = shedding::chance_of(uint64_t(r->state.position), r->program.salt) < r->program.drawn;
    return r->program.drawn == 0 || drawn ? start : NEVER;
}

// Event number `at` of the batch; whether matches end with it.
static inline bool take_event(
    Recognition* r, uint32_t symbol, size_t at, uint32_t partition, int64_t local, int64_t start, int64_t least
) {
    if (r->shedding) begin_shed_event(r, symbol, start, least);
    int64_t begins = drawn_start(r, start);
    if (r->correlating == nullptr) return take_symbol(r, symbol, partition, local, begins, least);
    r->correlating->at = at;
    r->correlating->start = start;
    return take_correlated(r, symbol, partition, local, begins, least);
}

// The next event from number `at` on whose symbol enters some state; `count`: there is none.
static inline size_t next_entering(const uint8_t* enters, const uint32_t* symbols, size_t at, size_t count) noexcept {
    while (at < count && !enters[symbols[at]]) ++at;
    return at;
}

// Take events of the one stream from number `at` on; gives the first one not taken, when there are `most` results.
inline size_t feed_events(
    Recognition* r, const uint32_t* symbols, const int64_t* starts, const int64_t* least, size_t at, size_t count,
    size_t most
) {
    const uint8_t* enters = r->program.enters.data();
    int64_t first = r->state.position - int64_t(at);
    while (!r->scratch.is_full && !r->scratch.is_stopped && (at = next_entering(enters, symbols, at, count)) < count) {
        r->state.position = first + int64_t(at);
        if (r->scratch.enumerating || take_event(r, symbols[at], at, 0, r->state.position, starts[at], least[at])) {
            touch(r, 0);
            if (!give(r, 0, most)) return at;
        } else if (r->program.consume == Consumed::ANY) {
            touch(r, 0);
        }
        ++at;
    }
    r->state.position = first + int64_t(count);
    return count;
}

// As `feed_events`, each event in its partition.  Of windows of `events` >= 0, positions in it are what is measured.
inline size_t feed_partitions(
    Recognition* r, const uint32_t* symbols, const uint32_t* partitions, const int64_t* starts, const int64_t* least,
    size_t at, size_t count, size_t most, int64_t events
) {
    const uint8_t* enters = r->program.enters.data();
    int64_t first = r->state.position - int64_t(at);
    while (at < count && !r->scratch.is_full && !r->scratch.is_stopped) {
        uint32_t partition = partitions[at];
        r->state.position = first + int64_t(at);
        if (partition == NO_PARTITION) {
            ++at;
            if (r->program.numbered) r->state.local_numbers.push_back(-1);
            continue;
        }
        if (!r->scratch.enumerating) {
            if (partition >= r->state.locals.size()) know_partition(r, partition);
            ++r->state.locals[partition];
            if (r->program.numbered) r->state.local_numbers.push_back(r->state.locals[partition] - 1);
        }
        if (enters[symbols[at]]) {
            touch(r, partition);
            int64_t local = r->state.locals[partition] - 1;
            if (r->scratch.enumerating
                || take_event(r, symbols[at], at, partition, local, events >= 0 ? local : starts[at],
                    events >= 0 ? local - events : least[at])) {
                if (!give(r, partition, most)) return at;
            }
        }
        ++at;
    }
    r->state.position = first + int64_t(count);
    return count;
}

}  // namespace spaseq::events
