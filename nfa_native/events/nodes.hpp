// The ring of nodes.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/state.hpp"

namespace spaseq::events {

static inline MatchNode* match_node(RecognizerState* s, uint32_t number) noexcept { return s->ring.at(number); }

// It has a view: as a VIEW, or instead of a next node.
static inline bool is_of_view(const MatchNode* node) noexcept { return node->state != UNION && node->state & OF_VIEW; }

static inline bool is_pick(const MatchNode* node) noexcept { return node->state < VIEW; }

// The state of a pick.
static inline uint32_t state_of(const MatchNode* node) noexcept { return node->state & ~uint32_t(OF_VIEW); }

// Nothing is picked before a pick.
static inline bool begins(const MatchNode* node) noexcept { return node->next == NO_NODE && !(node->state & OF_VIEW); }

// There is room for some more nodes of the event under way, which may be many.
static inline bool has_room(Recognition* r) noexcept {
    if (r->state.ring.has_room(FEW_NODES + 1)) return true;
    if (r->state.ring.is_widest() || !r->state.ring.could_grow()) r->scratch.is_full = true;
    return !r->scratch.is_full;
}

static inline uint32_t add_node(
    RecognizerState* s, uint32_t state, uint32_t pos, uint32_t next, uint32_t sibling, int64_t youngest
) noexcept {
    uint32_t number = s->ring.take();
    assert(next == NO_NODE || s->ring.has(next));
    *s->ring.at(number) = {youngest, pos, next, sibling, state};
    return number;
}

// Add another set; the one with the youngest start comes first.
static inline void unite(RecognizerState* s, Head* set, uint32_t node, int64_t youngest) noexcept {
    if (set->node == NO_NODE) set->node = node, set->youngest = youngest;
    else if (youngest >= set->youngest)
        set->node = add_node(s, UNION, 0, node, set->node, youngest), set->youngest = youngest;
    else set->node = add_node(s, UNION, 0, set->node, node, set->youngest);
}

// Nothing will come of partial matches of the event's partition that began so early.
static inline bool is_over(const RecognizerProgram* p, int64_t youngest, int64_t least) noexcept {
    return p->rises && youngest < least;
}

// How many partitions there are in which something may wait.
static inline size_t partitions_of(const Recognition* r) noexcept {
    return r->rules == nullptr ? r->state.locals.size() : r->rules->owned.size();
}

// How many events came in a partition, or in that which one of a rule is of.
static inline int64_t events_in(const Recognition* r, size_t partition) noexcept {
    return r->state.locals[partition_of(r->rules, partition)];
}

// The least start that is of use, after an event whose window begins at `least`.
static inline int64_t least_of(const Recognition* r, size_t partition, int64_t least) noexcept {
    if (r->program.events >= 0) return events_in(r, partition) - 1 - r->program.events;
    return r->program.rises ? least : NEVER;
}

// The view that a node has.
static inline uint32_t view_number(const MatchNode* node) noexcept {
    return node->state == VIEW ? node->pos : node->next;
}

// Something in the set, if there is one, starts at `least` or later.
static inline bool is_young(RecognizerState* s, uint32_t node, int64_t least) noexcept {
    return node != NO_NODE && s->ring.has(node) && match_node(s, node)->youngest >= least;
}

static inline void visit_later(RecognizerScratch* w, uint32_t node, uint32_t depth) {
    w->visits.push_back({node, depth});
}

// Room for twice as many picks; the path stays at the end.
static void lengthen_path(RecognizerScratch* w) {
    size_t size = w->path_positions.size();
    w->path_positions.insert(w->path_positions.begin(), size + 16, 0);
    w->path_states.insert(w->path_states.begin(), size + 16, 0);
}

// The whole position of a pick of the event at `position`.
static inline int64_t position_of(const RecognizerState* s, uint32_t pos) noexcept {
    return s->position - int64_t(uint32_t(s->position) - pos);
}

// The position in its substream of an event at `position`.
static inline int64_t local_of(const Recognition* r, int64_t position) noexcept {
    return r->program.partitioned ? r->state.local_numbers[size_t(position - r->state.first_number)] : position;
}

// ── what is left, and its new numbers ──

// The event was the last one of its partition, so what entered with it can go on contiguously.
static inline bool is_latest(const Recognition* r, size_t partition, int64_t local) noexcept {
    return local == (r->program.partitioned ? events_in(r, partition) : r->state.position) - 1;
}

}  // namespace spaseq::events
