// What a recognizer has where its work is bounded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nfa_native/events/group_worth.hpp"

namespace spaseq::events {

struct GroupShedding {
    shedding::Allowance allowance;
    std::vector<GroupWorth> states;        // by state; there are none as long as nothing is learned
    int64_t window = 1;                    // its length, in what it measures
    int64_t position = 0;                  // of the event under way, or of the last one that came into some state
    int64_t present = 0;                   // the latest start
    int64_t taught = 0;                    // that of the last lesson
    uint64_t lesson = 0;                   // its number
    double starts = 0;                     // beginnings of late, and results
    double found = 0;
    double worked = 0;                     // units of late
    bool learns = false;                   // of the event under way: what it looks at counts for others, too
    double reckless = 0;                   // to compare: with this chance groups are left out, whatever they are worth
    uint64_t judged = 0;                   // of the event under way: how often something was left to chance
    uint64_t curtailed = 0;                // events of which not all results were put out
};

// About how many of a set whose youngest partial match began at `before` are left in a window that has gone on to one
// that began at `youngest`.
static inline float left_of_load(const GroupShedding& s, float load, int64_t before, int64_t youngest) noexcept {
    if (youngest <= before) return load;
    double passed = (double(youngest) - double(before)) / double(s.window);
    return std::min(load, MOST_LOAD) * float(std::max(0.0, 1 - passed));
}

}  // namespace spaseq::events
