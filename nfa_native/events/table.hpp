// Results of a chain in memory that is handed over as it is: a row of positions each, and the same positions by column.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace spaseq::events {

// positions that are copied at once: there is room for so many more behind rows and columns
constexpr uint32_t TOGETHER = 4;
// columns that are a power of two from each other would share places in the cache
constexpr uint32_t APART = 24;
constexpr uint32_t FEW_ROWS = 256;
constexpr uint32_t MOST_PAIRS = 0x10000;  // that are remembered

// The present pick of a state.
struct Picked {
    int64_t position[2];                  // twice, as it is read: processors wait where two writes are read at once
    size_t since;                         // the first row with it that is not in the state's column
    uint32_t left;                        // the set that is left to pick from
};

// A pick of the second state, and the first of the pairs that it is in.
struct Second {
    int64_t position;
    size_t begin;
};

// `memory` has 2 * width lines of `line` positions: the rows are in the first half, the columns are lines of the other.
struct Table {
    size_t width;
    size_t room;                          // for so many rows
    size_t line;
    int64_t* memory;                      // NULL: there is none; it will have the same room again
    std::vector<Picked> picked;           // by state; some more, whose positions mean nothing
    size_t level;                         // the state that picks next
    std::vector<int64_t> firsts;          // pairs of picks of the first two states for this event, last ones first
    std::vector<int64_t> seconds;
    std::vector<Second> groups;           // the pairs by their second picks
    size_t group;                         // the one that was looked for last
    size_t pair;                          // the one that is next
    bool is_met;                          // there are no more pairs
    bool are_many;                        // they are not remembered
};

inline void begin_table(Table* t, size_t width) {
    t->width = width;
    t->room = 0;
    t->memory = nullptr;
    t->picked.resize(width + TOGETHER);
}

static inline size_t line_of(size_t room) noexcept { return room + APART; }

inline int64_t* column_of(const Table* t, size_t state) noexcept { return t->memory + (t->width + state) * t->line; }

// To other memory, whose lines are so long.
inline void move_rows(Table* t, size_t count, int64_t* memory, size_t line) noexcept {
    int64_t* before = t->memory;
    if (before != nullptr) {
        std::memcpy(memory, before, count * t->width * sizeof(int64_t));
        for (size_t i = t->width, i_end = 2 * t->width; i < i_end; ++i)
            std::memcpy(memory + i * line, before + i * t->line, count * sizeof(int64_t));
        free(before);
    }
    t->memory = memory;
    t->line = line;
}

static inline void set_pick(Table* t, size_t state, int64_t position) noexcept {
    Picked* one = t->picked.data() + state;
    *one->position = one->position[1] = position;
}

// Put a state's pick into its column, for the rows that have it.
static inline void fill_column(Table* t, size_t state, size_t count) noexcept {
    Picked* one = t->picked.data() + state;
    int64_t* target = column_of(t, state);
    size_t at = one->since;
    while (at < count) {
        std::memcpy(target + at, one->position, sizeof(one->position));
        std::memcpy(target + at + 2, one->position, sizeof(one->position));
        at += TOGETHER;
    }
    one->since = count;
}

// Another pick of a state, after `count` rows.
static inline void pick(Table* t, size_t state, int64_t position, size_t count) noexcept {
    fill_column(t, state, count);
    set_pick(t, state, position);
}

// All columns are complete up to `count` rows.
inline void begin_columns(Table* t, size_t count) noexcept {
    for (size_t state = 0, state_end = t->width; state < state_end; ++state) t->picked.data()[state].since = count;
}

// The columns of all states but the first two, which always are, are complete.
inline void fill_columns(Table* t, size_t count) noexcept {
    for (size_t state = 2, state_end = t->width; state < state_end; ++state) fill_column(t, state, count);
}

// The picks of some states from `state` on, in so many rows.
static inline void write_states(const Table* t, size_t state, int64_t* target, size_t more) noexcept {
    const Picked* some = t->picked.data() + state;
    int64_t same[4] = {*some->position, some[1].position[1], *some[2].position, some[3].position[1]};
    for (size_t i = 0; i < more; ++i) std::memcpy(target + i * t->width + state, same, sizeof(same));
}

// Rows after `count` others, with so many of the pairs: the last states first, as these write beyond.
inline void write_pairs(Table* t, size_t count, size_t more) noexcept {
    size_t width = t->width;
    const int64_t* firsts = t->firsts.data() + t->pair;
    const int64_t* seconds = t->seconds.data() + t->pair;
    int64_t* target = t->memory + count * width;
    size_t state = 2 + (width - 2) / TOGETHER * TOGETHER;
    assert(count + more <= t->room && t->pair + more <= t->firsts.size());
    while (state >= 2) {
        if (state < width) write_states(t, state, target, more);
        state -= std::min(state, size_t(TOGETHER));
    }
    for (size_t i = 0; i < more; ++i) {
        target[i * width] = firsts[i];
        target[i * width + 1] = seconds[i];
    }
    std::memcpy(column_of(t, 0) + count, firsts, more * sizeof(int64_t));
    std::memcpy(column_of(t, 1) + count, seconds, more * sizeof(int64_t));
}

}  // namespace spaseq::events
