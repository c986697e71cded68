// What an archive has where sets may be merged by their values: of each state whether they are, and what the next
// choice is made from.  Merged cells are marked among the bits of `listed`.  Archives from before the first choice, or
// from before there were any, have none of this: then sets are listed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/joins/archive.hpp"
#include "nfa_native/joins/merging.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

constexpr size_t MERGING_NUMBERS = 8;      // of a state
constexpr size_t WITHOUT_VIEWS = 6;        // in archives from before views were looked into

// Nothing has been chosen yet: then the cells that have been made are the sets that have entered.
static inline bool is_fresh(const KernelProgram* program, const KernelState* now) noexcept {
    return std::all_of(program->merging.begin(), program->merging.end(), [program, now](uint32_t state) {
        const Merging& one = now->states[state].merging;
        return one.switches == 0 && one.due == std::max(program->merge_after, 1u);
    });
}

// The numbers of one state after the other.
static void write_merging(const KernelProgram* program, const KernelState* now, Archive* a) {
    std::vector<uint64_t> numbers;
    if (is_fresh(program, now)) return;
    for (uint32_t state : program->merging) {
        const Merging& one = now->states[state].merging;
        numbers.insert(numbers.end(),
            {one.on, one.due, one.entered, one.made, one.gone_on, one.switches, one.views, one.viewed});
    }
    a->store("merging", 1);
    a->numbers("numbers", numbers);
}

// A cell of the state was written as one that is found by its values.
static inline bool is_merged_form(const StateData* s, const CellForm* form) noexcept {
    return s->kind == Cells::VIEWS && s->indexes.size() <= MOST_LISTS && (form->listed & MERGED);
}

static Merging take_merging(const uint64_t* numbers, size_t count) {
    uint64_t views = count > WITHOUT_VIEWS ? numbers[6] : 0, viewed = count > WITHOUT_VIEWS ? numbers[7] : 0;
    for (size_t i = 0; i < count; ++i)
        require(numbers[i] <= uint64_t(FARTHEST), "a choice of cells has counted too much");
    require(numbers[0] <= 1 && numbers[1] > 0, "a choice of cells is none");
    return {uint8_t(numbers[0]), numbers[1], numbers[2], numbers[3], numbers[4], views, viewed, numbers[5]};
}

// After the cells, whose loading counts.
static void load_merging(const KernelProgram* program, KernelState* now, Archive* a) {
    std::vector<uint64_t> numbers;
    for (uint32_t state : program->merging) {
        now->states[state].merging = Merging{};
        now->states[state].merging.due = std::max(program->merge_after, 1u);
        now->states[state].merging.entered = now->states[state].entered;
    }
    if (program->merging.empty() || !a->has_store("merging")) return;
    a->store("merging", 1);
    a->numbers("numbers", numbers);
    size_t count = numbers.size() / program->merging.size();
    require((count == MERGING_NUMBERS || count == WITHOUT_VIEWS) && numbers.size() == count * program->merging.size(),
        "choices of cells are of other states");
    for (size_t i = 0; i < program->merging.size(); ++i)
        now->states[program->merging[i]].merging = take_merging(numbers.data() + i * count, count);
}

}  // namespace spaseq::joins
