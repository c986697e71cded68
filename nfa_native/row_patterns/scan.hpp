// The matches of whole partitions: from each row where the last match lets one begin, the one that is preferred.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/row_patterns/earliest_ends.hpp"
#include "nfa_native/row_patterns/live_sets.hpp"
#include "nfa_native/row_patterns/positions.hpp"
#include "nfa_native/row_patterns/pulse.hpp"
#include "nfa_native/row_patterns/search.hpp"

namespace spaseq::row_patterns {

// Where the next match begins.
enum class Skip : uint32_t { PAST_LAST_ROW, TO_NEXT_ROW, TO_FIRST, TO_LAST };

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

// Where the match behind one begins whose rows are `row` to before `end`, with these labels.
inline size_t next_start(
    Skip skip, const std::vector<uint8_t>& targets, const uint16_t* labels, size_t row, size_t end, Stuck* stuck
) noexcept {
    if (end == row || skip == Skip::TO_NEXT_ROW) return row + 1;
    if (skip == Skip::PAST_LAST_ROW) return end;
    const size_t length = end - row;
    size_t target = length;
    if (skip == Skip::TO_FIRST) {
        for (target = 0; target < length && !targets[labels[target]];) ++target;
    } else {
        while (target > 0 && !targets[labels[target - 1]]) --target;
        target = target == 0 ? length : target - 1;
    }
    if (target == length || target == 0) *stuck = target == 0 ? Stuck::FIRST_ROW : Stuck::NOT_THERE;
    return row + target;
}

struct Scan {
    const Positions* positions = nullptr;
    const uint64_t* allowed = nullptr;     // by class, as of `LiveSets`
    size_t classes = 0;
    const uint32_t* rows = nullptr;        // by row: its class
    const int64_t* last = nullptr;         // by row: the last one that a match from there may reach; NULL: any
    Skip skip = Skip::PAST_LAST_ROW;
    std::vector<uint8_t> targets;          // by position: the next match begins at such rows
    bool tells_unmatched = false;          // rows of no match are told
    const Conditions* conditions = nullptr;        // those that read the match; NULL: there are none
    Search search;
    LiveSets sets;
    EarliestEnds ends;
    std::vector<uint32_t> of_rows;         // the live sets of a partition
    Found found;
    Pulse pulse;
    Stuck stuck = Stuck::NO;
    int64_t stuck_at = 0;                  // the first row of the match where that is so

    // std::bad_alloc.
    void open() {
        if (last == nullptr) sets.open(positions, allowed, classes);
    }

    // Find the matches of a partition, its rows from `begin` to before `end`.  std::bad_alloc.
    void partition(int64_t begin, int64_t end) {
        const size_t count = static_cast<size_t>(end - begin);
        if (last != nullptr) {
            ends.last = last + begin, ends.offset = begin;
            ends.make(positions, allowed, rows + begin, count, pulse);
        } else {
            live(begin, count);
        }
        if (conditions != nullptr) {
            search.sets = &sets, search.of_rows = of_rows.data(), search.ends = last != nullptr ? &ends : nullptr, search.pulse = &pulse;
            search.open(positions, conditions, begin, end);
            go(begin, count, [this](size_t row, int64_t number) { return search.seek(row, row == 0, number, found.labels); });
        } else if (last != nullptr) {
            go(begin, count, [this](size_t row, int64_t) { return walk(ends, row); });
        } else {
            const LiveRows way{&sets, of_rows.data()};
            go(begin, count, [this, &way](size_t row, int64_t) { return walk(way, row); });
        }
    }

 private:
    static constexpr size_t ROWS_AT_ONCE = size_t(1) << 18;

    void live(int64_t begin, size_t count) {
        of_rows.resize(count + 1);
        uint32_t set = of_rows[count] = BEHIND_LAST;
        for (size_t row = count; row > 0;) {
            const size_t some = row < ROWS_AT_ONCE ? row : ROWS_AT_ONCE;
            for (const size_t least = row - some; row-- > least;)
                of_rows[row] = set = sets.before(set, rows[begin + static_cast<int64_t>(row)]);
            ++row;
            pulse.beat(some);
        }
    }

    // The rows of a match that needs no search; -1: there is none.
    template <class Way>
    int64_t walk(const Way& way, size_t row) {
        int32_t position = way.first(row, positions->first_node(row == 0));
        if (position == NOWHERE) return -1;
        size_t at = row;
        for (; position != ACCEPT; ++at) {
            assert(position >= 0);
            found.labels.push_back(static_cast<uint16_t>(position));
            position = way.next(at, row, static_cast<uint32_t>(position));
        }
        return static_cast<int64_t>(at - row);
    }

    // `find` gives the number of rows of the match from a row; -1: there is none.
    template <class Find>
    void go(int64_t begin, size_t count, const Find& find) {
        int64_t number = 0, beyond = 0;        // `beyond`: no match so far reached that row
        for (size_t row = 0; row < count && stuck == Stuck::NO;) {
            const size_t labels = found.labels.size();
            const int64_t length = find(row, number + 1);
            stuck_at = begin + static_cast<int64_t>(row);
            pulse.beat(static_cast<uint64_t>(length < 0 ? 1 : length + 1));
            if (length < 0) {
                stuck = why();
                if (tells_unmatched && static_cast<int64_t>(row) >= beyond) enter(stuck_at, 0, 0);
                ++row;
                continue;
            }
            const int64_t behind = static_cast<int64_t>(row) + length;
            enter(stuck_at, static_cast<size_t>(length), ++number);
            beyond = behind > beyond ? behind : beyond;
            row = next_start(skip, targets, found.labels.data() + labels, row, static_cast<size_t>(behind), &stuck);
        }
    }

    Stuck why() const noexcept { return conditions == nullptr ? Stuck::NO : search.why_stuck(); }

    void enter(int64_t first, size_t count, int64_t number) {
        found.firsts.push_back(first);
        found.counts.push_back(static_cast<int64_t>(count));
        found.numbers.push_back(number);
    }
};

}  // namespace spaseq::row_patterns
