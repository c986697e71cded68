// Searches in lists of groups of partial matches: of those that pass, the last one and the one of the youngest start.
#pragma once

#include <cstddef>
#include <cstdint>

#include "zone_map.hpp"

namespace spaseq {

constexpr int64_t NO_GROUP = -1;           // no place

// A list has, besides what its zone map asks for (`zone_map.hpp`),
//     size_t first_place(), end_place()        its living groups
//     bool is_rising()                         no group's youngest start is before that of a group in front of it
//     zones                                    a zone map
// and a query, besides what the zone map asks it, whether after a group that is found there may be a younger one:
//     bool ask_for_younger(size_t place)       from now on for younger ones than that; false: there can be none

// The place of the last group in front of `before` that passes, or NO_GROUP.  std::bad_alloc.
template <class List, class Query>
int64_t last_group(List& list, const Query& query, int64_t before, uint64_t* scanned) {
    list.zones.know(list, list.end_place());
    return list.zones.last_before(list, query, static_cast<int64_t>(list.first_place()), before, scanned);
}

// The place of a group that passes whose youngest start no other one's is after, or NO_GROUP.  std::bad_alloc.
template <class List, class Query>
int64_t youngest_group(List& list, Query query, uint64_t* scanned) {
    int64_t best = NO_GROUP, found = static_cast<int64_t>(list.end_place());
    while ((found = last_group(list, query, found, scanned)) != NO_GROUP) {
        best = found;
        if (list.is_rising() || !query.ask_for_younger(static_cast<size_t>(found))) break;
    }
    return best;
}

}  // namespace spaseq
