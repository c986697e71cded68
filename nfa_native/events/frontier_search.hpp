// Frontiers of enumeration (`frontier.hpp`).  A node is younger than all that it leads to.  So if the youngest one is
// always looked into first, each is met once, and picks come by their positions, the latest first.
#pragma once

#include <cstdint>

#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/views.hpp"

namespace spaseq::events {

// Add a set to a frontier, unless it is over.
static inline void reach(Recognition* r, Frontiers* frontier, uint32_t node, uint32_t origin, int64_t least) {
    uint32_t age = node - r->state.ring.tail;
    if (is_young(&r->state, node, least)) frontier->add({0, age, origin, 0, false});
}

// Add the rest of a view to a frontier, as its next group.
static inline void reach_view(Recognition* r, Frontiers* frontier, ViewVisit* visit, uint32_t origin, int64_t least) {
    uint32_t node = next_in_view(r->correlating, visit, least);
    uint32_t age = node - r->state.ring.tail;
    if (node != NO_NODE) frontier->add({visit->place, age, origin, visit->view, true});
}

// Add what the first part of a node goes on from.
static inline void reach_before(
    Recognition* r, Frontiers* frontier, const MatchNode* node, uint32_t origin, int64_t least
) {
    if (is_of_view(node)) {
        ViewVisit visit = visit_of(r->correlating, view_number(node));
        reach_view(r, frontier, &visit, origin, least);
    } else {
        reach(r, frontier, node->next, origin, least);
    }
}

// Take the newest node from a frontier, wherever it has been reached from.
static void leave_newest(Recognition* r, Frontiers* frontier, int64_t least) {
    uint32_t age = frontier->newest().age;
    while (!frontier->empty() && frontier->newest().age == age) {
        Reached one = frontier->newest();
        frontier->drop_newest();
        if (!one.is_view) continue;
        ViewVisit visit{one.view, 0, one.place};
        reach_view(r, frontier, &visit, one.origin, least);
    }
}

// Take the next pick from a frontier, and what comes after it; NO_NODE: there is none at `earliest` or later.
static uint32_t next_pick(Recognition* r, Frontiers* frontier, int64_t earliest, int64_t least, uint32_t* origin) {
    while (!frontier->empty()) {
        uint32_t number = frontier->newest().age + r->state.ring.tail;
        const MatchNode* node = match_node(&r->state, number);
        if (is_pick(node) && position_of(&r->state, node->pos) < earliest) return NO_NODE;
        *origin = frontier->newest().origin;
        leave_newest(r, frontier, least);
        reach(r, frontier, node->sibling, *origin, least);
        if (is_pick(node)) return number;
        reach_before(r, frontier, node, *origin, least);
    }
    return NO_NODE;
}

// Look into the newest nodes of a frontier until one is a pick.
static void open_unions(Recognition* r, Frontiers* frontier, int64_t least) {
    while (!frontier->empty()) {
        const MatchNode* node = match_node(&r->state, frontier->newest().age + r->state.ring.tail);
        if (is_pick(node)) return;
        uint32_t origin = frontier->newest().origin;
        leave_newest(r, frontier, least);
        reach(r, frontier, node->sibling, origin, least);
        reach_before(r, frontier, node, origin, least);
    }
}

}  // namespace spaseq::events
