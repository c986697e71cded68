// What an archive has where there are junctions: the cells that sides go on from with their serials, by which anchors
// know them, and products among the nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/bits.hpp"
#include "nfa_native/joins/archive.hpp"
#include "nfa_native/joins/branches.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// A cell that sides go on from.
struct ForkForm {
    uint32_t serial;
    uint32_t fired;                       // branches that begin from it in this tick
};

// The cells of all states with a fork, in the order in which they are written.
struct ForkForms {
    std::vector<uint32_t> serials;        // of each state that given last
    std::vector<ForkForm> cells;
};

static void fork_fields(Archive* a, ForkForms* forms) {
    a->store("forks", 1);
    a->numbers("serials", forms->serials);
    a->field("serial", forms->cells, &ForkForm::serial);
    a->field("fired", forms->cells, &ForkForm::fired);
}

static void write_forks(KernelState* now, Archive* a) {
    ForkForms forms;
    for (StateData& s : now->states) {
        if (!s.spec->forks) continue;
        forms.serials.push_back(s.serial);
        for (uint32_t cell : cells_in_order(&s)) forms.cells.push_back({s.cells[cell].serial, s.cells[cell].fired});
    }
    fork_fields(a, &forms);
}

// Branches, by bits, are some of those that begin in the state.
static inline bool are_branches(const StateSpec* state, uint32_t bits) noexcept {
    return (bits >> state->branches.size()) == 0;
}

// What a cell says of the branches that have begun from it, in each of its rows.
static void check_begun(StateData* s, const word_t* rows, uint32_t count) {
    if (s->spec->branches.empty()) return;
    word_t begun = rows[s->width - 1];
    for (uint32_t i = 1; i < count; ++i)
        require(rows[size_t(i + 1) * s->width - 1] == begun, "a set's rows have begun different branches");
    if (begun == UNBOUND) return;
    require((begun & 0xF) == TAG_INTEGER && (begun >> 36) == 0, "a set has begun what is no branch");
    uint32_t bits = uint32_t(begun >> 4);
    require(bits != 0 && are_branches(s->spec, bits) && !is_spent(s, bits), "a set waits for no branch");
}

// The next cell gets this serial; those of a state ascend.
static void take_serial(StateData* s, const ForkForm& form) {
    require(form.serial > s->serial, "serials of cells do not ascend");
    require(s->spec->branches.empty() || are_branches(s->spec, form.fired), "a branch begins that there is not");
    s->serial = form.serial - 1;
}

static void end_serials(KernelState* now, const ForkForms* forms) {
    size_t at = 0;
    for (StateData& s : now->states) {
        if (!s.spec->forks) continue;
        require(at < forms->serials.size() && forms->serials[at] >= s.serial, "a serial was given twice");
        s.serial = forms->serials[at++];
    }
    require(at == forms->serials.size(), "there are serials of no state");
}

}  // namespace spaseq::joins
