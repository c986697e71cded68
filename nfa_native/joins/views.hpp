// Views: under skip-till-any the partial matches that an event takes along by comparisons are those in a prefix of a
// list that pass.  One node says so, however many they are; they are looked up when matches are put out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// Append a cell of one row to a bucket's list, if it has a place there.
static bool list_in_bucket(KernelState* now, StateData* s, const CellIndex* index, Bucket* bucket, uint32_t cell) {
    const word_t* row = cell_rows(s, cell);
    const std::vector<uint32_t>& columns = index->spec->columns;
    if (s->cells[cell].rows > 1) return false;
    if (bucket->groups == NO_LIST) bucket->groups = new_list(now, uint32_t(index->spec->compared.size()));
    GroupList* groups = &now->lists[bucket->groups];
    if (groups->groups.empty()) {
        groups->key.clear();
        for (uint32_t column : columns) groups->key.push_back(row[column]);
    }
    for (size_t i = 0; i < columns.size(); ++i)
        if (groups->key[i] != row[columns[i]]) return false;
    return join_list(s, index, groups, cell, s->cells[cell].youngest);
}

// Enter a cell that is complete into the list of its key in each index that is `wanted` (bits) and where it has a
// place, else among the cells that are tried one by one.
static void list_cell(KernelState* now, StateData* s, uint32_t cell, uint32_t wanted) {
    const word_t* rows = cell_rows(s, cell);
    s->cells[cell].listed = 0;
    for (size_t i = 0; i < s->indexes.size(); ++i) {
        CellIndex* index = &s->indexes[i];
        const std::vector<uint32_t>& columns = index->spec->columns;
        for (uint32_t r = 0; r < s->cells[cell].rows; ++r) {
            uint64_t key = hash_key(rows + size_t(r) * s->width, columns.data(), columns.size());
            Bucket* bucket = make_bucket(index, key);
            if (key != WILD && (wanted >> i) & 1 && list_in_bucket(now, s, index, bucket, cell))
                s->cells[cell].listed |= uint32_t(1) << i;
            else if (!is_last(s, bucket, cell)) bucket->cells.push_back(reference_to(s, cell));
        }
    }
}

// No more sets enter the cell that was entered last.
static inline void complete_cell(KernelState* now, StateData* s) {
    if (s->kind == Cells::VIEWS && s->entering != NO_CELL && !s->merging.on) list_cell(now, s, s->entering, EVERYWHERE);
    s->entering = NO_CELL;
}

// Whether the list's key is the row's: keys may share a hash.
static bool has_key(const GroupList* groups, const TransitionSpec* transition, const word_t* row) noexcept {
    for (size_t i = 0; i < groups->key.size(); ++i)
        if (groups->key[i] != row[transition->probe[i]]) return false;
    return true;
}

// The place of the last group in a view in front of `before` that holds something from `lo` on, or NO_GROUP.
static int64_t group_in_view(Kernel* k, const Node* view, uint32_t before, uint32_t lo) {
    const TransitionSpec* transition = &k->program->transitions[view->label & ~VIEW];
    const EventRecord* event = event_at(&k->now, view->pos);
    uint32_t count;
    Bounds bounds;
    const word_t* row = rows_of(&k->now, view->pos, *transition->choice.atoms.data(), &count);
    load_bounds(k, &transition->step, k->now.states[transition->source].width, row, transition->choice.width,
        event->time, &bounds);
    return find_group(&k->scratch, &k->now.lists[view->next], before, &bounds, lo);
}

// Visit the next group in a view, and the view again.
static void visit_view(Kernel* k, const Node* view, Visit visit, uint32_t lo) {
    const GroupList* groups = &k->now.lists[view->next];
    uint32_t before = visit.begun ? visit.before : view->sibling - groups->base;
    int64_t found = group_in_view(k, view, before, lo);
    if (found == NO_GROUP) return;
    k->scratch.visits.push_back({visit.node, visit.depth, uint32_t(found), 1});
    k->scratch.visits.push_back({groups->groups[found].node, visit.depth, 0, 0});
}

}  // namespace spaseq::joins
