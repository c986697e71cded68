// Live sets: of a row the positions that it can have in a match which comes to its end.  Sets that are equal have one number.
//
// A row's set follows from that of the row behind it and from its class, the set of positions that its conditions allow.  So
// sets are states of an automaton that runs backwards and is made as it is needed; forwards, what is preferred behind a
// position is known by the number of the set.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/row_patterns/numbered_sets.hpp"
#include "nfa_native/row_patterns/positions.hpp"

namespace spaseq::row_patterns {

constexpr uint32_t BEHIND_LAST = 0;             // the set behind the last row of a partition: there is no row
constexpr uint32_t MOST_REMEMBERED = 65'535;    // sets whose steps are remembered

struct LiveSets {
    const Positions* positions = nullptr;
    const uint64_t* allowed = nullptr;          // by class: the positions that a row of it may have, `words` each
    size_t classes = 0;
    NumberedSets sets;                          // that of BEHIND_LAST is empty
    std::vector<uint32_t> steps;                // by set and class: the set of the row before, plus one; 0: not known yet
    std::vector<int32_t> choices;               // by set and node: what is preferred; UNKNOWN: not known yet

    static constexpr int32_t UNKNOWN = -3;

    // std::bad_alloc.
    void open(const Positions* its, const uint64_t* of_classes, size_t count) {
        positions = its, allowed = of_classes, classes = count;
        sets.open(positions->words, 1);
        remember(1);
    }

    bool is_remembered(uint32_t set) const noexcept { return set < steps.size() / classes; }
    bool has(uint32_t set, int32_t position) const noexcept { return has_bit(sets.of(set), position); }

    // The set of a row of that class, before a row with that set.  std::bad_alloc.
    uint32_t before(uint32_t set, uint32_t of_class) {
        if (is_remembered(set)) {
            if (uint32_t known = steps[set * classes + of_class]) return known - 1;
            uint32_t its = made(set, of_class);
            steps[set * classes + of_class] = its + 1;
            return its;
        }
        return made(set, of_class);
    }

    // What is preferred at a node where the next row has that set.
    int32_t choice(uint32_t set, uint32_t node) noexcept {
        size_t place = set * (static_cast<size_t>(positions->count) + 2) + node;
        if (place >= choices.size()) return chosen(set, node);
        if (choices[place] == UNKNOWN) choices[place] = chosen(set, node);
        return choices[place];
    }

 private:
    static constexpr size_t MOST_CHOICES = size_t(1) << 24, MOST_STEPS = size_t(1) << 24;

    void remember(size_t count) {
        size_t nodes = static_cast<size_t>(positions->count) + 2;
        if (count <= MOST_REMEMBERED && count * classes <= MOST_STEPS) steps.resize(count * classes, 0);
        if (count <= MOST_REMEMBERED && count * nodes <= MOST_CHOICES) choices.resize(count * nodes, UNKNOWN);
    }

    uint32_t made(uint32_t set, uint32_t of_class) {
        const size_t words = positions->words;
        const uint64_t* its = allowed + of_class * words;
        const uint64_t* next = sets.of(set);
        const uint8_t ends = set == BEHIND_LAST ? 3 : 2;
        for (size_t word = 0; word < words; ++word) {
            uint64_t live = 0;
            for (uint64_t left = its[word]; left; left &= left - 1) {
                size_t bit = static_cast<size_t>(__builtin_ctzll(left)), position = word * 64 + bit;
                if (positions->accepts[position] & ends || meet(positions->behind.data() + position * words, next, words))
                    live |= uint64_t(1) << bit;
            }
            sets.found[word] = live;
        }
        const size_t before = sets.count();
        const uint32_t number = sets.numbered();
        if (sets.count() > before) remember(sets.count());
        return number;
    }

    int32_t chosen(uint32_t set, uint32_t node) const noexcept {
        for (uint32_t at = positions->begins[node]; at < positions->begins[node + 1]; ++at) {
            const Follower& follower = positions->followers[at];
            if (follower.position == ACCEPT ? !follower.at_end || set == BEHIND_LAST : has(set, follower.position))
                return follower.position;
        }
        return NOWHERE;
    }
};

// The sets of the rows of one partition, as a way through them.
struct LiveRows {
    LiveSets* sets;
    const uint32_t* of_rows;       // by row of the partition: the number of its set; one more, that behind the last row

    int32_t first(size_t row, uint32_t node) const noexcept { return sets->choice(of_rows[row], node); }
    int32_t next(size_t row, size_t, uint32_t position) const noexcept { return sets->choice(of_rows[row + 1], position); }
};

}  // namespace spaseq::row_patterns
