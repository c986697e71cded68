// Nodes: compact sets of partial matches in a ring.  A node made while event c was the youngest start that it can hold
// dies with c: when the window's lower edge passes an event, everything below that event's head is expired at once.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

static inline bool is_live(KernelState* now, uint32_t node) noexcept { return now->ring.has(node); }

static inline Node* node_at(KernelState* now, uint32_t node) noexcept { return now->ring.at(node); }

static uint32_t write_node(
    KernelState* now, uint32_t pos, uint32_t label, uint32_t next, uint32_t sibling, uint32_t max_start
) {
    uint32_t number = now->ring.claim();
    *now->ring.at(number) = {pos, label, next, sibling, max_start};
    return number;
}

// A node; number 0 is never given, it means `none`.
static uint32_t new_node(
    KernelState* now, uint32_t pos, uint32_t label, uint32_t next, uint32_t sibling, uint32_t max_start
) {
    assert(next == 0 || is_live(now, next));
    assert(sibling == 0 || is_live(now, sibling));
    return write_node(now, pos, label, next, sibling, max_start);
}

// The set `next` with the picks added, in union with `sibling`; `start` is the youngest start in `next`.
static uint32_t extend(
    Kernel* k, const uint32_t* picks, uint32_t count, uint32_t label, uint32_t next, uint32_t start, uint32_t sibling
) {
    uint32_t youngest = start;
    assert(next == 0 || node_at(&k->now, next)->max_start == start);
    for (uint32_t i = 0; i + 1 < count; ++i) next = new_node(&k->now, picks[i], label + i, next, 0, start);
    if (sibling && !is_live(&k->now, sibling)) sibling = 0;
    if (sibling && older(youngest, node_at(&k->now, sibling)->max_start))
        youngest = node_at(&k->now, sibling)->max_start;
    return new_node(&k->now, picks[count - 1], label + count - 1, next, sibling, youngest);
}

// The union of two sets; what is over of them is left out.
static uint32_t unite(KernelState* now, uint32_t a, uint32_t b) {
    if (!is_live(now, a)) return b;
    if (!is_live(now, b)) return a;
    uint32_t youngest = node_at(now, a)->max_start;
    if (older(youngest, node_at(now, b)->max_start)) youngest = node_at(now, b)->max_start;
    return new_node(now, youngest, UNION, a, b, youngest);
}

// One node for each side but the last: all unions of the chosen sets.
static uint32_t make_product(KernelState* now, uint32_t junction, const std::vector<uint32_t>& nodes) {
    uint32_t node = nodes.back();
    for (size_t part = nodes.size() - 1; part > 0; --part) {
        uint32_t next = nodes[part - 1];
        uint32_t start = node_at(now, node)->max_start;
        if (older(node_at(now, next)->max_start, start)) start = node_at(now, next)->max_start;
        node = new_node(now, start, PRODUCT | junction << PART_BITS | uint32_t(part - 1), next, node, start);
    }
    return node;
}

// Some member of the set began at or after `lo`.
static inline bool has_live(KernelState* now, uint32_t node, uint32_t lo) noexcept {
    return is_live(now, node) && !older(node_at(now, node)->max_start, lo);
}

// Where the match began that a node without `next` adds.
static inline uint32_t start_of(KernelState* now, uint32_t number) noexcept {
    const Node* node = node_at(now, number);
    return node->sibling ? node->pos : node->max_start;
}

// Rows in a table of `words`; a table without columns that is asked for has one.
static inline uint32_t row_count(Kernel* k, size_t words, uint32_t width) noexcept {
    return width == 0 ? 1 : uint32_t(words / width);
}

}  // namespace spaseq::joins
