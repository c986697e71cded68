// Compaction: living nodes move together, and nodes, heads, groups and views get new numbers.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/views.hpp"

namespace spaseq::events {

// Mark what a node leads to, itself too; how many were not marked before.
static uint32_t mark_from(Recognition* r, uint32_t number, int64_t least, std::vector<uint32_t>* live) {
    uint32_t count = 0;
    r->scratch.asked.clear();
    r->scratch.asked.push_back(number);
    while (!r->scratch.asked.empty()) {
        number = r->scratch.asked.back();
        r->scratch.asked.pop_back();
        if (!is_young(&r->state, number, least) || live->data()[number - r->state.ring.tail] != NO_NODE) continue;
        live->data()[number - r->state.ring.tail] = number;
        ++count;
        const MatchNode* node = match_node(&r->state, number);
        r->scratch.asked.push_back(node->sibling);
        if (!is_of_view(node)) r->scratch.asked.push_back(node->next);
    }
    return count;
}

// Mark all nodes that heads lead to, with their number, by their distance from the tail; how many there are.
static uint32_t mark_live(Recognition* r, int64_t least, std::vector<uint32_t>* live) {
    uint32_t count = 0;
    for (size_t i = 0; i < r->state.heads.size(); ++i) {
        int64_t own = least_of(r, i / r->program.width, least);
        count += mark_from(r, r->state.heads[i].node, own, live) + mark_from(r, r->state.last[i].node, own, live);
    }
    return count;
}

// Forget groups that are over, and mark all nodes that the others lead to; how many were not marked before.
//
// What a view shows are groups, too.
static uint32_t mark_groups(Recognition* r, int64_t least, std::vector<uint32_t>* live) {
    Correlating* c = r->correlating;
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->lists.size(); ++i) {
        GroupList* list = list_at(c, i);
        if (list->partition >= c->epochs.size() || groups_of(list_at(c, current(r, i))) == 0) continue;
        int64_t own = least_of(r, list->partition, least);
        if (c->cells[list->state].kind == RegisterCells::GROUPS) drop_front(list, own);
        for (size_t place = list->first; place < groups_of(list); ++place)
            count += mark_from(r, list->nodes[place], own, live);
    }
    for (size_t i = 0; i < c->recents.size(); ++i) {
        int64_t own = least_of(r, i / r->program.width, least);
        for (uint32_t node : c->recents[i].nodes) count += mark_from(r, node, own, live);
    }
    return count;
}

// Where the number of its view is; NULL: it has none.
static inline uint32_t* view_of(MatchNode* node) noexcept {
    if (!is_of_view(node)) return nullptr;
    return node->state == VIEW ? &node->pos : &node->next;
}

// Keep the views of marked nodes only, which learn their new numbers.
static void compact_views(Recognition* r, const std::vector<uint32_t>* live) {
    Correlating* c = r->correlating;
    std::vector<uint32_t> numbers(c->views.count(), 0);
    uint32_t kept = c->views.tail;
    auto view_of_live = [r](uint32_t number) { return number ? view_of(match_node(&r->state, number)) : nullptr; };
    for (uint32_t number : *live)
        if (uint32_t* view = view_of_live(number)) numbers[*view - c->views.tail] = 1;
    for (uint32_t place = 0; place < numbers.size(); ++place) {
        if (!numbers[place]) continue;
        *view_at(c, kept) = *view_at(c, c->views.tail + place);
        numbers[place] = kept++;
    }
    for (uint32_t number : *live)
        if (uint32_t* view = view_of_live(number)) *view = numbers[*view - c->views.tail];
    c->views.head = kept;
}

// NO_NODE: it is not there any more.
static inline uint32_t new_number(Recognition* r, const std::vector<uint32_t>* renumbered, uint32_t number) noexcept {
    uint32_t place = number - r->state.ring.tail;
    return number != NO_NODE && place < renumbered->size() ? renumbered->data()[place] : uint32_t(NO_NODE);
}

// Move marked nodes towards the tail; what they are marked with becomes their new number.
static void move_live(Recognition* r, std::vector<uint32_t>* renumbered) noexcept {
    AgingRing<MatchNode>* ring = &r->state.ring;
    uint32_t number = ring->tail;
    size_t mark = ring->first_mark;
    for (size_t i = 0; i < renumbered->size(); ++i) {
        while (mark < ring->marks.size() && ring->marks[mark].head == uint32_t(ring->tail + i))
            ring->marks[mark++].head = number;
        if ((*renumbered)[i] == NO_NODE) continue;
        MatchNode node = *match_node(&r->state, (*renumbered)[i]);
        if (!is_of_view(&node)) node.next = new_number(r, renumbered, node.next);
        node.sibling = new_number(r, renumbered, node.sibling);
        if (number == NO_NODE) number = 1;
        *match_node(&r->state, number) = node;
        (*renumbered)[i] = number++;
    }
    ring->head = number;
    for (; mark < ring->marks.size(); ++mark) ring->marks[mark].head = number;
}

static void renumber_heads(Recognition* r, const std::vector<uint32_t>* renumbered) noexcept {
    for (Head& head : r->state.heads) {
        head.node = new_number(r, renumbered, head.node);
        if (head.node == NO_NODE) head.youngest = NEVER;
    }
    for (LastEntry& last : r->state.last) {
        last.node = new_number(r, renumbered, last.node);
        if (last.node == NO_NODE) last.youngest = NEVER;
    }
}

static void renumber_groups(Recognition* r, const std::vector<uint32_t>* renumbered) noexcept {
    for (GroupList* list : r->correlating->lists)
        for (size_t place = 0; place < groups_of(list); ++place)
            list->nodes[place] = new_number(r, renumbered, list->nodes[place]);
    for (Recent& recent : r->correlating->recents)
        for (uint32_t& node : recent.nodes) node = new_number(r, renumbered, node);
}

// Keep what heads lead to, in the same order, if that and `count` nodes more leave half of the ring free.
static void compact(Recognition* r, int64_t least, uint32_t count) {
    std::vector<uint32_t> renumbered(r->state.ring.count(), NO_NODE);
    uint32_t live = mark_live(r, least, &renumbered);
    if (r->correlating != nullptr) live += mark_groups(r, least, &renumbered);
    if (uint64_t(live + count) * 2 >= r->state.ring.mask) return;
    if (r->correlating != nullptr) compact_views(r, &renumbered);
    move_live(r, &renumbered);
    renumber_heads(r, &renumbered);
    if (r->correlating != nullptr) renumber_groups(r, &renumbered);
    r->scratch.bests.clear();
}

// Room for `count` nodes, and for as many as there are; or the ring is full.
static void reclaim_or_widen(Recognition* r, int64_t least, uint32_t count) {
    AgingRing<MatchNode>* ring = &r->state.ring;
    uint32_t tail = ring->tail;
    if (r->program.forgets) ring->forget(least);
    if (ring->tail == tail) compact(r, least, count);
    while (!ring->has_room(uint64_t(ring->count()) + count + 1)) {
        if (ring->is_widest() || !ring->could_grow()) {
            r->scratch.is_full = !ring->has_room(uint64_t(count) + 1);
            return;
        }
    }
}

// The same where the head comes to a mark, the end of the ring or of the numbers.
static void attend(Recognition* r, int64_t start, int64_t least, uint32_t count) {
    AgingRing<MatchNode>* ring = &r->state.ring;
    if (NO_NODE - ring->head <= count) ring->head = NO_NODE + 1;
    if (start != NEVER && ring->until_mark() <= count) ring->mark(start);
    if (!ring->has_room(uint64_t(count) + 1)) reclaim_or_widen(r, least, count);
    uint32_t before = std::min({ring->mask - ring->count(), NO_NODE - ring->head,
        std::max(ring->until_mark(), count + 1)});
    r->state.attention = ring->head + before;
}

// Before an event that makes up to `count` nodes, and before which nothing started later than `start`.
static inline void make_room(Recognition* r, int64_t start, int64_t least, uint32_t count) {
    assert((r->state.attention - r->state.ring.head) >> 31 == 0);
    if (r->state.attention - r->state.ring.head <= count) attend(r, start, least, count);
}

// Before an event that may make any number of nodes: a quarter of the ring is free.
static inline void make_much_room(Recognition* r, int64_t start, int64_t least) {
    attend(r, start, least, r->program.most_nodes);
    if (r->state.ring.count() >= r->state.ring.mask / 4 * 3) reclaim_or_widen(r, least, r->program.most_nodes);
}

}  // namespace spaseq::events
