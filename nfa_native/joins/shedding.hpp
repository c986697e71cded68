// Load shedding: where there is more work than allowed, steps are not made whose successors would bring less for their
// work than others.  A partial match is dropped or not, nothing else: events stay, negated ones too, and a partial match
// that steps under skip-till-next leaves, whatever becomes of its successors.  So what is found is part of what there
// is.  Successors in states that compete are dropped together, for partial matches leave these together.
//
// The unit of work is a cell that is looked at, where cells have no order, or one that joins, where they have; a set
// that enters, or is put out, counts as STEP_WORK.  It depends on nothing that a snapshot forgets.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nfa_native/joins/cells.hpp"
#include "nfa_native/joins/loads.hpp"
#include "nfa_native/joins/looks.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/worth.hpp"

namespace spaseq::joins {

using shedding::STEP_WORK;

constexpr double USELESS = 1e-6;           // matches for a unit of work

// ── what a step is worth ──

// What a successor of a cell is worth, or several together.
struct Worth {
    double utility = 0;                    // matches that each partial match is expected to come to
    double learned = 0;                    // the same, but nothing of what is hardly known
    double work = 0;
    bool stays = false;                    // it is kept whatever it is worth
    bool is_new = false;                   // its class is hardly known
};

// Where a cell of these values lives already, a set that enters makes no more work.
static bool is_there(Kernel* k, StateData* s, const Staged& staged) noexcept {
    if (s->kind == Cells::FLAT || s->kind == Cells::VIEWS) return false;
    uint32_t cell = find_cell(s, k->now.staged_words.data() + staged.word, staged.rows, staged.deadline);
    return cell != NO_CELL && !has_left(&k->now, &s->cells[cell]);
}

static inline bool competes(const Kernel* k, const Staged& staged) noexcept {
    return !k->now.states[staged.state].spec->twins.empty();
}

// So little is expected of it that it would be dropped even where it made no more work.
static bool is_hopeless_step(const LoadShedding* shedding, double size, const ClassUtility& c) noexcept {
    return shedding->reckless == 0 && c.looks >= shedding::FEW_LOOKS
        && size * c.utility < STEP_WORK * shedding->allowance.level * shedding->dither;
}

// Of a successor of so many partial matches.
static Worth worth_of(Kernel* k, const Staged& staged, double size, uint32_t age) noexcept {
    StateData* s = &k->now.states[staged.state];
    const StateLoads& known = k->shedding->states[staged.state];
    bool listed = s->kind == Cells::VIEWS && !s->merging.on;
    if (s->final) return {1, 1, STEP_WORK, true, false};
    uint32_t bucket = bucket_of(known, {k->now.staged_words.data() + staged.word, staged.rows, s->width});
    ClassUtility c = told_of(k->shedding.get(), known, bucket, age);
    // A look for the cell costs as much as a step.
    bool asked = competes(k, staged) || !is_hopeless_step(k->shedding.get(), size, c);
    double cost = listed || (asked && is_there(k, s, staged)) ? 0 : c.cost;
    return {c.utility, known.utility.at(bucket, age).utility, STEP_WORK + cost, listed,
        c.looks < shedding::FEW_LOOKS};
}

static void add_worth(Worth* sum, const Worth& more) noexcept {
    sum->utility += more.utility;
    sum->learned += more.learned;
    sum->work += more.work;
    sum->stays = sum->stays || more.stays;
    sum->is_new = sum->is_new || more.is_new;
}

// ── which steps are made ──

// The successors of a cell that has stepped.
struct Successors {
    uint32_t source;                       // the cell's state
    uint32_t cell;
    uint32_t start;                        // its youngest first event
    size_t first;                          // they are staged from there on
    bool finished;                         // some match is finished
    bool joined;                           // a side of a junction is complete
};

// Whether what has that worth, of so many partial matches, is dropped.
static bool is_shed(Kernel* k, double size, const Worth& worth, uint32_t state) noexcept {
    LoadShedding* shedding = k->shedding.get();
    StateLoads* known = &shedding->states[state];
    if (worth.stays) return false;
    double ratio = worth.is_new ? shedding::BEST_RATIO : size * worth.utility / worth.work;
    shedding::offer(&shedding->allowance, ratio, STEP_WORK);
    bool cut = shedding->allowance.is_spent();
    double level = shedding->allowance.level * shedding->dither;
    bool unworthy = shedding->reckless > 0 ? is_by_chance(shedding) : ratio < level;
    known->cut += cut;
    known->unworthy += !cut && unworthy;
    return cut || unworthy;
}

// A successor is kept: what it comes to counts for its cell, unless that is nothing, for then it is the first to go.
static void note_kept(Outcome* outcome, const Worth& worth, double size, bool again) noexcept {
    if (!worth.is_new && !worth.stays && size * worth.utility < USELESS * worth.work) return;
    (again ? outcome->yield_again : outcome->yield) += worth.learned;
    (again ? outcome->work_again : outcome->work) += worth.work;
    outcome->again += again;
}

// Judge those that compete, together.
static void judge_rivals(Kernel* k, const Successors& step, double size, uint32_t age, Outcome* outcome) noexcept {
    const std::vector<Staged>& staged = k->now.staged;
    Worth together;
    size_t last = staged.size();
    for (size_t i = step.first; i < staged.size(); ++i)
        if (competes(k, staged[i])) add_worth(&together, worth_of(k, staged[i], size, age)), last = i;
    if (last == staged.size()) return;
    together.stays = together.stays || step.joined;
    if (!is_shed(k, size, together, staged[last].state)) {
        note_kept(outcome, together, size, false);
        return;
    }
    for (size_t i = step.first; i < staged.size(); ++i)
        if (competes(k, staged[i])) k->shedding->dropped[i - step.first] = 1;
}

static void judge_successors(Kernel* k, const Successors& step, double size, uint32_t age, Outcome* outcome) {
    const std::vector<Staged>& staged = k->now.staged;
    std::vector<uint8_t>& dropped = k->shedding->dropped;
    dropped.assign(staged.size() - step.first, 0);
    for (size_t i = step.first; i < staged.size(); ++i) {
        if (competes(k, staged[i])) continue;
        Worth worth = worth_of(k, staged[i], size, age);
        dropped[i - step.first] = is_shed(k, size, worth, staged[i].state);
        if (!dropped[i - step.first]) note_kept(outcome, worth, size, staged[i].state == step.source);
    }
    judge_rivals(k, step, size, age, outcome);
}

// Keep those staged sets that are not dropped, each in its place.
static void keep_staged(Kernel* k, size_t first) noexcept {
    std::vector<Staged>& staged = k->now.staged;
    std::vector<word_t>& words = k->now.staged_words;
    const std::vector<uint8_t>& dropped = k->shedding->dropped;
    if (std::find(dropped.begin(), dropped.end(), 1) == dropped.end()) return;
    size_t kept = first, word = size_t(staged[first].word);
    for (size_t i = first; i < staged.size(); ++i) {
        size_t begin = size_t(staged[i].word);
        size_t end = i + 1 < staged.size() ? size_t(staged[i + 1].word) : words.size();
        if (dropped[i - first]) continue;
        std::copy(words.begin() + ptrdiff_t(begin), words.begin() + ptrdiff_t(end), words.begin() + ptrdiff_t(word));
        staged[kept] = staged[i];
        staged[kept++].word = word;
        word += end - begin;
    }
    words.resize(word);
    staged.resize(kept);
}

// Note what a step came to, for its cell or, where values tell which cells join, for all of them.
static void note_outcome(Kernel* k, const Successors& step, Outcome outcome) noexcept {
    LoadShedding* shedding = k->shedding.get();
    outcome.left = k->now.states[step.source].govern == Govern::NEXT;
    shedding->passing.cells += 1;
    shedding::add_outcome(&shedding->passing.sum, outcome);
    if (CellLook* look = look_of(shedding, step.cell)) shedding::add_outcome(&look->outcome, outcome);
}

// Drop those successors that bring too little for their work.
static void drop_unworthy(Kernel* k, const Successors& step) {
    LoadShedding* shedding = k->shedding.get();
    const StateData* s = &k->now.states[step.source];
    CellLoad load = step.cell == INITIAL_CELL
        ? load_of_one(k, step.start)
        : cell_load(k, shedding->states[step.source], s, step.cell);
    Outcome outcome;
    outcome.yield = step.finished + step.joined;
    outcome.work = STEP_WORK * outcome.yield;
    judge_successors(k, step, size_of(k, load), age_of(k, load.newest), &outcome);
    keep_staged(k, step.first);
    shedding->staged.resize(step.first);
    shedding->staged.resize(k->now.staged.size(), load);
    note_outcome(k, step, outcome);
}

// A cell has stepped: what that costs, and, where that is too much, what is dropped of it.
static void weigh(Kernel* k, const Successors& step) {
    LoadShedding* shedding = k->shedding.get();
    shedding->yields.starts += step.cell == INITIAL_CELL;
    if (is_known(k)) drop_unworthy(k, step);
    size_t made = k->now.staged.size() - step.first + step.finished + step.joined;
    shedding->allowance.spent += STEP_WORK * double(made);
}

// A staged set has entered a cell, which is `fresh` if nothing lived there.
static void note_load(Kernel* k, size_t number, const Staged& staged, uint32_t cell, bool fresh) {
    LoadShedding* shedding = k->shedding.get();
    if (!is_known(k)) return;
    StateData* s = &k->now.states[staged.state];
    StateLoads* known = &shedding->states[staged.state];
    CellLoad load = number < shedding->staged.size() ? shedding->staged[number] : load_of_one(k, staged.max_start);
    LiveRows rows = rows_of_cell(s, cell);
    bool same = !fresh && has_load(*known, s, cell);
    if (cell >= known->loads.size()) known->loads.resize(s->cells.size());
    known->loads[cell] = same ? sum_of(load, known->loads[cell]) : load;
    known->loads[cell].serial = s->cells[cell].serial;
    if (known->sample.empty() || (shedding->learns && rows.count == 1))
        known->sample.assign(rows.words, rows.words + s->width);
    shedding::note_values(&known->utility, class_value(*known, rows, 0), class_value(*known, rows, 1));
}

// ── events and ticks ──

// All events before the present one have passed, also those that had no rows; within an event that is known already.
static void pass_idle(Kernel* k) noexcept {
    LoadShedding* shedding = k->shedding.get();
    if (k->now.seq <= shedding->position) return;
    shedding::pass_events(&shedding->allowance, uint64_t(k->now.seq - shedding->position));
    shedding->position = k->now.seq;
}

// An event comes.  One of some learns, whatever comes in turn.
static void begin_event(Kernel* k) noexcept {
    LoadShedding* shedding = k->shedding.get();
    pass_idle(k);
    ++shedding->position;
    shedding->judged = 0;
    shedding->listed = 0;
    shedding->is_curtailed = false;
    uint64_t mixed = uint64_t(k->now.seq) * shedding::SPREADING;
    shedding->dither = shedding::dither_of(mixed);
    shedding->learns = is_known(k) && (shedding->reckless > 0 || shedding::is_lesson(mixed));
}

// What beginnings have come to on an average bounds what is expected of any partial match.
static void note_yields(Kernel* k) noexcept {
    LoadShedding* shedding = k->shedding.get();
    Yields* yields = &shedding->yields;
    yields->found = shedding::FADING_SUM * yields->found + double(k->results.count - yields->results);
    yields->worked = shedding::FADING_SUM * yields->worked + shedding->allowance.spent;
    yields->starts *= shedding::FADING_SUM;
    yields->results = k->results.count;
    if (!shedding->learns) return;
    for (StateLoads& known : shedding->states) {
        if (yields->starts >= 1 && yields->found >= 1)
            shedding::bound_expectations(&known.utility, yields->found / yields->starts, yields->worked / yields->starts);
        shedding::forget_looks(&known.utility);
    }
}

// The event has made its steps.
static void end_shed_event(Kernel* k) {
    LoadShedding* shedding = k->shedding.get();
    note_yields(k);
    shedding::end_event(&shedding->allowance);
    if (!is_known(k) && (shedding::is_near(shedding->allowance) || shedding->reckless > 0)) begin_utilities(k);
}

// Cells that are worth too little leave, from all states that compete for them.
static void drop_hopeless(Kernel* k) {
    for (const HopelessCell& one : k->shedding->hopeless) {
        StateData* s = &k->now.states[one.state];
        if (s->cells.size() <= one.cell || s->cells[one.cell].serial != one.serial) continue;
        for (uint32_t twin : s->spec->twins) leave_twin(s, one.cell, &k->now.states[twin]);
        free_cell(s, one.cell);
    }
    k->shedding->hopeless.clear();
}

// ── the bound ──

// Work may take so many units an event on an average, from now on, and one event no more than `most` (0: as many as are
// the rule); no rate: any number.
inline void bound_work(Kernel* k, double rate, double most) {
    if (rate <= 0) {
        k->shedding.reset();
        return;
    }
    if (!k->shedding) {
        k->shedding = std::make_unique<LoadShedding>();
        k->shedding->position = k->now.seq;
        k->shedding->yields.results = k->results.count;
    }
    pass_idle(k);  // by the rate of before
    shedding::begin_allowance(&k->shedding->allowance, rate, most > 0 ? most : shedding::AT_ONCE * rate);
}

}  // namespace spaseq::joins
