// Cells: one for each state and set of live rows, found by exact value or through an index on join columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

static size_t longest_in_state(const StateData* s) noexcept {
    size_t longest = s->exact.longest_run();
    for (const CellIndex& index : s->indexes) longest = std::max(longest, index.slots.longest_run());
    for (const CellIndex& index : s->merged) longest = std::max(longest, index.slots.longest_run());
    return longest;
}

// See ``Matcher.longest_run``; of the results that were seen it is the fullest bucket.
inline size_t longest_in_kernel(KernelState* now) noexcept {
    size_t longest = 0;
    for (size_t i = 0; i < now->seen.bucket_count(); ++i) longest = std::max(longest, now->seen.bucket_size(i));
    for (const StateData& state : now->states) longest = std::max(longest, longest_in_state(&state));
    return longest;
}

// A cell with nothing in it yet, and a serial for it.
static inline uint32_t take_cell(StateData* s) {
    uint32_t cell = uint32_t(s->cells.size());
    if (s->free_cells.empty()) {
        s->cells.emplace_back();
        s->words.resize(s->words.size() + s->width);
    } else {
        cell = s->free_cells.back();
        s->free_cells.pop_back();
    }
    ++s->serial;
    ++s->live;
    return cell;
}

// Where several rows of a cell then lie.
static uint32_t take_extra(StateData* s, const word_t* rows, uint32_t count) {
    uint32_t slot = uint32_t(s->extra.size());
    if (s->free_extra.empty()) {
        s->extra.emplace_back();
    } else {
        slot = s->free_extra.back();
        s->free_extra.pop_back();
    }
    s->extra[slot].assign(rows, rows + size_t(count) * s->width);
    return slot;
}

// The cell with these rows and deadline in the table, or NO_CELL.
static uint32_t find_exact(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept {
    uint32_t hash = hash_rows(s, rows, count, deadline);
    const TableEntry* entries = s->exact.slots.data();
    if (s->exact.slots.empty()) return NO_CELL;
    for (size_t at = s->exact.home(hash); entries[at].cell.serial; at = s->exact.next(at)) {
        if (entries[at].hash == hash && is_current(s, &entries[at].cell)
            && has_rows(s, entries[at].cell.cell, rows, count, deadline)) return entries[at].cell.cell;
    }
    return NO_CELL;
}

// The cell with exactly these rows and deadline, whose bucket in the first index is `home`, or NO_CELL.
static uint32_t find_at_home(
    StateData* s, const Bucket* home, const word_t* rows, uint32_t count, int64_t deadline
) noexcept {
    if (home->ordered) return find_in_order(s, home, rows, count, deadline);
    if (home->tabled) return find_exact(s, rows, count, deadline);
    for (const CellReference& one : home->cells)
        if (is_current(s, &one) && has_rows(s, one.cell, rows, count, deadline)) return one.cell;
    return NO_CELL;
}

// The cell with exactly these rows and deadline, or NO_CELL.
static uint32_t find_cell(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept {
    Bucket* home = home_bucket(s, rows);
    if (s->indexes.empty()) return find_exact(s, rows, count, deadline);
    return home == nullptr ? NO_CELL : find_at_home(s, home, rows, count, deadline);
}

// A cell of one row will soon be looked for, most likely without a deadline: ask for its place in a large table.
static inline void expect_cell(const StateData* s, const word_t* row) noexcept {
    if (s->exact.mask + 1 >= LARGE_TABLE)
        __builtin_prefetch(s->exact.slots.data() + s->exact.home(hash_words(row, s->width, 1)));
}

// A new cell, with node 0, that is in no index yet.
static uint32_t make_cell(KernelState* now, StateData* s, const word_t* rows, uint32_t count, int64_t deadline) {
    uint32_t number = take_cell(s);
    word_t* words = s->words.data() + size_t(number) * s->width;
    uint32_t extra = count > 1 ? take_extra(s, rows, count) : 0;
    s->cells.data()[number] = {deadline, 0, 0, count, extra, s->serial, 0, 0, 0};
    for (uint32_t i = 0; count == 1 && i < s->width; ++i) {  // a few words: a call of memcpy would cost more
        words[i] = rows[i];
    }
    ++s->entered;
    ++now->created;
    return number;
}

// A new cell in a state where nothing looks for cells by a key.
static inline uint32_t new_in_table(
    KernelState* now, StateData* s, const word_t* rows, uint32_t count, int64_t deadline
) {
    uint32_t cell = make_cell(now, s, rows, count, deadline);
    if (s->kind != Cells::FLAT) put_cell(s, cell);
    return cell;
}

// A new cell in a bucket of the first index.
static inline uint32_t new_at_home(
    KernelState* now, StateData* s, Bucket* home, const word_t* rows, uint32_t count, int64_t deadline
) {
    uint32_t cell = make_cell(now, s, rows, count, deadline);
    enter_home(now, s, home, cell);
    if (count > 1 || s->indexes.size() > 1) index_further(now, s, &s->indexes, cell);
    return cell;
}

// A new cell, even if there is one of these rows.
static uint32_t new_cell(Kernel* k, StateData* s, const word_t* rows, uint32_t count, int64_t deadline) {
    if (s->indexes.empty()) return new_in_table(&k->now, s, rows, count, deadline);
    return new_at_home(&k->now, s, make_bucket(&s->indexes[0], home_key(s, rows)), rows, count, deadline);
}

// Indexes of merged cells, beside those of lists.
static void open_merged(StateData* s) {
    if (!s->merged.empty()) return;
    s->merged.resize(s->indexes.size());
    for (size_t i = 0; i < s->indexes.size(); ++i) s->merged[i].spec = s->indexes[i].spec;
}

// A new cell that is found by its values.
static uint32_t new_merged(
    KernelState* now, StateData* s, Bucket* home, const word_t* rows, uint32_t count, int64_t deadline
) {
    uint32_t cell = make_cell(now, s, rows, count, deadline);
    s->cells[cell].listed = MERGED;
    enter_home(now, s, home, cell);
    if (count > 1 || s->merged.size() > 1) index_further(now, s, &s->merged, cell);
    return cell;
}

// The merged cell of these rows, made if there is none; a new one has node 0.  What has left the window is made anew,
// as if it had been forgotten: so cells have one order.
static uint32_t merged_cell(KernelState* now, StateData* s, const word_t* rows, uint32_t count, int64_t deadline) {
    open_merged(s);
    Bucket* home = make_bucket(&s->merged[0], home_key(s, rows));
    uint32_t cell = find_at_home(s, home, rows, count, deadline);
    if (cell != NO_CELL && !has_left(now, &s->cells[cell])) return cell;
    if (cell != NO_CELL) expire_cell(s, cell);
    ++s->merging.made;
    return new_merged(now, s, home, rows, count, deadline);
}

// The cell that these rows enter in a state with views.
static uint32_t cell_with_views(KernelState* now, StateData* s, const word_t* rows, uint32_t count, int64_t deadline) {
    ++s->merging.entered;
    return s->merging.on ? merged_cell(now, s, rows, count, deadline) : make_cell(now, s, rows, count, deadline);
}

// As `cell_for`, in a state where nothing looks for cells by a key.
static uint32_t cell_in_table(KernelState* now, StateData* s, const word_t* rows, uint32_t count, int64_t deadline) {
    uint32_t cell = s->kind == Cells::FLAT ? NO_CELL : find_exact(s, rows, count, deadline);
    return cell == NO_CELL ? new_in_table(now, s, rows, count, deadline) : cell;
}

// The cell of these rows, made if there is none; a new one has node 0.
static uint32_t cell_for(
    Kernel* k, StateData* s, const word_t* rows, uint32_t count, int64_t deadline, uint32_t guess
) {
    if (guess != NO_CELL && has_rows(s, guess, rows, count, deadline)) return guess;
    if (s->kind == Cells::VIEWS) return cell_with_views(&k->now, s, rows, count, deadline);
    if (s->indexes.empty()) return cell_in_table(&k->now, s, rows, count, deadline);
    Bucket* home = make_bucket(&s->indexes[0], home_key(s, rows));
    uint32_t cell = s->kind == Cells::FLAT ? NO_CELL : find_at_home(s, home, rows, count, deadline);
    return cell == NO_CELL ? new_at_home(&k->now, s, home, rows, count, deadline) : cell;
}

// Free the cell of equal rows in a state whose steps compete with this one's.
static void leave_twin(StateData* s, uint32_t cell, StateData* twin) {
    if (s->cells[cell].rows == 0) return;
    uint32_t other = find_cell(twin, cell_rows(s, cell), s->cells[cell].rows, s->cells[cell].deadline);
    if (other != NO_CELL) free_cell(twin, other);
}

// A cell of the state, maybe its only one, has a partial match that began at `start`.
static inline void note_start(StateData* s, uint32_t start) noexcept {
    if (s->live == 1 || older(s->youngest, start)) s->youngest = start;
}

// Drop every cell of the state at once, in time proportional to those that were made since the last time.
static void clear_cells(StateData* s) noexcept {
    if (s->cells.empty()) return;
    s->cells.clear();
    s->words.clear();
    s->extra.clear();
    s->free_cells.clear();
    s->free_extra.clear();
    s->exact.clear();
    s->live = 0;
    for (CellIndex& index : s->indexes) {
        index.buckets.clear();
        index.slots.clear();
        index.wild.cells.clear();
    }
}

// Free the cells whose partial matches have all left the window, and forget stale references.
static void sweep_state(KernelState* now, StateData* s) {
    for (uint32_t cell = 0; cell < s->cells.size(); ++cell)
        if (s->cells[cell].rows && has_left(now, &s->cells[cell])) expire_cell(s, cell);
    for (CellIndex& index : s->indexes) sweep_index(now, s, &index, s->kind == Cells::VIEWS);
    for (CellIndex& index : s->merged) sweep_index(now, s, &index, false);
}

// Sweep all states once as many cells were made as the last sweep left: constant cost a cell; but before positions
// wrap.
static void sweep(Kernel* k) {
    bool rested = next_position(&k->now) - k->now.swept >= LONGEST_REST;
    if (k->now.created < FEW_CREATED + k->now.survived && !rested) return;
    k->now.created = k->now.survived = 0;
    k->now.swept = next_position(&k->now);
    for (StateData& state : k->now.states) {
        sweep_state(&k->now, &state);
        k->now.survived += state.live;
    }
    for (Segment& segment : k->now.segments) {
        sweep_segment(&k->now, &segment);
        k->now.survived += segment.waiting;
    }
    for (auto at = k->now.seen.begin(); at != k->now.seen.end();) {
        if (older(at->second, k->now.lo)) at = k->now.seen.erase(at);
        else ++at;
    }
}

}  // namespace spaseq::joins
