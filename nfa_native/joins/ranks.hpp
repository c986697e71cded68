// Rules come and go: all get new ranks, in the same order.  What partial matches there are stay with the rules that they
// are of, and those that come have none.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/archive.hpp"
#include "nfa_native/joins/cells.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/output.hpp"
#include "nfa_native/joins/rules.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

constexpr uint32_t GONE = 0xFFFFFFFF;     // in place of a rank

// A cell while ranks change: its rows, and what of its rules has stepped in this tick.
struct MovingCell {
    Cell cell;
    std::vector<word_t> rows;
    std::vector<RuleRange> taken;
};

// What becomes of some rules: `to` has the new rank of each, or GONE.
static void move_range(const uint32_t* to, RuleRange from, std::vector<RuleRange>* out) {
    out->clear();
    for (uint32_t rank = from.low; rank < from.high; ++rank)
        if (to[rank] != GONE) add_range(out, to[rank], to[rank] + 1);
}

// Take all cells out of the state, oldest first.
static std::vector<MovingCell> take_cells(StateData* s) {
    std::vector<MovingCell> moving;
    std::vector<uint32_t> places(s->cells.size(), NO_CELL);
    for (uint32_t number : cells_in_order(s)) {
        const word_t* words = cell_rows(s, number);
        places[number] = uint32_t(moving.size());
        moving.emplace_back();
        moving.back().cell = s->cells[number];
        moving.back().rows.assign(words, words + size_t(s->cells[number].rows) * s->width);
    }
    for (const RulePart& one : s->taken)
        if (places[one.of] != NO_CELL) moving[places[one.of]].taken.push_back(one.rules);
    s->taken.clear();
    s->fired.clear();
    clear_cells(s);
    return moving;
}

// The cell of these rules among those that are back, or a new one; what steps in this tick has one of its own.
static uint32_t put_back(Kernel* k, uint32_t state, const MovingCell* from, const std::vector<word_t>* rows) {
    StateData* s = &k->now.states[state];
    const Cell* left = &from->cell;
    uint32_t number = left->fired ? NO_CELL : find_cell(s, rows->data(), left->rows, left->deadline);
    bool joins = number != NO_CELL && !s->cells[number].fired;
    if (!joins) number = new_cell(k, s, rows->data(), left->rows, left->deadline);
    Cell* cell = &s->cells[number];
    cell->node = joins ? unite(&k->now, cell->node, left->node) : left->node;
    cell->youngest = node_at(&k->now, cell->node)->max_start;
    cell->fired = left->fired;
    note_start(s, cell->youngest);
    if (cell->fired) s->fired.push_back(number);
    if (s->final && !joins) await_deadline(&k->now, state, number);
    return number;
}

// The cell is one for each interval that its rules are now.
static void move_cell(Kernel* k, uint32_t state, MovingCell* from, const uint32_t* to) {
    StateData* s = &k->now.states[state];
    std::vector<RuleRange> ranges;
    std::vector<RuleRange> taken;
    move_range(to, rules_in(from->rows[s->spec->rules]), &ranges);
    for (RuleRange range : ranges) {
        for (size_t at = s->spec->rules; at < from->rows.size(); at += s->width) from->rows[at] = rules_word(range);
        uint32_t number = put_back(k, state, from, &from->rows);
        for (RuleRange one : from->taken) {
            move_range(to, one, &taken);
            for (RuleRange part : taken) {
                RuleRange both{std::max(part.low, range.low), std::min(part.high, range.high)};
                if (both.low < both.high) s->taken.push_back({number, both});
            }
        }
    }
}

static void move_state(Kernel* k, uint32_t state, const uint32_t* to) {
    StateData* s = &k->now.states[state];
    uint64_t entered = s->entered;
    uint64_t created = k->now.created;
    if (s->spec->rules == NO_RULES) return;
    for (MovingCell& one : take_cells(s))
        if (!has_left(&k->now, &one.cell)) move_cell(k, state, &one, to);
    s->entered = entered;
    k->now.created = created;
}

// A staged set is one for each interval that its rules are now.
static void move_staged(Kernel* k, const uint32_t* to) {
    std::vector<Staged> staged;
    std::vector<word_t> words;
    std::vector<RuleRange> ranges;
    for (const Staged& one : k->now.staged) {
        const StateData* s = &k->now.states[one.state];
        const word_t* rows = k->now.staged_words.data() + one.word;
        move_range(to, rules_in(rows[s->spec->rules]), &ranges);
        for (RuleRange range : ranges) {
            staged.push_back(one);
            staged.back().word = words.size();
            words.insert(words.end(), rows, rows + size_t(one.rows) * s->width);
            for (size_t at = staged.back().word + s->spec->rules; at < words.size(); at += s->width)
                words[at] = rules_word(range);
        }
    }
    k->now.staged.swap(staged);
    k->now.staged_words.swap(words);
}

// The results of each rule so far.
static std::vector<uint64_t> moved_found(const RuleTable* rules, uint32_t count, const uint32_t* to) {
    std::vector<uint64_t> found(count, 0);
    for (size_t rank = 0; rank < rules->found.size(); ++rank)
        if (to[rank] != GONE) found[to[rank]] = rules->found[rank];
    return found;
}

// Other rules: `words` as of `build_rules`, `windows` of each rank (NULL: all are the program's), and for each old rank
// the new one, in the same order, or GONE.
inline void change_rules(
    Kernel* k, const word_t* words, const int64_t* windows, uint32_t count, const uint32_t* to
) {
    assert(is_all_out(&k->pause) && k->results.first.empty());
    k->now.deadlines.clear();             // those that are left wait again when they are back
    for (uint32_t state = 0; state < k->now.states.size(); ++state) move_state(k, state, to);
    move_staged(k, to);
    std::vector<uint64_t> found = moved_found(&k->now.rules, count, to);
    k->now.rules = RuleTable();
    build_rules(&k->now, words, count, k->program->parameters);
    k->now.rules.found.swap(found);
    if (windows != nullptr) k->now.rules.windows.assign(windows, windows + count);
}

// The same program with another window.
inline void change_program(Kernel* k, KernelProgram* program) noexcept {
    k->program = program;
    for (size_t i = 0; i < k->now.states.size(); ++i) {
        StateData* s = &k->now.states[i];
        s->spec = &program->states[i];
        for (size_t j = 0; j < s->indexes.size(); ++j) s->indexes[j].spec = &program->states[i].indexes[j];
    }
}

}  // namespace spaseq::joins
