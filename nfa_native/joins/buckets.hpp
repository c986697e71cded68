// Buckets: the cells of a state under one key of an index, oldest first.  Where a comparison with the event decides
// which cells go on, those that stay behind under skip-till-next are a monotone stack: a bucket is ordered while every
// cell came in order behind those before it.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

// What the index compares of a cell with one row.
static inline word_t order_value(StateData* s, const CellIndex* index, uint32_t cell) noexcept {
    return s->words[size_t(cell) * s->width + index->spec->order];
}

// Whether a value may stand behind another one only: 1, 0 (before it, or they are equal), or 2 if they are not
// comparable.
static inline int follows(const CellIndex* index, word_t value, word_t last) noexcept {
    return index->spec->falls ? is_less(value, last) : is_less(last, value);
}

static inline bool is_current(StateData* s, const CellReference* reference) noexcept {
    return s->cells[reference->cell].serial == reference->serial;
}

// Forget the references at the end whose cells are gone.
static inline void drop_stale_end(StateData* s, Bucket* bucket) noexcept {
    while (!bucket->cells.empty() && !is_current(s, &bucket->cells.back())) bucket->cells.pop_back();
}

// A cell may stand at the end of an ordered bucket whose last cell is alive.
static bool keeps_order(StateData* s, const CellIndex* index, const Bucket* bucket, uint32_t cell) noexcept {
    if (s->cells[cell].rows > 1) return false;
    return follows(index, order_value(s, index, bucket->cells.back().cell), order_value(s, index, cell)) == 0;
}

static inline const word_t* cell_rows(StateData* s, uint32_t cell) noexcept {
    if (s->cells[cell].rows > 1) return s->extra[s->cells[cell].extra].data();
    return s->words.data() + size_t(cell) * s->width;
}

// Whether a living cell has exactly these rows and this deadline.
static inline bool has_rows(
    StateData* s, uint32_t cell, const word_t* rows, uint32_t count, int64_t deadline
) noexcept {
    const Cell* one = s->cells.data() + cell;
    if (one->rows != count || one->deadline != deadline) return false;
    const word_t* mine = cell_rows(s, cell);
    for (size_t i = 0, end = size_t(count) * s->width; i < end; ++i) if (mine[i] != rows[i]) return false;
    return true;
}

// The cell of an ordered bucket with exactly these rows and deadline, or NO_CELL.
static uint32_t find_in_order(
    StateData* s, const Bucket* bucket, const word_t* rows, uint32_t count, int64_t deadline
) noexcept {
    const CellIndex* index = &s->indexes[0];
    if (count > 1) return NO_CELL;
    for (size_t i = bucket->cells.size(); i > 0; --i) {
        const CellReference* reference = &bucket->cells[i - 1];
        if (!is_current(s, reference)) continue;
        if (has_rows(s, reference->cell, rows, count, deadline)) return reference->cell;
        if (follows(index, rows[index->spec->order], order_value(s, index, reference->cell)) == 1) return NO_CELL;
    }
    return NO_CELL;
}

// Enter a bucket by its key.
static inline void know_key(CellIndex* index, size_t number) {
    index->slots.put({uint32_t(index->buckets[number].key), uint32_t(number) + 1});
}

// Room for twice as many buckets as there are, which may have other numbers than before.
static void spread_slots(CellIndex* index) {
    size_t size = 16;
    while (size < 4 * index->buckets.size()) size *= 2;
    index->slots.open(size);
    for (size_t i = 0, i_end = index->buckets.size(); i < i_end; ++i) know_key(index, i);
}

// The bucket of a key, or NULL.
static inline Bucket* find_bucket(CellIndex* index, uint64_t key) noexcept {
    Bucket* buckets = index->buckets.data();
    const KeyEntry* slots = index->slots.slots.data();
    if (index->slots.slots.empty()) return nullptr;
    for (size_t at = index->slots.home(uint32_t(key)); slots[at].bucket; at = index->slots.next(at)) {
        if (slots[at].hash == uint32_t(key) && buckets[slots[at].bucket - 1].key == key)
            return buckets + (slots[at].bucket - 1);
    }
    return nullptr;
}

// A new bucket.
static Bucket* add_bucket(CellIndex* index, uint64_t key) {
    if (index->slots.is_full()) spread_slots(index);
    index->buckets.emplace_back();
    index->buckets.back().key = key;
    know_key(index, index->buckets.size() - 1);
    return &index->buckets.back();
}

// The bucket of a key, which may be new.
static inline Bucket* make_bucket(CellIndex* index, uint64_t key) {
    Bucket* bucket = find_bucket(index, key);
    if (bucket != nullptr) return bucket;
    return key == WILD ? &index->wild : add_bucket(index, key);
}

// Hash of a row's key; WILD if part of it is unbound.
static inline uint64_t hash_key(const word_t* row, const uint32_t* columns, size_t count) noexcept {
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) {
        if (row[columns[i]] == UNBOUND) return WILD;
        value = mix(value ^ row[columns[i]]);
    }
    return value;
}

// The key of a cell with these rows in the state's first index.
static inline uint64_t home_key(StateData* s, const word_t* rows) noexcept {
    return hash_key(rows, s->indexes[0].spec->columns.data(), s->indexes[0].spec->columns.size());
}

// Where a cell with these rows lies in the state's first index; NULL if there is no such bucket.
static inline Bucket* home_bucket(StateData* s, const word_t* rows) noexcept {
    if (s->indexes.empty()) return nullptr;
    uint64_t key = home_key(s, rows);
    return key == WILD ? &s->indexes[0].wild : find_bucket(&s->indexes[0], key);
}

static inline CellReference reference_to(StateData* s, uint32_t cell) noexcept {
    return {cell, s->cells[cell].serial};
}

// Append a cell to a list, unless its values do not compare with those there; whether it was.
static bool join_list(StateData* s, const CellIndex* index, GroupList* groups, uint32_t cell, uint32_t start) {
    const Cell* one = s->cells.data() + cell;
    word_t values[MOST_COMPARED];
    if (one->rows > 1) return false;
    read_values(index, s->words.data() + size_t(cell) * s->width, values);
    if (!(groups->groups.empty() ? take_kinds(groups, values) : has_kinds(groups, values))) return false;
    groups->groups.emplace_back();
    Group* group = &groups->groups.back();
    for (uint32_t i = 0; i < groups->columns; ++i) group->values[i] = measured(values[i]);
    group->node = one->node;
    group->max_start = start;
    group->cell = cell;
    group->serial = one->serial;
    close_group(groups);
    return true;
}

// The zone map of a bucket's cells: `max_start` says whether a group's cell may be alive, 1 or 0.

// Add a new cell to the bucket's zone map; without a place in it the bucket has no map.
static void map_cell(KernelState* now, StateData* s, const CellIndex* index, Bucket* bucket, uint32_t cell) {
    if (!join_list(s, index, &now->lists[bucket->groups], cell, 1)) {
        drop_list(now, bucket->groups);
        bucket->groups = NO_LIST;
        bucket->mixed = true;
    }
}

// Put a cell at the end of a bucket, which may lose its order by it.
static void append_cell(KernelState* now, StateData* s, CellIndex* index, Bucket* bucket, uint32_t cell) {
    if (index->spec->order != NO_ORDER) {
        drop_stale_end(s, bucket);
        if (bucket->cells.empty()) {
            bucket->ordered = s->cells[cell].rows == 1;
            bucket->tabled = false;
        } else if (bucket->ordered && !keeps_order(s, index, bucket, cell)) {
            bucket->ordered = false;
        }
    }
    bucket->cells.push_back(reference_to(s, cell));
    if (bucket->groups != NO_LIST) map_cell(now, s, index, bucket, cell);
}

// The bucket's last reference is to this use of the cell.
static inline bool is_last(StateData* s, const Bucket* bucket, uint32_t cell) noexcept {
    return !bucket->cells.empty() && bucket->cells.back().cell == cell && is_current(s, &bucket->cells.back());
}

// Enter a new cell, which is in its home bucket, into every one of the indexes, once under each of its keys.
static void index_further(KernelState* now, StateData* s, std::vector<CellIndex>* indexes, uint32_t cell) {
    const word_t* rows = cell_rows(s, cell);
    for (CellIndex& index : *indexes) {
        for (uint32_t r = 0; r < s->cells[cell].rows; ++r) {
            const std::vector<uint32_t>& columns = index.spec->columns;
            Bucket* bucket = make_bucket(&index, hash_key(rows + size_t(r) * s->width, columns.data(), columns.size()));
            if (!is_last(s, bucket, cell)) append_cell(now, s, &index, bucket, cell);
        }
    }
}

// Room for more, when stale entries are dropped.
static void grow_table(StateData* s) {
    for (TableEntry& entry : s->exact.slots)
        if (!is_current(s, &entry.cell)) entry.cell.serial = 0;
    s->exact.spread(16);
}

static inline uint64_t hash_words(const word_t* words, size_t count, uint64_t seed) noexcept {
    for (size_t i = 0; i < count; ++i) seed = mix(seed ^ words[i]);
    return seed;
}

// Hash of all that tells a cell from others of its state.
static inline uint32_t hash_rows(StateData* s, const word_t* rows, uint32_t count, int64_t deadline) noexcept {
    return uint32_t(hash_words(rows, size_t(count) * s->width, uint64_t(deadline) + count));
}

// Enter a cell into the table of all live values.
static void put_cell(StateData* s, uint32_t cell) {
    const Cell& one = s->cells[cell];
    if (s->exact.is_full()) grow_table(s);
    s->exact.put({hash_rows(s, cell_rows(s, cell), one.rows, one.deadline), {cell, one.serial}});
}

// Enter the cells of a bucket into the table of all live values.
static void put_cells(StateData* s, const Bucket* bucket) {
    for (const CellReference& one : bucket->cells)
        if (is_current(s, &one)) put_cell(s, one.cell);
}

// Put a cell at the end of its home bucket, and into the table of all live values if the bucket's cells are there.
static void enter_home(KernelState* now, StateData* s, Bucket* home, uint32_t cell) {
    append_cell(now, s, &s->indexes[0], home, cell);
    if (home->ordered || s->kind == Cells::FLAT) return;
    if (home->tabled) {
        put_cell(s, cell);
    } else if (home->cells.size() > FEW_FOUND) {
        home->tabled = true;
        put_cells(s, home);
    }
}

// Forget stale references.
static void sweep_bucket(StateData* s, Bucket* bucket) {
    size_t kept = 0;
    for (const CellReference& one : bucket->cells) {
        bucket->cells[kept] = one;
        kept += is_current(s, &one);
    }
    bucket->cells.resize(kept);
}

// Forget groups of a list for views that are over; a zone map of cells is made again when it is needed.
static void sweep_groups(KernelState* now, Bucket* bucket, bool views) {
    bucket->mixed = false;
    if (bucket->groups == NO_LIST) return;
    if (views) trim_groups(&now->lists[bucket->groups], now->lo);
    if (!views || now->lists[bucket->groups].groups.empty()) {
        drop_list(now, bucket->groups);
        bucket->groups = NO_LIST;
    }
}

// Forget stale references and keys that nothing is left of; `views`: the groups of its buckets are lists for views.
static void sweep_index(KernelState* now, StateData* s, CellIndex* index, bool views) {
    size_t kept = 0;
    sweep_bucket(s, &index->wild);
    for (Bucket& bucket : index->buckets) {
        sweep_bucket(s, &bucket);
        sweep_groups(now, &bucket, views);
        if (!bucket.cells.empty() || bucket.groups != NO_LIST) std::swap(index->buckets[kept++], bucket);
    }
    index->buckets.resize(kept);
    spread_slots(index);
}

// All partial matches of the cell began before the present window.
static inline bool has_left(KernelState* now, const Cell* cell) noexcept {
    assert(older(cell->youngest, now->lo) != has_live(now, cell->node, now->lo));
    return older(cell->youngest, now->lo);
}

// Give a cell back; references to it go stale by its serial.
static void free_cell(StateData* s, uint32_t cell) {
    Cell* one = s->cells.data() + cell;
    if (one->rows == 0) return;
    assert(s->live > 0);
    if (one->rows > 1) {
        s->extra[one->extra].clear();
        s->free_extra.push_back(one->extra);
    }
    one->rows = one->serial = 0;
    s->free_cells.push_back(cell);
    --s->live;
}

// All partial matches of the cell have left the window.
static void expire_cell(StateData* s, uint32_t cell) {
    free_cell(s, cell);
    ++s->expired;
}

// Make the zone map of a bucket, if all of its cells have a place in one.
static void map_bucket(KernelState* now, StateData* s, const CellIndex* index, Bucket* bucket) {
    bucket->groups = new_list(now, uint32_t(index->spec->compared.size()));
    for (const CellReference& one : bucket->cells)
        if (bucket->groups != NO_LIST && is_current(s, &one)) map_cell(now, s, index, bucket, one.cell);
}

}  // namespace spaseq::joins
