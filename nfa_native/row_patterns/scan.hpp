// The matches of whole partitions: from each row where the last match lets one begin, the one that is preferred.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/row_patterns/earliest_ends.hpp"
#include "nfa_native/row_patterns/live_sets.hpp"
#include "nfa_native/row_patterns/positions.hpp"

namespace spaseq::row_patterns {

// Where the next match begins.
enum class Skip : uint32_t { PAST_LAST_ROW, TO_NEXT_ROW, TO_FIRST, TO_LAST };

// Why it cannot begin anywhere.
enum class Stuck : uint32_t { NO, NOT_THERE, FIRST_ROW };

// What was found, in the order of their first rows within a partition.
struct Found {
    std::vector<int64_t> firsts;       // the first row of a match; of an empty one where it is; or a row of no match
    std::vector<int64_t> counts;       // how many rows it has
    std::vector<int64_t> numbers;      // the number of the match in its partition, from 1; 0: a row of no match
    std::vector<uint16_t> labels;      // the positions of the rows of all matches

    void clear() noexcept {
        firsts.clear();
        counts.clear();
        numbers.clear();
        labels.clear();
    }
};

struct Scan {
    const Positions* positions = nullptr;
    const uint64_t* allowed = nullptr;     // by class, as of `LiveSets`
    size_t classes = 0;
    const uint32_t* rows = nullptr;        // by row: its class
    const int64_t* last = nullptr;         // by row: the last one that a match from there may reach; NULL: any
    Skip skip = Skip::PAST_LAST_ROW;
    std::vector<uint8_t> targets;          // by position: the next match begins at such rows
    bool tells_unmatched = false;          // rows of no match are told
    LiveSets sets;
    EarliestEnds ends;
    std::vector<uint32_t> of_rows;         // the live sets of a partition
    Found found;
    Stuck stuck = Stuck::NO;               // the last match of `found` says where

    // std::bad_alloc.
    void open() {
        if (last == nullptr) sets.open(positions, allowed, classes);
    }

    // Find the matches of a partition, its rows from `begin` to before `end`.  std::bad_alloc.
    void partition(int64_t begin, int64_t end) {
        const size_t count = static_cast<size_t>(end - begin);
        if (last != nullptr) {
            ends.last = last + begin, ends.offset = begin;
            ends.make(positions, allowed, rows + begin, count);
            return go(ends, begin, count);
        }
        of_rows.resize(count + 1);
        uint32_t set = of_rows[count] = BEHIND_LAST;
        for (size_t row = count; row-- > 0;) of_rows[row] = set = sets.before(set, rows[begin + static_cast<int64_t>(row)]);
        return go(LiveRows{&sets, of_rows.data()}, begin, count);
    }

 private:
    template <class Way>
    void go(const Way& way, int64_t begin, size_t count) {
        int64_t number = 0, beyond = 0;        // `beyond`: no match so far reached that row
        for (size_t row = 0; row < count && stuck == Stuck::NO;) {
            int32_t position = way.first(row, positions->first_node(row == 0));
            if (position == NOWHERE) {
                if (tells_unmatched && static_cast<int64_t>(row) >= beyond) enter(begin + row, 0, 0);
                ++row;
                continue;
            }
            size_t labels = found.labels.size(), at = row;
            for (; position != ACCEPT; ++at) {
                assert(position >= 0 && at < count);
                found.labels.push_back(static_cast<uint16_t>(position));
                position = way.next(at, row, static_cast<uint32_t>(position));
            }
            enter(begin + row, at - row, ++number);
            beyond = static_cast<int64_t>(at) > beyond ? static_cast<int64_t>(at) : beyond;
            row = next_start(row, at, labels);
        }
    }

    void enter(int64_t first, size_t count, int64_t number) {
        found.firsts.push_back(first);
        found.counts.push_back(static_cast<int64_t>(count));
        found.numbers.push_back(number);
    }

    // Where the match behind one begins whose rows are `row` to before `end`.
    size_t next_start(size_t row, size_t end, size_t labels) noexcept {
        if (end == row || skip == Skip::TO_NEXT_ROW) return row + 1;
        if (skip == Skip::PAST_LAST_ROW) return end;
        const uint16_t* its = found.labels.data() + labels;
        size_t length = end - row, target = length;
        if (skip == Skip::TO_FIRST) {
            for (target = 0; target < length && !targets[its[target]];) ++target;
        } else {
            while (target > 0 && !targets[its[target - 1]]) --target;
            target = target == 0 ? length : target - 1;
        }
        if (target == length || target == 0) stuck = target == 0 ? Stuck::FIRST_ROW : Stuck::NOT_THERE;
        return row + target;
    }
};

}  // namespace spaseq::row_patterns
