// Out of a step that waits: an event tries all sets with all events that wait for them.  The sets of an event are tried
// block by block on columns of numbers; where these cannot tell, one by one, as registers and questions have it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/columnar.hpp"
#include "nfa_native/events/correlate.hpp"
#include "nfa_native/events/wait.hpp"

namespace spaseq::events {

constexpr uint64_t PAIRS_BETWEEN_SIGNALS = 1 << 24;

// What is tried: an event that waits with some of the sets that it has seen, by the event under way.
struct NestedLoop {
    Recognition* r;
    const SegmentSpec* spec;
    const ClosingSpec* closing;
    GroupList* sets;
    WaitingEvents* waiting;
    uint32_t number;                       // the transition that the event under way takes
    int64_t least;
    Head* before;                          // what passes is united here
    size_t event;                          // the one that waits
    const int64_t* row;                    // its values that conditions read,
    const int64_t* bounds;                 // those that guards of sets are compared with,
    const int64_t* registers;              // and those that it keeps
    bool counts;                           // what passes is one result, which is only counted
    uint64_t counted;
};

static inline bool test_guard(const SetGuard& guard, const int64_t* registers, const int64_t* bounds) noexcept {
    return passes(registers[guard.register_], guard.test, bounds[guard.bound]);
}

// ── on columns ──

static Column load_column(const NestedLoop& loop, const ColumnLoad& load, const conditions::Step& step, size_t place)
    noexcept {
    const Correlating* c = loop.r->correlating;
    if (load.owner == ValueOwner::SET) {
        size_t shift = size_t(loop.sets->base + int64_t(place) - loop.waiting->first);
        return loop.waiting->columns[load.place].block(shift);
    }
    const int64_t* row = load.owner == ValueOwner::WAITING ? loop.row : c->own.data();
    return step.operation == kinds::Opcode::LOAD_TRUTH ? verdict_of(row[load.place])
        : number_column(step.operation, row[load.place]);
}

static Column condition_verdict(const NestedLoop& loop, const ColumnCondition& asked, size_t place, double* room)
    noexcept {
    const Correlating* c = loop.r->correlating;
    const Condition& condition = c->conditions[asked.number];
    auto load = [&](size_t number) {
        return load_column(loop, asked.loads[number], condition.steps()[number], place);
    };
    return run_columns(condition, c->constants, load, room);
}

// Whether the guards hold for the sets from a place on.
static Column guards_verdict(
    const NestedLoop& loop, const std::vector<SetGuard>& guards, const int64_t* bounds, size_t place, size_t count,
    double* room
) noexcept {
    for (size_t i = 0; i < columns::BLOCK; ++i) {
        bool passes_all = i < count;
        for (const SetGuard& guard : guards)
            passes_all = passes_all && test_guard(guard, loop.sets->record(place + i) + 1, bounds);
        room[i] = passes_all ? columns::YES : columns::NO;
    }
    return {room, 0, 1, 0, true};
}

// What the guards and questions say of a block of sets.
static Column judge_sets(const NestedLoop& loop, size_t place, size_t count) noexcept {
    Correlating* c = loop.r->correlating;
    double* verdict = c->waiting.room.data();
    double* room = verdict + columns::BLOCK;
    Column all = columns::constant(loop.closing->columnar ? columns::YES : columns::UNSURE, 0, true);
    auto ask = [&](const Column& one) {
        all = columns::all_of(all, one, verdict);
        return columns::is_refused(all);
    };
    if (!loop.spec->guards.empty()
        && ask(guards_verdict(loop, loop.spec->guards, loop.bounds, place, count, room))) return all;
    if (!loop.closing->of_sets.empty()
        && ask(guards_verdict(loop, loop.closing->of_sets, c->bounds.data(), place, count, room))) return all;
    for (const ColumnCondition& condition : loop.closing->conditions)
        if (ask(condition_verdict(loop, condition, place, room))) return all;
    return all;
}

// ── one by one ──

// Into `registers`: those of the group that the step would have made.
static void make_registers(const NestedLoop& loop, const int64_t* set) noexcept {
    Correlating* c = loop.r->correlating;
    const TransitionSpec& step = c->transitions[loop.spec->transition];
    for (size_t i = 0; i < loop.spec->held.size(); ++i) {
        const HeldValue& held = loop.spec->held[i];
        int64_t value = held.owner == ValueOwner::SET ? set[held.register_] : loop.registers[i];
        if (held.computed) value = computed_with(c, &c->updates[step.first_update + i], set, loop.row);
        c->waiting.registers[i] = value;
    }
}

// Whether the step can be made with a set, and then the one that the event under way takes.
static bool try_set(const NestedLoop& loop, size_t place) {
    Correlating* c = loop.r->correlating;
    const TransitionSpec* last = &c->transitions[loop.number];
    const int64_t* set = loop.sets->record(place) + 1;
    for (const SetGuard& guard : loop.spec->guards)
        if (!test_guard(guard, set, loop.bounds)) return false;
    make_registers(loop, set);
    const GuardSpec* guards = c->guards.data() + last->first_guard;
    if (!pass_all(c->waiting.registers.data(), guards, last->guards, c->bounds.data())) return false;
    c->candidates.assign(1, 0);
    ask_all(loop.r, last, c->waiting.registers.data(), c->waiting.registers.size());
    return !c->candidates.empty();
}

// A set that passes goes on, with the event that waits and the one under way.
static void take_set(NestedLoop* loop, size_t place) {
    Recognition* r = loop->r;
    if (loop->counts) {
        ++loop->counted;
        return;
    }
    if (!has_room(r)) return;
    int64_t youngest = youngest_in(loop->sets, place);
    const Listed& event = r->correlating->listed[size_t(loop->waiting->listed[loop->event] - r->correlating->listed_base)];
    uint32_t node = add_node(&r->state, loop->spec->state, uint32_t(event.position), loop->sets->nodes[place], NO_NODE,
        youngest);
    ++loop->counted;
    unite(&r->state, loop->before, node, youngest);
}

// ── the loop ──

// How many of the first places of a verdict are certain to pass; -1: it is unsure of one.
static inline int64_t certain_passes(const Column& verdict, size_t count) noexcept {
    if (verdict.each == nullptr) return verdict.one == columns::YES ? int64_t(count) : -1;
    int64_t passing = 0, unsure = 0;
    for (size_t i = 0; i < count; ++i) {
        passing += verdict.each[i] == columns::YES;
        unsure += verdict.each[i] == columns::UNSURE;
    }
    return unsure ? -1 : passing;
}

// The sets of a block, of which columns cannot refuse all.
static void take_block(NestedLoop* loop, const Column& verdict, size_t place, size_t count) {
    Recognition* r = loop->r;
    int64_t certain = loop->counts && loop->sets->is_ordered ? certain_passes(verdict, count) : -1;
    if (certain >= 0) {
        loop->counted += uint64_t(certain);
        return;
    }
    for (size_t i = 0; (i = columns::next_passing(verdict, i, count)) < count; ++i) {
        if (r->scratch.is_full || r->scratch.is_stopped) return;
        if (youngest_in(loop->sets, place + i) < loop->least) continue;
        if (columns::verdict_at(verdict, i) == columns::YES || try_set(*loop, place + i)) take_set(loop, place + i);
    }
}

// The event that waits with its sets from place `first` on; as how many that counts, for blocks are whole.
static uint64_t loop_sets(NestedLoop* loop, size_t first) {
    const Correlating* c = loop->r->correlating;
    int64_t seen = loop->waiting->seen[loop->event] - loop->sets->base;
    if (seen <= int64_t(first)) return 0;
    for (const SetGuard& guard : loop->closing->of_event)
        if (!test_guard(guard, loop->registers, c->bounds.data())) return 0;
    for (size_t place = first; place < size_t(seen); place += columns::BLOCK) {
        size_t count = std::min(size_t(seen) - place, columns::BLOCK);
        Column verdict = judge_sets(*loop, place, count);
        if (!columns::is_refused(verdict)) take_block(loop, verdict, place, count);
    }
    return (uint64_t(seen) - first + columns::BLOCK - 1) / columns::BLOCK * columns::BLOCK;
}

static void show_event(NestedLoop* loop, size_t event) noexcept {
    const Correlating* c = loop->r->correlating;
    const int64_t* values = loop->waiting->values.data() + event * values_each(*loop->spec);
    loop->event = event;
    loop->row = c->remembered.data() + size_t(loop->waiting->listed[event] - c->listed_base) * c->own.size();
    loop->bounds = values;
    loop->registers = values + loop->spec->guards.size();
}

// Where sets begin that are in the window, as far as their order tells.
static size_t first_living(const GroupList* list, int64_t least) noexcept {
    size_t first = list->first, end = list->count;
    if (!list->is_ordered) return first;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (youngest_in(list, middle) < least) first = middle + 1;
        else end = middle;
    }
    return first;
}

// All events that wait, but for the one under way.
static uint64_t loop_events(NestedLoop* loop) {
    Recognition* r = loop->r;
    Correlating* c = r->correlating;
    size_t first = first_living(loop->sets, loop->least);
    uint64_t looped = 0, told = 0;
    for (size_t i = loop->waiting->dead; i < loop->waiting->size(); ++i) {
        if (c->listed[size_t(loop->waiting->listed[i] - c->listed_base)].position == r->state.position) break;
        show_event(loop, i);
        looped += loop_sets(loop, first);
        if (looped - told > PAIRS_BETWEEN_SIGNALS) {
            told = looped;
            if (r->owner->is_interrupted(r)) break;
        }
        if (r->scratch.is_full || r->scratch.is_stopped) break;
    }
    return looped;
}

// Try all that waits in a segment that the transition leads out of.
static void close_segment(
    Recognition* r, const WaitingRole& role, uint32_t number, uint32_t partition, int64_t least, Head* before
) {
    Correlating* c = r->correlating;
    WaitingSegment* segment = &c->waiting.segments[role.closes];
    const SegmentSpec& spec = c->waiting.specs[role.closes];
    uint32_t list = list_of_sets(r, spec, partition);
    if (list == NO_LIST || list >= segment->by_list.size()) return;
    WaitingEvents* waiting = &segment->by_list[list];
    trim_waiting(c, spec, waiting);
    if (waiting->dead == waiting->size()) return;
    drop_front(list_at(c, list), least);
    know_sets(c, spec, waiting, list_at(c, list));
    read_own(c);
    read_bounds(c, &c->transitions[number]);
    NestedLoop loop{};
    loop.r = r;
    loop.spec = &spec;
    loop.closing = &spec.closings[role.closing];
    loop.sets = list_at(c, list);
    loop.waiting = waiting;
    loop.number = number;
    loop.least = std::max(least, NEVER + 1);
    loop.before = before;
    loop.counts = r->scratch.counts && loop.closing->counted;
    segment->costs.looped += loop_events(&loop);
    if (loop.counts) r->scratch.counted += loop.counted;
    else segment->costs.passed += loop.counted;
}

}  // namespace spaseq::events
