// Load shedding learns from looks at cells: some events note what each cell that they look at comes to.  Where values
// tell which cells join, most are never looked at; there each bucket of values is asked whether it passes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/loads.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/worth.hpp"

namespace spaseq::joins {

constexpr double HOPELESS = 0.1;           // of the level: a cell that brings less for its work is dropped

// An event tries a transition.
static void begin_looks(Kernel* k, const TransitionSpec* transition, const Candidate* candidate) noexcept {
    LoadShedding* shedding = k->shedding.get();
    shedding->looks.clear();
    shedding->look = 0;
    shedding->passing = {};
    if (is_known(k) && k->now.states[transition->source].govern != Govern::FREE) note_probing(k, transition, candidate);
}

// Numbers that follow from the event and how much of it was judged: the same however the input is cut.
static inline uint64_t chance(LoadShedding* shedding) noexcept {
    return shedding::chance_of(uint64_t(shedding->position), ++shedding->judged);
}

// The present event may not have so many results more: they, too, are looked at.
static inline bool has_no_room_for(const Kernel* k, double results) noexcept {
    if (!k->shedding || !k->pause.of_event) return false;
    return k->shedding->listed + results > std::max(shedding::LEAST_RESULTS, k->shedding->allowance.most);
}

static inline void note_listed_results(Kernel* k, double results) noexcept {
    if (k->shedding) k->shedding->listed += results;
}

// The rest of its results is left out.
static void curtail(Kernel* k) noexcept {
    k->shedding->curtailed += !k->shedding->is_curtailed;
    k->shedding->is_curtailed = true;
    k->scratch.visits.clear();
    k->scratch.framed.clear();
}

// Whether it is dropped, where that is left to chance.
static inline bool is_by_chance(LoadShedding* shedding) noexcept {
    return std::ldexp(double(chance(shedding)), -32) < shedding->reckless;
}

// The cell brings so little for its work that others bring more.
static bool is_hopeless(Kernel* k, const StateLoads& known, const CellLoad& load, const CellLook& look) noexcept {
    LoadShedding* shedding = k->shedding.get();
    if (shedding->reckless > 0) return is_by_chance(shedding);
    if (shedding->telling != Telling::VALUES) return false;
    const ClassUtility& c = known.utility.at(look.bucket, look.age);
    if (!shedding->allowance.is_short() || c.looks < shedding::MANY_LOOKS || c.cost <= 0) return false;
    return size_of(k, load) * c.utility < HOPELESS * shedding->allowance.level * c.cost;
}

static void look_at(Kernel* k, StateData* s, StateLoads* known, uint32_t cell) {
    LoadShedding* shedding = k->shedding.get();
    CellLoad load = cell_load(k, *known, s, cell);
    CellLook look{cell, bucket_of(*known, rows_of_cell(s, cell)), age_of(k, load.newest), {}};
    look.outcome.work = 1;
    shedding->looks.push_back(look);
    if (is_hopeless(k, *known, load, look)) {
        shedding->hopeless.push_back({uint32_t(s - k->now.states.data()), cell, s->cells[cell].serial});
        ++known->hopeless;
    }
}

// Values tell which cells join, so that the others may never be looked at.
static inline bool joins_by_value(const Kernel* k, const TransitionSpec* transition) noexcept {
    return transition->order != NO_ORDER || k->now.states[transition->source].kind == Cells::VIEWS;
}

// The present event learns from what it looks at.
static inline bool is_learning(const Kernel* k, const TransitionSpec* transition) noexcept {
    return k->shedding->learns && k->now.states[transition->source].govern != Govern::FREE;
}

// The pairs of a probe: what they cost, and where the event learns, which cells are in them.
static void look_at_pairs(Kernel* k, const TransitionSpec* transition, bool view) {
    StateData* s = &k->now.states[transition->source];
    const std::vector<Pair>& pairs = k->scratch.pairs;
    k->shedding->allowance.spent += double(pairs.size() + view);
    if (!is_learning(k, transition) || joins_by_value(k, transition)) return;
    for (size_t i = 0; i < pairs.size(); ++i)
        if (i == 0 || pairs[i].cell != pairs[i - 1].cell) look_at(k, s, loads_of(k, s), pairs[i].cell);
}

// The look whose cell steps; NULL: nothing is learned from it.
static CellLook* look_of(LoadShedding* shedding, uint32_t cell) noexcept {
    if (cell == INITIAL_CELL) return nullptr;
    while (shedding->look < shedding->looks.size() && shedding->looks[shedding->look].cell != cell) ++shedding->look;
    return shedding->look < shedding->looks.size() ? &shedding->looks[shedding->look] : nullptr;
}

// ── by value ──

// Calls what takes each comparison that bounds a margin of its own: its number, and the margin's.
template <class Take> static void each_bound(const StateLoads& known, const TransitionSpec* transition, Take take) {
    uint32_t at = 0;
    for (const Compared& compared : transition->step.compared) {
        if (compared.slot >= MOST_COMPARED || at >= MOST_BOUNDS) continue;
        for (size_t margin = 0; margin < known.margins.size(); ++margin)
            if (is_column(known.margins[margin], compared.column)) take(at, margin);
        ++at;
    }
}

// A cell of that bucket passes the comparisons, as far as its values tell.
static bool passes(
    const StateLoads& known, const TransitionSpec* transition, const Bounds& bounds, uint32_t bucket
) {
    static const GroupList plain{};
    bool all = true;
    each_bound(known, transition, [&](uint32_t at, size_t margin) {
        Measured middle{UNBOUND, known.utility.middle(bucket, margin)};
        all = all && middle.about != bounds.each[at].value.about && plain.accepts(bounds.each[at], middle);
    });
    return all;
}

// What an event asks for is where values must be told apart.
static void note_bounds(StateLoads* known, const TransitionSpec* transition, const Bounds& bounds) {
    each_bound(*known, transition, [&](uint32_t at, size_t margin) {
        shedding::note_useful(&known->utility.values[margin], bounds.each[at].value.about);
    });
}

// Learn of each bucket whether it passes; of those that do, what those came to that did.
static void learn_by_value(Kernel* k, const TransitionSpec* transition, const Candidate* candidate) {
    StateData* s = &k->now.states[transition->source];
    StateLoads* known = loads_of(k, s);
    const Passing& passing = k->shedding->passing;
    Bounds bounds;
    if (candidate->count != 1) return;
    if (!load_bounds(k, &transition->step, s->width, candidate->rows, candidate->width, k->now.tick, &bounds)) return;
    note_bounds(known, transition, bounds);
    Outcome passed = shedding::part_of(passing.sum, passing.cells);
    passed.left = s->govern == Govern::NEXT;
    double looks = looks_to_come(k, transition->source);
    for (uint32_t bucket = 0; bucket < known->utility.buckets(); ++bucket) {
        bool joins = passes(*known, transition, bounds, bucket);
        if (joins && passing.cells == 0) continue;
        for (uint32_t age = 0; age < AGES; ++age)
            shedding::learn(&known->utility, bucket, age, joins ? passed : Outcome{}, looks);
    }
}

// ── what looks came to ──

static void learn_from_look(Kernel* k, StateData* s, const CellLook& look, double looks) {
    StateLoads* known = loads_of(k, s);
    shedding::learn(&known->utility, look.bucket, look.age, look.outcome, looks);
    if (look.outcome.yield + look.outcome.yield_again <= 0) return;
    for (size_t i = 0; i < known->margins.size(); ++i)
        shedding::note_useful(&known->utility.values[i], class_value(*known, rows_of_cell(s, look.cell), i));
}

// The event has tried the transition, and something joined.
static void end_looks(Kernel* k, const TransitionSpec* transition, const Candidate* candidate) {
    StateData* s = &k->now.states[transition->source];
    if (!is_learning(k, transition)) return;
    if (joins_by_value(k, transition)) {
        learn_by_value(k, transition, candidate);
        return;
    }
    double looks = looks_to_come(k, transition->source);
    for (const CellLook& look : k->shedding->looks) learn_from_look(k, s, look, looks);
}

}  // namespace spaseq::joins
