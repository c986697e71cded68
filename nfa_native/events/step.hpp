// The step: a symbol enters states, from whatever may come before them.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/compact.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

// What waits in `source` enters with an event; a node is written in any case, and counts if it is not over: True.
static inline bool enter_plainly(
    AgingRing<MatchNode>* ring, uint32_t state, uint32_t pos, const Head* source, Head* head, int64_t least
) noexcept {
    bool lives = source->youngest >= least;
    assert(!lives || source->youngest >= head->youngest);
    uint32_t sibling = head->youngest >= least ? head->node : NO_NODE;
    *ring->at(ring->head) = {source->youngest, pos, source->node, sibling, state};
    head->node = lives ? ring->head : head->node;
    head->youngest = lives ? source->youngest : head->youngest;
    ring->head += lives;
    return lives;
}

// Add another set; the one with the youngest start comes first.
static inline void unite_plainly(AgingRing<MatchNode>* ring, Head* set, const Head* other, int64_t least) noexcept {
    bool is_younger = other->youngest > set->youngest;
    uint32_t younger = is_younger ? other->node : set->node;
    uint32_t older = is_younger ? set->node : other->node;
    int64_t youngest = std::max(other->youngest, set->youngest);
    bool are_two = std::min(other->youngest, set->youngest) >= least;
    *ring->at(ring->head) = {youngest, 0, younger, older, UNION};
    *set = {youngest, are_two ? ring->head : younger};
    ring->head += are_two;
}

// What may enter a state.
static inline Head before_entry(Recognition* r, const EnteredState* one, const Head* heads, int64_t least) noexcept {
    const uint32_t* sources = r->program.sources.data();
    Head before = heads[sources[one->first]];
    for (uint32_t i = one->first + 1, i_end = one->end; i < i_end; ++i)
        unite_plainly(&r->state.ring, &before, heads + sources[i], least);
    return before;
}

// Matches that end with the event wait in `endings`, if there are any.
static inline bool end_plainly(Recognition* r, uint32_t state, const Head* before, int64_t least) {
    Head alone;
    bool ends = enter_plainly(&r->state.ring, state, uint32_t(r->state.position), before, &alone, least);
    if (ends) r->scratch.endings.push_back({least, alone.node});
    return ends;
}

// As `take_symbol`.
static inline bool take_plainly(Recognition* r, const SymbolSpec* symbol, Head* heads, int64_t start, int64_t least) {
    AgingRing<MatchNode>* ring = &r->state.ring;
    const EnteredState* entered = r->program.entered.data();
    uint32_t pos = uint32_t(r->state.position);
    bool ends = false;
    for (uint32_t i = symbol->begin; i < symbol->finals; ++i) {
        Head before = before_entry(r, entered + i, heads, least);
        ends |= end_plainly(r, entered[i].state, &before, least);
    }
    for (uint32_t i = symbol->finals; i < symbol->begins; ++i) {
        Head before = before_entry(r, entered + i, heads, least);
        enter_plainly(ring, entered[i].state, pos, &before, heads + entered[i].state, least);
    }
    const Head nothing{start, NO_NODE};
    for (uint32_t i = symbol->begins; i < symbol->end; ++i)
        enter_plainly(ring, entered[i].state, pos, &nothing, heads + entered[i].state, least);
    return ends;
}

// The partial matches that enter a state with the event.
static Head enter(
    Recognition* r, const EntrySpec* entry, const Head* heads, const LastEntry* last, int64_t local, int64_t start,
    int64_t least
) noexcept {
    const uint32_t* source = r->program.sources.data() + entry->first;
    uint32_t pos = uint32_t(r->state.position);
    Head before, after;
    for (uint32_t i = 0; i < entry->after; ++i) {
        const Head& one = heads[source[i]];
        if (one.node != NO_NODE && !is_over(&r->program, one.youngest, least))
            unite(&r->state, &before, one.node, one.youngest);
    }
    source += entry->after;
    for (uint32_t i = 0; i < entry->directly; ++i) {
        const LastEntry& one = last[source[i]];
        if (one.node != NO_NODE && one.local == local - 1 && !is_over(&r->program, one.youngest, least))
            unite(&r->state, &before, one.node, one.youngest);
    }
    if (before.node != NO_NODE) {
        uint32_t node = add_node(&r->state, entry->state, pos, before.node, NO_NODE, before.youngest);
        after = {before.youngest, node};
    }
    if (entry->initial && start != NEVER)
        unite(&r->state, &after, add_node(&r->state, entry->state, pos, NO_NODE, NO_NODE, start), start);
    return after;
}

// What entered a state is one with what was there.
static void settle(
    Recognition* r, const EntrySpec* entry, Head* head, LastEntry* last, const Head* one, int64_t local, int64_t least
) noexcept {
    MatchNode* node = match_node(&r->state, one->node);
    if (entry->waits_next) *last = {one->youngest, local, one->node};
    if (!entry->waits) return;
    if (head->node == NO_NODE || is_over(&r->program, head->youngest, least)) {
        *head = *one;
    } else if (entry->waits_next || entry->final || node->state == UNION || one->youngest < head->youngest) {
        unite(&r->state, head, one->node, one->youngest);  // the node must stay alone
    } else {
        node->sibling = head->node;
        *head = *one;
    }
}

// If the state is final, its matches wait in `endings`.
static inline void end_with(Recognition* r, const EntrySpec* entry, const Head* one, int64_t least) {
    if (entry->final && one->youngest >= least) r->scratch.endings.push_back({least, one->node});
}

// The same, and the load of what is there then.
[[gnu::noinline]] static void settle_loaded(
    Recognition* r, const EntrySpec* entry, size_t place, const Head* one, int64_t local, int64_t least
) noexcept {
    Head* head = r->state.heads.data() + place;
    float load = left_of_load(*r->shedding, head->load, head->youngest, one->youngest);
    settle(r, entry, head, r->state.last.data() + place, one, local, least);
    if (entry->waits) head->load = load + one->load;
}

// What entered a state settles there; matches that end wait in `endings`.
static inline void complete_entry(
    Recognition* r, const EntrySpec* entry, const Head* one, uint32_t partition, int64_t local, int64_t least
) {
    size_t place = size_t(partition) * r->program.width + entry->state;
    end_with(r, entry, one, least);
    if (r->shedding) settle_loaded(r, entry, place, one, local, least);
    else settle(r, entry, r->state.heads.data() + place, r->state.last.data() + place, one, local, least);
}

// The event at `position` matched the atoms of `symbol`; there is room for its nodes.  Whether matches end with it.
static inline bool enter_symbol(
    Recognition* r, uint32_t symbol, uint32_t partition, int64_t local, int64_t start, int64_t least
) {
    const SymbolSpec* spec = r->program.symbols.data() + symbol;
    Head* heads = r->state.heads.data() + size_t(partition) * r->program.width;
    const LastEntry* last = r->state.last.data() + size_t(partition) * r->program.width;
    if (spec->plain) return take_plainly(r, spec, heads, start, std::max(least, NEVER + 1));
    r->scratch.entering.clear();
    for (size_t i = spec->begin; i < spec->end; ++i) {
        uint32_t state = r->program.entered[i].state;
        const EntrySpec* entry = r->program.entries.data() + state;
        Head one = enter(r, entry, heads, last, local, start, least);
        if (one.node == NO_NODE) continue;
        if (spec->in_order) complete_entry(r, entry, &one, partition, local, least);
        else r->scratch.entering.push_back({one, state});
    }
    for (const Entering& one : r->scratch.entering)
        complete_entry(r, r->program.entries.data() + one.entry, &one.set, partition, local, least);
    return !r->scratch.endings.empty();
}

// The same, and room is made.
static bool take_symbol(
    Recognition* r, uint32_t symbol, uint32_t partition, int64_t local, int64_t start, int64_t least
) {
    make_room(r, start, least, r->program.most_nodes);
    return !r->scratch.is_full && enter_symbol(r, symbol, partition, local, start, least);
}

}  // namespace spaseq::events
