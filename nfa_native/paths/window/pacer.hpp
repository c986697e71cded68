// Counts the work of long searches, and lets signals be heard now and then.
#pragma once

#include <cstdint>

namespace spaseq::paths {

struct Pacer {
    static constexpr uint32_t AT_ONCE = 1 << 16;    // edges that are looked at between two looks at signals

    void (*heed)() = nullptr;       // what lets signals be heard; it may throw what ends the search
    mutable uint32_t work = 0;

    void count_work() const {
        if (++work % AT_ONCE == 0 && heed != nullptr) heed();
    }
};

}  // namespace spaseq::paths
