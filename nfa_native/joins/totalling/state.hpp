// The records of the aggregation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "nfa_native/automata/kinds.hpp"
#include "nfa_native/core/exact.hpp"
#include "nfa_native/core/mixing.hpp"
#include "nfa_native/core/two_stacks.hpp"
#include "nfa_native/terms/encoding.hpp"

namespace spaseq::joins::totalling {

using kinds::Govern;
using kinds::MatchQuantity;
using semirings::Exact;
using semirings::ExactSpan;
using semirings::ExactTotals;
using semirings::Natural;
using semirings::NO_LEAST;
using semirings::wide;

constexpr uint32_t NO_STATE = 0xFFFFFFFF;
constexpr uint32_t NO_SLOT = 0xFFFFFFFF;
constexpr uint32_t NO_SUBSTREAM = 0xFFFFFFFF;
constexpr uint32_t NO_EVENT = 0xFFFFFFFF;
constexpr size_t FEW_SUBSTREAMS = 1024;   // that are kept without a thought
constexpr int64_t LONG_AGO = INT64_MIN;

// What is to be known of an atom's events.
struct QuantitySpec {
    MatchQuantity kind;                   // values of LEAST and GREATEST are ranks, those negated
    bool first_only;                      // of a match's first event alone
    std::vector<uint32_t> slots;          // by atom: the column of its rows that has the value, or NO_SLOT
};

// How an event of an atom, or events of several, come from a state to another one.
struct Arc {
    uint32_t source;                      // NO_STATE: a match begins
    uint32_t target;                      // NO_STATE: a match ends
    uint32_t transition;
    bool counts;                          // it is the first arc of its transition
};

// The arcs of one event for each of several atoms at one time.
struct Joint {
    std::vector<uint32_t> atoms;
    std::vector<Arc> arcs;
};

struct StateRecord {
    Govern govern;
    std::vector<uint32_t> twins;          // states that are left together with this one
    int64_t youngest = LONG_AGO;          // no partial match in it began later, by what windows measure
    uint64_t entered = 0;                 // events that brought something
};

// An event that matched an atom.
struct Entry {
    uint32_t atom;
    uint8_t begins;                       // of the log: it is the first one of its tick,
    uint8_t gap;                          // and the tick before it did not touch the substream: contiguity was broken
    int64_t time;
    int64_t measure;                      // what windows measure of it
    int64_t least;                        // and what a match that ends with it must have begun at or after
};

// The entries of one timestamp, pending or of the log.
struct Tick {
    const std::vector<Entry>* entries;
    const std::vector<wide>* values;
    size_t first;
    size_t end;
};

// The partial matches of one key.  A slot is a state, and all starts are of one group.
struct Substream {
    std::string key;
    int64_t tick = LONG_AGO;              // the last one that touched it
    int64_t measure = LONG_AGO;           // of its last event
    Window<Exact, Entry> window;
    std::vector<Entry> pending;           // of the open tick
    std::vector<wide> pending_values;     // [entry][value]
};

// Matches that ended: a row for each time and key.
struct Found {
    std::vector<int64_t> times;
    std::vector<uint64_t> keys;           // [row][key]
    ExactTotals totals;                   // [row]
};

struct Totalling {
    const void* store;                    // of the terms
    wide (*measured)(const void* store, MatchQuantity kind, word_t word);  // what a bound word adds to a quantity
    size_t width = 0;                     // of a key
    TwoStacks<Exact, Entry> stacks;
    bool windowed = false;
    std::vector<QuantitySpec> quantities;  // those of numbers, then those of leasts
    std::vector<std::vector<uint32_t>> key_slots;  // by atom
    std::vector<std::vector<Arc>> arcs;   // by atom
    std::vector<Joint> joints;
    std::vector<std::vector<uint32_t>> strikes;  // by atom: states that its events empty, as it is negated there
    std::vector<uint8_t> opens;           // by atom: matches may begin with it
    std::vector<StateRecord> states;
    bool leaves = false;                  // partial matches may leave some state
    std::vector<Substream> substreams;
    std::vector<uint32_t> free;           // numbers of substreams that may be used again
    std::unordered_map<std::string, uint32_t, TextHash> substream_of_key;
    size_t sweep_at = FEW_SUBSTREAMS;     // so many substreams are looked through for those that are over
    int64_t tick = LONG_AGO;              // the open one, or the last
    bool is_open = false;
    std::vector<uint32_t> touched;        // substreams with pending entries
    std::vector<uint64_t> matched;        // by atom: events
    std::vector<uint64_t> fired;          // by transition
    Found found;
    // scratch
    int64_t least = 0;                    // no start of the front that is made is before it
    ExactTotals staged;                   // [state][height]: what enters, or what becomes of it
    std::vector<uint8_t> entered;         // by state: `staged` has something
    std::vector<uint8_t> passed;          // by state: partial matches leave it in this tick
    std::vector<uint8_t> present;         // by atom: the tick has an event of it
    ExactTotals weight;                   // by Weight
    std::string key;
};

// Totals of the events of an arc.
enum Weight {
    ONE,                                  // an event's,
    BEFORE,                               // what it is added to,
    JOINED,                               // and the product of those
    JOINT,                                // of a joint's atoms
    WEIGHTS
};

// Before the first entry, when states and arcs are known: room for what is under way.
inline void begin_totalling(Totalling* a) {
    size_t states = a->states.size();
    for (const StateRecord& state : a->states) a->leaves = a->leaves || state.govern != Govern::ANY;
    for (const std::vector<uint32_t>& strikes : a->strikes) a->leaves = a->leaves || !strikes.empty();
    a->stacks.slots = states;
    a->stacks.semiring.resize(a->staged, states * (states + 1));
    a->stacks.semiring.resize(a->weight, WEIGHTS);
    a->entered.assign(states, false);
    a->passed.assign(states, false);
}

}  // namespace spaseq::joins::totalling
