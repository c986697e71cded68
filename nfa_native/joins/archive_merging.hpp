// What an archive has where sets may be merged by their values: of each state whether they are, and what the next
// choice is made from.  Merged cells are marked among the bits of `listed`.  Archives from before there were any have none of
// this: then sets are listed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/joins/archive.hpp"
#include "nfa_native/joins/merging.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

static void merging_fields(KernelState* now, Archive* a) {
    const StateData sample{};
    a->store("merging", 1);
    a->update("on", now->states, sample, sample.merging.on);
    a->update("due", now->states, sample, sample.merging.due);
    a->update("entered", now->states, sample, sample.merging.entered);
    a->update("made", now->states, sample, sample.merging.made);
    a->update("gone on", now->states, sample, sample.merging.gone_on);
    a->update("switches", now->states, sample, sample.merging.switches);
}

// A cell of the state was written as one that is found by its values.
static inline bool is_merged_form(const StateData* s, const CellForm* form) noexcept {
    return s->kind == Cells::VIEWS && s->indexes.size() <= MOST_LISTS && (form->listed & MERGED);
}

// After the cells, whose loading counts.
static void load_merging(KernelProgram* program, KernelState* now, Archive* a) {
    for (StateData& s : now->states) s.merging = Merging{};
    for (uint32_t state : program->merging) now->states[state].merging.due = std::max(program->merge_after, 1u);
    if (!a->has_store("merging")) return;
    merging_fields(now, a);
    for (uint32_t i = 0; i < now->states.size(); ++i) {
        Merging& one = now->states[i].merging;
        require((one.due | one.entered | one.made | one.gone_on | one.switches) <= uint64_t(FARTHEST),
            "a choice of cells has counted too much");
        if (std::count(program->merging.begin(), program->merging.end(), i) == 0) one = Merging{};
        else one.due = std::max<uint64_t>(1, one.due);
    }
}

}  // namespace spaseq::joins
