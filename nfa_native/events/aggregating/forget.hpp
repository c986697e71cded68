// Forgetting: partitions in which no match can begin where it has begun, and numbers of keys that no start has any
// more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nfa_native/events/aggregating/state.hpp"
#include "nfa_native/events/aggregating/step.hpp"

namespace spaseq::events::aggregating {

// Some path starts at `least` or later; of windows of `events` >= 0, in that of the partition's next event.
static bool lives(const Aggregation* a, const Substream* s, int64_t least, int64_t events) noexcept {
    if (!a->windowed) return s->window.has_front || s->window.has_back;
    if (events >= 0) least = s->events - events;
    if (s->window.has_front && s->window.youngest >= least) return true;
    for (size_t left = s->window.log.size(); s->window.has_back && left-- > 0;)
        if (s->window.log[left].start != NEVER) return s->window.log[left].start >= least;
    return false;
}

// The partitions that live, rising.
inline void find_living(const Aggregation* a, int64_t least, int64_t events, std::vector<uint32_t>* out) {
    for (uint32_t partition = 0; partition < a->substreams.size(); ++partition)
        if (lives(a, &a->substreams[partition], least, events)) out->push_back(partition);
}

// Give each partition its new number, which is none that is greater; NO_PARTITION: it is forgotten.
inline void renumber_substreams(Aggregation* a, const std::vector<uint32_t>* numbers, size_t count) {
    size_t touched = 0;
    for (uint32_t old : a->touched)
        if ((*numbers)[old] != NO_PARTITION) a->touched[touched++] = (*numbers)[old];
    a->touched.resize(touched);
    for (size_t old = 0; old < numbers->size(); ++old)
        if ((*numbers)[old] < old) std::swap(a->substreams[(*numbers)[old]], a->substreams[old]);
    a->substreams.resize(std::max(size_t(1), count));
    if (count == 0) begin_substream(a, &a->substreams[0]);
}

// The keys of all starts.
inline void find_keys(const Aggregation* a, std::vector<uint32_t>* out) {
    for (const Substream& s : a->substreams)
        for (const auto& group : s.window.groups) out->push_back(group.key);
}

// Give each key that has a number its new one.
inline void renumber_keys(Aggregation* a, const std::vector<uint32_t>* numbers) {
    for (Substream& s : a->substreams) {
        for (auto& group : s.window.groups)
            if (group.key < numbers->size()) group.key = (*numbers)[group.key];
        number_groups(&s);
    }
}

}  // namespace spaseq::events::aggregating
