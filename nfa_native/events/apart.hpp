// Groups apart: each set of partial matches that enters a state is a group there, since no two have the same registers.
// So none is looked for; those that an event adds wait behind the others of their list until it settles.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/shedding.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

// What enters the state does so with registers of its own.
static inline bool enters_one_by_one(const Correlating* c, uint32_t state) noexcept {
    return c->cells.data()[state].kind >= RegisterCells::MERGED;
}

// A set of partial matches enters with what is in `registers`.
static inline void enter_apart(
    Recognition* r, uint32_t state, uint32_t partition, uint32_t node, int64_t youngest, float load,
    int64_t least
) {
    Correlating* c = r->correlating;
    uint32_t number = list_for(r, partition, state, c->registers.data(), least);
    GroupList* list = list_at(c, number);
    if (!list->entering || c->cells.data()[state].key >= 0) c->touched.push_back({0, number, false});
    store_group(list, c->registers.data(), node, youngest);
    if (r->shedding) set_load(list, list->count + list->entering - 1, load);
}

// What the event under way has added to a list is part of it, each set with the event as its last pick; of a state with
// a list for each key only what comes next, for sets settle in the order in which they entered.
[[gnu::always_inline]] static inline void settle_apart(Recognition* r, uint32_t number, uint32_t state) {
    GroupList* list = list_at(r->correlating, number);
    uint32_t pos = uint32_t(r->state.position);
    assert(!r->program.entries[state].final && !r->program.entries[state].waits_next);
    size_t count = r->correlating->cells.data()[state].key >= 0 ? 1 : list->entering;
    for (; count && has_room(r); --count) {
        size_t place = groups_of(list);
        uint32_t before = list->nodes[place];
        assert(match_node(&r->state, before)->state != VIEW);
        list->nodes[place] = add_node(&r->state, state, pos, before, NO_NODE, youngest_in(list, place));
        take_stored(list);
        if (r->shedding) note_group(r, state, list->record(place) + 1, {youngest_in(list, place), 0, load_of_group(list, place)});
    }
}

// What the event under way has added is not wanted any more.
static inline void forget_entering(Correlating* c) noexcept {
    for (const Touched& touched : c->touched) list_at(c, touched.list)->entering = 0;
}

}  // namespace spaseq::events
