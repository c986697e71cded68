// Ticks: all events of one timestamp see the cells as they were before it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/branches.hpp"
#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/cells.hpp"
#include "nfa_native/joins/choice.hpp"
#include "nfa_native/joins/combine.hpp"
#include "nfa_native/joins/guards.hpp"
#include "nfa_native/joins/loops.hpp"
#include "nfa_native/joins/merged.hpp"
#include "nfa_native/joins/output.hpp"
#include "nfa_native/joins/rules.hpp"
#include "nfa_native/joins/shedding.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/step.hpp"
#include "nfa_native/joins/window.hpp"

namespace spaseq::joins {

// Note the event under those of its atoms that are combined with others, or negated.
static void gather_event(
    KernelProgram* program, KernelState* now, const EventRecord* event, const Block* blocks, uint32_t pos
) {
    for (uint32_t i = 0; i < event->blocks; ++i) {
        uint32_t atom = blocks[i].atom;
        if (program->gathered[atom]) now->tick_atoms[atom].push_back(pos);
        if (program->negated[atom]) now->watched[atom].push_back(pos);
        now->picked = now->picked || program->gathered[atom] || program->negated[atom];
    }
}

// A conjunction of several atoms of this event fires with the first of them, for all.
static bool already_taken(
    KernelProgram* program, KernelState* now, const EventRecord* event, uint32_t block, uint32_t transition
) noexcept {
    for (uint32_t i = 0; i < block; ++i) {
        uint32_t atom = now->history.blocks[event->block - now->history.first_block + i].atom;
        for (uint32_t other : program->by_atom[atom]) if (other == transition) return true;
    }
    return false;
}

// The last of the choice's atoms that the newest event matched.
static uint32_t deepest_choice(KernelState* now, const ChoiceSpec* choice, uint32_t pos) noexcept {
    uint32_t depth = uint32_t(choice->atoms.size()) - 1;
    while (depth > 0
        && (now->tick_atoms[choice->atoms[depth]].empty() || now->tick_atoms[choice->atoms[depth]].back() != pos)) {
        --depth;
    }
    return depth;
}

// Take a transition with the event: alone, for one atom, or combined with others of its tick.
static void take_transition(Kernel* k, const EventRecord* event, uint32_t pos, uint32_t block, uint32_t which) {
    const ChoiceSpec* choice = &k->program->transitions[which].choice;
    if (choice->atoms.size() == 1) {
        Candidate candidate;
        k->scratch.combination.assign(1, pos);
        candidate.rows = block_rows(&k->now, event, block, &candidate.count);
        candidate.width = choice->width;
        fire(k, which, &candidate);
    } else if (!already_taken(k->program, &k->now, event, block, which)) {
        Purpose purpose{FIRING, which};
        purpose.newest = pos;
        purpose.deepest = deepest_choice(&k->now, choice, pos);
        combine(k, choice, &purpose);
    }
}

// Every transition with an atom that the event at `pos` matched; finished matches come out at once.
static void take_event(Kernel* k, uint32_t pos) {
    const EventRecord* event = event_at(&k->now, pos);
    const Block* blocks = k->now.history.blocks.data() + (event->block - k->now.history.first_block);
    if (k->program->gathers) gather_event(k->program, &k->now, event, blocks, pos);
    for (uint32_t i = 0, i_end = event->blocks; i < i_end; ++i)
        for (uint32_t transition : k->program->by_atom[blocks[i].atom]) take_transition(k, event, pos, i, transition);
}

// Time moves on to `time`: what was decided before comes out, the window moves.  False: the first of it is not done.
static bool open_tick(Kernel* k, int64_t time) {
    int64_t last = k->program->by_events ? k->now.seq : time;
    assert(!k->now.open && k->now.staged.empty() && time > k->now.tick);
    if (!output_decided(k, time)) return false;
    move_window(k, last);
    k->now.open = true;
    k->now.tick = time;
    k->now.tick_first = next_position(&k->now);
    return true;
}

// Those rules of a cell, which is free, that did not step are a cell again, or join the one that has the same.
static void stay(Kernel* k, StateData* s, std::vector<word_t>* rows, const Cell* left, RuleRange rules) {
    if (rules.low >= rules.high) return;
    for (size_t at = s->spec->rules; at < rows->size(); at += s->width) (*rows)[at] = rules_word(rules);
    uint32_t number = cell_for(k, s, rows->data(), left->rows, left->deadline, uint32_t(NO_CELL));
    Cell* cell = s->cells.data() + number;
    cell->node = cell->node ? unite(&k->now, cell->node, left->node) : left->node;
    cell->youngest = node_at(&k->now, cell->node)->max_start;
    note_start(s, cell->youngest);
}

// Some rules, `taken`, have taken a step of the cell: the others stay.
static void leave_rules(Kernel* k, StateData* s, uint32_t number, const RulePart* taken, size_t count) {
    const word_t* words = cell_rows(s, number);
    Cell left = s->cells[number];
    std::vector<word_t> rows(words, words + size_t(left.rows) * s->width);
    RuleRange rest = rules_in(rows[s->spec->rules]);
    free_cell(s, number);
    if (has_left(&k->now, &left)) return;
    for (size_t i = 0; i < count; ++i) {
        stay(k, s, &rows, &left, {rest.low, taken[i].rules.low});
        rest.low = std::max(rest.low, taken[i].rules.high);
    }
    stay(k, s, &rows, &left, rest);
}

// Skip-till-next where there are rules: those that could step have moved on, the others stay.
static void leave_by_rules(Kernel* k, StateData* s) {
    std::vector<RulePart>& taken = s->taken;
    auto is_gone = [s](const RulePart& one) { return s->cells[one.of].rows == 0; };  // a negated event dropped it
    taken.erase(std::remove_if(taken.begin(), taken.end(), is_gone), taken.end());
    std::sort(taken.begin(), taken.end(), [](const RulePart& a, const RulePart& b) {
        return a.of != b.of ? a.of < b.of : a.rules.low < b.rules.low;
    });
    for (size_t start = 0, end; start < taken.size(); start = end) {
        for (end = start + 1; end < taken.size() && taken[end].of == taken[start].of;) ++end;
        leave_rules(k, s, taken[start].of, taken.data() + start, end - start);
    }
    taken.clear();
    s->fired.clear();
}

// Skip-till-next: the partial matches that could step have moved on.  Strict contiguity: all old ones are over.
static void leave(Kernel* k, StateData* s) {
    if (s->govern == Govern::STRICT) {
        s->skipped += s->live;
        clear_cells(s);
    }
    if (k->program->rules != NO_RULES) {
        leave_by_rules(k, s);
        return;
    }
    if (!s->spec->branches.empty()) {
        leave_branches(s);
        return;
    }
    for (uint32_t cell : s->fired) {
        for (uint32_t twin : s->spec->twins) leave_twin(s, cell, &k->now.states[twin]);
        free_cell(s, cell);
    }
    s->fired.clear();
}

// Negated events strike, cells that stepped or were passed over are dropped, new ones enter.
static void move_cells(Kernel* k) {
    if (k->program->guarded) strike(k);
    for (uint32_t state : k->program->moving) leave(k, &k->now.states[state]);
    if (k->shedding) drop_hopeless(k);
    enter_staged(k);
    if (!k->program->chances.empty()) note_strikers(k);
    for (size_t i = 0; k->program->gathers && i < k->now.tick_atoms.size(); ++i) k->now.tick_atoms[i].clear();
}

// End the tick that is open, if there is one; whether all that this decides is out.
static bool close_tick(Kernel* k) {
    if (k->now.open) {
        k->now.open = false;
        k->pause.closing = true;
        move_cells(k);
        choose(k);
    }
    if (k->pause.closing) {
        if (!output_passed(k)) return false;
        k->pause.closing = false;
        if (k->program->ambiguous && !k->program->waits) k->now.seen.clear();
        choose_all_cells(k);
        sweep(k);
    }
    return true;
}

}  // namespace spaseq::joins
