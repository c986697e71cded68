// Cuts: the partial matches of a set whose last step did not come before a negated event, which strikes all others.
// Those that entered a cell later come first in its set, so what is left is a prefix of it; one node says so, however
// many they are.  So it is with a view, whose groups lie in their list in the order in which they came.
#pragma once

#include <cassert>
#include <cstdint>

#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/views.hpp"

namespace spaseq::joins {

// Where somebody is who goes through a cut.
struct CutPlace {
    uint32_t at;  // the next node of a set; in a view the place of the group in front of which it goes on
    bool in_view;
};

static CutPlace begin_cut(KernelState* now, const Node* cut) noexcept {
    if (!is_live(now, cut->next)) return {0, false};
    const Node* next = node_at(now, cut->next);
    if (next->label & VIEW) return {next->sibling - now->lists[next->next].base, true};
    return {cut->next, false};
}

// What the node itself adds to its set has something from `lo` on.
static inline bool adds_live(KernelState* now, uint32_t number, uint32_t lo) noexcept {
    uint32_t next = node_at(now, number)->next;
    return next ? has_live(now, next, lo) : !older(start_of(now, number), lo);
}

// The set of the next group of a cut of a view; 0: there is none.
static uint32_t next_in_view(Kernel* k, const Node* cut, CutPlace* place, uint32_t lo) {
    const Node* view = node_at(&k->now, cut->next);
    int64_t found = group_in_view(k, view, place->at, lo);
    if (found == NO_GROUP) return 0;
    uint32_t number = k->now.lists[view->next].groups[found].node;
    place->at = uint32_t(found);
    return older(node_at(&k->now, number)->pos, cut->pos) ? 0 : number;
}

// The next node of a cut, of which counts what it adds itself, or the set of the next group of a view; 0: none is left.
static uint32_t next_in_cut(Kernel* k, const Node* cut, CutPlace* place, uint32_t lo) {
    if (place->in_view) return next_in_view(k, cut, place, lo);
    while (place->at && has_live(&k->now, place->at, lo)) {
        uint32_t number = place->at;
        const Node* one = node_at(&k->now, number);
        assert(one->label < CUT);
        if (older(one->pos, cut->pos)) return 0;
        place->at = one->sibling;
        if (adds_live(&k->now, number, lo)) return number;
    }
    return 0;
}

// Visit the next of a cut, and the cut again; whether `path` is complete by that.
static bool visit_cut(Kernel* k, const Node* cut, Visit visit, uint32_t lo) {
    CutPlace place = begin_cut(&k->now, cut);
    if (visit.begun) place.at = visit.before;
    uint32_t number = next_in_cut(k, cut, &place, lo);
    if (number == 0) return false;
    k->scratch.visits.push_back({visit.node, visit.depth, place.at, 1});
    if (place.in_view) {
        k->scratch.visits.push_back({number, visit.depth, 0, 0});
        return false;
    }
    const Node* one = node_at(&k->now, number);
    k->scratch.path.resize(visit.depth);
    k->scratch.path.push_back({one->label, one->pos});
    if (one->next) k->scratch.visits.push_back({one->next, visit.depth + 1, 0, 0});
    return one->next == 0;
}

// The youngest part of a set, those whose last event is `from` or comes later; 0: there is none.
static uint32_t cut_set(KernelState* now, uint32_t set, uint32_t from) {
    const Node* newest = node_at(now, set);
    assert(newest->label < CUT);
    if (older(newest->pos, from)) return 0;
    if (newest->sibling == 0 || !is_live(now, newest->sibling)) return set;
    return new_node(now, from, CUT, set, 0, newest->max_start);
}

// The same of a view.
static uint32_t cut_view(Kernel* k, uint32_t number, uint32_t from) {
    const Node* view = node_at(&k->now, number);
    const GroupList* list = &k->now.lists[view->next];
    int64_t last = group_in_view(k, view, view->sibling - list->base, k->now.lo);
    if (last == NO_GROUP || older(node_at(&k->now, list->groups[last].node)->pos, from)) return 0;
    return new_node(&k->now, from, CUT, number, 0, view->max_start);
}

}  // namespace spaseq::joins
