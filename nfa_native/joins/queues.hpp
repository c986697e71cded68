// Negated events that wait for the step that they may strike at, by their keys (`negated_events.hpp`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/flat_table.hpp"
#include "nfa_native/joins/tables.hpp"
#include "nfa_native/terms/encoding.hpp"

namespace spaseq::joins {

// A negated event that may strike at a step.
struct Striker {
    word_t value;                         // what is compared; UNBOUND: nothing is
    uint32_t pos;
    uint32_t from;                        // the first position of its tick
};

// Of the negated events with one key those that no younger one makes needless, which strikes whatever they strike.
struct StrikerQueue {
    std::vector<word_t> key;
    std::vector<Striker> strikers;        // oldest first: each strikes more than those after it
    size_t first = 0;                     // those before it are over
    uint32_t kind = 0;                    // of the values
};

// The negated events of a guard that is judged when a step is made.
struct Strikers {
    FlatTable<KeyEntry> slots;            // queues by their keys
    std::vector<StrikerQueue> queues;
    bool some_apart = false;              // some have no place in a queue,
    uint32_t apart = 0;                   // the youngest of them here
};

}  // namespace spaseq::joins
