// From a candidate event to the cells that it joins: what its row asks of zone maps, and the zone maps of the cells in
// a bucket that has no order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

// Pair the cells that the transition's order accepts: the last ones of an ordered bucket.
//
// False, and nothing is paired, if some value cannot be compared.
static bool probe_in_order(
    Kernel* k, StateData* s, Bucket* bucket, const TransitionSpec* transition, const Candidate* candidate
) {
    const Compared* compared = &transition->step.compared.data()[transition->order];
    const CellIndex* index = &s->indexes[transition->index];
    word_t yours = bound_value(k, compared, s->width, candidate->rows, candidate->width, k->now.tick);
    size_t before = k->scratch.pairs.size();
    drop_stale_end(s, bucket);
    for (size_t i = bucket->cells.size(); i > 0; --i) {
        const CellReference* reference = &bucket->cells[i - 1];
        if (!is_current(s, reference)) continue;
        ++k->scratch.scanned;
        word_t mine = order_value(s, index, reference->cell);
        int less = is_less(compared->limit ? mine : yours, compared->limit ? yours : mine);
        if (less == 2) {
            k->scratch.pairs.resize(before);
            return false;
        }
        if (less == compared->inverted) {
            k->scratch.refused = true;
            break;
        }
        if (!older(s->cells[reference->cell].youngest, candidate->lo)) {
            if (compatible(&transition->step, s->words.data() + size_t(reference->cell) * s->width, candidate->rows))
                k->scratch.pairs.push_back({0, 0, reference->cell});
        }
    }
    k->scratch.decided = k->scratch.decided && transition->ordered;
    std::reverse(k->scratch.pairs.begin() + before, k->scratch.pairs.end());  // oldest first, as everywhere
    return true;
}

// Pair the cell of a group with the candidate, if it is alive and joins.
static void pair_group(
    Kernel* k, StateData* s, GroupList* groups, size_t at, const StepSpec* step, const Candidate* candidate
) {
    const Group* group = &groups->groups[at];
    Cell* cell = &s->cells[group->cell];
    if (cell->serial == group->serial && has_left(&k->now, cell)) expire_cell(s, group->cell);
    if (cell->serial != group->serial) {
        strike_group(groups, at);
    } else if (!older(cell->youngest, candidate->lo)) {
        if (compatible(step, s->words.data() + size_t(group->cell) * s->width, candidate->rows))
            k->scratch.pairs.push_back({0, 0, group->cell});
    }
}

// Pair the cells of a bucket that its zone map finds; False, and nothing is paired, if it cannot tell.
static bool probe_zones(
    Kernel* k, StateData* s, Bucket* bucket, const TransitionSpec* transition, const Candidate* candidate
) {
    CellIndex* index = &s->indexes[transition->index];
    size_t before = k->scratch.pairs.size();
    Bounds bounds;
    if (bucket->mixed || bucket->cells.size() <= FEW_PROBED) return false;
    if (bucket->groups == NO_LIST) {
        map_bucket(&k->now, s, index, bucket);
        if (bucket->groups == NO_LIST) return false;
    }
    GroupList* groups = &k->now.lists[bucket->groups];
    k->scratch.refused = true;
    if (!load_bounds(k, &transition->step, s->width, candidate->rows, candidate->width, k->now.tick, &bounds))
        return true;
    if (!are_comparable(groups, &bounds)) return false;
    int64_t at = int64_t(groups->groups.size());
    while ((at = find_group(&k->scratch, groups, at, &bounds, 1)) != NO_GROUP)
        pair_group(k, s, groups, at, &transition->step, candidate);
    k->scratch.decided = k->scratch.decided && transition->mapped;
    std::reverse(k->scratch.pairs.begin() + before, k->scratch.pairs.end());  // oldest first, as everywhere
    return true;
}

// Pair the cells of a bucket that the transition's comparisons accept; False if it has neither order nor zone map.
static inline bool probe_by_value(
    Kernel* k, StateData* s, Bucket* bucket, const TransitionSpec* transition, const Candidate* candidate
) {
    if (bucket->ordered) return probe_in_order(k, s, bucket, transition, candidate);
    return probe_zones(k, s, bucket, transition, candidate);
}

// Whether a living cell counts in this probe: not visited yet, and with a partial match in the candidate's window.
static inline bool visit_cell(Cell* cell, uint32_t stamp, uint32_t lo) noexcept {
    if (cell->stamp == stamp) return false;
    cell->stamp = stamp;
    return !older(cell->youngest, lo);
}

// Append the pairs of the cell's and the candidate's rows that are compatible.
static void pair_rows(Scratch* scratch, StateData* s, uint32_t cell, const StepSpec* step, const Candidate* candidate) {
    const word_t* rows = cell_rows(s, cell);
    for (uint32_t i = 0, i_end = s->cells[cell].rows; i < i_end; ++i) {
        for (uint32_t j = 0; j < candidate->count; ++j) {
            if (compatible(step, rows + size_t(i) * s->width, candidate->rows + size_t(j) * candidate->width))
                scratch->pairs.push_back({i, j, cell});
        }
    }
}

// Pair the live cells of a bucket, whatever filters say; forget stale references on the way, in order.
static void probe_bucket(
    Kernel* k, StateData* s, std::vector<CellReference>* bucket, const StepSpec* step, const Candidate* candidate
) {
    CellReference* references = bucket->data();
    size_t kept = 0;
    k->scratch.scanned += bucket->size();
    k->scratch.decided = false;
    for (size_t i = 0, i_end = bucket->size(); i < i_end; ++i) {
        uint32_t number = references[i].cell;
        Cell* cell = &s->cells[number];
        if (cell->serial != references[i].serial) continue;
        if (has_left(&k->now, cell)) {
            expire_cell(s, number);
            continue;
        }
        if (kept != i) references[kept] = references[i];
        ++kept;
        if (!visit_cell(cell, s->stamp, candidate->lo)) continue;
        if (cell->rows > 1 || candidate->count > 1) {
            pair_rows(&k->scratch, s, number, step, candidate);
        } else if (compatible(step, s->words.data() + size_t(number) * s->width, candidate->rows)) {
            k->scratch.pairs.push_back({0, 0, number});
        }
    }
    if (kept < bucket->size()) bucket->resize(kept);
}

// All living cells, as if they stood in one bucket.
static void list_everything(Kernel* k, StateData* s) {
    k->scratch.everything.clear();
    for (uint32_t cell = 0; cell < s->cells.size(); ++cell) {
        if (s->cells[cell].rows && !has_left(&k->now, &s->cells[cell]))
            k->scratch.everything.push_back(reference_to(s, cell));
    }
}

// Pair all living cells of the state, for a row of the candidate may join any of them.
static void probe_everything(Kernel* k, StateData* s, const StepSpec* step, const Candidate* candidate) {
    k->scratch.pairs.clear();
    ++s->stamp;
    list_everything(k, s);
    probe_bucket(k, s, &k->scratch.everything, step, candidate);
}

// Try the groups of a list one by one.
static void pair_groups(
    Kernel* k, StateData* s, const GroupList* groups, const StepSpec* step, const Candidate* candidate
) {
    k->scratch.everything.clear();
    for (const Group& group : groups->groups) k->scratch.everything.push_back({group.cell, group.serial});
    probe_bucket(k, s, &k->scratch.everything, step, candidate);
}

// Fill `pairs`, which is empty, with what the candidate may join in the state; pairs of one cell stand together.
//
// Some pairs that comparisons of the transition refuse may be missing (NULL: of a guard), and those with groups of
// lists, unless they are to be tried `singly`.
static void probe(
    Kernel* k, StateData* s, uint32_t which, const std::vector<uint32_t>* columns, const StepSpec* step,
    const Candidate* candidate, const TransitionSpec* transition
) {
    CellIndex* index = &s->indexes[which];
    bool by_value = transition != nullptr && transition->order != NO_ORDER && candidate->count == 1;
    ++s->stamp;
    k->scratch.decided = true;
    for (uint32_t i = 0, i_end = candidate->count; i < i_end; ++i) {
        uint64_t key = hash_key(candidate->rows + size_t(i) * candidate->width, columns->data(), columns->size());
        if (key == WILD) {
            probe_everything(k, s, step, candidate);
            return;
        }
        Bucket* bucket = find_bucket(index, key);
        if (bucket == nullptr || (by_value && probe_by_value(k, s, bucket, transition, candidate))) continue;
        probe_bucket(k, s, &bucket->cells, step, candidate);
        if (k->scratch.singly && bucket->groups != NO_LIST)
            pair_groups(k, s, &k->now.lists[bucket->groups], step, candidate);
    }
    if (!index->wild.cells.empty()) probe_bucket(k, s, &index->wild.cells, step, candidate);
}

static inline const word_t* pair_cell_row(StateData* s, const Pair* pair) noexcept {
    if (pair->cell == INITIAL_CELL) return nullptr;
    return cell_rows(s, pair->cell) + size_t(pair->cell_row) * s->width;
}

// Drop the pairs that a comparison of the cell with the event refuses; whether it could decide on all of them.
static bool compare_pairs(Scratch* scratch, StateData* s, const FormulaSpec* formula, const Candidate* candidate) {
    bool is_limit = formula->left < s->width;  // an upper limit, that is
    uint32_t cell_column = is_limit ? formula->left : formula->right;
    uint32_t row_column = (is_limit ? formula->right : formula->left) - s->width;
    Pair* pairs = scratch->pairs.data();
    uint32_t unsure = 0;
    size_t kept = 0;
    if (!formula->comparison || cell_column >= s->width || row_column >= candidate->width) return false;
    for (size_t i = 0, i_end = scratch->pairs.size(); i < i_end; ++i) {
        word_t mine = cell_rows(s, pairs[i].cell)[size_t(pairs[i].cell_row) * s->width + cell_column];
        word_t yours = candidate->rows[size_t(pairs[i].event_row) * candidate->width + row_column];
        int less = is_less(is_limit ? mine : yours, is_limit ? yours : mine);
        unsure |= less & 2;
        pairs[kept] = pairs[i];
        kept += less != formula->inverted;
    }
    scratch->pairs.resize(kept);
    return !unsure;
}

// The pair's two rows into the registers.
static inline void load_pair(Scratch* scratch, StateData* s, const Pair* pair, const Candidate* candidate) noexcept {
    load_registers(scratch, pair_cell_row(s, pair), s->width,
        candidate->rows + size_t(pair->event_row) * candidate->width, candidate->width);
}

// Ask, in one batch a filter, about all pairs that the native programs could not decide.
static void ask_pairs(
    Kernel* k, StateData* s, const std::vector<uint32_t>* filters, const Candidate* candidate, int64_t now
) {
    uint32_t width = s->width + candidate->width + 1;
    std::vector<word_t> table;
    std::vector<int8_t> answers;
    std::vector<int8_t>& verdicts = k->scratch.verdicts;
    for (uint32_t filter : *filters) {
        table.clear();
        for (size_t i = 0; i < verdicts.size(); ++i) {
            if (verdicts[i] != 2) continue;
            load_pair(&k->scratch, s, &k->scratch.pairs[i], candidate);
            table.insert(table.end(), k->scratch.registers.begin(), k->scratch.registers.begin() + width);
        }
        answers.assign(table.size() / width, 0);
        if (answers.empty()) return;
        k->evaluation->ask_filter(k, filter, table.data(), answers.size(), width, now, answers.data());
        size_t n = 0;
        for (int8_t& verdict : verdicts)
            if (verdict == 2 && answers[n++] != 1) verdict = 0;
    }
    for (int8_t& verdict : verdicts)
        if (verdict == 2) verdict = 1;
}

// Run the filters' programs; ask about the pairs that they cannot decide on.
static void test_pairs(
    Kernel* k, StateData* s, const std::vector<uint32_t>* filters, const Candidate* candidate, int64_t now
) {
    std::vector<Pair>& pairs = k->scratch.pairs;
    size_t kept = 0;
    bool ask = false;
    k->scratch.verdicts.resize(pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i) {
        load_pair(&k->scratch, s, &pairs[i], candidate);
        k->scratch.verdicts[i] = int8_t(native_verdict(k, filters, now));
        ask = ask || k->scratch.verdicts[i] == 2;
    }
    if (ask) ask_pairs(k, s, filters, candidate, now);
    for (size_t i = 0; i < pairs.size(); ++i)
        if (k->scratch.verdicts[i] == 1) pairs[kept++] = pairs[i];
    pairs.resize(kept);
}

// Keep the pairs for which every filter is true.
static void filter_pairs(
    Kernel* k, StateData* s, const std::vector<uint32_t>* filters, const Candidate* candidate, int64_t now
) {
    bool decided = true;
    for (uint32_t filter : *filters)
        decided = compare_pairs(&k->scratch, s, &k->program->formulas[filter], candidate) && decided;
    if (!decided) test_pairs(k, s, filters, candidate, now);
}

}  // namespace spaseq::joins
