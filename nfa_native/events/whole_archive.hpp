// All of the live state as an archive; and what is held: the events that a later result may pick, or a later condition ask
// for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/events/archive.hpp"
#include "nfa_native/events/lazy_archive.hpp"
#include "nfa_native/events/shed_archive.hpp"

namespace spaseq::events {

// Everything that the future depends on; no window will begin before `least`.
inline void write_recognition(Recognition* r, Archive* a, int64_t least) {
    Renumbered numbers{};
    keep_nodes(r, least, &numbers.nodes);
    if (r->correlating != nullptr) {
        keep_views(r, &numbers);
        keep_lists(r, least, &numbers);
    }
    write_events(r, a, &numbers);
    if (r->rules != nullptr) write_rules(r, a);
    write_nodes(r, a, &numbers);
    write_heads(r, a, &numbers);
    if (r->shedding) write_worth(r, a, numbers);
    if (r->correlating != nullptr) {
        keep_listed(r, least, &numbers);
        write_lists(r, a, least, &numbers);
        write_views(r, a, &numbers);
        write_listed(r, a, &numbers);
        if (!r->correlating->waiting.specs.empty()) write_waiting(r, a, numbers);
    }
}

// Their positions, rising; no window will begin before `least`.
inline void held_positions(Recognition* r, int64_t least, std::vector<int64_t>* out) {
    Renumbered numbers{};
    keep_nodes(r, least, &numbers.nodes);
    for (size_t i = 0; i < numbers.nodes.size(); ++i) {
        const MatchNode* node = match_node(&r->state, r->state.ring.tail + uint32_t(i));
        if (numbers.nodes[i] != NO_NODE && is_pick(node)) out->push_back(last_position_of(&r->state, node->pos));
    }
    if (r->correlating != nullptr) {
        keep_views(r, &numbers);
        keep_lists(r, least, &numbers);
        keep_listed(r, least, &numbers);
        for (size_t i = 0; i < numbers.listed.size(); ++i)
            if (numbers.listed[i] != NOT_SET) out->push_back(r->correlating->listed[i].position);
    }
    std::sort(out->begin(), out->end());
    out->erase(std::unique(out->begin(), out->end()), out->end());
}

}  // namespace spaseq::events
