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
    MatchNode* node = ring->at(ring->head);
    bool lives = source->youngest >= least;
    assert(!lives || source->youngest >= head->youngest);
    node->youngest = source->youngest;
    node->pos = pos;
    node->next = source->node;
    node->sibling = head->youngest >= least ? head->node : NO_NODE;
    node->state = state;
    head->node = lives ? ring->head : head->node;
    head->youngest = lives ? source->youngest : head->youngest;
    ring->head += lives;
    return lives;
}

// Add another set; the one with the youngest start comes first.
static inline void unite_plainly(AgingRing<MatchNode>* ring, Head* set, const Head* other, int64_t least) noexcept {
    MatchNode* node = ring->at(ring->head);
    bool is_younger = other->youngest > set->youngest;
    uint32_t younger = is_younger ? other->node : set->node;
    uint32_t older = is_younger ? set->node : other->node;
    bool are_two = std::min(other->youngest, set->youngest) >= least;
    node->youngest = std::max(other->youngest, set->youngest);
    node->pos = 0;
    node->next = younger;
    node->sibling = older;
    node->state = UNION;
    set->node = are_two ? ring->head : younger;
    set->youngest = node->youngest;
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
    Ending ending;
    alone.node = NO_NODE;
    alone.youngest = NEVER;
    if (enter_plainly(&r->state.ring, state, uint32_t(r->state.position), before, &alone, least)) {
        ending.least = least;
        ending.node = alone.node;
        r->scratch.endings.push_back(ending);
        return true;
    }
    return false;
}

// As `take_symbol`.
static inline bool take_plainly(Recognition* r, const SymbolSpec* symbol, Head* heads, int64_t start, int64_t least) {
    const EnteredState* entered = r->program.entered.data();
    bool ends = false;
    Head before;
    for (uint32_t i = symbol->begin, i_end = symbol->finals; i < i_end; ++i) {
        before = before_entry(r, entered + i, heads, least);
        ends |= end_plainly(r, entered[i].state, &before, least);
    }
    for (uint32_t i = symbol->finals, i_end = symbol->begins; i < i_end; ++i) {
        before = before_entry(r, entered + i, heads, least);
        enter_plainly(&r->state.ring, entered[i].state, uint32_t(r->state.position), &before, heads + entered[i].state,
            least);
    }
    before.node = NO_NODE;
    before.youngest = start;
    for (uint32_t i = symbol->begins, i_end = symbol->end; i < i_end; ++i) {
        enter_plainly(&r->state.ring, entered[i].state, uint32_t(r->state.position), &before, heads + entered[i].state,
            least);
    }
    return ends;
}

// The partial matches that enter a state with the event; node NO_NODE: none.
static void enter(
    Recognition* r, const EntrySpec* entry, const Head* heads, const LastEntry* last, uint32_t pos, int64_t local,
    int64_t start, int64_t least, Entering* out
) noexcept {
    const uint32_t* source = r->program.sources.data() + entry->first;
    Head before;
    Head after;
    before.node = after.node = NO_NODE;
    before.youngest = after.youngest = NEVER;
    for (uint32_t i = 0, i_end = entry->after; i < i_end; ++i) {
        if (heads[source[i]].node != NO_NODE && !is_over(&r->program, heads[source[i]].youngest, least))
            unite(&r->state, &before, heads[source[i]].node, heads[source[i]].youngest);
    }
    source += entry->after;
    for (uint32_t i = 0, i_end = entry->directly; i < i_end; ++i) {
        if (last[source[i]].node == NO_NODE || last[source[i]].local != local - 1) continue;
        if (!is_over(&r->program, last[source[i]].youngest, least))
            unite(&r->state, &before, last[source[i]].node, last[source[i]].youngest);
    }
    if (before.node != NO_NODE) {
        after.node = add_node(&r->state, entry->state, pos, before.node, NO_NODE, before.youngest);
        after.youngest = before.youngest;
    }
    if (entry->initial && start != NEVER)
        unite(&r->state, &after, add_node(&r->state, entry->state, pos, NO_NODE, NO_NODE, start), start);
    out->node = after.node;
    out->youngest = after.youngest;
}

// What entered a state is one with what was there.
static void settle(
    Recognition* r, const EntrySpec* entry, Head* head, LastEntry* last, const Entering* one, int64_t local,
    int64_t least
) noexcept {
    MatchNode* node = match_node(&r->state, one->node);
    if (entry->waits_next) {
        last->node = one->node;
        last->youngest = one->youngest;
        last->local = local;
    }
    if (!entry->waits) return;
    if (head->node == NO_NODE || is_over(&r->program, head->youngest, least)) {
        head->node = one->node;
        head->youngest = one->youngest;
    } else if (entry->waits_next || entry->final || node->state == UNION || one->youngest < head->youngest) {
        unite(&r->state, head, one->node, one->youngest);  // the node must stay alone
    } else {
        node->sibling = head->node;
        head->node = one->node;
        head->youngest = one->youngest;
    }
}

// What entered a state settles there; matches that end wait in `endings`.
static inline void complete_entry(
    Recognition* r, const EntrySpec* entry, const Entering* one, uint32_t partition, int64_t local, int64_t least
) {
    size_t place = size_t(partition) * r->program.width + entry->state;
    Ending ending;
    if (entry->final && one->youngest >= least) {
        ending.least = least;
        ending.node = one->node;
        r->scratch.endings.push_back(ending);
    }
    settle(r, entry, r->state.heads.data() + place, r->state.last.data() + place, one, local, least);
}

// The event at `position` matched the atoms of `symbol`; whether matches end with it.
static bool take_symbol(
    Recognition* r, uint32_t symbol, uint32_t partition, int64_t local, int64_t start, int64_t least
) {
    const SymbolSpec* spec = r->program.symbols.data() + symbol;
    Head* heads = r->state.heads.data() + size_t(partition) * r->program.width;
    const LastEntry* last = r->state.last.data() + size_t(partition) * r->program.width;
    Entering one;
    make_room(r, start, least, r->program.most_nodes);
    if (r->scratch.is_full) return false;
    if (spec->plain) return take_plainly(r, spec, heads, start, std::max(least, NEVER + 1));
    r->scratch.entering.clear();
    for (size_t i = spec->begin, i_end = size_t(spec->end); i < i_end; ++i) {
        one.entry = r->program.entered[i].state;
        const EntrySpec* entry = r->program.entries.data() + one.entry;
        enter(r, entry, heads, last, uint32_t(r->state.position), local, start, least, &one);
        if (one.node == NO_NODE) continue;
        if (spec->in_order) complete_entry(r, entry, &one, partition, local, least);
        else r->scratch.entering.push_back(one);
    }
    for (size_t i = 0, i_end = r->scratch.entering.size(); i < i_end; ++i) {
        complete_entry(r, r->program.entries.data() + r->scratch.entering[i].entry, &r->scratch.entering[i], partition,
            local, least);
    }
    return !r->scratch.endings.empty();
}

}  // namespace spaseq::events
