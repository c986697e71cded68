// Whether what enters a lazy segment waits there or makes its steps at once: chosen when a tick closes, from counts of
// the stream alone, about once in a window.  Nothing has to move: what waits, or is in cells, stays until it has left.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nfa_native/joins/buffers.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

using kinds::Evaluating;

constexpr uint64_t LEAST_PERIOD = 256;     // events of a segment that say something
constexpr uint32_t LONGEST_PERIOD = 16384;  // events, where there is no window
constexpr uint32_t MOST_PATIENCE = 64;     // periods

// What things take, in nanoseconds, roughly.
constexpr double OF_SET = 70;              // a set that enters a cell
constexpr double OF_GROUP = 3;             // a group or zone that is passed over
constexpr double OF_PAIR = 35;             // a filter that is asked of two rows
constexpr double OF_NUMBERS = 1.2;         // the same on columns
constexpr double OF_WAITING = 30;          // an event or set that waits
constexpr double OF_PASSED = 120;          // what passes, one by one
constexpr double OF_RESULT = 8;            // a result that is only counted, in a list; on columns it takes nothing
constexpr double CLEARLY = 1.25;           // times as much are a reason to change
constexpr double LONG = 4e6;               // and as much before a window is over, to look sooner

static uint64_t fired_into(const Kernel* k, uint32_t state) noexcept {
    uint64_t fired = 0;
    for (const TransitionSpec& one : k->program->transitions)
        for (const TargetSpec& target : one.targets)
            if (target.state == state) fired += k->now.candidacies[one.number].fired;
    return fired;
}

// The counters of other records that a period is measured by, as they are now.
static SegmentCosts counters_of(Kernel* k, const SegmentSpec& spec) noexcept {
    SegmentCosts now{};
    now.since = next_position(&k->now);
    now.entered = k->now.states[spec.state].entered;
    now.sets = fired_into(k, spec.source);
    now.joined = k->now.candidacies[spec.transition].pairs;
    now.found = k->results.count;
    for (const ClosingSpec& closing : spec.closing) {
        now.scanned += k->now.candidacies[closing.transition].scanned;
        now.asked += k->now.candidacies[closing.transition].pairs;
    }
    return now;
}

static bool runs_on_columns(const Kernel* k, const SegmentSpec& spec) noexcept {
    const KernelProgram* program = k->program;
    auto is_columnar = [program](uint32_t filter) { return program->formulas[filter].columns.gives == Columnar::VERDICT; };
    for (const ClosingSpec& closing : spec.closing) {
        const std::vector<uint32_t>& filters = program->transitions[closing.transition].step.filters;
        if (!std::all_of(filters.begin(), filters.end(), is_columnar)) return false;
    }
    return true;
}

// How much of a window is still to come where no event has left it: steps made at once grow with its square, what loops
// look at, and results, with its cube.
static double room_to_grow(const Kernel* k) noexcept {
    const KernelProgram* program = k->program;
    if (program->window == 0 || k->now.lo != 0 || k->now.history.events.empty()) return 1;
    const EventRecord& first = k->now.history.events.front();
    int64_t passed = program->by_events ? k->now.seq - first.seq : k->now.tick - first.time;
    return std::max(1.0, double(program->window) / std::max(1.0, double(passed)));
}

// What events have asked of cells.
static double asking_cost(const SegmentCosts& costs) noexcept {
    return double(costs.scanned) * OF_GROUP + double(costs.asked) * OF_PAIR;
}

// What the period has taken, or would have taken, if all steps were made at once.
static double eager_cost(
    const Kernel* k, const Segment& segment, const SegmentSpec& spec, const SegmentCosts& costs
) noexcept {
    const StateData& state = k->now.states[spec.state];
    double made = segment.lazy ? double(costs.seen) * segment.kept_of_seen : double(costs.entered);
    double asking = asking_cost(costs);
    if (segment.lazy && state.kind == Cells::HASH) asking = double(costs.looped) * segment.kept_of_seen * OF_PAIR;
    else if (segment.lazy) asking = double(costs.closings) * segment.asked_each;
    bool lists = state.kind == Cells::VIEWS && !state.merging.on && k->count_only;
    return made * OF_SET + asking + (lists ? double(costs.found) * OF_RESULT * room_to_grow(k) : 0);
}

// And if they waited.  Where they did not, each key has as many events as others, which see all sets that came before.
static double lazy_cost(
    const Kernel* k, const Segment& segment, const SegmentSpec& spec, const SegmentCosts& costs
) noexcept {
    double looped = double(costs.looped), keys = segment.keys;
    if (!segment.lazy) {
        double living = double(k->now.states[spec.source].live);
        if (keys == 0) keys = living * double(costs.arrivals) / std::max(1.0, double(costs.joined));
        keys = std::max(1.0, keys);
        looped = double(costs.closings) * double(costs.arrivals) * double(costs.sets) / (3 * keys * keys);
    }
    double each = runs_on_columns(k, spec) ? OF_NUMBERS : OF_PAIR;
    return looped * each * room_to_grow(k) + double(costs.arrivals + costs.sets) * OF_WAITING + double(costs.passed) * OF_PASSED;
}

// The period ends: take the other way if it would have taken clearly less.  A way that was left is not soon tried again.
static void choose_way(Kernel* k, Segment* segment, const SegmentSpec& spec, const SegmentCosts& costs) {
    double eager = eager_cost(k, *segment, spec, costs), lazy = lazy_cost(k, *segment, spec, costs);
    if (segment->lazy) {
        segment->keys = double(segment->buffers.size());
    } else if (costs.joined && costs.closings) {
        segment->kept_of_seen = double(costs.entered) / double(costs.joined);
        segment->asked_each = asking_cost(costs) / double(costs.closings);
    }
    bool changes = segment->lazy ? lazy > CLEARLY * eager : eager > CLEARLY * lazy;
    if (segment->rest > 0) {
        --segment->rest;
        if (!segment->lazy) return;
    }
    if (!changes) {
        if (segment->lazy) segment->patience = 1;
        return;
    }
    if (segment->lazy) {
        segment->rest = segment->patience;
        segment->patience = std::min(2 * segment->patience, MOST_PATIENCE);
    }
    segment->lazy = !segment->lazy;
    ++segment->switches;
    if (segment->lazy) move_sets(k, segment, spec);
}

// What came since the period began.
static SegmentCosts since_then(const SegmentCosts& now, SegmentCosts costs) noexcept {
    costs.entered = now.entered - costs.entered;
    costs.sets = now.sets - costs.sets;
    costs.joined = now.joined - costs.joined;
    costs.scanned = now.scanned - costs.scanned;
    costs.asked = now.asked - costs.asked;
    costs.found = now.found - costs.found;
    return costs;
}

// A window, or many events, have passed since the period began; or what came has taken long.
static bool has_ended(Kernel* k, const Segment& segment, const SegmentSpec& spec) noexcept {
    const SegmentCosts& costs = segment.costs;
    if (costs.arrivals + costs.closings < LEAST_PERIOD) return false;
    if (k->program->window ? !older(k->now.lo, costs.since) : next_position(&k->now) - costs.since >= LONGEST_PERIOD)
        return true;
    double made = double(k->now.states[spec.state].entered - costs.entered);
    return made * OF_SET + double(costs.looped) * OF_NUMBERS > LONG;
}

static void choose_by_cost(Kernel* k, Segment* segment, const SegmentSpec& spec) {
    if (!has_ended(k, *segment, spec)) return;
    SegmentCosts now = counters_of(k, spec);
    choose_way(k, segment, spec, since_then(now, segment->costs));
    segment->costs = now;
}

// Another way with each tick; every other time what is in cells is let wait, too.
static void alternate(Kernel* k, Segment* segment, const SegmentSpec& spec) {
    segment->lazy = !segment->lazy;
    if (++segment->switches % 4 == 1) move_sets(k, segment, spec);
}

inline void choose(Kernel* k) {
    for (size_t i = 0; i < k->now.segments.size(); ++i) {
        Segment& segment = k->now.segments[i];
        if (k->evaluating == Evaluating::AUTO) choose_by_cost(k, &segment, k->program->segments[i]);
        else if (k->evaluating == Evaluating::ALTERNATING) alternate(k, &segment, k->program->segments[i]);
        else segment.lazy = k->evaluating == Evaluating::LAZY;
    }
}

}  // namespace spaseq::joins
