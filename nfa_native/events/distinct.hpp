// Enumeration where results may come about in several ways: all nodes that give the same positions are followed
// together, from the last one back, so each result is found once.  (A subset construction, of nodes instead of states.)
// What it earns: ALL of `benchmarks.outside`, projected.  A stage is what may come before the picks so far: beginnings
// of matches that have these and no other marked positions, and candidates, which are marked picks, the latest first.
// Those of one position are picked together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/views.hpp"

namespace spaseq::events {

// All candidates of the next position.
static inline void pick_group(const Recognition* r, Stage* stage) noexcept {
    stage->group = stage->group_end;
    while (stage->group_end < r->scratch.candidates.size()
        && r->scratch.candidates[stage->group_end].position == r->scratch.candidates[stage->group].position) {
        ++stage->group_end;
    }
}

// What is picked last comes right before what was picked before that; in a partition, among its own.
static bool is_neighbour(const Recognition* r) noexcept {
    size_t last = r->scratch.stages.size() - 1;
    int64_t earlier = r->scratch.candidates[r->scratch.stages[last].group].position;
    int64_t later = r->scratch.candidates[r->scratch.stages[last - 1].group].position;
    return local_of(r, earlier) + 1 == local_of(r, later);
}

static void open_stage(Recognition* r) {
    size_t candidates = r->scratch.candidates.size();
    r->scratch.stages.push_back({r->scratch.beginnings.size(), candidates, candidates, candidates});
    ++r->scratch.stamp;
}

static inline void add_beginning(Recognition* r, int64_t start, uint32_t origin) {
    r->scratch.beginnings.push_back({start, origin});
}

// Ask for all groups of a view.
static void ask_groups(Recognition* r, uint32_t view) {
    ViewVisit visit = visit_of(r->correlating, view);
    while (uint32_t group = next_in_view(r->correlating, &visit, r->scratch.endings[0].least))
        r->scratch.asked.push_back(group);
}

// Ask for what the first part of a node goes on from.
static inline void ask_before(Recognition* r, const MatchNode* node) {
    if (is_of_view(node)) ask_groups(r, view_number(node));
    else r->scratch.asked.push_back(node->next);
}

static inline void add_candidate(Recognition* r, uint32_t number, uint32_t origin) {
    r->scratch.candidates.push_back({position_of(&r->state, match_node(&r->state, number)->pos), number, origin});
}

// Add what the sets in `asked` have to offer, through picks that are not marked.
static void reach_asked(Recognition* r, uint32_t origin) {
    int64_t least = r->scratch.endings[0].least;
    while (!r->scratch.asked.empty()) {
        uint32_t number = r->scratch.asked.back();
        r->scratch.asked.pop_back();
        if (!is_young(&r->state, number, least)) continue;
        uint64_t* stamp = r->scratch.stamps.data() + (number & r->state.ring.mask);
        if (*stamp == r->scratch.stamp) continue;
        *stamp = r->scratch.stamp;
        const MatchNode* node = match_node(&r->state, number);
        r->scratch.asked.push_back(node->sibling);
        if (node->state == UNION) r->scratch.asked.push_back(node->next);
        else if (node->state != VIEW && r->program.marked.data()[state_of(node)]) add_candidate(r, number, origin);
        else if (node->state != VIEW && begins(node)) add_beginning(r, position_of(&r->state, node->pos), origin);
        else ask_before(r, node);
    }
}

// Candidates by position, the latest first, and each start once.
static void close_stage(Recognition* r) {
    const Stage& stage = r->scratch.stages.back();
    std::vector<Candidate>& candidates = r->scratch.candidates;
    std::vector<Beginning>& beginnings = r->scratch.beginnings;
    auto first = beginnings.begin() + stage.beginnings;
    std::sort(candidates.begin() + stage.candidates, candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.position > b.position;
    });
    std::sort(first, beginnings.end(), [](const Beginning& a, const Beginning& b) { return a.start < b.start; });
    auto end = std::unique(first, beginnings.end(), [](const Beginning& a, const Beginning& b) {
        return a.start == b.start;
    });
    beginnings.erase(end, beginnings.end());
}

// The stage before the group that the last one has picked.
static void add_stage(Recognition* r) {
    Stage last = r->scratch.stages.back();
    open_stage(r);
    for (size_t i = last.group, i_end = last.group_end; i < i_end; ++i) {
        const MatchNode* node = match_node(&r->state, r->scratch.candidates[i].node);
        if (begins(node)) {
            add_beginning(r, r->scratch.candidates[i].position, uint32_t(i));
        } else {
            r->scratch.asked.clear();
            ask_before(r, node);
            reach_asked(r, uint32_t(i));
        }
    }
    close_stage(r);
}

// Walk to the next result, which is that of the last beginning then; False: there is none.
static bool next_distinct(Recognition* r) {
    uint64_t seen = 0;
    while (!r->scratch.stages.empty()) {
        ++seen;
        if (seen % BETWEEN_SIGNALS == 0 && r->owner->is_interrupted(r)) return false;
        Stage* stage = &r->scratch.stages.data()[r->scratch.stages.size() - 1];
        if (r->scratch.beginnings.size() > stage->beginnings) return true;
        if (stage->group_end == r->scratch.candidates.size()) {
            r->scratch.candidates.resize(stage->candidates);
            r->scratch.stages.pop_back();
            continue;
        }
        pick_group(r, stage);
        if (r->program.strategy != StrategyKind::STRICT || r->scratch.stages.size() == 1 || is_neighbour(r))
            add_stage(r);
    }
    return false;
}

// The stage before all picks.
static void begin_stages(Recognition* r) {
    if (r->scratch.stamps.size() != r->state.ring.nodes.size()) r->scratch.stamps.assign(r->state.ring.nodes.size(), 0);
    r->scratch.stages.clear();
    r->scratch.candidates.clear();
    r->scratch.beginnings.clear();
    open_stage(r);
    for (const Ending& one : r->scratch.endings) {
        r->scratch.asked.assign(1, one.node);
        reach_asked(r, NO_ORIGIN);
    }
    close_stage(r);
}

// Append the result with this start; its picks lead from one to the next.
static void write_distinct(Recognition* r, const Beginning* beginning) {
    ++r->scratch.found.count;
    r->scratch.found.starts.push_back(beginning->start);
    r->scratch.found.ends.push_back(r->state.position);
    for (uint32_t pick = beginning->origin; pick != NO_ORIGIN; pick = r->scratch.candidates[pick].origin) {
        const Candidate& one = r->scratch.candidates[pick];
        r->scratch.found.positions.push_back(one.position);
        r->scratch.found.states.push_back(uint16_t(state_of(match_node(&r->state, one.node))));
    }
    r->scratch.found.offsets.push_back(int64_t(r->scratch.found.positions.size()));
}

}  // namespace spaseq::events
