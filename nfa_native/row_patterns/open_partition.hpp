// The rows of a partition that matter while others may come, and with which row matches from them may end.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/row_patterns/positions.hpp"
#include "nfa_native/row_patterns/possible_sets.hpp"

namespace spaseq::row_patterns {

constexpr int64_t NEVER = INT64_MAX;       // a time that does not come

// Rows are numbered from the first one of the partition on; kept ones have places, from the first of these on.
struct OpenPartition {
    int64_t first = 0;                   // the number of the first one that is kept
    std::vector<uint32_t> classes;       // by kept row
    std::vector<uint32_t> pairs;         // by kept row: what is possible there, and settled
    std::vector<int64_t> origins;        // by kept row: which of all rows it is, rising
    std::vector<int64_t> times;          // by kept row, rising; of matches that have a bound
    std::vector<int64_t> bits;           // by kept row whose values are known, and column: what conditions read of a match
    std::vector<uint8_t> known;          // and whether there is a value
    int64_t start = 0;                   // where the next match may begin
    int64_t number = 0;                  // of matches so far
    int64_t beyond = 0;                  // no match so far reached that row
    int64_t due = NEVER;                 // when it is told that time has passed,
    int64_t due_for = 0;                 // and for the start that is which of all rows
    bool is_used = false;                // some key has it
    bool is_closed = false;              // no row will come
    bool is_noted = false;               // as one that may be free

    size_t place_of(int64_t row) const noexcept { return static_cast<size_t>(row - first); }
    int64_t rows() const noexcept { return first + static_cast<int64_t>(classes.size()); }
    bool is_decided() const noexcept { return start >= rows(); }

    // The first kept row whose time is not before `limit`.
    size_t reach(size_t place, int64_t limit) const noexcept {
        return static_cast<size_t>(std::lower_bound(times.begin() + static_cast<std::ptrdiff_t>(place), times.end(), limit) - times.begin());
    }
};

// Of each kept row and position, how many rows on a match may end at the earliest: fixed once it is known, as rows come.
struct OpenEnds {
    static constexpr uint32_t UNKNOWN = UINT32_MAX;

    std::vector<uint32_t> ends;          // by row and position
    std::vector<uint64_t> known;         // by row: the positions whose ends are known
    std::vector<uint64_t> newly;         // of the row that is looked at, what has become known,
    std::vector<uint64_t> behind;        // and of the one behind it

    // The rows from some on are surely of their classes: what ends with each.  std::bad_alloc.
    void extend(const Positions& positions, const PossibleSets& sets, const std::vector<uint32_t>& classes, size_t least, size_t count) {
        const size_t words = positions.words;
        while (rows(words) < count) {
            const size_t row = rows(words);
            ends.resize((row + 1) * positions.count, UNKNOWN);
            known.resize((row + 1) * words, 0);
            newly.assign(words, 0);
            const uint64_t* certain = sets.certain(classes[row]);
            for (size_t word = 0; word < words; ++word)
                for (uint64_t left = certain[word]; left; left &= left - 1) {
                    const size_t position = word * 64 + static_cast<size_t>(__builtin_ctzll(left));
                    if (positions.accepts[position] & 2) set(positions, row, position, 0);
                }
            spread(positions, sets, classes, least, row);
        }
    }

    size_t rows(size_t words) const noexcept { return known.size() / words; }

    // Whether a match that goes on with a position at a row may end with one of the next `far` rows, or with that row.
    bool within(const Positions& positions, size_t row, int32_t position, size_t far) const noexcept {
        return has_bit(known.data() + row * positions.words, position) && ends[row * positions.count + static_cast<size_t>(position)] <= far;
    }

    void erase(const Positions& positions, size_t count) noexcept {
        const size_t some = std::min(count, rows(positions.words));
        ends.erase(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(some * positions.count));
        known.erase(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(some * positions.words));
    }

 private:
    void set(const Positions& positions, size_t row, size_t position, uint32_t far) noexcept {
        ends[row * positions.count + position] = far;
        known[row * positions.words + position / 64] |= uint64_t(1) << (position % 64);
        newly[position / 64] |= uint64_t(1) << (position % 64);
    }

    // What becomes known of the rows before by what is `newly` known of a row: all of it ends with the last one.
    void spread(const Positions& positions, const PossibleSets& sets, const std::vector<uint32_t>& classes, size_t least, size_t last) {
        const size_t words = positions.words;
        for (size_t row = last; row-- > least;) {
            behind.swap(newly);
            newly.assign(words, 0);
            bool more = false;
            const uint64_t* certain = sets.certain(classes[row]);
            for (size_t word = 0; word < words; ++word)
                for (uint64_t left = certain[word] & ~known[row * words + word]; left; left &= left - 1) {
                    const size_t position = word * 64 + static_cast<size_t>(__builtin_ctzll(left));
                    if (!meet(positions.behind.data() + position * words, behind.data(), words)) continue;
                    set(positions, row, position, static_cast<uint32_t>(last - row));
                    more = true;
                }
            if (!more) break;
        }
    }
};

}  // namespace spaseq::row_patterns
