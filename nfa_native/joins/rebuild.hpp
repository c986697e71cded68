// The rows of a finished match: the picked events are joined again, step by step, and where sides meet their rows are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/combine.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/rules.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/trace.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

// The rows of the events that a step picked.
static void candidate_of(Kernel* k, uint32_t step, Candidate* candidate) {
    uint32_t at = k->scratch.steps[step];
    const ChoiceSpec* choice = &k->program->transitions[transition_of(k, step)].choice;
    size_t atoms = choice->atoms.size();
    candidate->width = choice->width;
    if (atoms == 1) {
        candidate->rows = rows_of(&k->now, k->scratch.path[at].pos, choice->atoms[0], &candidate->count);
        return;
    }
    for (uint32_t depth = 0; depth < atoms; ++depth)
        candidate->count = merge_rows(k, choice, depth, k->scratch.path[at - depth].pos);
    candidate->rows = k->scratch.merged[atoms].data();
}

// Add the rows of a step from a row of the match and one of the event, each with the rules that have it; how many.
static uint32_t rebuild_rules(
    Kernel* k, const TransitionSpec* transition, const Sides* sides, std::vector<word_t>* out
) {
    std::vector<RuleRange>& rules = k->scratch.narrowed;
    RuleRange held = rules_in(sides->cell[k->program->rules]);
    // What was matched once passes again, if there is no choice of rows.
    if (k->now.many_rows) narrow(k, &transition->whole, sides, held, &rules);
    else rules.assign(1, held);
    for (RuleRange one : rules) {
        k->scratch.rules = rules_word(one);
        values_of(k, &transition->columns, sides->cell, sides->cell_width, sides->row, sides->row_width, sides->now, out);
    }
    return uint32_t(rules.size());
}

// The rows of a step at `level`, from those at level `base`.
static void rebuild_step(Kernel* k, uint32_t step, uint32_t base, uint32_t level) {
    TransitionSpec* transition = &k->program->transitions[transition_of(k, step)];
    std::vector<word_t>* out = &k->scratch.levels[level];
    Candidate candidate{};
    int64_t now = time_of(k, step);
    uint32_t count = row_count(k, k->scratch.levels[base].size(), k->program->whole);
    uint32_t kept = 0;
    candidate_of(k, step, &candidate);
    out->clear();
    k->scratch.parents[level].clear();
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0, j_end = candidate.count; j < j_end; ++j) {
            const word_t* whole = k->scratch.levels[base].data() + size_t(i) * k->program->whole;
            const word_t* row = candidate.rows + size_t(j) * candidate.width;
            if (!compatible(&transition->whole, whole, row)) continue;
            if (k->now.many_rows && !transition->whole.filters.empty()) {
                load_registers(&k->scratch, whole, k->program->whole, row, candidate.width);
                if (!all_hold(k, &transition->whole.filters, k->program->whole + candidate.width + 1, now)) continue;
            }
            uint32_t added = 1;
            Sides sides{whole, k->program->whole, row, candidate.width, now};
            if (k->program->rules != NO_RULES) added = rebuild_rules(k, transition, &sides, out);
            else values_of(k, &transition->columns, whole, k->program->whole, row, candidate.width, now, out);
            k->scratch.parents[level].insert(k->scratch.parents[level].end(), added, i);
            kept += added;
        }
    }
    if (!k->program->guarded && is_linear(k)) normalise(out, 0, k->program->whole, kept);
}

// ── where sides meet ──

// Rows of one side when it is complete, and for each the row that the sides go on from.
struct SideRows {
    std::vector<word_t> rows;
    std::vector<uint32_t> before;
};

static void complete_side(Kernel* k, const Move& move, uint32_t side, SideRows* out) {
    uint32_t whole = k->program->whole;
    uint32_t level = k->scratch.side_levels[move.ends + side];
    const TargetSpec* target = arrival_at(k, level, move.junction);
    uint32_t count = row_count(k, k->scratch.levels[level].size(), whole);
    for (uint32_t i = 0; i < count; ++i) {
        const word_t* row = k->scratch.levels[level].data() + size_t(i) * whole;
        values_of(k, &target->whole, row, whole, nullptr, 0, k->scratch.latest[level], &out->rows);
        out->before.push_back(row_before(k, i, level, move.base));
    }
}

// Take over the columns that a side has into a row of the union; False: the two rows are not compatible.
static bool add_side(
    const JunctionSpec* junction, uint32_t side, const word_t* row, uint32_t whole, word_t* out
) noexcept {
    for (uint32_t column = 0; column < whole; ++column) {
        uint32_t owner = junction->owners[column];
        if ((owner != NO_SIDE && owner != side) || row[column] == UNBOUND) continue;
        if (out[column] != UNBOUND && out[column] != row[column]) return false;
        out[column] = row[column];
    }
    return true;
}

// Each row so far in union with all rows of a side from the same row; parents stand one for each side.
static void unite_with(
    Kernel* k, const JunctionSpec* junction, uint32_t side, const SideRows& added, std::vector<word_t>* rows,
    std::vector<uint32_t>* parents, std::vector<uint32_t>* before
) {
    uint32_t whole = k->program->whole, sides = uint32_t(junction->sides.size());
    std::vector<word_t> found;
    std::vector<uint32_t> origins, bases;
    for (size_t i = 0; i < before->size(); ++i) {
        for (size_t j = 0; j < added.before.size(); ++j) {
            if (side > 0 && before->at(i) != added.before[j]) continue;
            size_t start = found.size();
            found.insert(found.end(), rows->data() + i * whole, rows->data() + (i + 1) * whole);
            if (!add_side(junction, side, added.rows.data() + j * whole, whole, found.data() + start)) {
                found.resize(start);
                continue;
            }
            origins.insert(origins.end(), parents->data() + i * sides, parents->data() + (i + 1) * sides);
            origins[origins.size() - sides + side] = uint32_t(j);
            bases.push_back(added.before[j]);
        }
    }
    rows->swap(found);
    parents->swap(origins);
    before->swap(bases);
}

// A filter across holds for a row of the union at `level`, as of the step that led to level `at`.
static bool holds_at(Kernel* k, const AcrossSpec& filter, uint32_t row, uint32_t level, uint32_t at) {
    uint32_t whole = k->program->whole;
    const word_t* words = k->scratch.levels[level].data() + size_t(row) * whole;
    const std::vector<uint32_t> formula(1, filter.formula);
    k->scratch.judged.assign(words, words + whole);
    for (const LookSpec& look : filter.looks) {
        uint32_t seen = look.view == View::ITERATION ? end_of_iteration(k, at, look.kleene, false) : at;
        k->scratch.judged[look.column] =
            value_of(k, &look.value, ancestor(k, row, level, seen), whole, nullptr, 0, k->scratch.latest[level]);
    }
    load_registers(&k->scratch, k->scratch.judged.data(), whole, nullptr, 0);
    return all_hold(k, &formula, whole + 1, k->scratch.latest[level]);
}

// All filters across hold for the row, for each step that was made in the sides.
static bool passes_across(Kernel* k, const Move& move, uint32_t row, uint32_t level) {
    for (const AcrossSpec& filter : k->program->junctions[move.junction].across) {
        if (!filter.repeated && !k->now.many_rows) continue;  // that was asked when they met
        for (uint32_t i = move.begun; i + 1 < level; ++i) {
            if (k->scratch.moves[i].step == NO_STEP) continue;
            uint32_t transition = transition_of(k, k->scratch.moves[i].step);
            if (std::find(filter.transitions.begin(), filter.transitions.end(), transition) == filter.transitions.end())
                continue;
            if (!holds_at(k, filter, row, level, i + 1)) return false;
        }
    }
    return true;
}

// Keep the rows at a level that pass the filters across.
static void sift_rows(Kernel* k, const Move& move, uint32_t level) {
    uint32_t whole = k->program->whole, sides = uint32_t(k->program->junctions[move.junction].sides.size());
    std::vector<word_t>& rows = k->scratch.levels[level];
    std::vector<uint32_t>& parents = k->scratch.parents[level];
    uint32_t kept = 0;
    if (!k->program->junctions[move.junction].across_repeated && !k->now.many_rows) return;
    for (uint32_t row = 0; size_t(row) * sides < parents.size(); ++row) {
        if (!passes_across(k, move, row, level)) continue;
        std::copy_n(rows.data() + size_t(row) * whole, whole, rows.data() + size_t(kept) * whole);
        std::copy_n(parents.data() + size_t(row) * sides, sides, parents.data() + size_t(kept) * sides);
        ++kept;
    }
    rows.resize(size_t(kept) * whole);
    parents.resize(size_t(kept) * sides);
}

// The rows at `level`, where sides have met.
static void rebuild_union(Kernel* k, const Move& move, uint32_t level) {
    const JunctionSpec* junction = &k->program->junctions[move.junction];
    std::vector<word_t> rows(k->program->whole, UNBOUND);
    std::vector<uint32_t> parents(junction->sides.size(), 0), before(1, 0);
    for (uint32_t side = 0; side < junction->sides.size(); ++side) {
        SideRows added;
        complete_side(k, move, side, &added);
        unite_with(k, junction, side, added, &rows, &parents, &before);
    }
    k->scratch.levels[level].swap(rows);
    k->scratch.parents[level].swap(parents);
    sift_rows(k, move, level);
}

// Join the picked events' rows again, step by step: `levels[i]` has the rows at level i, of these rules.
static void rebuild(Kernel* k, word_t rules) {
    uint32_t last = last_level(k);
    if (k->scratch.levels.size() < last + 1) {
        k->scratch.levels.resize(last + 1);
        k->scratch.parents.resize(last + 1);
    }
    k->scratch.levels[0].assign(k->program->start.begin(), k->program->start.end());
    if (k->program->rules != NO_RULES) k->scratch.levels[0][k->program->rules] = rules;
    for (uint32_t i = 0; i < last; ++i) {
        if (is_linear(k)) {
            rebuild_step(k, i, i, i + 1);
            continue;
        }
        const Move& move = k->scratch.moves[i];
        if (move.step == NO_STEP) rebuild_union(k, move, i + 1);
        else rebuild_step(k, move.step, move.base, i + 1);
    }
}

// `finished`: the last level's rows as the end of the expression leaves them.
static void close_rows(Kernel* k, StateData* s) {
    std::vector<word_t>* last = &k->scratch.levels[last_level(k)];
    uint32_t count = row_count(k, last->size(), k->program->whole);
    k->scratch.finished.clear();
    for (uint32_t i = 0; i < count; ++i) {
        values_of(k, &s->spec->closing, last->data() + size_t(i) * k->program->whole, k->program->whole, nullptr, 0,
            k->now.tick, &k->scratch.finished);
    }
}

}  // namespace spaseq::joins
