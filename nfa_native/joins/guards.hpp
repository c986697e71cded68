// Negation and absence: early, on cells, where nothing that comes later can change the verdict; else on the finished
// match.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/combine.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/probe.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"
#include "nfa_native/joins/window.hpp"

namespace spaseq::joins {

// At the end of a tick: every early guard against the cells that were there before it.
static void strike(Kernel* k) {
    for (uint32_t i = 0; i < k->now.states.size(); ++i) {
        if (k->now.states[i].live == 0) continue;
        const std::vector<GuardSpec>& guards = k->program->states[i].guards;
        for (uint32_t g = 0; g < guards.size(); ++g) {
            Purpose purpose{KILLING, g, i, k->now.tick};
            if (guards[g].early) combine(k, &guards[g].choice, &purpose);
        }
    }
}

// A later step may still bind what the guard reads of this row.
static bool is_open(StateData* s, const GuardSpec* guard, const Pair* pair) noexcept {
    const word_t* row = pair_cell_row(s, pair);
    for (uint32_t column : guard->later) if (row[column] == UNBOUND) return true;
    return false;
}

// The pairs from `start` to `end` are one cell's; they come in the order of its rows.
static void kill_cell(Kernel* k, StateData* s, GuardSpec* guard, const Candidate* candidate, size_t start, size_t end) {
    uint32_t cell = k->scratch.pairs[start].cell;
    uint32_t covered = 1;
    if (s->final && (k->program->by_events ? candidate->most : k->now.tick) > s->cells[cell].deadline) return;
    for (size_t i = start + 1; i < end; ++i) {
        if (k->scratch.pairs[i].cell_row != k->scratch.pairs[i - 1].cell_row) ++covered;
    }
    if (covered < s->cells[cell].rows) {
        k->now.judgements[guard->number].deferred = true;
        return;
    }
    ++k->now.judgements[guard->number].killed;
    free_cell(s, cell);
}

// Drop the cells all of whose rows join the negated events; leave doubtful ones to the finished match.
static void kill(Kernel* k, uint32_t state, uint32_t which, Candidate* candidate) {
    StateData* s = &k->now.states[state];
    GuardSpec* guard = &s->spec->guards[which];
    std::vector<Pair>& pairs = k->scratch.pairs;
    size_t kept = 0;
    measure_candidate(k, candidate);
    pairs.clear();
    probe(k, s, guard->index, &guard->probe, &guard->step, candidate, nullptr);
    for (const Pair& pair : pairs)
        if (!is_open(s, guard, &pair)) pairs[kept++] = pair;
    if (kept < pairs.size()) k->now.judgements[guard->number].deferred = true;
    pairs.resize(kept);
    filter_pairs(k, s, &guard->step.filters, candidate, k->now.tick);
    for (size_t start = 0, end; start < pairs.size(); start = end) {
        for (end = start + 1; end < pairs.size() && pairs[end].cell == pairs[start].cell;) ++end;
        kill_cell(k, s, guard, candidate, start, end);
    }
}

// Index of the first watched position of the atom whose event is at or after `time`.
static size_t first_watched(KernelState* now, uint32_t atom, int64_t time) noexcept {
    const std::vector<uint32_t>& watched = now->watched[atom];
    auto is_before = [now](uint32_t pos, int64_t time) { return event_at(now, pos)->time < time; };
    return size_t(std::lower_bound(watched.begin(), watched.end(), time, is_before) - watched.begin());
}

static inline uint32_t transition_of(Kernel* k, uint32_t step) noexcept {
    return k->program->labels[k->scratch.path[k->scratch.steps[step]].label].transition;
}

static inline int64_t time_of(Kernel* k, uint32_t step) noexcept {
    return event_at(&k->now, k->scratch.path[k->scratch.steps[step]].pos)->time;
}

// What windows measure of the match's first event.
static int64_t first_measure(Kernel* k) noexcept {
    uint32_t at = k->scratch.steps[0];
    uint32_t parts = k->program->labels[k->scratch.path[at].label].parts;
    int64_t least = measure(k, k->scratch.path[at].pos);
    for (uint32_t i = 1; i < parts; ++i) least = std::min(least, measure(k, k->scratch.path[at - i].pos));
    return least;
}

// What windows measure of the match's last event.
static int64_t last_measure(Kernel* k) noexcept {
    uint32_t parts = k->program->labels[k->scratch.path[0].label].parts;
    int64_t most = measure(k, k->scratch.path[0].pos);
    for (uint32_t i = 1; i < parts; ++i) most = std::max(most, measure(k, k->scratch.path[i].pos));
    return most;
}

// The level after the last step of the iteration that the guard at `level` lies in.
static uint32_t end_of_iteration(Kernel* k, uint32_t level, uint32_t kleene, bool begun) noexcept {
    uint32_t steps = uint32_t(k->scratch.steps.size());
    if (begun && level < steps) ++level;
    while (level < steps && !((k->program->transitions[transition_of(k, level)].ends >> kleene) & 1)) ++level;
    return level;
}

// The row at `level` from which row `row` of the last level came.
static const word_t* ancestor(Kernel* k, uint32_t row, uint32_t level) noexcept {
    for (uint32_t at = uint32_t(k->scratch.steps.size()); at > level; --at) row = k->scratch.parents[at][row];
    return k->scratch.levels[level].data() + size_t(row) * k->program->whole;
}

// Fill `views`: each row of the finished match, with the columns that the guard takes from elsewhere.
static void look(Kernel* k, const GuardSpec* guard, uint32_t boundary) {
    uint32_t whole = k->program->whole;
    uint32_t count = row_count(k, k->scratch.finished.size(), whole);
    k->scratch.views = k->scratch.finished;
    for (uint32_t r = 0; r < count; ++r) {
        for (const LookSpec& one : guard->looks) {
            uint32_t level = boundary;
            if (one.view == View::ITERATION)
                level = end_of_iteration(k, boundary, one.kleene, (guard->begun >> one.kleene) & 1);
            k->scratch.views[size_t(r) * whole + one.column] =
                value_of(k, &one.value, ancestor(k, r, level), whole, nullptr, 0, k->now.tick);
        }
    }
}

// The guard's choice has a match strictly between step `boundary` (from 1; 0: none) and the next one.
static bool is_violated(Kernel* k, uint32_t state, uint32_t which, uint32_t boundary) {
    GuardSpec* guard = &k->program->states[state].guards[which];
    const std::vector<uint32_t>& watched = k->now.watched[guard->choice.atoms[0]];
    Purpose purpose{JUDGING, which, state};
    int64_t from = -FOREVER, until = FOREVER;
    int64_t* lower = k->program->by_events ? &purpose.from_seq : &from;
    int64_t* upper = k->program->by_events ? &purpose.to_seq : &until;
    if (boundary > 0) from = time_of(k, boundary - 1) + 1;
    else *lower = lower_edge(k->program, first_measure(k), last_measure(k));
    if (boundary < k->scratch.steps.size()) until = time_of(k, boundary) - 1;
    else *upper = upper_edge(k->program, first_measure(k));
    look(k, guard, boundary);
    size_t i = first_watched(&k->now, guard->choice.atoms[0], from);
    while (i < watched.size() && !purpose.found) {
        purpose.time = event_at(&k->now, watched[i])->time;
        if (purpose.time > until) break;
        combine(k, &guard->choice, &purpose);
        while (i < watched.size() && event_at(&k->now, watched[i])->time == purpose.time) ++i;
    }
    return purpose.found;
}

// Some guard along the path drops the finished match.
static bool is_dropped(Kernel* k, uint32_t final) {
    uint32_t steps = uint32_t(k->scratch.steps.size());
    for (uint32_t boundary = 0, boundary_end = steps + 1; boundary < boundary_end; ++boundary) {
        uint32_t state = final;
        if (boundary < steps) state = k->program->transitions[transition_of(k, boundary)].source;
        for (size_t g = 0, g_end = k->program->states[state].guards.size(); g < g_end; ++g) {
            GuardSpec* guard = &k->program->states[state].guards[g];
            if (guard->early && !k->now.judgements[guard->number].deferred && !k->now.many_rows) continue;
            if (is_violated(k, state, uint32_t(g), boundary)) {
                ++k->now.judgements[guard->number].killed;
                return true;
            }
        }
    }
    return false;
}

// The negated events join what the guard sees of the finished match.
static bool judge(Kernel* k, uint32_t state, uint32_t which, const Candidate* candidate, int64_t time) {
    GuardSpec* guard = &k->program->states[state].guards[which];
    uint32_t count = row_count(k, k->scratch.finished.size(), k->program->whole);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0, j_end = candidate->count; j < j_end; ++j) {
            const word_t* seen = k->scratch.views.data() + size_t(i) * k->program->whole;
            const word_t* row = candidate->rows + size_t(j) * candidate->width;
            if (!compatible(&guard->whole, seen, row)) continue;
            load_registers(&k->scratch, seen, k->program->whole, row, candidate->width);
            if (all_hold(k, &guard->whole.filters, k->program->whole + candidate->width + 1, time)) return true;
        }
    }
    return false;
}

}  // namespace spaseq::joins
