// How many matches an event ends, where every state is entered from the one before it only (`chains.hpp`).  The sets of a
// state are one list from different nodes on; so a node's matches are those of the set before it, and the numbers of a
// state's nodes are added up from the oldest one on: each list is gone through once, however many matches there are.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/bounded.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

using semirings::add_counts;

// Whether matches of all picks of an event may be counted so.
inline bool counts_chains(const Recognition* r) noexcept {
    return r->program.enumeration == EnumerationKind::ROWS && !r->program.update_only && r->correlating == nullptr;
}

// The nodes of a state's list from `number` on that are young enough, youngest first.
static void gather_level(Recognition* r, uint32_t number, int64_t least, std::vector<CountedNode>* level) {
    for (level->clear(); is_young(&r->state, number, least); number = match_node(&r->state, number)->sibling)
        level->push_back({number, 0});
}

// The numbers of matches of the sets that begin with each node of a list; nothing is picked before its nodes.
static void count_first(std::vector<CountedNode>* level) noexcept {
    for (size_t i = 0; i < level->size(); ++i) (*level)[i].matches = level->size() - i;
}

// The same where the sets before the nodes are of the list `before`, which is counted.
static void count_level(
    Recognition* r, const std::vector<CountedNode>& before, std::vector<CountedNode>* level
) noexcept {
    size_t place = 0;
    for (CountedNode& one : *level) {
        uint32_t next = match_node(&r->state, one.number)->next;
        while (before[place].number != next) ++place;
        assert(place < before.size());
        one.matches = before[place].matches;
    }
    for (size_t i = level->size(); i-- > 1;)
        (*level)[i - 1].matches = add_counts((*level)[i - 1].matches, (*level)[i].matches);
}

// How many matches the last event ends; those of a limit at most.
static uint64_t count_rows(Recognition* r) {
    const Ending& ending = r->scratch.endings[0];
    size_t width = r->program.width, last = width - 1;
    std::vector<std::vector<CountedNode>>& levels = r->scratch.levels;
    assert(width > 1 && r->scratch.endings.size() == 1);
    levels.resize(last);
    for (size_t state = last, number = match_node(&r->state, ending.node)->next; state-- > 0;) {
        gather_level(r, uint32_t(number), ending.least, &levels[state]);
        if (levels[state].empty()) return 0;
        number = match_node(&r->state, levels[state][0].number)->next;
    }
    count_first(&levels[0]);
    for (size_t state = 1; state < last; ++state) count_level(r, levels[state - 1], &levels[state]);
    uint64_t found = levels[last - 1][0].matches;
    return r->program.limit < 0 ? found : std::min(found, uint64_t(r->program.limit));
}

}  // namespace spaseq::events
