// Steps that wait: where each event of a step makes a group of each group that it finds, it can be kept instead, until an
// event asks for both.  What waits is the event; groups stay in their list, whose numbers say which ones were there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "nfa_native/automata/kinds.hpp"
#include "nfa_native/core/columns.hpp"
#include "nfa_native/core/trial.hpp"
#include "nfa_native/events/conditions.hpp"
#include "nfa_native/events/program.hpp"

namespace spaseq::events {

using columns::Column;
using conditions::Number;
using kinds::Evaluating;

// ── what is known of such a step from the beginning ──

// Whose a value is.
enum class ValueOwner : uint8_t { NOBODY, SET, WAITING, COMING };

// What a register of the step's target is: register `register_` of a set, or the event's own.
struct HeldValue {
    ValueOwner owner;                      // NOBODY: it is not set, or computed
    bool computed;
    uint32_t register_;
};

// A value of the listed events of sets, as a column.
struct SetLoad {
    uint32_t register_;                    // that has the list
    uint32_t argument;
    kinds::Opcode form;
};

// Where a step of a condition loads from: column `place` of those of sets, or value `place` of an event.
struct ColumnLoad {
    ValueOwner owner;                      // NOBODY: it loads nothing
    uint32_t place;
};

// A condition that runs on columns.
struct ColumnCondition {
    uint32_t number;
    std::vector<ColumnLoad> loads;         // by step
};

// A guard of registers of sets.
struct SetGuard {
    uint32_t register_;
    kinds::RegisterTest test;
    uint32_t bound;                        // number of the guard
};

// A way out of the step's target.
struct ClosingSpec {
    uint32_t transition;
    std::vector<SetGuard> of_sets;         // its guards of registers that are those of sets
    std::vector<SetGuard> of_event;        // and that are the waiting event's own
    std::vector<ColumnCondition> conditions;
    bool columnar;                         // these say all that is asked
    bool counted;                          // what passes is one result
};

struct SegmentSpec {
    uint32_t source;
    uint32_t state;
    uint32_t transition;                   // between them
    std::vector<HeldValue> held;           // by register of `state`
    std::vector<SetGuard> guards;          // of `transition`
    std::vector<SetLoad> loads;
    std::vector<ClosingSpec> closings;
};

// What of a transition concerns a segment.
struct WaitingRole {
    static constexpr uint32_t NONE = 0xFFFFFFFF;

    uint32_t keeps = NONE;                 // the segment whose step it is
    uint32_t closes = NONE;                // the segment that it leads out of
    uint32_t closing = 0;                  // as which way
};

// ── what waits ──

// A value as a number in doubles.
inline Column number_column(const Number& number) noexcept {
    if (number.kind == conditions::REAL) return columns::constant(number.real, 0, false);
    if (number.kind != conditions::INTEGER) return columns::unknown();
    double value = double(number.integer);
    bool whole = std::fabs(value) < columns::LARGEST_WHOLE;  // it may have been rounded to that
    return columns::constant(value, whole ? 0 : std::fabs(value) * columns::STEP, whole);
}

inline Column number_column(kinds::Opcode form, int64_t value) noexcept {
    return number_column(conditions::loaded(form, value));
}

// One value of all sets of a list; behind the last one there is room for a block.
struct SetNumbers {
    std::vector<double> numbers;
    double most = 0;
    double error = 0;
    bool whole = true;

    void put(size_t place, const Column& one) {
        if (numbers.size() <= place + columns::BLOCK) numbers.resize(2 * place + 2 * columns::BLOCK);
        numbers[place] = one.one;
        most = std::max(most, one.most);
        error = std::max(error, one.error);
        whole = whole && one.whole;
    }

    Column block(size_t place) const noexcept { return {numbers.data() + place, 0, most, error, whole}; }
};

// What waits for the sets of one list.
struct WaitingEvents {
    std::vector<int64_t> listed;           // by event: the number of the list that has it alone
    std::vector<int64_t> seen;             // and that of the first set that came after it
    std::vector<int64_t> values;           // bounds of the step's guards, then its own registers of the target
    size_t dead = 0;                       // so many at the beginning are out of the window
    std::vector<SetNumbers> columns;       // by load; what they hold follows from the sets
    int64_t first = 0;                     // number of the set that they begin with,
    int64_t known = 0;                     // and of the one behind those that they have

    size_t size() const noexcept { return listed.size(); }
};

// What came in the present period, or as it was when that began.
struct StepCosts {
    int64_t since = INT64_MIN;             // what windows measure of the event that began it; NEVER: it is the first one
    uint64_t arrivals = 0;                 // events of the step
    uint64_t seen = 0;                     // sets that were there for those that wait
    uint64_t made = 0;                     // groups that others made
    uint64_t closings = 0;                 // events that asked for what waits, or is made
    uint64_t looped = 0;                   // places of blocks, of sets for an event that waits, that these looked at
    uint64_t passed = 0;                   // and that went on, but for those that were only counted
    uint64_t waited = 0;                   // groups that were there for them
    uint64_t scanned = 0;                  // groups and zones of these that they looked at,
    uint64_t asked = 0;                    // of which conditions were asked,
    uint64_t found = 0;                    // and that passed
};

struct WaitingSegment {
    std::vector<WaitingEvents> by_list;    // by number of the list of sets
    Trial trial;                           // the other way is to wait
    StepCosts costs;
    double made_of_seen = 1;               // groups for each pair, when they were made last
    double asked_each = 0;                 // nanoseconds that a group took for each event that came for it
};

struct WaitingSteps {
    std::vector<SegmentSpec> specs;
    std::vector<WaitingRole> roles;        // by transition
    std::vector<WaitingSegment> segments;
    Evaluating evaluating = Evaluating::AUTO;
    std::vector<int64_t> registers;        // scratch: of the group that would have been made
    std::vector<int64_t> event_bounds;     // scratch: of the guards of the step
    std::vector<double> room;              // scratch: stacks of blocks
};

}  // namespace spaseq::events
