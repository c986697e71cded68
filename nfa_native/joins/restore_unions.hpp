// What is asked of cuts, products and unions in an archive: that each is of sets that can meet there (`restore.hpp`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/bits.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// a does not come before b, although positions wrap.
static inline bool is_from(uint32_t a, uint32_t b) noexcept { return int32_t(a - b) >= 0; }

// What is known of the nodes, from the tail on: for each a bit for every state in which its set may wait; none: the
// picks of its step are not complete.  Links lead to older nodes, and what a set is extended by goes on where its
// partial matches wait: so every walk ends, with whole steps.
struct NodeStates {
    size_t width;                         // words of a node
    std::vector<uint64_t> bits;
    std::vector<uint64_t> targets;        // of each transition
    std::vector<uint64_t> meets;          // of each junction
};

static uint64_t* states_of(KernelState* now, NodeStates* known, uint32_t number) noexcept {
    return known->bits.data() + size_t(number - now->ring.tail) * known->width;
}

static inline void check_counter(uint64_t count) { require(count <= uint64_t(FARTHEST), "a counter cannot be"); }

// Whether a link of node `number` leads to a node that is there; else to none, or to one that is over.
static bool is_link(KernelState* now, uint32_t link, uint32_t number) {
    if (link == 0) return false;
    require(older(link, number), "a node leads to itself");
    if (older(link, now->ring.tail)) return false;
    require(link - now->ring.tail < number - now->ring.tail, "a node leads nowhere");
    return true;
}

// A set that is a part of others: nothing is in union with it, and no cell has it.
static inline bool is_part(const Node* node) noexcept { return (node->label & VIEW) || node->label == CUT; }

// A cut is of a cell's set or of a view, and waits where they do; of what is over it waits anywhere.
static void check_cut(KernelProgram* program, KernelState* now, NodeStates* known, uint32_t number, uint64_t* bits) {
    const Node* node = node_at(now, number);
    require(!program->chances.empty() && node->sibling == 0, "there is a cut where no negation asks for one");
    if (!is_link(now, node->next, number)) {
        require(node->next != 0, "a cut is of nothing");
        for (size_t i = 0; i < known->width; ++i) bits[i] = ~uint64_t(0);
        return;
    }
    const Node* next = node_at(now, node->next);
    require(next->label != CUT, "a cut is of another one");
    require(is_from(next->max_start, node->max_start), "a cut is younger than its set");
    for (size_t i = 0; i < known->width; ++i) bits[i] = states_of(now, known, node->next)[i];
}

// Both sets wait in the same states; what is over of them waits anywhere.
static void check_union(KernelProgram* program, KernelState* now, NodeStates* known, uint32_t number, uint64_t* bits) {
    const Node* node = node_at(now, number);
    bool some = false;
    require(program->rules != NO_RULES || !program->junctions.empty(), "there is a union where no set is split");
    for (size_t i = 0; i < known->width; ++i) bits[i] = ~uint64_t(0);
    for (uint32_t link : {node->next, node->sibling}) {
        if (!is_link(now, link, number)) continue;
        const Node* part = node_at(now, link);
        require(!is_part(part), "a view is in union with others");
        require(is_from(node->max_start, part->max_start), "a union is older than what is in it");
        for (size_t i = 0; i < known->width; ++i) bits[i] &= states_of(now, known, link)[i];
    }
    for (size_t i = 0; i < known->width; ++i) some = some || bits[i] != 0;
    require(some, "sets of several states are in union");
}

// The sibling of a product: the product of the sides that are left, or the set of the last one.
static void check_rest(
    KernelProgram* program, KernelState* now, NodeStates* known, const Node* node, uint32_t junction, uint32_t part
) {
    const std::vector<SideSpec>& sides = program->junctions[junction].sides;
    const Node* rest = node_at(now, node->sibling);
    if (part + 2 < sides.size()) {
        require(rest->label == (PRODUCT | junction << PART_BITS | (part + 1)), "a product has lost a side");
    } else {
        require(has_bit(states_of(now, known, node->sibling), sides[part + 1].state), "a product is not of its sides");
    }
}

// Each part is a set of a complete side, and lives as long as the product; unions wait where sides meet.
static void check_product(
    KernelProgram* program, KernelState* now, NodeStates* known, uint32_t number, uint64_t* bits
) {
    const Node* node = node_at(now, number);
    uint32_t junction = (node->label & ~PRODUCT) >> PART_BITS, part = node->label & PART_MASK;
    require(junction < program->junctions.size(), "a product is of a junction that there is not");
    require(part + 1 < program->junctions[junction].sides.size(), "a product is of a side that there is not");
    bool first = is_link(now, node->next, number), rest = is_link(now, node->sibling, number);
    require((first && rest) || older(node->max_start, now->lo), "a product has lost its sets");
    if (first) {
        uint32_t state = program->junctions[junction].sides[part].state;
        require(has_bit(states_of(now, known, node->next), state), "a product is not of its sides");
        require(is_from(node_at(now, node->next)->max_start, node->max_start), "a product is younger than its sets");
    }
    if (rest) {
        check_rest(program, now, known, node, junction, part);
        require(is_from(node_at(now, node->sibling)->max_start, node->max_start), "a product is younger than its sets");
    }
    for (size_t i = 0; part == 0 && i < known->width; ++i) bits[i] = known->meets[junction * known->width + i];
}

}  // namespace spaseq::joins
