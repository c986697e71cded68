// What the steps of a lazy segment take in a period, either way, in nanoseconds: from counters of the stream alone, so
// that the same events make the same choice on each machine.  A way that is not taken is reckoned from the other one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/buffers.hpp"
#include "nfa_native/joins/counting.hpp"
#include "nfa_native/joins/merged.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// What things take, in nanoseconds.  It need not be exact: the ways mostly differ by more than these are off.
constexpr double OF_EVENT = 60;            // an event that a segment looks at, either way
// Where steps are made at once:
constexpr double OF_JOINED = 40;           // a set that is tried with an event
constexpr double OF_LISTED = 70;           // one that enters a list
constexpr double OF_CELL = 160;            // makes a cell
constexpr double OF_MERGED = 210;          // enters a merged cell, and is counted there
constexpr double OF_GROUP = 6;             // a cell, group or zone that is looked at
constexpr double OF_PAIR = 40;             // filters that are asked of two rows
constexpr double OF_RESULT = 25;           // a result that is counted in a list
// And where they wait:
constexpr double OF_WAITING = 30;          // an event that waits
constexpr double OF_OPERATION = 0.3;       // an operation on one number of a column
constexpr double OF_COUNTED = 6;           // a result that is only counted
constexpr double OF_PASSED = 120;          // any other one

constexpr uint64_t FEW_KEPT = 16;          // events
constexpr double LEAST_FILL = 1e-6;        // of a window

// How much of a window a period is, and how full the window was meanwhile: steps grow with it, loops with its square.
struct Period {
    double span;
    double fill;
    double fill_squared;
    double living;                         // sets of the first state at its end
};

static inline int64_t present(const Kernel* k) noexcept { return k->program->by_events ? k->now.seq : k->now.tick; }

// What windows measure of the oldest event that is stored.
static int64_t oldest(const Kernel* k, int64_t otherwise) noexcept {
    const std::vector<EventRecord>& events = k->now.history.events;
    if (events.empty()) return otherwise;
    return k->program->by_events ? events.front().seq : events.front().time;
}

// Keys under which something waits that has not left the window.  What has may have been forgotten or not: it is not
// counted here, nor below, for snapshots are without it.
static double count_keys(const Kernel* k, Segment* segment) {
    size_t count = 0;
    for (Buffer& buffer : segment->buffers) {
        pass_buffer(segment, &buffer, k->now.lo);
        count += !is_empty(buffer);
    }
    return double(count);
}

// Sets of the first state: in cells, or waiting.
static double count_sets(const Kernel* k, Segment* segment, const SegmentSpec& spec) {
    count_keys(k, segment);
    return double(count_living(&k->now, &k->now.states[spec.source]) + segment->waiting);
}

// Of the period that began with `costs`.
static Period period_of(const Kernel* k, Segment* segment, const SegmentSpec& spec, const SegmentCosts& costs) {
    double now = double(present(k)), began = double(costs.began), first = double(oldest(k, costs.began));
    double window = std::max(1.0, k->program->window ? double(k->program->window) : now - first);
    double span = std::max(1.0, now - began) / window;
    double living = segment->lazy ? 0 : count_sets(k, segment, spec);  // else it is not asked for
    if (k->program->window == 0 || k->now.lo != 0) return {span, 1, 1, living};
    double from = std::clamp((began - first) / window, 0.0, 1.0);
    double to = std::clamp((now - first) / window, LEAST_FILL, 1.0);
    return {span, (from + to) / 2, (from * from + from * to + to * to) / 3, living};
}

// ── columns ──

static double count_operations(const KernelProgram* program, uint32_t formula) noexcept {
    const std::vector<Instruction>& code = program->formulas[formula].columns.instructions;
    auto is_one = [](const Instruction& one) { return one.op != Op::LOAD && one.op != Op::CONSTANT; };
    return double(std::count_if(code.begin(), code.end(), is_one));
}

// What filters take for each set that a loop tries.
static double filtering_cost(const KernelProgram* program, const std::vector<uint32_t>& filters) noexcept {
    double cost = 0;
    for (uint32_t filter : filters) {
        if (program->formulas[filter].columns.gives != Columnar::VERDICT) return OF_PAIR;
        cost += count_operations(program, filter) * OF_OPERATION;
    }
    return cost;
}

// And all that a loop asks of a set.
static double trying_cost(const KernelProgram* program, const SegmentSpec& spec) noexcept {
    const TransitionSpec& first = program->transitions[spec.transition];
    double cost = filtering_cost(program, first.step.filters) + double(spec.joins.size()) * OF_OPERATION;
    for (const ValueSpec& value : first.targets[0].values) {
        if (value.kind == ColumnSource::PROGRAM && program->formulas[value.formula].columns.gives == Columnar::NUMBER)
            cost += count_operations(program, value.formula) * OF_OPERATION;
    }
    double closing = 0;
    for (const ClosingSpec& one : spec.closing)
        closing = std::max(closing, filtering_cost(program, program->transitions[one.transition].step.filters));
    return std::max(OF_OPERATION, cost + closing);
}

// ── the two ways ──

// Whether what passes is one result that is only counted.
static bool counts_only(const Kernel* k, const SegmentSpec& spec) noexcept {
    const ClosingSpec& closing = spec.closing[0];
    const std::vector<TargetSpec>& targets = k->program->transitions[closing.transition].targets;
    return spec.single && k->count_only && targets.size() == 1 && targets[0].finishes && is_counted(k);
}

// What events have asked of cells.
static double asking_cost(const SegmentCosts& costs) noexcept {
    return double(costs.scanned) * OF_GROUP + double(costs.asked) * OF_PAIR;
}

// What waits, in a window that is full.
struct Load {
    double kept;                           // events of a period
    double each;                           // sets that one of them sees
    double looped;                         // pairs that are tried
};

// What one of a few events sees is not all: others that came before them wait, too.
static double smoothed(double before, double seen, double kept) noexcept {
    if (kept == 0) return before;
    return kept < double(FEW_KEPT) ? (before + seen / kept) / 2 : seen / kept;
}

// The same if it waited: under each key are as many events as under others, and they come evenly.
static Load load_if_lazy(
    const Segment& segment, const SegmentSpec& spec, const SegmentCosts& costs, const Period& period
) noexcept {
    double sets = std::max(period.living, double(costs.sets) / period.span), arrivals = double(costs.arrivals);
    double keys = spec.row.empty() ? 1 : segment.keys;
    if (keys == 0) keys = std::max(1.0, period.living * arrivals / std::max(1.0, double(costs.joined)));
    double looped = double(costs.closings) * sets * arrivals / period.span / (2 * keys * keys);
    double kept = std::min(arrivals, double(costs.kept));
    return {kept, smoothed(segment.sets_each, arrivals * sets / keys, kept), std::max(looped, double(costs.scanned))};
}

static Load load_of(
    const Segment& segment, const SegmentSpec& spec, const SegmentCosts& costs, const Period& period
) noexcept {
    if (!segment.lazy) return load_if_lazy(segment, spec, costs, period);
    double kept = double(costs.kept), seen = double(costs.seen) / period.fill;
    return {kept, smoothed(segment.sets_each, seen, kept), double(costs.looped) / period.fill_squared};
}

// What a set costs that an event of the transition joins.
static double making_cost(const StateData& state, double joined, double entered) noexcept {
    double made = state.merging.on ? joined * OF_MERGED : entered * (state.kind == Cells::VIEWS ? OF_LISTED : OF_CELL);
    return joined * OF_JOINED + made;
}

// What the period takes, or would take, if all steps were made at once.
static double eager_cost(
    const Kernel* k, const Segment& segment, const SegmentSpec& spec, const SegmentCosts& costs, const Period& period
) noexcept {
    const StateData& state = k->now.states[spec.state];
    bool lists = state.kind == Cells::VIEWS && !state.merging.on;
    double results = lists ? double(costs.found) * OF_RESULT / period.fill_squared : 0;
    if (segment.lazy) {
        double seen = double(costs.seen) / period.fill, looped = double(costs.looped) / period.fill_squared;
        return making_cost(state, seen, seen * segment.kept_of_seen) + looped * segment.asked_each + results;
    }
    double made = making_cost(state, double(costs.joined), double(costs.entered)) / period.fill;
    return made + asking_cost(costs) / (state.merging.on ? 1 : period.fill_squared) + results;
}

// And if they waited.  An event tries a block of sets at least, of those that it saw half are left on an average.
static double lazy_cost(
    const Kernel* k, const Segment& segment, const SegmentSpec& spec, const SegmentCosts& costs, const Period& period
) noexcept {
    Load load = load_of(segment, spec, costs, period);
    double left = std::max(1.0, (load.each + 1) / 2);
    double tried = load.looped * std::max(1.0, 0.5 + columns::BLOCK / left);
    double passed = double(segment.lazy ? costs.passed : costs.found) * OF_PASSED;
    if (counts_only(k, spec)) passed = double(costs.found) * OF_COUNTED;
    return load.kept * OF_WAITING + tried * trying_cost(k->program, spec) + passed / period.fill_squared;
}

}  // namespace spaseq::joins
