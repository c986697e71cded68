// Views: all groups of a list that pass a transition, as one node, looked for when they are enumerated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

static inline ViewRecord* view_at(Correlating* c, uint32_t number) noexcept { return c->views.at(number); }

// Free the oldest ones that hold nothing that starts at `least` or later; room for as many as there are then.
static void reclaim_views(Recognition* r, int64_t least) {
    NodeRing<ViewRecord>* views = &r->correlating->views;
    while (r->program.forgets && views->count() && views->at(views->tail)->youngest < least) ++views->tail;
    if (!views->has_room(uint64_t(views->count()))) views->grow();
}

// The node of a view on all groups that are now in a list.
static inline uint32_t add_view(
    Recognition* r, uint32_t list, uint32_t transition, const int64_t* bounds, size_t count, int64_t youngest,
    int64_t least
) {
    Correlating* c = r->correlating;
    GroupList* groups = list_at(c, list);
    if (!c->views.has_room(1)) reclaim_views(r, least);
    uint32_t number = c->views.head++;  // may be 0: whether there is a view, nodes say otherwise
    ViewRecord* view = c->views.at(number);
    *view = {youngest, groups->base + int64_t(groups_of(groups)) - 1, list, transition, {}};
    for (size_t i = 0; i < count; ++i) view->bounds[i] = bounds[i];
    return add_node(&r->state, VIEW, number, NO_NODE, NO_NODE, youngest);
}

// The guards that are not done with when a list is found.
static inline const GuardSpec* view_guards(const Correlating* c, const TransitionSpec* transition) noexcept {
    return c->guards.data() + transition->first_guard + transition->keyed;
}

static inline size_t condition_count(const TransitionSpec* transition) noexcept {
    return transition->guards - transition->keyed;
}

// The node of the next group; NO_NODE: that was the last one.
static uint32_t next_in_view(Correlating* c, ViewVisit* visit, int64_t least) {
    const ViewRecord* view = view_at(c, visit->view);
    const TransitionSpec* transition = &c->transitions[view->transition];
    GroupList* list = list_at(c, view->list);
    visit->place = group_before(list, visit->place, view_guards(c, transition), condition_count(transition),
        view->bounds, least, &c->scanned);
    return visit->place >= 0 ? list->nodes.data()[visit->place] : uint32_t(NO_NODE);
}

// A visit of a view that has not come to any group.
static inline ViewVisit visit_of(Correlating* c, uint32_t number) noexcept {
    const ViewRecord* view = view_at(c, number);
    return {number, 0, view->last - list_at(c, view->list)->base + 1};
}

// The node of the first group of a view; the others are left for later.
static uint32_t enter_view(Recognition* r, uint32_t number, size_t depth, int64_t least) {
    Correlating* c = r->correlating;
    ViewVisit visit = visit_of(c, number);
    uint32_t node = next_in_view(c, &visit, least);
    visit.depth = uint32_t(depth);
    if (node != NO_NODE) {
        c->view_visits.push_back(visit);
        visit_later(&r->scratch, NO_NODE, uint32_t(depth));
    }
    return node;
}

// Go on with the innermost view; False: there was no group left in it.
static bool resume_view(Recognition* r, int64_t least, Visiting* out) {
    Correlating* c = r->correlating;
    ViewVisit visit = c->view_visits.back();
    c->view_visits.pop_back();
    out->node = next_in_view(c, &visit, least);
    out->depth = visit.depth;
    if (out->node == NO_NODE) return false;
    c->view_visits.push_back(visit);
    visit_later(&r->scratch, NO_NODE, visit.depth);
    return true;
}

}  // namespace spaseq::events
