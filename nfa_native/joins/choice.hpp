// Whether what enters a lazy segment waits there or makes its steps at once: chosen when a tick closes, from what a
// period has taken (`costs.hpp`): about a window, or less where much is done.  Nothing has to move: what waits, or is
// in cells, stays until it has left.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nfa_native/joins/buffers.hpp"
#include "nfa_native/joins/costs.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

using kinds::Evaluating;

constexpr uint64_t LOOK = 32;              // events of a segment from one look at its costs to the next
constexpr uint64_t LEAST_PERIOD = 256;     // events of a segment that say something
constexpr uint32_t LONGEST_PERIOD = 16384;  // events, where there is no window
constexpr double DEAR = 2e5;               // nanoseconds: so much is not done twice before it is chosen again,
constexpr double DEAR_AT_FIRST = 5e4;      // and less at first, where each cell is asked by each event until it leaves
constexpr double CLEARLY = 1.25;           // times as much are a reason to change,
constexpr double DOUBTED = 0.5;            // and so many times more for each time that it was changed back soon
constexpr uint32_t SOON = 16;              // periods
constexpr uint32_t MOST_DOUBTS = 8;

static uint64_t fired_into(const Kernel* k, uint32_t state) noexcept {
    uint64_t fired = 0;
    for (const TransitionSpec& one : k->program->transitions)
        for (const TargetSpec& target : one.targets)
            if (target.state == state) fired += k->now.candidacies[one.number].fired;
    return fired;
}

// The counters of other records that a period is measured by, as they are now.
static SegmentCosts counters_of(Kernel* k, const SegmentSpec& spec) noexcept {
    const Candidacies& first = k->now.candidacies[spec.transition];
    SegmentCosts now{};
    now.since = next_position(&k->now);
    now.began = present(k);
    now.entered = k->now.states[spec.state].entered;
    now.sets = fired_into(k, spec.source);
    now.joined = first.pairs;
    now.kept = first.fired + first.unfiltered;
    now.found = k->results.count;
    now.merged = k->now.states[spec.state].merging.switches;
    for (const ClosingSpec& closing : spec.closing) {
        now.scanned += k->now.candidacies[closing.transition].scanned;
        now.asked += k->now.candidacies[closing.transition].pairs;
    }
    return now;
}

// What came since the period began.
static SegmentCosts since_then(const SegmentCosts& now, SegmentCosts costs) noexcept {
    costs.entered = now.entered - costs.entered;
    costs.sets = now.sets - costs.sets;
    costs.kept = std::min(costs.arrivals, now.kept - costs.kept);
    costs.joined = now.joined - costs.joined;
    costs.scanned = now.scanned - costs.scanned;
    costs.asked = now.asked - costs.asked;
    costs.found = now.found - costs.found;
    costs.merged = now.merged - costs.merged;
    return costs;
}

// A window, or many events, have passed since the period began.
static bool has_run_out(Kernel* k, const SegmentCosts& costs) noexcept {
    if (costs.arrivals + costs.closings < LEAST_PERIOD) return false;
    return k->program->window ? !older(k->now.lo, costs.since) : next_position(&k->now) - costs.since >= LONGEST_PERIOD;
}

// What it has really taken, more or less: not what it would with a full window.  Where sets may be merged, it must have
// been seen first whether that pays.
static bool is_dear(
    const Kernel* k, const Segment& segment, const SegmentSpec& spec, const SegmentCosts& costs
) noexcept {
    Period as_it_was{1, 1, 1, 0};
    const StateData& state = k->now.states[spec.state];
    double taken = (segment.lazy ? lazy_cost : eager_cost)(k, segment, spec, costs, as_it_was);
    if (segment.costs.since != 0) return taken > DEAR;
    if (state.kind != Cells::VIEWS) return taken > DEAR_AT_FIRST;
    return taken > DEAR && state.merging.due != k->program->merge_after;
}

// What steps make of sets, and what looking at these takes: while all of them are in cells.
static void learn(
    const Kernel* k, Segment* segment, const SegmentSpec& spec, const SegmentCosts& costs, const Period& period
) {
    segment->sets_each = load_of(*segment, spec, costs, period).each;
    if (segment->lazy) segment->keys = count_keys(k, segment);
    if (segment->lazy || segment->waiting || costs.joined < LOOK) return;
    segment->kept_of_seen = double(costs.entered) / double(costs.joined);
    double looped = load_if_lazy(*segment, spec, costs, period).looped * period.fill_squared;
    if (looped >= double(LOOK)) segment->asked_each = asking_cost(costs) / looped;
}

static void change_way(Kernel* k, Segment* segment, const SegmentSpec& spec) {
    if (segment->rest) segment->doubts = std::min(segment->doubts + 1, MOST_DOUBTS);
    segment->rest = SOON;
    segment->lazy = !segment->lazy;
    ++segment->switches;
    if (segment->lazy) move_sets(k, segment, spec);
}

// The period is over: take the other way if it would take clearly less.
static void choose_way(Kernel* k, Segment* segment, const SegmentSpec& spec, const SegmentCosts& costs) {
    Period period = period_of(k, segment, spec, costs);
    learn(k, segment, spec, costs, period);
    double same = double(costs.arrivals + costs.closings + costs.sets) * OF_EVENT;
    double eager = same + eager_cost(k, *segment, spec, costs, period);
    double lazy = same + lazy_cost(k, *segment, spec, costs, period);
    double clearly = CLEARLY + DOUBTED * segment->doubts;
    if (segment->lazy ? lazy > clearly * eager : eager > clearly * lazy) change_way(k, segment, spec);
    else if (segment->rest) --segment->rest;
    else if (segment->doubts) segment->rest = SOON, --segment->doubts;
}

static void choose_by_cost(Kernel* k, Segment* segment, const SegmentSpec& spec) {
    SegmentCosts* costs = &segment->costs;
    uint64_t events = costs->arrivals + costs->closings;
    if (events == 0 || costs->began == NEVER) costs->began = present(k);
    if (events < LOOK * (segment->looks + 1)) return;
    ++segment->looks;
    SegmentCosts now = counters_of(k, spec), taken = since_then(now, *costs);
    if (!has_run_out(k, *costs) && !is_dear(k, *segment, spec, taken)) return;
    if (taken.merged == 0) choose_way(k, segment, spec, taken);  // else it says nothing of cells as they are now
    segment->looks = 0;
    *costs = now;
}

// Another way with each tick; every other time what is in cells is let wait, too.
static void alternate(Kernel* k, Segment* segment, const SegmentSpec& spec) {
    segment->lazy = !segment->lazy;
    if (++segment->switches % 4 == 1) move_sets(k, segment, spec);
}

// The tick is over.
inline void choose(Kernel* k) {
    for (size_t i = 0; i < k->now.segments.size(); ++i) {
        Segment* segment = &k->now.segments[i];
        if (k->evaluating == Evaluating::AUTO) choose_by_cost(k, segment, k->program->segments[i]);
        else if (k->evaluating == Evaluating::ALTERNATING) alternate(k, segment, k->program->segments[i]);
        else segment->lazy = k->evaluating == Evaluating::LAZY;
    }
}

// From now on steps are made at once, or wait; or it is chosen when a tick is over, so that restoring changes nothing.
inline void prescribe(Kernel* k, Evaluating evaluating) noexcept {
    k->evaluating = evaluating;
    for (Segment& segment : k->now.segments)
        if (evaluating == Evaluating::EAGER || evaluating == Evaluating::LAZY)
            segment.lazy = evaluating == Evaluating::LAZY;
}

}  // namespace spaseq::joins
