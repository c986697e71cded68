// Whether sets that enter a state with views are merged by their values: what the choice is made from (`merged.hpp`).
// All of it depends on the events only, and is part of a snapshot.
#pragma once

#include <cstdint>

namespace spaseq::joins {

constexpr uint32_t MERGED = 0x80000000;    // among the bits of `Cell::listed`: it is found by its values
constexpr uint32_t MOST_LISTS = 31;        // indexes that leave that bit
constexpr uint64_t FEWER_LIVING = 4;       // of what must have entered before a choice, a fourth must live
constexpr uint64_t VIEWS_APART = 16;       // of so many views that go on, one is looked into:
constexpr uint32_t MOST_LOOKED_AT = 1024;  // at so many of its groups, the last ones

// Of one state.
struct Merging {
    uint8_t on = 0;                        // sets that enter are merged; else each is a group of lists
    uint64_t due = 0;                      // the next look at these numbers comes when so many sets have entered
    uint64_t entered = 0;                  // sets since the last look
    uint64_t made = 0;                     // and those of them of whose values there was no set that lives
    uint64_t gone_on = 0;                  // sets that had gone on to other states at the last look, a view is one
    uint64_t views = 0;                    // that have gone on since then
    uint64_t viewed = 0;                   // different values in those of them that were looked into
    uint64_t switches = 0;                 // since the beginning
};

}  // namespace spaseq::joins
