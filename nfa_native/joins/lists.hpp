// Lists of groups: what can be compared in them, and where they are.
#pragma once

#include <cstdint>

#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

// A double holds the number exactly.
static inline bool is_short(int64_t number) noexcept {
    return -(int64_t(1) << 53) <= number && number <= int64_t(1) << 53;
}

// Words of one kind compare with each other; 0: it compares with nothing that a zone could tell.
static inline uint32_t kind_of_order(word_t word) noexcept {
    if (tag_of(word) == TAG_DECIMAL) return is_short(int64_t(word) >> 9) ? TAG_INTEGER : 0;
    if (tag_of(word) == TAG_DATETIME) return uint32_t(word & 0x1F);
    return tag_of(word) == TAG_INTEGER || tag_of(word) == TAG_DOUBLE ? tag_of(word) : 0;
}

// A word of some kind of order.  All is rounded once, which keeps the order.
static inline Measured measured(word_t word) noexcept {
    if (tag_of(word) == TAG_DECIMAL)
        return {word, double(int64_t(word) >> 9) / double(POWERS_OF_TEN[(word >> 4) & 31])};
    if (tag_of(word) == TAG_DOUBLE) return {word, double(double_order(word))};
    return {word, double(int64_t(word) >> (tag_of(word) == TAG_INTEGER ? 4 : 5))};
}

// Whether values compare with all that the list has.
static inline bool has_kinds(const GroupList* groups, const word_t* values) noexcept {
    for (uint32_t i = 0; i < groups->columns; ++i)
        if (kind_of_order(values[i]) != groups->kinds[i]) return false;
    return true;
}

// An empty list takes groups of the kind of the first one; False if that is none.
static bool take_kinds(GroupList* groups, const word_t* values) noexcept {
    for (uint32_t i = 0; i < groups->columns; ++i) {
        groups->kinds[i] = kind_of_order(values[i]);
        if (groups->kinds[i] == 0) return false;
    }
    return true;
}

// The place of the last group in front of `before` that passes and holds something from `lo` on, or NO_GROUP.
static inline int64_t find_group(
    Scratch* scratch, const GroupList* groups, int64_t before, const Bounds* bounds, uint32_t lo
) {
    return last_group(*groups, GroupQuery{*groups, *bounds, lo}, before, &scratch->scanned);
}

// The place of a group that passes whose youngest start no other one's is after, or NO_GROUP.
static inline int64_t find_youngest(Scratch* scratch, const GroupList* groups, const Bounds* bounds, uint32_t lo) {
    return youngest_group(*groups, GroupQuery{*groups, *bounds, lo}, &scratch->scanned);
}

static uint32_t new_list(KernelState* now, uint32_t columns) {
    uint32_t number = uint32_t(now->lists.size());
    if (now->free_lists.empty()) {
        now->lists.emplace_back();
    } else {
        number = now->free_lists.back();
        now->free_lists.pop_back();
    }
    GroupList* list = &now->lists[number];
    list->base = 0;
    list->columns = columns;
    list->less = is_less;
    list->key.clear();
    empty_groups(list);
    return number;
}

// Views of it that are left hold nothing that is in the window.
static void drop_list(KernelState* now, uint32_t number) {
    empty_groups(&now->lists[number]);
    now->free_lists.push_back(number);
}

// The event's side of a comparison, for cells of `width` columns.
static inline word_t bound_value(
    Kernel* k, const Compared* compared, uint32_t width, const word_t* row, uint32_t row_width, int64_t now
) {
    if (compared->event.kind == ColumnSource::ROW) return row[compared->event.row];
    return value_of(k, &compared->event, k->scratch.blank.data(), width, row, row_width, now);
}

// The step's comparisons with the values of a row; False if one is not bound: it holds for no cell.
static inline bool load_bounds(
    Kernel* k, const StepSpec* step, uint32_t width, const word_t* row, uint32_t row_width, int64_t now, Bounds* bounds
) {
    bounds->count = 0;
    for (const Compared& compared : step->compared) {
        if (compared.slot >= MOST_COMPARED || bounds->count >= MOST_BOUNDS) continue;
        word_t value = bound_value(k, &compared, width, row, row_width, now);
        bounds->each[bounds->count++] = {measured(value), compared.slot, compared.limit, compared.inverted};
        if (value == UNBOUND) return false;
    }
    return true;
}

// Whether every bound compares with what the list has.
static bool are_comparable(const GroupList* groups, const Bounds* bounds) noexcept {
    for (uint32_t i = 0; i < bounds->count; ++i)
        if (kind_of_order(bounds->each[i].value.word) != groups->kinds[bounds->each[i].slot]) return false;
    return true;
}

// What the index compares of a cell's row.
static inline void read_values(const CellIndex* index, const word_t* row, word_t* out) noexcept {
    out[0] = out[1] = UNBOUND;
    for (uint32_t column : index->spec->compared) *out++ = row[column];
}

}  // namespace spaseq::joins
