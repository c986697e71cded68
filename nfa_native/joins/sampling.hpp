// How many matches begin in ticks that are drawn by chance.  A kernel that begins matches nowhere else finds all of those
// for a part of the work; beside it stands what a kernel found whose work is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

constexpr double UNBOUNDED_WORK = 1e300;
constexpr uint64_t MOST_LISTED = 1 << 16;  // matches of one event that are listed only to be counted

// A number that tells nothing of the time, the same in all runs (the finaliser of SplitMix64).
static inline uint64_t lot_of(const Sampling& sampling, int64_t time) noexcept {
    uint64_t lot = (uint64_t(time) ^ sampling.salt) + 0x9E3779B97F4A7C15;
    lot = (lot ^ (lot >> 30)) * 0xBF58476D1CE4E5B9;
    lot = (lot ^ (lot >> 27)) * 0x94D049BB133111EB;
    return lot ^ (lot >> 31);
}

static inline bool is_drawn(const Sampling& sampling, int64_t time) noexcept {
    return time >= sampling.since && lot_of(sampling, time) <= sampling.highest_lot;
}

// A match may begin at that position.
static inline bool may_begin(Kernel* k, uint32_t pos) noexcept {
    return !k->sampling || !k->sampling->alone || is_drawn(*k->sampling, event_at(&k->now, pos)->time);
}

static inline void note_begun(Kernel* k, int64_t time, double count) {
    if (is_drawn(*k->sampling, time)) k->sampling->found[time] += count;
}

// All was found that may be: the kernel does nothing any more.
static inline bool has_ended(const Kernel* k) noexcept { return k->sampling && k->sampling->over; }

// So much work is done.
static inline void note_work(Kernel* k) noexcept {
    const shedding::Allowance& allowance = k->shedding->allowance;
    if (k->sampling->alone && allowance.done + allowance.spent > k->sampling->until) k->sampling->over = true;
}

// A match is listed, to be counted.
static void note_listed(Kernel* k) noexcept {
    Sampling* sampling = k->sampling.get();
    if (sampling->listed_at != k->now.seq) sampling->listed = 0;
    sampling->listed_at = k->now.seq;
    if (sampling->alone && ++sampling->listed > MOST_LISTED) sampling->over = true;
}

// From now on count the matches that begin in ticks since `since` whose lot is not higher; `alone`: find no others.
inline void sample_ticks(Kernel* k, uint64_t salt, uint64_t highest_lot, int64_t since, bool alone) {
    k->sampling = std::make_unique<Sampling>();
    k->sampling->salt = salt;
    k->sampling->highest_lot = highest_lot;
    k->sampling->since = since;
    k->sampling->alone = alone;
    k->sampling->until = UNBOUNDED_WORK;
}

inline size_t begun_ticks(const Kernel* k) noexcept { return k->sampling ? k->sampling->found.size() : 0; }

// Move what was counted since the last call to as many times and counts.
inline void take_begun(Kernel* k, int64_t* times, double* counts) noexcept {
    for (const auto& [time, count] : k->sampling->found) *times++ = time, *counts++ = count;
    k->sampling->found.clear();
}

// No match to come begins before this time, if no event comes before it either.
inline int64_t oldest_time(Kernel* k) noexcept {
    if (k->now.kept != next_position(&k->now)) return event_at(&k->now, k->now.kept)->time;
    return k->now.open ? k->now.tick : k->now.promised;
}

}  // namespace spaseq::joins
