// What a recognizer runs: nothing in it changes with events, but that symbols are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/automata/kinds.hpp"
#include "nfa_native/events/groups.hpp"

namespace spaseq::events {

using kinds::VIEW_BOUNDS;
using kinds::Change;
using kinds::Consumed;
using kinds::EnumerationKind;
using kinds::RegisterCells;
using kinds::StepKind;
using kinds::StrategyKind;

// What a register of a transition's target becomes.
struct UpdateSpec {
    Change change;
    int32_t register_;  // of the source; -1: not set; COMPUTED: the lists are in question_registers[register_] and on
    int32_t column;                       // of the event's value; -1: none; COMPUTED: the number of the computation
};

// A condition that is asked; its registers are question_registers[first] to [first + count - 1].
struct QuestionSpec {
    uint32_t number;
    uint32_t first;
    uint32_t count;
    int32_t register_;  // of those that a guard lets pass, the ones in which this is below
    int32_t decided;    // the event's value of this column satisfy the condition, if both are known; -1: no guard does
};

// A number of a group: that of a register, or a value of the last event in the register's list.
struct TellingNumber {
    uint32_t register_;
    int32_t argument;                     // the value's number; -1: the register's own
    bool is_real;                         // the value is the bits of a double
};

struct TransitionSpec {
    uint32_t source;
    bool contiguous;
    bool keyed;                           // its first guard is what the source's lists are looked up by
    bool by_skyline;  // and all that is left to ask is whether the register of the skyline is below a bound
    uint32_t first_guard;
    uint32_t guards;
    uint32_t first_question;
    uint32_t questions;
    uint32_t first_update;
};

// A state, seen from its cells.
struct CellSpec {
    RegisterCells kind;
    uint32_t width;                       // registers
    uint32_t first_register;              // of all registers of all states
    int32_t key;                          // the register by which lists are looked up; -1: one list
    int32_t skyline;                      // the register that its lists have skyline of; -1: none
    uint32_t first_transition;            // those that enter it
    uint32_t transitions;
    uint32_t first_begin;                 // updates of a match that begins here
    uint32_t first_update;                // of RegisterCells.GROUPS: those of all that enter
};

// How an event enters a state.
struct EntrySpec {
    uint32_t state;
    uint32_t first;  // its predecessors are sources[first] to sources[first + after + directly - 1]
    uint32_t after;
    uint32_t directly;
    bool initial;
    bool final;
    StepKind step;
    bool waits;                           // some state comes after it, some time
    bool waits_next;                      // some state comes directly after it
};

// A state that a symbol enters, from sources[first] to sources[end - 1].
struct EnteredState {
    uint32_t state;
    uint32_t first;
    uint32_t end;
};

// The states that a symbol enters are entered[begin] to entered[end - 1], from the last one to the first.  If it is
// `plain`, those that are final come first, up to `finals`, then others up to `begins`, then those, maybe again, in
// which matches begin.
struct SymbolSpec {
    uint32_t begin;
    uint32_t finals;
    uint32_t begins;
    uint32_t end;
    bool plain;                           // what enters is always put before what is there
    bool swift;                           // of automata with registers: states are entered as wholes, in order
    bool in_order;  // a state that the symbol enters comes after its predecessors that it enters, too
};

// What an automaton does: nothing in it changes with events, but that symbols are added.
struct RecognizerProgram {
    size_t width;                         // states
    std::vector<EntrySpec> entries;       // by state
    std::vector<uint32_t> sources;
    std::vector<uint8_t> marked;
    bool all_marked;
    bool start_is_marked;                 // so results with one end and the same positions have the same start
    bool is_chain;  // results have one pick of each state, in the order of their numbers, and come once
    std::vector<SymbolSpec> symbols;
    std::vector<uint8_t> enters;          // by symbol: whether it enters any state; those of other queries alone do not
    std::vector<EnteredState> entered;
    uint32_t most_nodes;                  // that an event can make
    int64_t events;  // the window, in positions of the partition; < 0: `starts` say what it measures
    bool partitioned;
    bool numbered;                        // positions in the substream are remembered
    bool rises;                           // starts and windows only grow within a partition
    bool forgets;                         // and in all the stream: what is too old never comes back
    Consumed consume;
    EnumerationKind enumeration;
    int64_t limit;                        // results an end; < 0: all
    StrategyKind strategy;
    bool update_only;                     // matches are found, not enumerated
    uint64_t drawn;                       // matches begin with so many of 2³² events alone, drawn by chance; 0: with all
    uint64_t salt;                        // other ones are drawn with another one
};

}  // namespace spaseq::events
