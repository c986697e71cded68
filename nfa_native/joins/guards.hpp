// Negation and absence: early, on cells, where nothing that comes later can change the verdict; when the next step is
// made, where that is what the verdict waits for (`negated_steps.hpp`); else on the finished match.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/combine.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/probe.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/trace.hpp"
#include "nfa_native/joins/values.hpp"
#include "nfa_native/joins/window.hpp"

namespace spaseq::joins {

// From now on finished matches are judged by the guard.
static inline void defer(KernelState* now, const GuardSpec* guard) noexcept {
    now->doubtful += is_settled(now, guard);
    now->judgements[guard->number].deferred = 1;
}

// Some guard must judge finished matches.
static inline bool is_judged(const KernelProgram* program, const KernelState* now) noexcept {
    return now->doubtful > 0 || (program->guarded && now->many_rows);
}

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
        defer(&k->now, guard);
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
    if (kept < pairs.size()) defer(&k->now, guard);
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
                value_of(k, &one.value, ancestor(k, r, last_level(k), level), whole, nullptr, 0, k->now.tick);
        }
    }
}

// Where a guard looks: at the level `level`, between the times of the step before it and of the one after it.
struct Gap {
    uint32_t level;
    int64_t from;                         // -FOREVER: nothing comes before
    int64_t until;                        // FOREVER: nothing comes after
};

// The guard's choice has a match strictly in between.
static bool is_violated(Kernel* k, uint32_t state, uint32_t which, const Gap& gap) {
    GuardSpec* guard = &k->program->states[state].guards[which];
    const std::vector<uint32_t>& watched = k->now.watched[guard->choice.atoms[0]];
    Purpose purpose{JUDGING, which, state};
    int64_t from = -FOREVER, until = FOREVER;
    int64_t* lower = k->program->by_events ? &purpose.from_seq : &from;
    int64_t* upper = k->program->by_events ? &purpose.to_seq : &until;
    if (gap.level > 0) from = gap.from + 1;
    else *lower = lower_edge(k->program, first_measure(k), last_measure(k));
    if (gap.level < last_level(k)) until = gap.until - 1;
    else *upper = upper_edge(k->program, first_measure(k));
    look(k, guard, gap.level);
    size_t i = first_watched(&k->now, guard->choice.atoms[0], from);
    while (i < watched.size() && !purpose.found) {
        purpose.time = event_at(&k->now, watched[i])->time;
        if (purpose.time > until) break;
        combine(k, &guard->choice, &purpose);
        while (i < watched.size() && event_at(&k->now, watched[i])->time == purpose.time) ++i;
    }
    return purpose.found;
}

// Some guard of the state, where the match was in that gap, drops it.
static bool is_dropped_in(Kernel* k, uint32_t state, const Gap& gap) {
    for (size_t g = 0, g_end = k->program->states[state].guards.size(); g < g_end; ++g) {
        GuardSpec* guard = &k->program->states[state].guards[g];
        if (is_settled(&k->now, guard) && !k->now.many_rows) continue;
        if (is_violated(k, state, uint32_t(g), gap)) {
            ++k->now.judgements[guard->number].killed;
            return true;
        }
    }
    return false;
}

// The time of the first event of the sides that go on from a level and meet at `level`.
static int64_t earliest_between(Kernel* k, const Move& move, uint32_t level) noexcept {
    int64_t earliest = FOREVER;
    for (uint32_t i = move.begun; i + 1 < level; ++i)
        if (k->scratch.moves[i].step != NO_STEP) earliest = std::min(earliest, k->scratch.latest[i + 1]);
    return earliest;
}

// Some guard before a step that is in no gap of its own: the first steps of sides are in that of the && as a whole.
static bool is_dropped_before(Kernel* k, uint32_t level) {
    const Move& move = k->scratch.moves[level - 1];
    if (k->scratch.following[move.base] != level) return false;  // the && around it, or that of this side, comes
    int64_t until = k->scratch.latest[level];
    uint32_t step = move.step;
    if (step == NO_STEP) {
        until = earliest_between(k, move, level);
        step = k->scratch.moves[move.begun].step;
    }
    uint32_t state = k->program->transitions[transition_of(k, step)].source;
    return is_dropped_in(k, state, {move.base, k->scratch.latest[move.base], until});
}

// Some guard along the path drops the finished match.
static bool is_dropped(Kernel* k, uint32_t final) {
    uint32_t last = last_level(k);
    for (uint32_t level = 0; level < last; ++level) {
        if (!is_linear(k)) {
            if (is_dropped_before(k, level + 1)) return true;
            continue;
        }
        Gap gap{level, level > 0 ? time_of(k, level - 1) : 0, time_of(k, level)};
        if (is_dropped_in(k, k->program->transitions[transition_of(k, level)].source, gap)) return true;
    }
    return is_dropped_in(k, final, {last, is_linear(k) ? time_of(k, last - 1) : k->scratch.latest[last], FOREVER});
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
