// The classes of rows that come: which conditions of single rows hold of each, as programs that read it and its neighbours.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "nfa_native/row_patterns/open_partition.hpp"
#include "nfa_native/row_patterns/possible_sets.hpp"
#include "nfa_native/row_patterns/program.hpp"
#include "nfa_native/row_patterns/search.hpp"

namespace spaseq::row_patterns {

// What is asked of rows behind which so many others came.
struct RowAsked {
    std::vector<uint32_t> programs;                    // by test, at most 64
    std::vector<int32_t> possible, certain;            // by position: the test of rows that it may have, and of those that it surely may; -1: of any
    std::unordered_map<uint64_t, uint32_t> classes;    // by the set of tests that hold
};

struct RowTests {
    // A row and its neighbours, as programs read them.
    struct Reader {
        const OpenPartition& its;
        const Conditions& conditions;
        int64_t row;

        Value read(int64_t number) const noexcept {
            const Reading& reading = conditions.readings[static_cast<size_t>(number)];
            const int64_t at = row + reading.shift;
            if (at < its.first || at >= its.rows() || reading.column < 0) return Value();
            const size_t place = its.place_of(at) * conditions.columns.size() + static_cast<size_t>(reading.column);
            return its.known[place] ? Value{its.bits[place], true} : Value();
        }
        Value aggregate(int64_t) const noexcept { return Value(); }
        int64_t number() const noexcept { return 0; }
    };

    const Conditions* conditions = nullptr;            // a program is a test; NULL: classes are told
    std::vector<RowAsked> asked;                       // by how many rows came behind one
    uint64_t held = 0;                                 // the tests that held of some row of which all was known
    Machine machine;

    // The class of a row behind which so many came; whether there is one: else a value is not there.  std::bad_alloc.
    bool classify(PossibleSets& sets, const OpenPartition& its, int64_t row, size_t behind, uint32_t* found) {
        RowAsked& its_asked = asked[behind];
        const Reader reader{its, *conditions, row};
        uint64_t holds = 0;
        for (size_t test = 0; test < its_asked.programs.size(); ++test)
            if (machine.is_satisfied(conditions->programs[its_asked.programs[test]], conditions->constants, reader)) holds |= uint64_t(1) << test;
        if (machine.wrong != Wrong::NO) {
            machine.wrong = Wrong::NO;
            return false;
        }
        if (behind + 1 == asked.size()) held |= holds;
        const auto known = its_asked.classes.find(holds);
        *found = known != its_asked.classes.end() ? known->second : made(sets, its_asked, holds);
        return true;
    }

 private:
    static uint32_t made(PossibleSets& sets, RowAsked& its, uint64_t holds) {
        std::vector<uint64_t> possible(sets.words, 0), certain(sets.words, 0);
        for (size_t position = 0; position < its.possible.size(); ++position) {
            const uint64_t bit = uint64_t(1) << (position % 64);
            if (its.possible[position] < 0 || (holds >> its.possible[position] & 1)) possible[position / 64] |= bit;
            if (its.certain[position] < 0 || (holds >> its.certain[position] & 1)) certain[position / 64] |= bit;
        }
        const uint32_t found = sets.add_class(possible.data(), certain.data());
        its.classes.emplace(holds, found);
        return found;
    }
};

}  // namespace spaseq::row_patterns
