// Events in, rows out; and the substreams that they belong to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/joins/totalling/state.hpp"
#include "nfa_native/joins/totalling/step.hpp"

namespace spaseq::joins::totalling {

// The rows of an atom in a batch, borrowed from the caller.
struct AtomRows {
    const uint32_t* events = nullptr;     // by row: the number of its event
    const uint64_t* columns = nullptr;    // [slot][row]
    size_t rows = 0;
    size_t next = 0;                      // the first one that is not taken
};

static void begin_substream(const Totalling* a, Substream* s, const std::string& key) {
    s->key = key;
    s->tick = s->measure = LONG_AGO;
    a->stacks.forget_all(s->window);
}

// The number of the substream with the row's key; NO_SUBSTREAM if nothing waits there and nothing begins.
static uint32_t substream_for(Totalling* a, uint32_t atom, const AtomRows* rows, size_t row) {
    if (a->width == 0 && !a->substream_of_key.empty()) return 0;
    a->key.clear();
    for (uint32_t slot : a->key_slots[atom])
        a->key.append(reinterpret_cast<const char*>(rows->columns + slot * rows->rows + row), sizeof(uint64_t));
    auto found = a->substream_of_key.find(a->key);
    if (found != a->substream_of_key.end()) return found->second;
    if (!a->opens[atom]) return NO_SUBSTREAM;
    uint32_t number = uint32_t(a->substreams.size());
    if (a->free.empty()) {
        a->substreams.emplace_back();
    } else {
        number = a->free.back();
        a->free.pop_back();
    }
    begin_substream(a, &a->substreams[number], a->key);
    a->substream_of_key[a->key] = number;
    return number;
}

// Forget the substreams in which nothing happened since `least`: all of theirs has left the window.
static void sweep(Totalling* a, int64_t least) {
    if (!a->windowed || a->substreams.size() - a->free.size() < a->sweep_at) return;
    for (uint32_t number = 0; number < a->substreams.size(); ++number) {
        Substream* s = &a->substreams[number];
        if (!s->pending.empty() || s->measure >= least) continue;
        auto found = a->substream_of_key.find(s->key);
        if (found == a->substream_of_key.end() || found->second != number) continue;
        a->substream_of_key.erase(found);
        *s = Substream{};
        a->free.push_back(number);
    }
    a->sweep_at = std::max(FEW_SUBSTREAMS, 2 * (a->substreams.size() - a->free.size()));
}

// No more entries of the last tick will come.
inline void close_open_tick(Totalling* a) {
    if (!a->is_open) return;
    for (uint32_t number : a->touched) take_tick(a, &a->substreams[number]);
    a->touched.clear();
    a->is_open = false;
}

// Append the values of an entry, one for each quantity.
static void read_values(
    const Totalling* a, const Entry* entry, const AtomRows* rows, size_t row, std::vector<wide>* out
) {
    size_t numbers = a->stacks.semiring.numbers;
    for (size_t q = 0; q < a->quantities.size(); ++q) {
        const QuantitySpec& quantity = a->quantities[q];
        uint32_t slot = quantity.slots[entry->atom];
        word_t word = slot != NO_SLOT ? rows->columns[slot * rows->rows + row] : UNBOUND;
        if (quantity.kind == MatchQuantity::STARTS) out->push_back(entry->time);
        else if (word == UNBOUND) out->push_back(q + 1 < numbers ? 0 : NO_LEAST);
        else out->push_back(a->measured(a->store, quantity.kind, word));
    }
}

static void feed_entry(Totalling* a, const Entry* entry, int64_t tick, const AtomRows* rows, size_t row) {
    if (a->is_open && a->tick != tick) {
        close_open_tick(a);
        sweep(a, entry->least);
    }
    a->tick = tick;
    a->is_open = true;
    ++a->matched[entry->atom];
    uint32_t number = substream_for(a, entry->atom, rows, row);
    if (number == NO_SUBSTREAM) return;
    Substream* s = &a->substreams[number];
    if (s->pending.empty()) a->touched.push_back(number);
    s->pending.push_back(*entry);
    read_values(a, entry, rows, row, &s->pending_values);
}

// Rows are of `count` events, and come in their order.
inline void check_rows_in_order(const std::vector<AtomRows>* atoms, size_t count) {
    for (const AtomRows& rows : *atoms) {
        for (size_t k = 0; k < rows.rows; ++k) {
            require(rows.events[k] < count, "a row is of an event that there is not");
            require(k == 0 || rows.events[k - 1] <= rows.events[k], "rows are not in the order of their events");
        }
    }
}

// The first event that some atom has a row of; NO_EVENT: all rows are taken.
static inline uint32_t next_event(const std::vector<AtomRows>* atoms) noexcept {
    uint32_t event = NO_EVENT;
    for (const AtomRows& rows : *atoms)
        if (rows.next < rows.rows) event = std::min(event, rows.events[rows.next]);
    return event;
}

// The events that matched atoms, one after the other.
inline void feed_events(
    Totalling* a, const int64_t* ticks, const int64_t* times, const int64_t* measures, const int64_t* leasts,
    std::vector<AtomRows>* atoms
) {
    for (uint32_t event = next_event(atoms); event != NO_EVENT; event = next_event(atoms)) {
        Entry entry{0, false, false, times[event], measures[event], leasts[event]};
        for (AtomRows& rows : *atoms) {
            if (rows.next < rows.rows && rows.events[rows.next] == event)
                feed_entry(a, &entry, ticks[event], &rows, rows.next);
            while (rows.next < rows.rows && rows.events[rows.next] == event) ++rows.next;
            ++entry.atom;
        }
    }
}

// All matches that ended.
inline void sum_found(const Totalling* a, Natural* out) {
    const size_t numbers = a->stacks.semiring.numbers;
    for (size_t i = 0; i < a->found.times.size(); ++i) out->add(a->found.totals.numbers[i * numbers]);
}

// ── what may come ──

static void reach_by(const Arc& arc, const Entry& entry, const int64_t* starts, int64_t* after) noexcept {
    if (arc.target == NO_STATE) return;
    after[arc.target] = std::max(after[arc.target], arc.source == NO_STATE ? entry.measure : starts[arc.source]);
}

// By state what windows measure of the youngest first event of partial matches that may be there, into `starts`, or may
// come when the tick closes, by the pending entries or others at their time, into `after`.
inline void youngest_starts(const Totalling* a, int64_t* starts, int64_t* after) noexcept {
    for (size_t i = 0; i < a->states.size(); ++i) starts[i] = after[i] = a->states[i].youngest;
    for (uint32_t number : a->touched) {
        for (const Entry& entry : a->substreams[number].pending) {
            for (const Arc& arc : a->arcs[entry.atom]) reach_by(arc, entry, starts, after);
            for (const Joint& joint : a->joints)
                for (const Arc& arc : joint.arcs) reach_by(arc, entry, starts, after);
        }
    }
}

}  // namespace spaseq::joins::totalling
