// Enumeration: the matches that end with an event, one after the other; it can pause after each.  It is what the others
// are measured by.  Of chains positions alone are written, by row (`write_chain`): P6 in 40 s of `python -m
// benchmarks.ceql` 15 times as fast, a V shape that is put out 1.5 times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/views.hpp"

namespace spaseq::events {

// How many results the last event may have: where work is bounded as many as it may take units.
static void limit_results(Recognition* r) noexcept {
    int64_t limit = r->program.limit;
    r->scratch.limit = limit;
    r->scratch.is_capped = false;
    if (!r->shedding) return;
    double most = std::floor(std::max(shedding::LEAST_RESULTS, r->shedding->allowance.most));
    if (limit >= 0 && double(limit) <= most) return;
    r->scratch.limit = int64_t(std::min(most, 1e18));
    r->scratch.is_capped = true;
}

// The event has had all the results that it may have; others are left out, if there are some.
static void curtail(Recognition* r, bool has_more) noexcept {
    if (r->scratch.is_capped && has_more) ++r->shedding->curtailed;
}

static void begin_enumeration(Recognition* r) noexcept {
    limit_results(r);
    r->scratch.ending = size_t(-1);
    r->scratch.given = 0;
    r->scratch.enumerating = true;
    r->scratch.visits.clear();
    if (r->correlating != nullptr) r->correlating->view_visits.clear();
}

// Walk from a node to a first pick, leaving what branches off for later; False: the way ends too early.
static inline bool descend(Recognition* r, uint32_t number, size_t depth, int64_t least) {
    while (true) {
        const MatchNode* node = match_node(&r->state, number);
        if (is_young(&r->state, node->sibling, least)) visit_later(&r->scratch, node->sibling, uint32_t(depth));
        if (node->state == VIEW) {
            number = enter_view(r, node->pos, depth, least);
            if (number == NO_NODE) return false;
            continue;
        }
        if (node->state != UNION) {
            if (depth >= r->scratch.path_positions.size()) lengthen_path(&r->scratch);
            size_t place = r->scratch.path_positions.size() - 1 - depth;
            r->scratch.path_positions[place] = position_of(&r->state, node->pos);
            r->scratch.path_states[place] = uint16_t(node->state & ~OF_VIEW);
            ++depth;
            if (node->state & OF_VIEW) {
                number = enter_view(r, node->next, depth, least);
                if (number == NO_NODE) return false;
                continue;
            }
            if (node->next == NO_NODE) {
                r->scratch.path_begin = place;
                return node->youngest >= least;
            }
        }
        if (!is_young(&r->state, node->next, least)) return false;
        number = node->next;
    }
}

// Walk to the next match, whose picks then are in the path; False: there is none.
static bool next_match(Recognition* r) {
    while (true) {
        Visiting visit;
        if (!r->scratch.visits.empty()) {
            visit = r->scratch.visits.back();
            r->scratch.visits.pop_back();
            if (visit.node == NO_NODE && !resume_view(r, r->scratch.endings[r->scratch.ending].least, &visit)) continue;
        } else {
            if (++r->scratch.ending >= r->scratch.endings.size()) return false;
            visit = {r->scratch.endings[r->scratch.ending].node, 0};
        }
        if (descend(r, visit.node, visit.depth, r->scratch.endings[r->scratch.ending].least)) return true;
    }
}

// Append as many positions.
static inline void write_chain(Found* out, const int64_t* positions, size_t count) {
    size_t before = (out->count - 1) * count;
    if (before + count > out->positions.size()) out->positions.resize(2 * out->positions.size() + count);
    int64_t* target = out->positions.data() + before;
    for (size_t i = 0; i < count; ++i) {  // a few numbers: a call of memcpy would cost more
        target[i] = positions[i];
    }
}

// Append the match in the path; of a chain there may be room left behind it.
static inline void write_match(const Recognition* r, Found* out) {
    const int64_t* positions = r->scratch.path_positions.data() + r->scratch.path_begin;
    const uint16_t* states = r->scratch.path_states.data() + r->scratch.path_begin;
    size_t count = r->scratch.path_positions.size() - r->scratch.path_begin;
    ++out->count;
    if (r->program.is_chain) {
        write_chain(out, positions, count);
        return;
    }
    out->starts.push_back(*positions);
    out->ends.push_back(r->state.position);
    if (r->program.all_marked) {
        out->positions.insert(out->positions.end(), positions, positions + count);
        out->states.insert(out->states.end(), states, states + count);
    } else {
        for (size_t i = 0; i < count; ++i) {
            if (r->program.marked[states[i]]) {
                out->positions.push_back(positions[i]);
                out->states.push_back(states[i]);
            }
        }
    }
    out->offsets.push_back(int64_t(out->positions.size()));
}

// The marked positions of the match in `path` follow each other; in a partition, among its own.
static bool is_interval(const Recognition* r) noexcept {
    int64_t last = -1;
    for (size_t i = r->scratch.path_begin, i_end = r->scratch.path_positions.size(); i < i_end; ++i) {
        if (!r->program.marked[r->scratch.path_states[i]]) continue;
        int64_t local = local_of(r, r->scratch.path_positions[i]);
        if (last >= 0 && local != last + 1) return false;
        last = local;
    }
    return true;
}

// Count the matches of the last event, all of them that it may have.
static bool count_matches(Recognition* r) {
    uint64_t counted = 0, most = r->scratch.is_capped ? uint64_t(r->scratch.limit) : UINT64_MAX;
    while (counted < most && next_match(r)) {
        if (++counted % (16 * BETWEEN_SIGNALS) == 0 && r->owner->is_interrupted(r)) break;
    }
    if (counted == most) curtail(r, next_match(r));
    r->scratch.counted += counted;
    r->scratch.given = int64_t(counted);
    r->scratch.enumerating = false;
    return true;
}

// Write matches of the last event until there are `most` in all; whether that was the last of them.
static bool enumerate_some(Recognition* r, size_t most) {
    if (r->scratch.counts) return count_matches(r);
    while (r->scratch.found.count < most) {
        bool is_last = r->scratch.limit >= 0 && r->scratch.given >= r->scratch.limit;
        if (is_last && r->scratch.is_capped) curtail(r, next_match(r));
        if (is_last || !next_match(r)) {
            r->scratch.enumerating = false;
            return true;
        }
        if (r->program.strategy == StrategyKind::STRICT && !is_interval(r)) continue;
        write_match(r, &r->scratch.found);
        ++r->scratch.given;
    }
    return false;
}

// No results; of a chain the room stays.
inline void clear_found(Found* found, bool is_chain) {
    found->count = 0;
    found->starts.clear();
    found->ends.clear();
    if (!is_chain) found->positions.clear();
    found->states.clear();
    found->rules.clear();
    found->offsets.assign(1, 0);
}

}  // namespace spaseq::events
