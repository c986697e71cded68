// Whether events of a step that may wait do so, or make their groups at once: chosen from counts of the stream alone, about
// once in a window.  Nothing has to move: an event either waits, or has made its groups, until it has left the window.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nfa_native/events/lazy_steps.hpp"
#include "nfa_native/events/nested_loop.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

constexpr uint64_t LEAST_PERIOD = 256;     // events of a step, and out of it, that say something
constexpr uint64_t FIRST_PERIOD = 64;      // the same at the beginning, as long as few groups are made
constexpr uint64_t LONGEST_PERIOD = 16384;

// What things take, in nanoseconds, roughly.
constexpr double OF_GROUP = 60;            // a group that is made
constexpr double OF_SCANNED = 4;           // a group or zone that is passed over
constexpr double OF_QUESTION = 40;         // a condition that is asked
constexpr double OF_FOUND = 20;            // a result that is walked to only to be counted
constexpr double OF_COLUMNS = 1.1;         // a place of a block on columns
constexpr double OF_PAIR = 60;             // and one by one
constexpr double OF_KEPT = 40;             // an event that waits
constexpr double OF_TAKEN = 30;            // a pair that passes, and is not only counted
constexpr double LONG = 1e6;               // so much before a window is over is a reason to look sooner

static bool is_all_columnar(const SegmentSpec& spec) noexcept {
    return std::all_of(spec.closings.begin(), spec.closings.end(), [](const ClosingSpec& one) { return one.columnar; });
}

// What groups that were made have asked of events that came for them.
static double cost_of_asking(const Recognition* r, const StepCosts& costs) noexcept {
    double walked = r->scratch.counts ? double(costs.found) * OF_FOUND : 0;
    return double(costs.scanned) * OF_SCANNED + double(costs.asked) * OF_QUESTION + walked;
}

// Places of blocks for each pair of a set and an event that waits.
static double places_each(const StepCosts& costs) noexcept {
    double sets = double(costs.seen) / std::max(1.0, double(costs.arrivals));
    return 1 + double(columns::BLOCK) / std::max(1.0, sets);
}

// What the period has taken, or would have taken, if all groups were made at once.
static double cost_at_once(const Recognition* r, const WaitingSegment& segment) noexcept {
    const StepCosts& costs = segment.costs;
    if (!segment.trial.other) return double(costs.made) * OF_GROUP + cost_of_asking(r, costs);
    double made = double(costs.seen) * segment.made_of_seen;
    double waited = double(costs.looped) / places_each(costs) * segment.made_of_seen;
    return made * OF_GROUP + waited * segment.asked_each;
}

// And if all events had waited.
static double cost_of_waiting(const Recognition* r, const WaitingSegment& segment, const SegmentSpec& spec) noexcept {
    const StepCosts& costs = segment.costs;
    double looped = double(costs.looped);
    if (!segment.trial.other) looped = double(costs.waited) / segment.made_of_seen * places_each(costs);
    double passed = r->scratch.counts ? 0 : double(segment.trial.other ? costs.passed : costs.found);
    double place = is_all_columnar(spec) ? OF_COLUMNS : OF_PAIR;
    return looped * place + double(costs.arrivals) * OF_KEPT + passed * OF_TAKEN;
}

// What was measured of groups that were made.
static void measure_groups(const Recognition* r, WaitingSegment* segment) noexcept {
    const StepCosts& costs = segment->costs;
    if (segment->trial.other) return;
    if (costs.made) segment->made_of_seen = double(costs.made) / double(costs.seen);
    if (costs.waited) segment->asked_each = cost_of_asking(r, costs) / double(costs.waited);
}

static bool is_period_over(const Recognition* r, const StepCosts& costs, int64_t least) noexcept {
    uint64_t events = costs.arrivals + costs.closings;
    if (events < (costs.since == NEVER ? FIRST_PERIOD : LEAST_PERIOD)) return false;
    double taken = double(costs.made) * OF_GROUP + cost_of_asking(r, costs) + double(costs.looped) * OF_COLUMNS;
    return least > costs.since || events > LONGEST_PERIOD || taken > LONG;
}

// An event of the step comes, or one that asks for it.
static void choose_again(Recognition* r, uint32_t number, int64_t least, bool arrives) {
    WaitingSteps& waiting = r->correlating->waiting;
    WaitingSegment* segment = &waiting.segments[number];
    ++(arrives ? segment->costs.arrivals : segment->costs.closings);
    if (waiting.evaluating == Evaluating::ALTERNATING && arrives) segment->trial.change();
    if (waiting.evaluating != Evaluating::AUTO || !is_period_over(r, segment->costs, least)) return;
    measure_groups(r, segment);
    segment->trial.end_period(cost_at_once(r, *segment), cost_of_waiting(r, *segment, waiting.specs[number]));
    segment->costs = StepCosts();
    segment->costs.since = r->correlating->start;
}

// ── the step, at once or later ──

// The event takes the segment's step out of all groups that pass, one by one.
static void step_at_once(
    Recognition* r, uint32_t segment, uint32_t number, uint32_t state, uint32_t partition, int64_t local, int64_t least,
    Head* before
) {
    Correlating* c = r->correlating;
    StepCosts* costs = &c->waiting.segments[segment].costs;
    uint32_t list = list_of_sets(r, c->waiting.specs[segment], partition);
    if (list == NO_LIST) return;
    follow(r, number, state, partition, local, least, before);
    costs->seen += list_at(c, list)->count - list_at(c, list)->first;
    costs->made += c->candidates.size();
}

// The event asks groups that were made for those that pass.
static void ask_made(
    Recognition* r, const WaitingRole& role, uint32_t number, uint32_t state, uint32_t partition, int64_t local,
    int64_t least, Head* before
) {
    Correlating* c = r->correlating;
    StepCosts* costs = &c->waiting.segments[role.closes].costs;
    uint32_t made = c->waiting.specs[role.closes].state;
    uint32_t list = c->cells[made].key < 0 ? find_list(r, partition, made, 0) : NO_LIST;
    uint64_t scanned = c->scanned;
    c->candidates.clear();
    c->answers.clear();
    follow(r, number, state, partition, local, least, before);
    costs->scanned += c->scanned - scanned;
    costs->found += c->candidates.size();
    bool is_decided = c->transitions[number].questions && c->questions[c->transitions[number].first_question].decided >= 0;
    if (!is_decided) costs->asked += c->answers.size();
    costs->waited += list != NO_LIST ? list_at(c, list)->count - list_at(c, list)->first : c->candidates.size();
}

// Whether events of the segment's step wait now.
static inline bool waits_now(const Recognition* r, uint32_t segment, int64_t start, int64_t least) noexcept {
    return r->correlating->waiting.segments[segment].trial.other && start != NEVER && least != NO_VALUE;
}

// `follow`, where there are steps that may wait.
static void follow_or_wait(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, int64_t local, int64_t least, Head* before
) {
    const WaitingRole role = r->correlating->waiting.roles[number];
    if (role.keeps != WaitingRole::NONE) {
        choose_again(r, role.keeps, least, true);
        if (waits_now(r, role.keeps, r->correlating->start, least)) keep_event(r, role.keeps, partition, least);
        else step_at_once(r, role.keeps, number, state, partition, local, least, before);
    } else if (role.closes != WaitingRole::NONE) {
        choose_again(r, role.closes, least, false);
        ask_made(r, role, number, state, partition, local, least, before);
        if (!r->scratch.is_stopped) close_segment(r, role, number, partition, least, before);
    } else {
        follow(r, number, state, partition, local, least, before);
    }
}

}  // namespace spaseq::events
