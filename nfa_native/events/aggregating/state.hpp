// The records of the aggregator, and what follows from an automaton.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "nfa_native/automata/kinds.hpp"
#include "nfa_native/core/bounded.hpp"
#include "nfa_native/core/mixing.hpp"
#include "nfa_native/core/two_stacks.hpp"

namespace spaseq::events::aggregating {

using kinds::Consumed;
using semirings::Bounded;
using semirings::BoundedSpan;
using semirings::BoundedTotals;
using semirings::wide;

constexpr uint32_t NO_SLOT = 0xFFFFFFFF;
constexpr uint32_t NO_GROUP = 0xFFFFFFFF;
constexpr uint32_t NO_PARTITION = 0xFFFFFFFF;
constexpr size_t MANY_BUCKETS = 256;      // of a table: more are given back when groups are gone
constexpr int64_t NEVER = INT64_MIN;
constexpr int64_t NOTHING = INT64_MAX;

// How an event enters a state.  A slot has all paths that are in a state, or those that entered it with one event.
struct Entry {
    uint32_t state;
    uint32_t first;                       // it comes from slots sources[first] to sources[first + after + directly - 1]
    uint32_t after;                       // of all paths
    uint32_t directly;                    // of those that the event before entered
    uint32_t slot;                        // of its own paths; NO_SLOT if nothing goes on from there some time
    uint32_t last_slot;                   // of its newest paths; NO_SLOT if nothing goes on from there directly
    bool initial;
    bool final;
    bool loops;                           // one of the slots that it comes from is its own
    uint32_t begin = 0;                   // the first row of what enters that may have paths
    uint32_t reach = 0;                   // the first slot to which paths that enter may come
    bool counts = false;                  // some value of the event does
    bool plain = false;                   // all of one slot enters, and nothing else; no value counts
    bool opens = false;                   // a start alone enters, of which no value counts, and settles in one slot
};

// An event since the front was made.
struct Logged {
    int64_t local;                        // position in its substream
    int64_t start;                        // what its window measures; NEVER if no match begins
    uint32_t symbol;
    uint32_t group;
};

// The paths of a partition.  A group has the matches whose first event has one key.
struct Substream {
    int64_t events = 0;                   // so far
    Window<Bounded, Logged> window;
    std::vector<int64_t> entered_at;      // by slot of newest paths: the position of the event that they entered with
    std::unordered_map<uint32_t, uint32_t, NumberHash> group_of_key;  // if there are two or more
    bool is_touched = false;              // it may have paths; only under CONSUME BY ANY
};

// Results: a row for each end and group.
struct Rows {
    std::vector<int64_t> ends;
    std::vector<uint32_t> keys;
    std::vector<uint64_t> counts;
    std::vector<wide> wides;              // [row][quantity]
    std::vector<double> reals;
};

struct Aggregation {
    TwoStacks<Bounded, Logged> stacks;
    bool has_newest = false;              // some slots have paths that have to go on directly
    std::vector<uint32_t> begins;         // by slot: the first row of its column that may have paths
    std::vector<uint32_t> reaches;        // by slot: the first slot to which its paths may come
    std::vector<Entry> entries;           // by state
    std::vector<uint32_t> sources;
    std::vector<uint32_t> symbol_begin;   // of each symbol: its entries in `symbol_entries`
    std::vector<uint32_t> symbol_entries;  // from the last state to the first
    std::vector<uint8_t> in_order;        // a state that a symbol enters comes after its predecessors that it does, too
    std::vector<uint8_t> opens;           // a symbol enters an initial state
    std::vector<uint8_t> holds_wide;      // [state][quantity of integers]: events of the state count
    std::vector<uint8_t> holds_real;
    bool windowed = false;
    bool partitioned = false;
    Consumed consume = Consumed::NONE;
    int64_t position = 0;                 // of the next event, or of the one under way
    std::vector<Substream> substreams;
    std::vector<uint32_t> touched;
    Rows rows;
    // the event under way
    std::vector<wide> event_wides;        // its values by quantity, those that change nothing if it has none
    std::vector<double> event_reals;
    BoundedTotals entering;               // [entry][height]: what enters states
    BoundedTotals found;                  // [group]: matches that end
    BoundedTotals turned;                 // [entry][slot]: what becomes of paths that enter a state
    // the batch under way
    std::vector<const int64_t*> wide_values;  // by quantity
    std::vector<const uint8_t*> wide_valid;  // NULL: all are
    std::vector<const double*> real_values;
    std::vector<const uint8_t*> real_valid;
};

inline void empty_substream(const Aggregation* a, Substream* s) {
    a->stacks.forget_all(s->window);
    s->group_of_key.clear();
}

inline void begin_substream(const Aggregation* a, Substream* s) {
    s->events = 0;
    s->entered_at.assign(a->stacks.slots, NEVER);
    s->is_touched = false;
    empty_substream(a, s);
}

// Room for another partition.
inline void know_substream(Aggregation* a, uint32_t partition) {
    size_t i = a->substreams.size();
    a->substreams.resize(std::max(size_t(partition) + 1, i));
    for (; i < a->substreams.size(); ++i) begin_substream(a, &a->substreams[i]);
}

// What enters can have all rows of its sources, and leads to all to which its own slots lead; whether that is news.
static bool widen(Aggregation* a, Entry* entry) {
    uint32_t begin = entry->begin, reach = entry->reach;
    const uint32_t* source = a->sources.data() + entry->first;
    const uint32_t* end = source + entry->after + entry->directly;
    for (const uint32_t* one = source; one != end; ++one) begin = std::min(begin, a->begins[*one]);
    for (uint32_t own : {entry->slot, entry->last_slot})
        if (own != NO_SLOT) reach = std::min(reach, a->reaches[own]);
    const bool grown = begin != entry->begin || reach != entry->reach;
    entry->begin = begin;
    entry->reach = reach;
    for (uint32_t own : {entry->slot, entry->last_slot})
        if (own != NO_SLOT) a->begins[own] = std::min(a->begins[own], begin);
    for (const uint32_t* one = source; one != end; ++one) a->reaches[*one] = std::min(a->reaches[*one], reach);
    return grown;
}

// When entries and quantities are known: which parts of columns and of futures can have paths at all, which entries are
// simple ones, and room for what is under way.
inline void begin_aggregation(Aggregation* a) {
    const size_t wides = a->stacks.semiring.wides, reals = a->stacks.semiring.reals;
    const auto holds = [](const std::vector<uint8_t>& table, size_t width, size_t state) {
        return std::count(table.begin() + state * width, table.begin() + (state + 1) * width, 1) > 0;
    };
    a->symbol_begin.assign(2, 0);  // symbol 0 enters nothing
    a->in_order.assign(1, true);
    a->opens.assign(1, false);
    for (uint32_t slot = 0; slot < a->stacks.slots; ++slot) {
        a->begins.push_back(uint32_t(a->stacks.row_of(slot)));
        a->reaches.push_back(slot);
    }
    for (Entry& entry : a->entries) entry.begin = entry.reach = uint32_t(a->stacks.slots);
    for (bool grown = true; grown;) {
        grown = false;
        for (Entry& entry : a->entries) grown = widen(a, &entry) || grown;
    }
    for (Entry& entry : a->entries) {
        const bool alone = entry.initial && !entry.final && entry.after + entry.directly == 0;
        entry.counts = holds(a->holds_wide, wides, entry.state) || holds(a->holds_real, reals, entry.state);
        entry.opens = !entry.counts && alone && entry.slot != NO_SLOT && entry.last_slot == NO_SLOT;
        entry.plain = !entry.counts && !entry.loops && !entry.initial && entry.after == 1 && !entry.directly;
    }
    a->event_wides.resize(wides);
    a->event_reals.resize(reals);
    a->stacks.semiring.resize(a->turned, a->stacks.slots * a->entries.size());
    know_substream(a, 0);
}

}  // namespace spaseq::events::aggregating
