// With a bound on how far a match reaches: of each row and position, the first row with which a match may end from there.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/row_patterns/positions.hpp"
#include "nfa_native/row_patterns/pulse.hpp"

namespace spaseq::row_patterns {

constexpr uint32_t NO_END = UINT32_MAX;

// A way through the rows of one partition that takes the first follower from which an end is within reach.
struct EarliestEnds {
    const Positions* positions = nullptr;
    std::vector<uint32_t> ends;        // by row and position
    const int64_t* last = nullptr;     // by row: the last one that a match which begins there may reach, counted as `offset` says
    int64_t offset = 0;                // what the first row of the partition is called there
    size_t rows = 0;

    // All ends of a partition, backwards.  std::bad_alloc.
    void make(const Positions* its, const uint64_t* allowed, const uint32_t* classes, size_t count, Pulse& pulse) {
        positions = its, rows = count;
        const size_t width = positions->count;
        ends.assign(count * width, NO_END);
        for (size_t row = count; row-- > 0; pulse.beat(positions->followers.size()))
            for (size_t word = 0; word < positions->words; ++word)
                for (uint64_t left = allowed[classes[row] * positions->words + word]; left; left &= left - 1) {
                    size_t position = word * 64 + static_cast<size_t>(__builtin_ctzll(left));
                    ends[row * width + position] = end_of(row, static_cast<uint32_t>(position));
                }
    }

    int32_t first(size_t row, uint32_t node) const noexcept { return chosen(row, row, node); }
    int32_t next(size_t row, size_t begin, uint32_t position) const noexcept { return chosen(row + 1, begin, position); }

 private:
    uint32_t end_of(size_t row, uint32_t position) const noexcept {
        const bool is_last = row + 1 == rows;
        uint32_t least = NO_END;
        for (uint32_t at = positions->begins[position]; at < positions->begins[position + 1]; ++at) {
            const Follower& follower = positions->followers[at];
            if (follower.position == ACCEPT) {
                if (!follower.at_end || is_last) return static_cast<uint32_t>(row);
            } else if (!is_last) {
                uint32_t its = ends[(row + 1) * positions->count + follower.position];
                least = its < least ? its : least;
            }
        }
        return least;
    }

    int32_t chosen(size_t row, size_t begin, uint32_t node) const noexcept {
        const int64_t reach = last[begin] - offset;
        for (uint32_t at = positions->begins[node]; at < positions->begins[node + 1]; ++at) {
            const Follower& follower = positions->followers[at];
            if (follower.position == ACCEPT) {
                if (!follower.at_end || row == rows) return ACCEPT;
            } else if (row < rows && static_cast<int64_t>(ends[row * positions->count + follower.position]) <= reach) {
                return follower.position;
            }
        }
        return NOWHERE;
    }
};

}  // namespace spaseq::row_patterns
