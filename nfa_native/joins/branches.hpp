// States from which the sides of junctions go on.  Under skip-till-next a partial match waits there until each of its
// branches has begun, or is beaten by one that has; sides do not beat each other.  A cell from which some branch has
// begun takes in nothing more: all that is in it has begun the same, and its ways are told from others by its serial.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/probe.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

constexpr uint32_t MOST_ANCHOR_ROWS = 0xFFFFF;

// Which partial match a way goes on from: of which state, cell and row.  An integer, which renumbering leaves alone.
static inline word_t anchor_of(const StateData* s, const Pair* pair) noexcept {
    if (pair->cell == INITIAL_CELL) return TAG_INTEGER;
    word_t place = word_t(s->spec->fork) << 52 | word_t(pair->cell_row & MOST_ANCHOR_ROWS) << 32;
    return (place | s->cells[pair->cell].serial) << 4 | TAG_INTEGER;
}

// The branches (bits) that have begun from a cell: it is in the last column of its rows.
static inline uint32_t begun_from(StateData* s, uint32_t cell) noexcept {
    word_t word = cell_rows(s, cell)[s->width - 1];
    return word == UNBOUND ? 0 : uint32_t(word >> 4);
}

// Some branch that has begun beats branch number `branch`.
static inline bool is_beaten(const StateData* s, uint32_t begun, uint32_t branch) noexcept {
    return (begun & s->spec->branches[branch]) != 0;
}

// Every branch has begun or is beaten.
static bool is_spent(const StateData* s, uint32_t begun) noexcept {
    for (uint32_t branch = 0; branch < s->spec->branches.size(); ++branch)
        if (!is_beaten(s, begun, branch)) return false;
    return true;
}

// Some branches have begun from the cell in this tick: it waits for the others.
static void leave_branches(StateData* s) {
    for (uint32_t number : s->fired) {
        Cell* cell = &s->cells[number];
        if (cell->rows == 0) continue;
        uint32_t begun = begun_from(s, number) | cell->fired;
        word_t* rows = cell->rows > 1 ? s->extra[cell->extra].data() : s->words.data() + size_t(number) * s->width;
        cell->fired = 0;
        for (uint32_t i = 0; i < cell->rows; ++i) rows[size_t(i + 1) * s->width - 1] = word_t(begun) << 4 | TAG_INTEGER;
        if (is_spent(s, begun)) free_cell(s, number);
    }
    s->fired.clear();
}

// A branch begins from the cell, if not in this tick already.
static inline void begin_branch(StateData* s, uint32_t cell, uint32_t branch) {
    if (!s->cells[cell].fired) s->fired.push_back(cell);
    s->cells[cell].fired |= uint32_t(1) << branch;
}

// Forget the references of a bucket to cells that the branch, whose index it is in, will not begin from any more.
static void trim_bucket(StateData* s, std::vector<CellReference>* bucket, uint32_t branch) {
    size_t kept = 0;
    for (const CellReference& one : *bucket) {
        if (!is_current(s, &one) || is_beaten(s, begun_from(s, one.cell), branch)) continue;
        (*bucket)[kept++] = one;
    }
    bucket->resize(kept);
}

// Before a probe: of the cells that it would find those that are no longer there for the branch.
static void trim_buckets(StateData* s, const TransitionSpec* transition, const Candidate* candidate) {
    CellIndex* index = &s->indexes[transition->index];
    for (uint32_t i = 0; i < candidate->count; ++i) {
        const word_t* row = candidate->rows + size_t(i) * candidate->width;
        Bucket* bucket = find_bucket(index, hash_key(row, transition->probe.data(), transition->probe.size()));
        if (bucket != nullptr) trim_bucket(s, &bucket->cells, transition->branch);
    }
    trim_bucket(s, &index->wild.cells, transition->branch);
}

// Drop the pairs with cells that the branch will not begin from any more.
static void drop_beaten(Scratch* scratch, StateData* s, uint32_t branch) {
    size_t kept = 0;
    for (const Pair& pair : scratch->pairs)
        if (!is_beaten(s, begun_from(s, pair.cell), branch)) scratch->pairs[kept++] = pair;
    scratch->pairs.resize(kept);
}

}  // namespace spaseq::joins
