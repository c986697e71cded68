// The step of automata with registers where what enters is gathered first, from the old cells, and settles then.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/choice.hpp"
#include "nfa_native/events/correlate.hpp"

namespace spaseq::events {

// ── what enters, from the old cells ──

// What enters a state: in `entering`, or with the groups that it goes to, which are `touched`.
static void gather_arrivals(
    Recognition* r, uint32_t state, uint32_t partition, int64_t local, int64_t start, int64_t least
) {
    Correlating* c = r->correlating;
    const CellSpec* cell = &c->cells[state];
    bool begins = r->program.entries[state].initial && start != NEVER;
    Head before, one;
    for (uint32_t i = 0; i < cell->transitions; ++i) {
        if (c->waiting.specs.empty()) follow(r, cell->first_transition + i, state, partition, local, least, &before);
        else follow_or_wait(r, cell->first_transition + i, state, partition, local, least, &before);
        if (r->scratch.is_full || r->scratch.is_stopped) return;
    }
    if (cell->kind == RegisterCells::MERGED) {
        if (begins) begin_group(r, state, partition, start, least);
    } else if (cell->kind == RegisterCells::APART) {
        assert(!begins);
    } else if (has_room(r)) {
        one = arrive(r, state, before, begins ? start : NEVER);
        if (one.node != NO_NODE) note_arrival(r, begins);
    }
    r->scratch.entering.push_back({one, state});
    c->touched_ends.push_back(c->touched.size());
}

// What enters now is what entered last.
static void start_recent(Recognition* r, uint32_t state, uint32_t partition, int64_t local, bool has_some) noexcept {
    if (!has_some || !r->program.entries[state].waits_next) return;
    Recent* recent = &r->correlating->recents[partition * r->program.width + state];
    recent->local = local;
    recent->registers.clear();
    recent->youngest.clear();
    recent->nodes.clear();
}

// A set is about to join what a group was, if it was something.
[[gnu::noinline]] static void note_joined(
    Recognition* r, uint32_t state, GroupList* list, size_t place, const Head& group, const Head& one
) {
    float load = group.node == NO_NODE ? 0 : load_of_group(list, place);
    set_load(list, place, left_of_load(*r->shedding, load, group.youngest, one.youngest) + one.load);
    if (group.node == NO_NODE) note_group(r, state, list->record(place) + 1, one);
    else note_younger(r, state, list->record(place) + 1, group.youngest, std::max(group.youngest, one.youngest));
}

// What entered becomes one with the group.
static void settle_merged(
    Recognition* r, const Touched* touched, uint32_t state, uint32_t partition, int64_t start, int64_t least
) {
    GroupList* list = list_at(r->correlating, touched->list);
    size_t place = size_t(touched->number - list->base);
    int64_t* record = record_of(list, place);
    if (!has_room(r)) return;
    Head one = arrive(r, state, list->arriving[place], touched->begins ? start : NEVER);
    list->arriving[place] = Head{};
    end_with(r, &r->program.entries[state], &one, least);
    note_recent(r, state, partition, record + 1, one.node, one.youngest);
    if (!r->program.entries[state].waits) return;
    Head head{*record, list->nodes[place]};
    if (is_over(&r->program, head.youngest, least)) head.node = NO_NODE;
    if (r->shedding) note_joined(r, state, list, place, head, one);
    unite(&r->state, &head, one.node, one.youngest);
    list->nodes[place] = head.node;
    *record = head.youngest;
    list->is_ordered = false;
    rejuvenate_zones(list, place);
}

// ── what entered, to the new cells ──
static void settle_arrivals(
    Recognition* r, size_t i, uint32_t state, uint32_t partition, int64_t local, int64_t start, int64_t least
) {
    Correlating* c = r->correlating;
    RegisterCells kind = c->cells[state].kind;
    const Head* one = &r->scratch.entering[i].set;
    size_t first = i ? c->touched_ends[i - 1] : 0;
    if (kind == RegisterCells::MERGED) {
        start_recent(r, state, partition, local, c->touched_ends[i] > first);
        for (size_t number = first; number < c->touched_ends[i]; ++number)
            settle_merged(r, &c->touched[number], state, partition, start, least);
    } else if (kind == RegisterCells::APART) {
        for (size_t number = first; number < c->touched_ends[i]; ++number)
            settle_apart(r, c->touched[number].list, state);
    } else if (one->node == NO_NODE || !has_room(r)) {
        return;
    } else if (kind == RegisterCells::HEAD) {
        complete_entry(r, r->program.entries.data() + state, one, partition, local, least);
    } else {
        start_recent(r, state, partition, local, true);
        settle_group(r, one, state, partition, least);
    }
}

// As `take_symbol`: the event at `position`, number `at` of its batch; whether matches end with it.
static bool take_correlated(
    Recognition* r, uint32_t symbol, uint32_t partition, int64_t local, int64_t start, int64_t least
) {
    Correlating* c = r->correlating;
    const SymbolSpec* spec = r->program.symbols.data() + symbol;
    const EnteredState* entered = r->program.entered.data() + spec->begin;
    size_t count = spec->end - spec->begin;
    reclaim_listed(r, least);
    if (spec->swift) return take_swiftly(r, spec, partition, start, least);
    make_much_room(r, start, least);
    c->touched.clear();
    c->touched_ends.clear();
    r->scratch.entering.clear();
    for (size_t i = 0; i < count; ++i) {
        gather_arrivals(r, entered[i].state, partition, local, start, least);
        if (r->scratch.is_full || r->scratch.is_stopped) {
            forget_entering(c);
            return false;
        }
    }
    for (size_t i = 0; i < count; ++i) settle_arrivals(r, i, entered[i].state, partition, local, start, least);
    for (const Touched& touched : c->touched) close_up(r, touched.list, least);
    r->state.attention = r->state.ring.head;  // there may be more nodes now than it was asked for
    return !r->scratch.endings.empty();
}

}  // namespace spaseq::events
