// Skylines (Pareto fronts, kept as monotone queues): of pairs of a value and a start those that no younger one with a smaller
// value makes needless for asking who is the youngest one below a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spaseq {

// Both values rise from step to step.
struct SkylineStep {
    int64_t value;
    int64_t youngest;
};

struct Skyline {
    static constexpr size_t LEAST_TO_ERASE = 64;

    std::vector<SkylineStep> steps;
    size_t first = 0;      // those before it are dead

    void clear() noexcept {
        steps.clear();
        first = 0;
    }
};

// The first step from `first` to `end` whose `field` is not below a bound, looked for from the end, where it mostly is.
template <int64_t SkylineStep::*field>
static inline size_t steps_below(const SkylineStep* steps, size_t first, size_t end, int64_t bound) noexcept {
    size_t begin = end, stride = 1;
    while (begin > first && steps[begin - 1].*field >= bound) {
        end = begin - 1;
        begin = end - first > stride ? end - stride : first;
        stride *= 2;
    }
    for (size_t left = end - begin; left;) {       // without branches that depend on what the steps have
        size_t half = (left + 1) / 2;
        begin += steps[begin + half - 1].*field < bound ? half : 0;
        left -= half;
    }
    return begin;
}

// Know a pair, if no younger one has a smaller value, and forget those that it makes needless.  std::bad_alloc.
static inline void add_step(Skyline* skyline, int64_t value, int64_t youngest) {
    std::vector<SkylineStep>& steps = skyline->steps;
    size_t end = steps.size();
    if (end > skyline->first && steps[end - 1].youngest > youngest) {
        end = steps_below<&SkylineStep::youngest>(steps.data(), skyline->first, end, youngest + 1);
        if (steps[end].value <= value) return;
    }
    if (value == INT64_MAX) return;                // below no bound
    size_t begin = end;
    while (begin > skyline->first && steps[begin - 1].value >= value) --begin;
    if (end == steps.size()) {
        if (begin < end) steps.resize(begin);
        steps.push_back(SkylineStep{value, youngest});
    } else if (begin == end) {
        steps.insert(steps.begin() + static_cast<ptrdiff_t>(end), SkylineStep{value, youngest});
    } else {
        steps[begin] = SkylineStep{value, youngest};
        steps.erase(steps.begin() + static_cast<ptrdiff_t>(begin + 1), steps.begin() + static_cast<ptrdiff_t>(end));
    }
}

// Forget those that started before `least`.
static inline void drop_steps(Skyline* skyline, int64_t least) noexcept {
    std::vector<SkylineStep>& steps = skyline->steps;
    while (skyline->first < steps.size() && steps[skyline->first].youngest < least) ++skyline->first;
    if (skyline->first >= Skyline::LEAST_TO_ERASE && skyline->first * 2 > steps.size()) {
        steps.erase(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(skyline->first));
        skyline->first = 0;
    }
}

// The youngest start below a bound; INT64_MIN: there is none at `least` or later.
static inline int64_t youngest_below(const Skyline* skyline, int64_t bound, int64_t least) noexcept {
    size_t end = skyline->first;
    if (end < skyline->steps.size())
        end = steps_below<&SkylineStep::value>(skyline->steps.data(), end, skyline->steps.size(), bound);
    if (end == skyline->first || skyline->steps[end - 1].youngest < least) return INT64_MIN;
    return skyline->steps[end - 1].youngest;
}

}  // namespace spaseq
