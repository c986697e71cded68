// What the kernel runs: made of an automaton once, then frozen and shared by all matchers of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/automata/kinds.hpp"
#include "nfa_native/joins/groups.hpp"
#include "nfa_native/terms/columnar.hpp"
#include "nfa_native/joins/merging.hpp"
#include "nfa_native/terms/encoding.hpp"

namespace spaseq::joins {

using kinds::Cells;
using kinds::ColumnSource;
using kinds::Govern;
using kinds::RuleTestKind;
using kinds::View;

constexpr uint32_t NO_ORDER = 0xFFFFFFFF;
constexpr uint32_t NO_RULES = 0xFFFFFFFF;  // in place of a column with a set of rules
constexpr uint32_t NO_JUNCTION = 0xFFFFFFFF;
constexpr uint32_t NO_SIDE = 0xFFFFFFFF;   // in place of the side that a column is taken from: it is what any side has
constexpr uint32_t NO_SEGMENT = 0xFFFFFFFF;
constexpr uint32_t NO_COLUMN = 0xFFFFFFFF;  // a union has the column from another side

// One atom of one transition.
struct Label {
    uint32_t transition;
    uint32_t part;                        // 0 is the transition's first atom
    uint32_t parts;
    uint32_t atom;
};

struct ValueSpec {
    ColumnSource kind;
    uint32_t cell;
    uint32_t row;
    uint32_t formula;
};

struct Join {
    uint32_t cell;
    uint32_t row;
};

struct LookSpec {
    uint32_t column;
    View view;
    uint32_t kleene;
    ValueSpec value;
};

struct FormulaSpec {
    const void* code;                     // NULL: outside the native subset
    bool comparison;                      // nothing but `left < right` of two registers, or the opposite of it
    bool inverted;
    uint32_t left;
    uint32_t right;
    ColumnCode columns;                   // the same on columns of numbers
};

// A filter that compares a column of the cell with a value of the event.
struct Compared {
    uint32_t column;
    uint32_t slot;                        // its place in the zone maps of the step's index
    bool limit;  // `column < value` or the opposite of it; else `value < column` or its opposite
    bool inverted;                        // the opposite
    ValueSpec event;
};

// What a step asks of rules: how a parameter compares with a value of the two rows; or a formula.
struct RuleTest {
    RuleTestKind kind;
    uint32_t parameter;
    bool limit;  // `parameter < value` or the opposite of it; else `value < parameter` or its opposite
    bool inverted;                        // the opposite
    ValueSpec value;
    uint32_t formula;                     // the same, of both rows, what is never bound, and all parameters
};

struct StepSpec {
    std::vector<Join> joins;
    std::vector<uint32_t> filters;
    std::vector<Compared> compared;       // what some of the filters ask
    std::vector<RuleTest> tests;          // what rules must pass, one after the other
};

struct ChoiceSpec {
    std::vector<uint32_t> atoms;
    std::vector<std::vector<uint32_t>> slots;  // per atom: the row column of each slot
    uint32_t width;
};

struct TargetSpec {
    uint32_t state;
    bool finishes;                        // matches that enter the state are finished, and put out at once
    std::vector<ValueSpec> values;
    uint32_t junction;                    // of which a side is complete in the state, or NO_JUNCTION
    uint32_t side;
    std::vector<ValueSpec> whole;         // the columns of the whole match when its side is complete
    uint64_t ends;                        // Kleenes whose iteration ends between the step and that
};

// A column of whole matches that a guard reads, as a step out of its state has it.
struct SightSpec {
    uint32_t column;
    ValueSpec value;
};

// A guard that is judged when a step out of its state is made (`negated_steps.hpp`).
struct ChanceSpec {
    uint32_t guard;                       // of those of the state
    std::vector<SightSpec> sights;
    std::vector<uint32_t> later;          // columns of whole matches that a step after it may still bind
};

// A side of a junction.
struct SideSpec {
    uint32_t state;                       // where it is complete
    std::vector<uint32_t> columns;        // for each column of the state that of a union, or NO_COLUMN
};

struct TransitionSpec {
    uint32_t number;
    uint32_t source;
    uint32_t label;                       // of its first atom
    uint32_t index;
    uint64_t ends;                        // Kleenes whose iteration ends before it
    ChoiceSpec choice;
    StepSpec step;
    StepSpec whole;
    std::vector<uint32_t> probe;          // row column of each column of the index
    uint32_t order;                       // which of the step's comparisons orders the index; NO_ORDER: none
    bool ordered;                         // and whether its filters ask nothing else
    bool mapped;                          // its filters ask nothing but what zone maps know
    std::vector<TargetSpec> targets;
    std::vector<ValueSpec> columns;
    std::vector<uint32_t> opens;          // junctions of which a side begins with it, outermost first
    std::vector<uint32_t> sides;          // and which side that is
    uint32_t branch;                      // of those that begin in the source
    uint32_t keeps = NO_SEGMENT;          // the segment in which its events may wait
    uint32_t closes = NO_SEGMENT;         // the one that it leads out of
    uint32_t closing = 0;                 // and its number among those that do
    std::vector<ChanceSpec> chances;      // guards that it gives the first chance to
};

// What a guard's only filter asks of one value of the negated event.
struct StrikeOrder {
    bool known;                           // it has no filter, or one that compares two columns
    bool compares;                        // and it has one
    bool limit;  // `row < column` or the opposite of it; else `column < row` or its opposite
    bool inverted;                        // the opposite
    uint32_t row;                         // the negated event's column
    uint32_t column;                      // that of whole matches
};

struct GuardSpec {
    uint32_t number;                      // among the guards of all states
    bool early;
    bool first_chance;                    // it is judged when a step out of its state is made
    uint32_t strikers;                    // its place among those
    StrikeOrder order;                    // of its negated events, then
    uint32_t index;
    uint64_t begun;
    ChoiceSpec choice;
    StepSpec step;
    StepSpec whole;
    std::vector<uint32_t> later;
    std::vector<uint32_t> probe;
    std::vector<LookSpec> looks;
};

// How cells are found.
struct IndexSpec {
    std::vector<uint32_t> columns;
    std::vector<uint32_t> compared;       // columns that zone maps know
    uint32_t order;                       // the column by whose values buckets are ordered; NO_ORDER: none
    bool falls;                           // from the greatest value to the least
};

// A column, and how much it counts in a sum.
struct MarginTerm {
    uint32_t column;
    double weight;
};

struct StateSpec {
    Govern govern;
    Cells kind;                           // of its cells
    uint32_t width;
    bool final;
    uint32_t rules;                       // the column with their set, or NO_RULES
    std::vector<GuardSpec> guards;
    std::vector<uint32_t> twins;          // states that a partial match leaves together with this one
    std::vector<ValueSpec> closing;       // of a final state: the finished match's columns
    std::vector<ValueSpec> output;        // and the result's columns from them
    std::vector<IndexSpec> indexes;
    bool forks;                           // sides of junctions go on from here
    uint32_t fork;                        // its number among those states
    std::vector<uint32_t> branches;       // for each branch those (bits) that it beats; none: nothing competes
    uint32_t segment = NO_SEGMENT;        // in which sets that enter it may wait
    std::vector<std::vector<MarginTerm>> margins;  // what comparisons to come have of a partial match: sums
};

// A filter on rows of a union, for each step that one of the transitions made in it.
struct AcrossSpec {
    uint32_t formula;                     // of columns of whole matches
    bool repeated;                        // the step may be made several times: only finished matches tell
    std::vector<uint32_t> transitions;
    std::vector<LookSpec> looks;          // columns as of the step
};

// Where the sides of `X && Y` meet (semantics.md 3.6).
struct JunctionSpec {
    std::vector<SideSpec> sides;
    uint32_t width;                       // columns of a union
    std::vector<uint32_t> filters;        // of its rows
    std::vector<TargetSpec> targets;
    std::vector<uint32_t> shown;          // for each column of a union that of whole matches, or NO_COLUMN
    std::vector<uint32_t> owners;         // for each column of whole matches the side that has it, or NO_SIDE
    std::vector<AcrossSpec> across;
    bool across_repeated;                 // some filter is repeated
    bool anchored;                        // something may come before it
};

// A transition out of a lazy segment.
struct ClosingSpec {
    uint32_t transition;
    std::vector<uint32_t> key;            // columns of its rows
    std::vector<Join> joins;              // what it joins besides the key
};

// Sets that enter `source` and events of `transition`, from there to `state`, that may wait for what leads out of it.
struct SegmentSpec {
    uint32_t source;
    uint32_t transition;
    uint32_t state;
    std::vector<uint32_t> held;           // the key's columns of the source
    std::vector<uint32_t> row;            // and of the transition's rows
    std::vector<Join> joins;              // what the transition joins besides the key
    std::vector<ClosingSpec> closing;
    bool single;                          // each set is one match of one event
};

// One of the guards of a state.
struct GuardPlace {
    uint32_t state;
    uint32_t guard;
};

struct KernelProgram {
    std::vector<uint32_t> slots;
    std::vector<Label> labels;
    std::vector<FormulaSpec> formulas;
    std::vector<TransitionSpec> transitions;
    std::vector<StateSpec> states;
    std::vector<JunctionSpec> junctions;
    std::vector<SegmentSpec> segments;
    bool sifted;                          // some filter is asked of finished matches only
    bool anchored;                        // something may come before a junction
    std::vector<std::vector<uint32_t>> by_atom;  // transitions that pick an event of the atom
    std::vector<uint8_t> negated;         // atoms that some guard watches
    std::vector<uint8_t> gathered;        // atoms whose events of a tick are combined with others
    bool gathers;                         // there are such atoms
    std::vector<uint32_t> moving;         // states that partial matches leave when they step, or when others do
    std::vector<uint32_t> merging;        // states with views whose sets may be merged
    uint32_t merge_after;                 // sets that enter before it is chosen whether they are; 0: always switch
    uint32_t merge_ratio;                 // sets of the same values that make it worth while
    std::vector<word_t> start;            // the whole match before its first step
    uint32_t guards;                      // of all states
    uint32_t widest;                      // values that a formula, or a whole match, may look at, but for parameters
    uint32_t parameters;                  // of rules
    uint32_t rules;                       // the column of a whole match with their set; NO_RULES: there are none
    uint32_t deepest;                     // atoms of a choice
    uint32_t whole;
    uint32_t result_width;
    bool ambiguous;
    bool guarded;
    std::vector<GuardPlace> chances;      // guards that are judged when a step is made
    bool waits;                           // some match waits for its window's edge
    int64_t window;
    int64_t origin;
    bool sliding;
    bool by_events;
};

// The guard's filter as the comparison of one column of its row with one of whole matches.
inline StrikeOrder order_of_strikes(const KernelProgram* program, const GuardSpec* guard) noexcept {
    const std::vector<uint32_t>& filters = guard->whole.filters;
    if (filters.empty()) return {true, false, false, false, 0, 0};
    const FormulaSpec& formula = program->formulas[filters[0]];
    bool limit = formula.left >= program->whole;
    uint32_t row = (limit ? formula.left : formula.right) - program->whole;
    uint32_t column = limit ? formula.right : formula.left;
    bool known = filters.size() == 1 && formula.comparison && column < program->whole && row < guard->choice.width;
    return {known, known, limit, formula.inverted, row, column};
}

// Give the guard its place among those that are judged when a step is made.
inline void place_guard(KernelProgram* program, uint32_t state, uint32_t number) {
    GuardSpec* guard = &program->states[state].guards[number];
    guard->strikers = uint32_t(program->chances.size());
    guard->order = order_of_strikes(program, guard);
    program->chances.push_back({state, number});
}

// The column's place in the zone maps of the index; MOST_COMPARED: there is no room left.
static uint32_t slot_for(IndexSpec* index, uint32_t column) {
    std::vector<uint32_t>& compared = index->compared;
    uint32_t slot = uint32_t(std::find(compared.begin(), compared.end(), column) - compared.begin());
    if (slot == compared.size() && slot < MOST_COMPARED) compared.push_back(column);
    return slot;
}

// Which of the key's columns a step keeps in a value; none: the number of these.
static size_t key_column(const SegmentSpec& segment, const ValueSpec& value) noexcept {
    size_t i = 0;
    for (; i < segment.held.size(); ++i) {
        bool is_held = value.kind == ColumnSource::CELL || value.kind == ColumnSource::EITHER;
        if (is_held && value.cell == segment.held[i]) break;
        if (value.kind == ColumnSource::ROW && value.row == segment.row[i]) break;
    }
    return i;
}

// What is joined besides the key of a segment.
inline void note_joins(const KernelProgram* program, SegmentSpec* segment) {
    const TransitionSpec& first = program->transitions[segment->transition];
    for (const Join& join : first.step.joins) {
        bool is_key = false;
        for (size_t i = 0; i < segment->held.size(); ++i)
            is_key = is_key || (segment->held[i] == join.cell && segment->row[i] == join.row);
        if (!is_key) segment->joins.push_back(join);
    }
    for (ClosingSpec& closing : segment->closing) {
        for (const Join& join : program->transitions[closing.transition].step.joins) {
            size_t column = key_column(*segment, first.targets[0].values[join.cell]);
            if (column == segment->held.size() || closing.key[column] != join.row) closing.joins.push_back(join);
        }
    }
}

// Let states and transitions know the segment that they are of.
inline void enter_segment(KernelProgram* program, const SegmentSpec* segment) {
    uint32_t number = uint32_t(program->segments.size());
    program->segments.push_back(*segment);
    program->states[segment->source].segment = number;
    program->transitions[segment->transition].keeps = number;
    for (uint32_t i = 0; i < segment->closing.size(); ++i) {
        TransitionSpec& closing = program->transitions[segment->closing[i].transition];
        closing.closes = number;
        closing.closing = i;
    }
}

inline void set_code(FormulaSpec* formula, const void* code) {
    formula->code = code;
    formula->columns = column_code(code);
}

// Order the index that a transition probes by a comparison, if nothing else orders it, and note what zone maps know.
inline void order_index(StateSpec* s, TransitionSpec* transition) {
    IndexSpec* index = &s->indexes[transition->index];
    transition->mapped = transition->step.compared.size() == transition->step.filters.size()
        && transition->step.filters.size() <= MOST_BOUNDS;
    for (size_t i = 0, i_end = transition->step.compared.size(); i < i_end; ++i) {
        Compared* compared = transition->step.compared.data() + i;
        compared->slot = slot_for(index, compared->column);
        transition->mapped = transition->mapped && compared->slot < MOST_COMPARED;
        bool falls = compared->limit != compared->inverted;
        if (s->kind != Cells::ORDERED || transition->order != NO_ORDER) continue;
        if (index->order == NO_ORDER || (index->order == compared->column && index->falls == falls)) {
            index->order = compared->column;
            index->falls = falls;
            transition->order = uint32_t(i);
            transition->ordered = transition->step.filters.size() == 1;
        }
    }
}

}  // namespace spaseq::joins
