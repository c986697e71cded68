// Joins, filters and values.  Registers: the cell side's columns, the event row's columns, and one that is never bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// The cell's row and the event's row agree where both have a value.
static inline bool compatible(const StepSpec* step, const word_t* cell, const word_t* row) noexcept {
    for (const Join& join : step->joins) {
        word_t a = cell[join.cell];
        word_t b = row[join.row];
        if (a != b && a != UNBOUND && b != UNBOUND) return false;
    }
    return true;
}

static inline void load_registers(
    Scratch* scratch, const word_t* cell, uint32_t cell_width, const word_t* row, uint32_t row_width
) noexcept {
    word_t* registers = scratch->registers.data();
    for (uint32_t i = 0; i < cell_width; ++i) {  // a few words: a call of memcpy would cost more
        registers[i] = cell[i];
    }
    registers += cell_width;
    for (uint32_t i = 0; i < row_width; ++i) registers[i] = row[i];
    registers[row_width] = UNBOUND;
}

static inline bool is_exact(word_t word) noexcept { return tag_of(word) == TAG_DECIMAL || tag_of(word) == TAG_INTEGER; }

// The digits behind the point of an inline integer or decimal.
static inline uint32_t scale_of(word_t word) noexcept {
    return tag_of(word) == TAG_INTEGER ? 0 : uint32_t(word >> 4) & 31;
}

// An inline integer or decimal in units of its last digit.
static inline __int128 unscaled(word_t word) noexcept { return int64_t(word) >> (tag_of(word) == TAG_INTEGER ? 4 : 9); }

// Inline doubles are ordered as these numbers are; both zeros are 0.
static inline int64_t double_order(word_t word) noexcept {
    int64_t magnitude = int64_t(word << 1 >> 5);
    return word >> 63 ? -magnitude : magnitude;
}

// Of integers and decimals: the one with fewer digits behind the point is brought to the other's scale.
static inline int is_exact_less(word_t a, word_t b) noexcept {
    uint32_t mine = scale_of(a);
    uint32_t yours = scale_of(b);
    if (mine == yours) return unscaled(a) < unscaled(b);
    if (mine < yours) return unscaled(a) * POWERS_OF_TEN[yours - mine] < unscaled(b);
    return unscaled(a) < unscaled(b) * POWERS_OF_TEN[mine - yours];
}

// `is_less` for all words: numbers of one scale, which are frequent, need not come here.
static int is_any_less(word_t a, word_t b) noexcept {
    if (is_exact(a) && is_exact(b)) return is_exact_less(a, b);
    if (tag_of(a) != tag_of(b)) return 2;
    if (tag_of(a) == TAG_DOUBLE) return double_order(a) < double_order(b);
    if (tag_of(a) == TAG_DATETIME && ((a ^ b) & 0x1F) == 0) return int64_t(a) < int64_t(b);
    return 2;
}

// Whether a < b for inline exact numbers, doubles, or dateTimes of one zone: 1, 0, or 2 if they are none of these.
//
// Words of one tag (and scale or zone) are ordered as their values are: the value stands in the upper bits.
static inline int is_less(word_t a, word_t b) noexcept {
    if (((a ^ b) & (tag_of(a) == TAG_DECIMAL ? 0x1FF : 0xF)) == 0 && is_exact(a)) return int64_t(a) < int64_t(b);
    return is_any_less(a, b);
}

// All filters on the loaded registers: 1 they hold, 0 one does not, 2 somebody else must be asked.
static int native_verdict(Kernel* k, const std::vector<uint32_t>* filters, int64_t now) {
    int verdict = 1;
    for (uint32_t filter : *filters) {
        const void* code = k->program->formulas[filter].code;
        int one = code == nullptr ? 2 : k->evaluation->test(code, k->scratch.registers.data(), now, k->store);
        if (one == 2) verdict = 2;
        else if (one != 1) return 0;
    }
    return verdict;
}

// All filters on the loaded registers, whoever decides them.
static bool all_hold(Kernel* k, const std::vector<uint32_t>* filters, uint32_t width, int64_t now) {
    int verdict = native_verdict(k, filters, now);
    int8_t answer = 0;
    if (verdict != 2) return verdict == 1;
    for (uint32_t filter : *filters) {
        k->evaluation->ask_filter(k, filter, k->scratch.registers.data(), 1, width, now, &answer);
        if (answer != 1) return false;
    }
    return true;
}

// One column of a target, of a whole match, or of a result.
static word_t value_of(
    Kernel* k, const ValueSpec* value, const word_t* cell, uint32_t cell_width, const word_t* row, uint32_t row_width,
    int64_t now
) {
    if (value->kind == ColumnSource::CELL) return cell[value->cell];
    if (value->kind == ColumnSource::ROW) return row[value->row];
    if (value->kind == ColumnSource::EITHER) return cell[value->cell] != UNBOUND ? cell[value->cell] : row[value->row];
    if (value->kind == ColumnSource::RULES) return k->scratch.rules;
    if (value->kind == ColumnSource::ANCHOR) return k->scratch.anchor;
    if (value->kind != ColumnSource::PROGRAM) return UNBOUND;
    const void* code = k->program->formulas[value->formula].code;
    word_t out = UNBOUND;
    load_registers(&k->scratch, cell, cell_width, row, row_width);
    if (code == nullptr || k->evaluation->compute(code, k->scratch.registers.data(), now, k->store, &out) == 2)
        return k->evaluation->ask_value(k, value->formula, cell_width + row_width + 1, now);
    return out;
}

// As `value_of`, without a call where the value stands there.
static inline word_t read_value(
    Kernel* k, const ValueSpec* value, const word_t* cell, uint32_t cell_width, const word_t* row, uint32_t row_width,
    int64_t now
) {
    if (value->kind == ColumnSource::ROW || (value->kind == ColumnSource::EITHER && cell[value->cell] == UNBOUND))
        return row[value->row];
    if (value->kind == ColumnSource::CELL || value->kind == ColumnSource::EITHER) return cell[value->cell];
    return value_of(k, value, cell, cell_width, row, row_width, now);
}

// Append one row of values to `out`.
static inline void values_of(
    Kernel* k, const std::vector<ValueSpec>* values, const word_t* cell, uint32_t cell_width, const word_t* row,
    uint32_t row_width, int64_t now, std::vector<word_t>* out
) {
    for (const ValueSpec& value : *values)
        out->push_back(read_value(k, &value, cell, cell_width, row, row_width, now));
}

static uint32_t sort_rows(std::vector<word_t>* rows, size_t start, uint32_t width, uint32_t count) {
    std::vector<std::vector<word_t>> table;
    if (width == 0) return 1;
    for (const word_t* row = rows->data() + start; count-- > 0; row += width) table.emplace_back(row, row + width);
    std::sort(table.begin(), table.end());
    table.erase(std::unique(table.begin(), table.end()), table.end());
    rows->resize(start);
    for (const std::vector<word_t>& row : table) rows->insert(rows->end(), row.begin(), row.end());
    return uint32_t(table.size());
}

// Sort the `count` rows from word `start` on and drop duplicates, in place; how many are left.
static inline uint32_t normalise(std::vector<word_t>* rows, size_t start, uint32_t width, uint32_t count) {
    if (count <= 1) return count;
    return sort_rows(rows, start, width, count);
}

}  // namespace spaseq::joins
