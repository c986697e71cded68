// Of a row whose followers may not all have come: the positions that it can have in some future, and those that are settled.
//
// A position is possible if a match can come to its end from there, whatever rows follow; it is settled if what is preferred
// behind it is certain: its first possible follower is the end of the match, or settled itself.  Both follow from the sets
// of the row behind and from the row's class, so a pair of sets is a state of an automaton that runs backwards, as live sets
// are.  With each row that comes possible sets shrink and settled ones grow.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/row_patterns/numbered_sets.hpp"
#include "nfa_native/row_patterns/positions.hpp"

namespace spaseq::row_patterns {

constexpr uint32_t OPEN_END = 0;       // the pair behind the last row so far: any row may follow, or none
constexpr uint32_t CLOSED_END = 1;     // behind the last row of a partition: none follows
constexpr uint32_t OPEN_REACH = 2;     // behind the last row so far, where a match may reach no further: none follows, or it is out of reach
constexpr uint32_t BEYOND_REACH = 3;   // before a row that is out of reach
constexpr int32_t UNDECIDED = -4;      // what is preferred depends on rows to come

struct PossibleSets {
    const Positions* positions = nullptr;
    size_t words = 0;                           // of a set
    std::vector<uint64_t> allowed;              // by class: the positions that a row of it may have, then those that it surely may
    NumberedSets pairs;                         // the possible positions, then the settled ones
    std::vector<std::vector<uint32_t>> steps;   // by class and pair: the pair of the row before, plus one; 0: not known yet

    // std::bad_alloc.
    void open(const Positions* its) {
        positions = its, words = its->words;
        pairs.open(2 * words, 4);
        while (add_leading_to_ends()) {
        }
    }

    size_t classes() const noexcept { return steps.size(); }

    // The positions that a row of a class surely may have.
    const uint64_t* certain(uint32_t of_class) const noexcept { return allowed.data() + (of_class * 2 + 1) * words; }

    // One more class, `possible` and `certain` of `words` each; its number.  std::bad_alloc.
    uint32_t add_class(const uint64_t* possible, const uint64_t* certain) {
        allowed.insert(allowed.end(), possible, possible + words);
        allowed.insert(allowed.end(), certain, certain + words);
        steps.emplace_back();
        return static_cast<uint32_t>(steps.size() - 1);
    }

    // The pair of a row of that class, before a row with that pair.  std::bad_alloc.
    uint32_t before(uint32_t pair, uint32_t of_class) {
        std::vector<uint32_t>& known = steps[of_class];
        if (pair < known.size() && known[pair]) return known[pair] - 1;
        const uint32_t its = made(pair, of_class);
        if (pair < MOST_STEPS) {
            if (pair >= known.size()) known.resize(pair + 1, 0);
            known[pair] = its + 1;
        }
        return its;
    }

    // What is preferred at a node where the next row has that pair: a position, ACCEPT, NOWHERE or UNDECIDED.
    int32_t choice(uint32_t pair, uint32_t node) const noexcept {
        const uint64_t* possible = pairs.of(pair);
        for (uint32_t at = positions->begins[node]; at < positions->begins[node + 1]; ++at) {
            const Follower& follower = positions->followers[at];
            if (follower.position == ACCEPT) {
                if (!follower.at_end || pair == CLOSED_END) return ACCEPT;
                if (pair == OPEN_END || pair == OPEN_REACH) return UNDECIDED;
            } else if (has_bit(possible, follower.position)) {
                return has_bit(possible + words, follower.position) ? follower.position : UNDECIDED;
            }
        }
        return NOWHERE;
    }

 private:
    static constexpr uint32_t MOST_STEPS = 65'535;     // pairs whose steps are remembered

    // Behind the last row so far those are possible from which there is a way to the end; whether one more was found.
    bool add_leading_to_ends() {
        bool more = false;
        for (uint32_t position = positions->count; position-- > 0;) {      // ways lead to later ones, but for loops
            if (has_bit(pairs.of(OPEN_END), static_cast<int32_t>(position))) continue;
            if (!positions->accepts[position] && !meet(positions->behind.data() + position * words, pairs.of(OPEN_END), words)) continue;
            pairs.bits[position / 64] |= uint64_t(1) << (position % 64);
            more = true;
        }
        return more;
    }

    uint32_t made(uint32_t pair, uint32_t of_class) {
        const uint64_t* its = allowed.data() + of_class * 2 * words;
        const uint64_t* next = pairs.of(pair);
        const uint8_t ends = pair < BEYOND_REACH ? 3 : 2;
        for (size_t word = 0; word < words; ++word) {
            uint64_t possible = 0, settled = 0;
            for (uint64_t left = its[word]; left; left &= left - 1) {
                const size_t bit = static_cast<size_t>(__builtin_ctzll(left)), position = word * 64 + bit;
                if (!(positions->accepts[position] & ends) && !meet(positions->behind.data() + position * words, next, words)) continue;
                possible |= uint64_t(1) << bit;
                if (!(its[words + word] >> bit & 1)) continue;
                const int32_t then = choice(pair, static_cast<uint32_t>(position));
                if (then != UNDECIDED && then != NOWHERE) settled |= uint64_t(1) << bit;
            }
            pairs.found[word] = possible, pairs.found[words + word] = settled;
        }
        return pairs.numbered();
    }
};

}  // namespace spaseq::row_patterns
