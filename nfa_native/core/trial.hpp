// A choice between two ways of doing something, made from what each takes: with hysteresis, and with patience, so that a
// way that was tried and left is tried again later and later.
#pragma once

#include <algorithm>
#include <cstdint>

namespace spaseq {

struct Trial {
    static constexpr double CLEARLY = 1.25;        // times as much are a reason to change
    static constexpr uint32_t MOST_PATIENCE = 64;  // periods

    bool other = false;                    // the other way is taken, not the usual one
    uint32_t patience = 1;                 // periods until what was left is tried again
    uint32_t rest = 0;                     // and how many of them are left
    uint64_t switches = 0;

    // A period ends, in which the ways took, or would have taken, so much; whether the way changes.
    bool end_period(double usual_cost, double other_cost) noexcept {
        if (rest > 0) {
            --rest;
            if (!other) return false;
        }
        if (other ? other_cost <= CLEARLY * usual_cost : usual_cost <= CLEARLY * other_cost) {
            if (other) patience = 1;
            return false;
        }
        if (other) {
            rest = patience;
            patience = std::min(2 * patience, MOST_PATIENCE);
        }
        change();
        return true;
    }

    void change() noexcept {
        other = !other;
        ++switches;
    }
};

}  // namespace spaseq
