// A finished match as its steps, and the levels between them.  Without `&&` level i lies after step i.  With it a match
// is a tree: sides go on from one level, and where they meet there is a level again (`Move`).
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/window.hpp"

namespace spaseq::joins {

static inline const TransitionSpec* transition_at(Kernel* k, size_t place) noexcept {
    return &k->program->transitions[k->program->labels[k->scratch.path[place].label].transition];
}

static inline uint32_t transition_of(Kernel* k, uint32_t step) noexcept {
    return k->program->labels[k->scratch.path[k->scratch.steps[step]].label].transition;
}

static inline int64_t time_of(Kernel* k, uint32_t step) noexcept {
    return event_at(&k->now, k->scratch.path[k->scratch.steps[step]].pos)->time;
}

static inline bool is_linear(const Kernel* k) noexcept { return k->program->junctions.empty(); }

// The level after all steps.
static inline uint32_t last_level(const Kernel* k) noexcept {
    return uint32_t(is_linear(k) ? k->scratch.steps.size() : k->scratch.moves.size());
}

// ── moves of a match with && ──

// Note what comes after a level, and what ends on the way.
static void follow(Scratch* scratch, uint32_t level, uint32_t next, uint64_t ends) {
    scratch->following[level] = next;
    scratch->ended[level] = ends;
}

// A level that is made by a move.
static uint32_t add_move(Scratch* scratch, Move move, int64_t latest) {
    scratch->moves.push_back(move);
    scratch->following.push_back(uint32_t(scratch->moves.size()));
    scratch->ended.push_back(0);
    scratch->latest.push_back(latest);
    return uint32_t(scratch->moves.size());
}

// The last step of a side leads to its end by this target.
static const TargetSpec* arrival_of(const TransitionSpec* transition, uint32_t junction) noexcept {
    for (const TargetSpec& target : transition->targets)
        if (target.junction == junction) return &target;
    return nullptr;
}

// How the side whose last level is `level` is complete: by its last step, or where the sides of an && in it meet.
static const TargetSpec* arrival_at(Kernel* k, uint32_t level, uint32_t junction) noexcept {
    const Move& move = k->scratch.moves[level - 1];
    if (move.step != NO_STEP) return arrival_of(&k->program->transitions[transition_of(k, move.step)], junction);
    for (const TargetSpec& target : k->program->junctions[move.junction].targets)
        if (target.junction == junction) return &target;
    return nullptr;
}

// The side that is being gone through is over at `level`; False: it cannot be (somebody forged a snapshot).
static bool end_side(Kernel* k, OpenJunction* open, uint32_t level) {
    if (level == open->base || arrival_at(k, level, open->junction) == nullptr) return false;
    k->scratch.side_levels[open->ends + open->side] = level;
    return true;
}

// Open the junctions of which sides begin with a step at `level`; the level that it goes on from, or NO_STEP.
static uint32_t open_sides(Kernel* k, const TransitionSpec* transition, uint32_t level) {
    std::vector<OpenJunction>& opened = k->scratch.opened;
    for (size_t i = 0; i < transition->opens.size(); ++i) {
        uint32_t junction = transition->opens[i], side = transition->sides[i];
        auto is_same = [junction](const OpenJunction& one) { return one.junction == junction; };
        auto found = std::find_if(opened.begin(), opened.end(), is_same);
        if (found == opened.end()) {
            uint32_t ends = uint32_t(k->scratch.side_levels.size());
            k->scratch.side_levels.resize(ends + k->program->junctions[junction].sides.size(), 0);
            opened.push_back({junction, side, level, ends, uint32_t(k->scratch.moves.size())});
        } else if (found->side != side) {
            if (&*found != &opened.back() || !end_side(k, &*found, level)) return NO_STEP;
            found->side = side;
            level = found->base;
        }
    }
    return level;
}

// The sides of the junction that was opened last meet at `level`; the level after it, or NO_STEP.
static uint32_t close_junction(Kernel* k, uint32_t level) {
    Scratch* scratch = &k->scratch;
    if (scratch->opened.empty() || !end_side(k, &scratch->opened.back(), level)) return NO_STEP;
    OpenJunction open = scratch->opened.back();
    size_t sides = k->program->junctions[open.junction].sides.size();
    int64_t latest = -FOREVER;
    scratch->opened.pop_back();
    for (size_t side = 0; side < sides; ++side) {
        uint32_t end = scratch->side_levels[open.ends + side];
        if (end == 0) return NO_STEP;
        latest = std::max(latest, scratch->latest[end]);
    }
    uint32_t next = add_move(scratch, {NO_STEP, open.junction, open.base, open.ends, open.begun}, latest);
    for (size_t side = 0; side < sides; ++side) {
        uint32_t end = scratch->side_levels[open.ends + side];
        follow(scratch, end, next, arrival_at(k, end, open.junction)->ends);
    }
    scratch->following[open.base] = next;
    return next;
}

// From the path, which runs backwards in time, to the moves of the match; False: it is none.
static bool find_moves(Kernel* k) {
    Scratch* scratch = &k->scratch;
    uint32_t level = 0, step = 0;
    scratch->moves.clear();
    scratch->opened.clear();
    scratch->side_levels.clear();
    scratch->following.assign(1, 0);
    scratch->ended.assign(1, 0);
    scratch->latest.assign(1, -FOREVER);
    for (size_t i = scratch->path.size(); i > 0;) {
        const Pick& pick = scratch->path[i - 1];
        if (pick.label & PRODUCT) {
            --i;
            if ((level = close_junction(k, level)) == NO_STEP) return false;
            continue;
        }
        const TransitionSpec* transition = transition_at(k, i - 1);
        int64_t time = event_at(&k->now, pick.pos)->time;
        uint32_t base = transition->opens.empty() ? level : open_sides(k, transition, level);
        if (base == NO_STEP) return false;
        level = add_move(scratch, {step++, NO_JUNCTION, base, 0, 0}, time);
        if (transition->opens.empty()) follow(scratch, base, level, transition->ends);
        else scratch->ended[base] = transition->ends;
        i -= k->program->labels[pick.label].parts;
    }
    return scratch->opened.empty() || scratch->singles != nullptr;  // the && around a union are still open
}

// ── steps ──

// Where each step begins in `path`, which runs backwards in time; False: it is no match.
static bool find_steps(Kernel* k) {
    k->scratch.steps.clear();
    for (size_t i = k->scratch.path.size(); i > 0;) {
        uint32_t label = k->scratch.path[i - 1].label;
        if (label & PRODUCT) {
            --i;
            continue;
        }
        k->scratch.steps.push_back(uint32_t(i - 1));
        i -= k->program->labels[label].parts;
    }
    return is_linear(k) || find_moves(k);
}

// The step with the first event; steps of different sides stand in any order.
static uint32_t first_step(Kernel* k) noexcept {
    const std::vector<uint32_t>& steps = k->scratch.steps;
    uint32_t first = 0;
    for (uint32_t step = 1; !is_linear(k) && step < steps.size(); ++step)
        if (older(k->scratch.path[steps[step]].pos, k->scratch.path[steps[first]].pos)) first = step;
    return first;
}

static inline int64_t first_time(Kernel* k) noexcept { return time_of(k, first_step(k)); }

static inline int64_t last_time(Kernel* k) noexcept {
    return is_linear(k) ? time_of(k, uint32_t(k->scratch.steps.size()) - 1) : k->scratch.latest.back();
}

static inline uint32_t first_position(Kernel* k) noexcept {
    return k->scratch.path[k->scratch.steps[first_step(k)]].pos;
}

// What windows measure of the match's first event.
static int64_t first_measure(Kernel* k) noexcept {
    int64_t least = FOREVER;
    size_t at = is_linear(k) ? k->scratch.steps[0] : k->scratch.path.size() - 1;
    size_t until = is_linear(k) ? at + 1 - k->program->labels[k->scratch.path[at].label].parts : 0;
    for (++at; at > until; --at) {
        const Pick& pick = k->scratch.path[at - 1];
        if (!(pick.label & PRODUCT)) least = std::min(least, measure(k, pick.pos));
    }
    return least;
}

// What windows measure of the match's last event.
static int64_t last_measure(Kernel* k) noexcept {
    int64_t most = -FOREVER;
    size_t end = is_linear(k) ? k->program->labels[k->scratch.path[0].label].parts : k->scratch.path.size();
    for (size_t i = 0; i < end; ++i)
        if (!(k->scratch.path[i].label & PRODUCT)) most = std::max(most, measure(k, k->scratch.path[i].pos));
    return most;
}

// ── levels ──

static inline uint32_t next_level(const Kernel* k, uint32_t level) noexcept {
    return is_linear(k) ? level + 1 : k->scratch.following[level];
}

// The iteration of the Kleene ends behind the level.
static inline bool ends_behind(Kernel* k, uint32_t level, uint32_t kleene) noexcept {
    uint64_t ends = is_linear(k) ? k->program->transitions[transition_of(k, level)].ends : k->scratch.ended[level];
    return (ends >> kleene) & 1;
}

// The level after the last step of the iteration that something at `level` lies in.
static uint32_t end_of_iteration(Kernel* k, uint32_t level, uint32_t kleene, bool begun) noexcept {
    uint32_t last = last_level(k);
    if (begun && level < last) level = next_level(k, level);
    while (level < last && !ends_behind(k, level, kleene)) level = next_level(k, level);
    return level;
}

// Of a row of a level with several sides behind it, its row at the level that they went on from.
static uint32_t row_before(Kernel* k, uint32_t row, uint32_t from, uint32_t level) noexcept {
    while (from != level) {
        const Move& move = k->scratch.moves[from - 1];
        if (move.step != NO_STEP) {
            row = k->scratch.parents[from][row];
            from = move.base;
        } else {
            row = k->scratch.parents[from][size_t(row) * k->program->junctions[move.junction].sides.size()];
            from = k->scratch.side_levels[move.ends];
        }
    }
    return row;
}

// The row of `level` from which row `row` of `from` came, which is the next level after it.
static uint32_t row_at(Kernel* k, uint32_t row, uint32_t from, uint32_t level) noexcept {
    const Move& move = k->scratch.moves[from - 1];
    if (move.step != NO_STEP) return k->scratch.parents[from][row];
    size_t sides = k->program->junctions[move.junction].sides.size();
    const uint32_t* parents = k->scratch.parents[from].data() + size_t(row) * sides;
    for (size_t side = 0; side < sides; ++side)
        if (k->scratch.side_levels[move.ends + side] == level) return parents[side];
    return row_before(k, row, from, level);
}

// The row at `level` from which row `row` of level `from` came.
static const word_t* ancestor(Kernel* k, uint32_t row, uint32_t from, uint32_t level) noexcept {
    if (is_linear(k)) {
        for (; from > level; --from) row = k->scratch.parents[from][row];
    } else if (level < from) {
        std::vector<uint32_t> way(1, level);
        while (way.back() < from) way.push_back(k->scratch.following[way.back()]);
        for (size_t i = way.size() - 1; i > 0; --i) row = row_at(k, row, way[i], way[i - 1]);
    }
    return k->scratch.levels[level].data() + size_t(row) * k->program->whole;
}

}  // namespace spaseq::joins
