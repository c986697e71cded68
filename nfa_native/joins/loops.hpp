// Out of a lazy segment: an event tries all sets and events that wait, in a nested loop.  The sets of an event are tried
// block by block on columns of numbers, but for blocks whose bounds say enough; where columns cannot tell, one by one on
// words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/probe.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/step.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

using columns::Column;
using ranges::Range;

// What is tried: `event` of a buffer with some of its sets, by the event that has come.
struct Loop {
    uint32_t which;                        // the transition that it may take
    const TransitionSpec* first;           // that of the event which waits
    const TransitionSpec* last;
    const FormulaSpec* formulas;
    const ClosingSpec* closing;
    const SegmentSpec* spec;
    Candidate* candidate;
    Buffer* buffer;
    const word_t* row;                     // of the event which waits
    uint32_t position;
    int64_t time;
    uint32_t from_cell;                    // a cell of the first state, in no index, that takes the set's values
    uint32_t to_cell;                      // and one of the second state
    bool alike;                            // it has one row, and a key: what columns say holds for it
    bool counted;                          // what passes is one result, and nobody wants to know more
};

// A cell of one row that is in no index, for a moment.
static uint32_t lend_cell(StateData* s) {
    uint32_t number = take_cell(s);
    s->cells[number] = {0, 0, 0, 1, 0, s->serial, 0, 0, 0};
    return number;
}

// The cell is that of set number `place` of a buffer.
static void show_set(StateData* s, uint32_t cell, const SetBuffer& sets, size_t place) noexcept {
    word_t* words = s->words.data() + size_t(cell) * s->width;
    for (uint32_t i = 0; i < s->width; ++i) words[i] = sets.columns[i].words[place];
    s->cells[cell].node = sets.nodes[place];
    s->cells[cell].youngest = sets.starts[place];
}

// ── on columns ──

constexpr size_t STACK = MOST_COLUMNS * columns::BLOCK;

// Room for what is computed.
struct LoopRoom {
    double* first;                         // a stack for the first filter that gives a column,
    double* others;                        // and one for all others
    double* verdict;                       // what was asked so far
    double* held;                          // a stack for each column of the second state
};

static LoopRoom loop_room(Scratch* scratch, uint32_t width) {
    scratch->loop.resize(STACK * (width + 2) + columns::BLOCK);
    double* room = scratch->loop.data();
    return {room, room + STACK, room + 2 * STACK, room + 2 * STACK + columns::BLOCK};
}

// The value is that of the event which waits.
static inline bool is_of_event(const Loop& loop, const ValueSpec& value) noexcept {
    if (value.kind == ColumnSource::EITHER) return loop.row[value.row] != UNBOUND;
    return value.kind == ColumnSource::ROW;
}

static inline bool is_of_set(const ValueSpec& value) noexcept {
    return value.kind == ColumnSource::CELL || value.kind == ColumnSource::EITHER;
}

// A word of a row, if there is one.
template <class Value>
Value word_of(const word_t* row, uint32_t width, uint32_t number) noexcept {
    return same_everywhere<Value>(number < width ? number_of(row[number]) : columns::unknown());
}

// A register of the first step: a value of the sets from `place` on, or of the event that waits.
template <class Value>
Value first_register(const Loop& loop, uint32_t number, size_t place) noexcept {
    const std::vector<SetColumn>& sets = loop.buffer->sets.columns;
    if (number < sets.size()) return sets[number].template at<Value>(place);
    return word_of<Value>(loop.row, loop.first->choice.width, number - uint32_t(sets.size()));
}

// What the first step keeps.
template <class Value>
Value held_value(const Loop& loop, const ValueSpec& value, size_t place, double* room) noexcept {
    if (is_of_event(loop, value)) return same_everywhere<Value>(number_of(loop.row[value.row]));
    if (is_of_set(value)) return loop.buffer->sets.columns[value.cell].template at<Value>(place);
    if (value.kind != ColumnSource::PROGRAM) return same_everywhere<Value>(columns::unknown());
    const ColumnCode& code = loop.formulas[value.formula].columns;
    if (code.gives != Columnar::NUMBER) return same_everywhere<Value>(columns::unknown());
    return run_columns<Value>(code, [&](uint32_t number) { return first_register<Value>(loop, number, place); }, room);
}

// A register of the last step: what the first one keeps, or a value of the event that has come.
template <class Value>
Value last_register(const Loop& loop, const LoopRoom& room, uint32_t number, size_t place) noexcept {
    const std::vector<ValueSpec>& held = loop.first->targets[0].values;
    if (number < held.size()) return held_value<Value>(loop, held[number], place, room.held + number * STACK);
    return word_of<Value>(loop.candidate->rows, loop.candidate->width, number - uint32_t(held.size()));
}

static Column certainly(bool holds) noexcept { return columns::constant(holds ? columns::YES : columns::NO, 0, true); }

static Column unsure() noexcept { return columns::constant(columns::UNSURE, 0, true); }

static inline bool agree(word_t a, word_t b) noexcept { return a == b || a == UNBOUND || b == UNBOUND; }

// Whether words of the sets join with another word.
static Column joined(const SetColumn& set, size_t place, word_t other, double* room) noexcept {
    const word_t* words = set.words.data() + place;
    if (other == UNBOUND) return certainly(true);
    for (size_t i = 0; i < columns::BLOCK; ++i) room[i] = agree(words[i], other) ? columns::YES : columns::NO;
    return {room, 0, 1, 0, true};
}

// Whether what the first step keeps joins with a word of the event that has come.
static Column held_joins(const Loop& loop, const ValueSpec& value, word_t other, size_t place, double* room) noexcept {
    if (is_of_event(loop, value)) return certainly(agree(loop.row[value.row], other));
    if (is_of_set(value)) return joined(loop.buffer->sets.columns[value.cell], place, other, room);
    return unsure();
}

// The verdict of a filter of the first step, or of the last one.
template <class Value>
Value filtered(
    const Loop& loop, bool of_last, uint32_t filter, const LoopRoom& room, size_t place, double* free
) noexcept {
    const ColumnCode& code = loop.formulas[filter].columns;
    if (code.gives != Columnar::VERDICT) return same_everywhere<Value>(unsure());
    auto first = [&](uint32_t number) { return first_register<Value>(loop, number, place); };
    auto last = [&](uint32_t number) { return last_register<Value>(loop, room, number, place); };
    return of_last ? run_columns<Value>(code, last, free) : run_columns<Value>(code, first, free);
}

// Whether none of the sets of a block, or of the whole buffer, can pass, for what their values lie between.
static bool is_ruled_out(const Loop& loop, const LoopRoom& room, size_t place) noexcept {
    auto refuses = [&](bool of_last, uint32_t filter) {
        return ranges::is_refused(filtered<Range>(loop, of_last, filter, room, place, room.first));
    };
    for (uint32_t filter : loop.last->step.filters)
        if (loop.alike && refuses(true, filter)) return true;
    for (uint32_t filter : loop.first->step.filters)
        if (refuses(false, filter)) return true;
    return false;
}

// What is asked of the sets of a block: all joins and filters of both steps; no more than one that refuses all.
static Column judge_block(const Loop& loop, const LoopRoom& room, size_t place) noexcept {
    const std::vector<ValueSpec>& held = loop.first->targets[0].values;
    Column all = loop.alike ? certainly(true) : unsure();
    auto free = [&] { return all.each == nullptr ? room.first : room.others; };
    auto ask = [&](const Column& one) {
        all = columns::is_certain(all) ? one : columns::all_of(all, one, room.verdict);
        return columns::is_refused(all);
    };
    for (uint32_t filter : loop.last->step.filters)
        if (loop.alike && ask(filtered<Column>(loop, true, filter, room, place, free()))) return all;
    for (const Join& join : loop.closing->joins) {
        word_t other = loop.candidate->rows[join.row];
        if (loop.alike && ask(held_joins(loop, held[join.cell], other, place, free()))) return all;
    }
    for (const Join& join : loop.spec->joins)
        if (ask(joined(loop.buffer->sets.columns[join.cell], place, loop.row[join.row], free()))) return all;
    for (uint32_t filter : loop.first->step.filters)
        if (ask(filtered<Column>(loop, false, filter, room, place, free()))) return all;
    return all;
}

// ── one by one ──

// The first step of one set and the event that waits, as it would have been made: whether it could be.
static bool make_step(Kernel* k, const Loop& loop, size_t place, bool certain) {
    StateData* from = &k->now.states[loop.spec->source];
    StateData* to = &k->now.states[loop.spec->state];
    const StepSpec& step = loop.first->step;
    const TargetSpec& target = loop.first->targets[0];
    show_set(from, loop.from_cell, loop.buffer->sets, place);
    const word_t* set = from->words.data() + size_t(loop.from_cell) * from->width;
    if (!certain) {
        if (!compatible(&step, set, loop.row)) return false;
        load_registers(&k->scratch, set, from->width, loop.row, loop.first->choice.width);
        if (!all_hold(k, &step.filters, from->width + loop.first->choice.width + 1, loop.time)) return false;
    }
    std::vector<word_t>& row = k->scratch.arriving;
    row.clear();
    values_of(k, &target.values, set, from->width, loop.row, loop.first->choice.width, loop.time, &row);
    std::copy(row.begin(), row.end(), to->words.begin() + ptrdiff_t(size_t(loop.to_cell) * to->width));
    return true;
}

// The set of the second state that a set and the event which waits come to.
static void join_set(Kernel* k, const Loop& loop, size_t place) {
    Cell* cell = &k->now.states[loop.spec->state].cells[loop.to_cell];
    const SetBuffer& sets = loop.buffer->sets;
    cell->youngest = sets.starts[place];
    cell->node = extend(k, &loop.position, 1, loop.first->label, sets.nodes[place], sets.starts[place], 0);
}

// Take the last step out of the cell with the pairs that stand ready; a node that nobody keeps is given back.
static void take_pairs(Kernel* k, const Loop& loop, size_t place) {
    size_t staged = k->now.staged.size(), postponed = k->pause.postponed.size();
    uint32_t head = k->now.ring.head;
    join_set(k, loop, place);
    advance_cells(k, loop.which, loop.candidate);
    if (k->now.staged.size() == staged && k->pause.postponed.size() == postponed && !k->pause.suspended)
        k->now.ring.head = head;
}

// Try a set of which columns could not tell.
static bool try_set(Kernel* k, const Loop& loop, size_t place) {
    StateData* to = &k->now.states[loop.spec->state];
    if (!make_step(k, loop, place, false)) return false;
    k->scratch.pairs.clear();
    pair_rows(&k->scratch, to, loop.to_cell, &loop.last->step, loop.candidate);
    if (!k->scratch.pairs.empty()) filter_pairs(k, to, &loop.last->step.filters, loop.candidate, k->now.tick);
    if (k->scratch.pairs.empty()) return false;
    take_pairs(k, loop, place);
    return true;
}

// Take a set that passes.
static void take_set(Kernel* k, const Loop& loop, size_t place) {
    if (loop.counted) {
        ++k->results.count;
        return;
    }
    make_step(k, loop, place, true);
    k->scratch.pairs.assign(1, {0, 0, loop.to_cell});
    take_pairs(k, loop, place);
}

// ── the loop ──

// The event that waits with the sets of a block, those at `begin` to before `end`; how many pass.
static uint64_t loop_block(Kernel* k, const Loop& loop, const LoopRoom& room, size_t begin, size_t end) {
    const SetBuffer& sets = loop.buffer->sets;
    size_t place = begin / columns::BLOCK * columns::BLOCK;
    uint64_t passed = 0;
    if (is_ruled_out(loop, room, place)) return 0;
    Column verdict = judge_block(loop, room, place);
    for (size_t i = begin - place; (i = columns::next_passing(verdict, i, end - place)) < end - place; ++i) {
        if (older(sets.starts[place + i], loop.candidate->lo)) continue;
        if (columns::verdict_at(verdict, i) == columns::YES) take_set(k, loop, place + i), ++passed;
        else passed += try_set(k, loop, place + i);
    }
    return passed;
}

// The event that waits with its sets up to number `end`; how many pass.
static uint64_t loop_sets(Kernel* k, const Loop& loop, const LoopRoom& room, size_t end) {
    uint64_t passed = 0;
    if (is_ruled_out(loop, room, WHOLE_BUFFER)) return 0;
    for (size_t begin = loop.buffer->sets.dead, next; begin < end; begin = next) {
        next = std::min(end, (begin / columns::BLOCK + 1) * columns::BLOCK);
        passed += loop_block(k, loop, room, begin, next);
    }
    return passed;
}

// All that waits in a buffer; how much passes.
static uint64_t loop_buffer(Kernel* k, Loop* loop, const LoopRoom& room) {
    Segment& segment = k->now.segments[loop->last->closes];
    pass_buffer(&segment, loop->buffer, k->now.lo);
    const EventBuffer& events = loop->buffer->events;
    uint64_t passed = 0;
    for (size_t i = events.dead; i < events.positions.size() && older(events.positions[i], k->now.tick_first); ++i) {
        size_t end = size_t(events.seen[i] - loop->buffer->sets.base);
        loop->position = events.positions[i];
        loop->time = event_at(&k->now, loop->position)->time;
        loop->row = events.words.data() + i * loop->first->choice.width;
        passed += loop_sets(k, *loop, room, end);
        segment.costs.looped += end - loop->buffer->sets.dead;
        k->scratch.scanned += (end - loop->buffer->sets.dead) / 16 + 1;  // as long as that takes
    }
    return passed;
}

// Whether what passes is one result and is only counted.
static bool is_only_counted(const Kernel* k, const Loop& loop) noexcept {
    bool ends = loop.last->targets.size() == 1 && loop.last->targets[0].finishes;
    return loop.spec->single && ends && k->count_only && is_counted(k);
}

// Try all that waits in the segment that the transition leads out of; whether something passes.
static bool close_segment(Kernel* k, uint32_t which, Candidate* candidate) {
    const TransitionSpec* last = &k->program->transitions[which];
    Segment& segment = k->now.segments[last->closes];
    const SegmentSpec& spec = k->program->segments[last->closes];
    const ClosingSpec& closing = spec.closing[last->closing];
    uint64_t hash = hash_key(candidate->rows, closing.key.data(), closing.key.size());
    Buffer* only = nullptr;
    Loop loop{};
    loop.alike = candidate->count == 1 && hash != WILD;
    if (loop.alike && (only = find_buffer(&segment, hash, candidate->rows, closing.key)) == nullptr) return false;
    loop.which = which;
    loop.first = &k->program->transitions[spec.transition];
    loop.last = last;
    loop.closing = &closing;
    loop.spec = &spec;
    loop.formulas = k->program->formulas.data();
    loop.candidate = candidate;
    loop.counted = is_only_counted(k, loop);
    loop.from_cell = lend_cell(&k->now.states[spec.source]);
    loop.to_cell = lend_cell(&k->now.states[spec.state]);
    LoopRoom room = loop_room(&k->scratch, k->now.states[spec.state].width);
    uint64_t passed = 0;
    for (Buffer& buffer : segment.buffers) {
        loop.buffer = only == nullptr ? &buffer : only;
        passed += loop_buffer(k, &loop, room);
        if (only != nullptr) break;
    }
    free_cell(&k->now.states[spec.source], loop.from_cell);
    free_cell(&k->now.states[spec.state], loop.to_cell);
    if (!loop.counted) segment.costs.passed += passed;
    return passed != 0;
}

// Let an event that cannot wait take the first step out of all sets that wait; whether it takes one.
static bool leave_buffers(Kernel* k, uint32_t which, Candidate* candidate) {
    const TransitionSpec* transition = &k->program->transitions[which];
    StateData* from = &k->now.states[transition->source];
    uint32_t cell = lend_cell(from);
    bool fired = false;
    for (Buffer& buffer : k->now.segments[transition->keeps].buffers) {
        for (size_t i = buffer.sets.dead; i < buffer.sets.size(); ++i) {
            if (older(buffer.sets.starts[i], candidate->lo)) continue;
            show_set(from, cell, buffer.sets, i);
            k->scratch.pairs.clear();
            pair_rows(&k->scratch, from, cell, &transition->step, candidate);
            if (!k->scratch.pairs.empty()) filter_pairs(k, from, &transition->step.filters, candidate, k->now.tick);
            if (k->scratch.pairs.empty()) continue;
            advance_cells(k, which, candidate);
            fired = true;
        }
    }
    free_cell(from, cell);
    return fired;
}

// Keep an event, or try it with what waits now.
static bool keep_or_leave(Kernel* k, uint32_t which, Candidate* candidate) {
    const TransitionSpec* transition = &k->program->transitions[which];
    Segment* segment = &k->now.segments[transition->keeps];
    const SegmentSpec& spec = k->program->segments[transition->keeps];
    uint64_t hash = hash_key(candidate->rows, spec.row.data(), spec.row.size());
    if (candidate->count > 1 || hash == WILD) return leave_buffers(k, which, candidate);
    return keep_event(k, segment, spec, candidate, hash);
}

// What of a step concerns a lazy segment; whether it is made, or waits.
static bool fire_segment(Kernel* k, uint32_t which, Candidate* candidate) {
    const TransitionSpec* transition = &k->program->transitions[which];
    bool fired = false;
    if (transition->keeps != NO_SEGMENT) {
        Segment& segment = k->now.segments[transition->keeps];
        ++segment.costs.arrivals;
        if (segment.waiting) fired = keep_or_leave(k, which, candidate);
    }
    if (transition->closes != NO_SEGMENT) {
        Segment& segment = k->now.segments[transition->closes];
        ++segment.costs.closings;
        if (segment.waiting && close_segment(k, which, candidate)) fired = true;
    }
    return fired;
}

}  // namespace spaseq::joins
