// The rows of a batch, as the caller has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/terms/encoding.hpp"

namespace spaseq::joins {

// Rows of one or several atoms in a batch, borrowed from the caller.
struct RowSource {
    const uint32_t* row_event;
    const word_t* columns;                // a column a slot
    size_t rows;
    size_t at;                            // rows before it are used up
    size_t end;                           // rows before it are the present event's
};

// An atom with rows in a batch.
struct RowTaker {
    uint32_t atom;
    uint32_t slots;                       // columns of its rows
    uint32_t source;                      // number of its source
};

// The rows of a batch.
struct BatchRows {
    std::vector<RowSource> sources;
    std::vector<RowTaker> takers;
};

// Whether the numbers ascend and the last one is less than `below`.
inline bool is_ascending(const uint32_t* numbers, size_t count, size_t below) noexcept {
    bool falls = false;
    for (size_t i = 1; i < count; ++i) falls |= numbers[i] < numbers[i - 1];
    return !falls && (count == 0 || numbers[count - 1] < below);
}

// The next event with rows, whose rows every source then knows; `count` if there is none.
inline size_t next_event(BatchRows* rows, size_t count) noexcept {
    size_t found = count;
    for (const RowSource& one : rows->sources)
        if (one.end < one.rows) found = std::min(found, size_t(one.row_event[one.end]));
    for (RowSource& one : rows->sources) {
        size_t end = one.at = one.end;
        while (end < one.rows && one.row_event[end] == found) ++end;
        one.end = end;
    }
    return found;
}

}  // namespace spaseq::joins
