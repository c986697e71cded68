// Merged cells of a state with views: sets of equal values are one, found by these.  A list makes each set that enters
// a group of its own; that is best where values hardly repeat, or where views go on to other states.  Where values
// repeat, and steps end matches, merged cells are: there are as many as values.  Only the data say which it is: it is
// chosen while events come, when a tick ends, for sets that enter from then on.  Lists stay: views look at them.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/cells.hpp"
#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/merging.hpp"
#include "nfa_native/joins/probe.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// Pair what the candidate may join among merged cells; `probed`: cells of no list have been looked at in this probe.
static void probe_merged(
    Kernel* k, StateData* s, const TransitionSpec* transition, const Candidate* candidate, bool probed
) {
    CellIndex* index = &s->merged[transition->index];
    if (!probed) {
        ++s->stamp;
        k->scratch.decided = true;
    }
    for (uint32_t i = 0; i < candidate->count; ++i) {
        const word_t* row = candidate->rows + size_t(i) * candidate->width;
        uint64_t key = hash_key(row, transition->probe.data(), transition->probe.size());
        if (key == WILD) return;  // then `probe` has paired all that lives
        Bucket* bucket = find_bucket(index, key);
        if (bucket == nullptr || (candidate->count == 1 && probe_zones(k, s, bucket, transition, candidate))) continue;
        probe_bucket(k, s, &bucket->cells, &transition->step, candidate);
    }
    if (!index->wild.cells.empty()) probe_bucket(k, s, &index->wild.cells, &transition->step, candidate);
}

// ── the choice ──

// The cell holds something of the present window.
static inline bool lives(const KernelState* now, const Cell* cell) noexcept {
    return cell->rows && !older(cell->youngest, now->lo);
}

static uint64_t count_living(const KernelState* now, const StateData* s) noexcept {
    auto is_living = [now](const Cell& cell) { return lives(now, &cell); };
    return uint64_t(std::count_if(s->cells.begin(), s->cells.end(), is_living));
}

// Enter a cell into a table of values, unless its own are there; whether it was.
static bool enter_values(StateData* s, FlatTable<TableEntry>* table, uint32_t number) {
    const Cell* cell = &s->cells[number];
    const word_t* rows = cell_rows(s, number);
    uint32_t hash = hash_rows(s, rows, cell->rows, cell->deadline);
    for (size_t at = table->home(hash); !table->slots[at].is_free(); at = table->next(at)) {
        const TableEntry& other = table->slots[at];
        if (other.hash == hash && has_rows(s, other.cell.cell, rows, cell->rows, cell->deadline)) return false;
    }
    table->put({hash, {number, cell->serial}});
    if (table->is_full()) table->spread(16);
    return true;
}

// How many different values the living cells have; or `most` + 1, if these are more.
static uint64_t count_distinct(const KernelState* now, StateData* s, uint64_t most) {
    FlatTable<TableEntry> table;
    uint64_t found = 0;
    table.open(16);
    for (uint32_t cell = 0; cell < s->cells.size() && found <= most; ++cell)
        if (lives(now, &s->cells[cell])) found += enter_values(s, &table, cell);
    return found;
}

// The transition leads to another state, too.
static bool goes_on(const TransitionSpec* transition) noexcept {
    auto is_state = [](const TargetSpec& target) { return !target.finishes; };
    return std::any_of(transition->targets.begin(), transition->targets.end(), is_state);
}

// A view goes on from what the bounds leave of the groups.  Of some views, count the different values.
static void look_into_view(Kernel* k, StateData* s, const GroupList* groups, const Bounds* bounds, uint32_t lo) {
    if (k->evaluating == kinds::Evaluating::EAGER || s->merging.views++ % VIEWS_APART) return;
    FlatTable<TableEntry> table;
    GroupQuery passes{*groups, *bounds, lo};
    uint64_t scanned = 0;                  // nobody asked for it
    int64_t at = int64_t(groups->groups.size());
    table.open(16);
    for (uint32_t i = 0; i < MOST_LOOKED_AT && (at = last_group(*groups, passes, at, &scanned)) != NO_GROUP; ++i)
        s->merging.viewed += enter_values(s, &table, groups->groups[at].cell);
}

// How many sets would have gone on if, instead of views, their cells had.
static uint64_t count_in_views(const Merging* known, uint64_t gone_on) noexcept {
    uint64_t looked_into = (known->views + VIEWS_APART - 1) / VIEWS_APART;
    return looked_into == 0 ? gone_on : gone_on * known->viewed / looked_into;
}

// How many sets have gone on from the state to other states, each view as one.
static uint64_t count_gone_on(const Kernel* k, uint32_t state) noexcept {
    uint64_t count = 0;
    for (const TransitionSpec& one : k->program->transitions)
        if (one.source == state && goes_on(&one)) count += k->now.candidacies[one.number].pairs;
    return count;
}

// Whether to merge, where sets are listed: so many of the `living` ones have the same values that it saves most of
// them, and fewer would go on by themselves, instead of in views, than enter.
static bool is_worth_merging(Kernel* k, StateData* s, uint64_t living, uint64_t gone_on) {
    const Merging& known = s->merging;
    uint64_t most = living / k->program->merge_ratio;
    if (living * FEWER_LIVING < k->program->merge_after) return false;
    return count_in_views(&known, gone_on) <= known.entered && count_distinct(&k->now, s, most) <= most;
}

// Whether to go on merging: most sets find their values there, and not many more go on than enter.  It ends later than
// it begins, so that what is neither good nor bad stays as it is.
static inline bool is_still_worth_merging(const Merging* known, uint64_t gone_on) noexcept {
    return known->made * 2 <= known->entered && gone_on <= known->entered * 2;
}

// So many sets have entered that what they were tells something: choose what those after them enter.
static void choose_cells(Kernel* k, uint32_t state) {
    StateData* s = &k->now.states[state];
    Merging* known = &s->merging;
    uint64_t living = count_living(&k->now, s), gone_on = count_gone_on(k, state);
    bool on = k->program->merge_after == 0 ? !known->on
        : known->on ? is_still_worth_merging(known, gone_on - known->gone_on)
        : is_worth_merging(k, s, living, gone_on - known->gone_on);
    known->switches += on != known->on;
    known->on = uint8_t(on);
    known->entered = known->made = known->views = known->viewed = 0;
    known->gone_on = gone_on;
    known->due = 2 * std::max<uint64_t>(living, k->program->merge_after);
    if (k->program->merge_after == 0) known->due = 1;
    if (!s->merged.empty()) sweep_state(&k->now, s);  // few cells are made where they are merged: no sweep would come
}

// The tick is over, and all sets have entered.
static inline void choose_all_cells(Kernel* k) {
    for (uint32_t state : k->program->merging) {
        Merging& known = k->now.states[state].merging;
        if (k->evaluating == kinds::Evaluating::EAGER) known.on = 0;
        else if (known.entered >= known.due) choose_cells(k, state);
    }
}

}  // namespace spaseq::joins
