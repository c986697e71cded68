// NEXT and LAST without a look at all matches.  Both order sets of positions, and what is added to two sets later does
// not change which one is better (CEL): so the best match of a set of partial matches is made of best ones. # It is
// worked out when it is asked for, and remembered until its start leaves the window.  The best match of a view is the
// best one of its groups.  What this earns: NEXT and LAST of `benchmarks.outside`, compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "nfa_native/events/enumerate.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/views.hpp"

namespace spaseq::events {

typedef std::vector<int64_t> Positions;

static inline BestMatch* best_match(Recognition* r, uint32_t number) noexcept {
    return &r->scratch.bests.data()[number & r->state.ring.mask];
}

// The best match of a set has been worked out, and is not over.
static inline bool is_known(Recognition* r, uint32_t number, int64_t least) noexcept {
    const BestMatch* known = best_match(r, number);
    return known->set == number && known->start >= least && (r->program.rises || known->event == r->state.position);
}

// What the best match that goes on with this pick has picked before it; NO_NODE: nothing.
static inline uint32_t pick_before(Recognition* r, uint32_t pick) noexcept { return best_match(r, pick)->before; }

// How long ago the event was; nothing is older than all events.
static inline uint64_t age(Recognition* r, uint32_t pick) noexcept {
    return pick == NO_NODE ? uint64_t(1) << 32
        : uint32_t(uint32_t(r->state.position) - match_node(&r->state, pick)->pos);
}

// Of the best matches with these last picks, which one is better: > 0 the left one, < 0 the right one, 0: their marked
// positions are the same.  Of NEXT the first position decides that only one of them has, of LAST the last one.
static int compare(Recognition* r, uint32_t left, uint32_t right) noexcept {
    int better = 0;
    while (left != right && (better == 0 || r->program.strategy == StrategyKind::NEXT)) {
        uint64_t left_age = age(r, left), right_age = age(r, right);
        int owner = 0;
        if (left_age <= right_age) {
            owner += r->program.marked[state_of(match_node(&r->state, left))];
            left = pick_before(r, left);
        }
        if (right_age <= left_age) {
            owner -= r->program.marked[state_of(match_node(&r->state, right))];
            right = pick_before(r, right);
        }
        if (owner) better = owner;
    }
    return better;
}

static void forget_bests(Recognition* r) {
    r->scratch.bests.assign(r->state.ring.nodes.size(), BestMatch{});
}

// Take the other one if it is better, or has the same positions and lives longer.
static inline void improve(Recognition* r, BestMatch* best, const BestMatch* other) noexcept {
    int better = best->pick == NO_NODE ? 1 : compare(r, other->pick, best->pick);
    if (better > 0 || (better == 0 && other->start > best->start)) {
        best->pick = other->pick;
        best->start = other->start;
    }
}

// Take the best match of a set if it is better; if it is not known yet, ask for it.
static inline void take_best(Recognition* r, uint32_t number, BestMatch* best, int64_t least) {
    if (!is_young(&r->state, number, least)) return;
    if (is_known(r, number, least)) improve(r, best, best_match(r, number));
    else r->scratch.asked.push_back(number);
}

// The best match of what the first part of a node goes on from: that of a view is the best one of its groups.
static void take_best_before(Recognition* r, const MatchNode* node, BestMatch* best, int64_t least) {
    if (!is_of_view(node)) {
        take_best(r, node->next, best, least);
        return;
    }
    ViewVisit visit = visit_of(r->correlating, view_number(node));
    while (uint32_t group = next_in_view(r->correlating, &visit, least)) take_best(r, group, best, least);
}

// Ask for the best match of a set, unless it is known.
static inline void ask_best(Recognition* r, uint32_t number, int64_t least) {
    if (is_young(&r->state, number, least) && !is_known(r, number, least)) r->scratch.asked.push_back(number);
}

// Work out the best match of a set from those of the sets in it; False: some of these are asked for first.
static bool work_out(Recognition* r, uint32_t number, int64_t least) {
    const MatchNode* node = match_node(&r->state, number);
    BestMatch* best = best_match(r, number);
    size_t asked = r->scratch.asked.size();
    best->set = best->pick = NO_NODE;
    best->start = NEVER;
    take_best_before(r, node, best, least);
    if (is_pick(node)) {
        best->before = best->pick;
        best->pick = number;
        if (begins(node)) best->start = node->youngest;
    }
    if (r->scratch.asked.size() > asked) {
        ask_best(r, node->sibling, least);
        return false;
    }
    take_best(r, node->sibling, best, least);
    if (r->scratch.asked.size() > asked) return false;
    best->set = number;
    best->event = r->state.position;
    return true;
}

// Work out the best match of a set that is not over, and before it of what the set is made of.
static void find_best(Recognition* r, uint32_t number, int64_t least) {
    if (r->scratch.bests.size() != r->state.ring.nodes.size()) forget_bests(r);
    r->scratch.asked.clear();
    r->scratch.asked.push_back(number);
    while (!r->scratch.asked.empty()) {
        number = r->scratch.asked.back();
        if (is_known(r, number, least) || work_out(r, number, least)) r->scratch.asked.pop_back();
    }
}

// A pick with so many behind it.
static inline void add_to_path(Recognition* r, const MatchNode* node, size_t depth) {
    if (depth >= r->scratch.path_positions.size()) lengthen_path(&r->scratch);
    r->scratch.path_begin = r->scratch.path_positions.size() - 1 - depth;
    r->scratch.path_positions[r->scratch.path_begin] = position_of(&r->state, node->pos);
    r->scratch.path_states[r->scratch.path_begin] = uint16_t(state_of(node));
}

// The best match with this last pick as the path.
static void lay_path(Recognition* r, uint32_t pick) {
    for (size_t depth = 0; pick != NO_NODE; ++depth, pick = pick_before(r, pick))
        add_to_path(r, match_node(&r->state, pick), depth);
}

// The marked positions of the match in the path.
static void mark_path(const Recognition* r, Positions* out) {
    out->clear();
    for (size_t i = r->scratch.path_begin; i < r->scratch.path_positions.size(); ++i)
        if (r->program.marked[r->scratch.path_states[i]]) out->push_back(r->scratch.path_positions[i]);
}

// The pick is the last one missing, or is not marked and comes after that.
static inline bool fits(Recognition* r, const MatchNode* node, const Positions* marked, uint32_t* missing) noexcept {
    int64_t position = position_of(&r->state, node->pos);
    int64_t wanted = *missing ? marked->at(*missing - 1) : -1;
    if (r->program.marked[state_of(node)]) {
        *missing -= position == wanted;
        return position == wanted;
    }
    return position > wanted;
}

// Leave all groups of a view for later.
static void visit_groups(Recognition* r, uint32_t view, uint32_t depth, int64_t least) {
    ViewVisit visit = visit_of(r->correlating, view);
    while (uint32_t node = next_in_view(r->correlating, &visit, least)) visit_later(&r->scratch, node, depth);
}

// As `descend`, but not where it has been with as many positions missing, nor where one of them is left out.
static bool descend_like(Recognition* r, uint32_t number, size_t depth, int64_t least, const Positions* marked) {
    while (is_young(&r->state, number, least)) {
        uint32_t missing = r->scratch.missing[depth];
        if (!r->scratch.seen.insert((uint64_t(number) << 32) | missing).second) return false;
        const MatchNode* node = match_node(&r->state, number);
        if (node->sibling != NO_NODE) visit_later(&r->scratch, node->sibling, uint32_t(depth));
        if (is_pick(node)) {
            if (!fits(r, node, marked, &missing)) return false;
            add_to_path(r, node, depth);
            ++depth;
            r->scratch.missing.resize(depth + 1);
            r->scratch.missing[depth] = missing;
            if (begins(node)) return missing == 0;
        }
        if (is_of_view(node)) {
            visit_groups(r, view_number(node), uint32_t(depth), least);
            return false;
        }
        number = node->next;
    }
    return false;
}

// Walk to the next match with these marked positions; False: there is none.
static bool next_like(Recognition* r, const Positions* marked) {
    while (true) {
        Visiting visit;
        if (!r->scratch.visits.empty()) {
            visit = r->scratch.visits.back();
            r->scratch.visits.pop_back();
        } else {
            if (++r->scratch.ending >= r->scratch.endings.size()) return false;
            visit = {r->scratch.endings[r->scratch.ending].node, 0};
            r->scratch.missing.assign(1, uint32_t(marked->size()));
        }
        if (descend_like(r, visit.node, visit.depth, r->scratch.endings[r->scratch.ending].least, marked)) return true;
    }
}

// Write a match with the marked positions of this one for each start that there is.
static void write_starts(Recognition* r, uint32_t pick) {
    Positions marked;
    std::set<int64_t> starts;
    lay_path(r, pick);
    mark_path(r, &marked);
    r->scratch.seen.clear();
    r->scratch.ending = size_t(-1);
    r->scratch.visits.clear();
    while ((r->program.limit < 0 || r->scratch.given < r->program.limit) && next_like(r, &marked)) {
        if (starts.insert(r->scratch.path_positions[r->scratch.path_begin]).second) {
            write_match(r, &r->scratch.found);
            ++r->scratch.given;
        }
    }
}

// Write the best results of the event: their marked positions are the same, their starts differ.
static void choose_best(Recognition* r) {
    BestMatch best;
    for (const Ending& ending : r->scratch.endings) {
        find_best(r, ending.node, ending.least);
        improve(r, &best, best_match(r, ending.node));
    }
    if (r->program.start_is_marked) {
        lay_path(r, best.pick);
        write_match(r, &r->scratch.found);
        r->scratch.given = 1;
    } else {
        write_starts(r, best.pick);
    }
    r->scratch.enumerating = false;
}

}  // namespace spaseq::events
