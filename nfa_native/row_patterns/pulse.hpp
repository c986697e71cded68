// Long work without the GIL: now and then a signal's handler may end it.
#pragma once

#include <cstdint>

namespace spaseq::row_patterns {

struct Pulse {
    static constexpr uint64_t BETWEEN = uint64_t(1) << 20;     // steps of some nanoseconds each

    void (*check)() = nullptr;      // throws what a handler has raised; NULL: nobody asks
    uint64_t left = BETWEEN;        // steps until it is asked

    // Some steps were made.
    void beat(uint64_t steps = 1) {
        if (steps < left) {
            left -= steps;
            return;
        }
        left = BETWEEN;
        if (check != nullptr) check();
    }
};

}  // namespace spaseq::row_patterns
