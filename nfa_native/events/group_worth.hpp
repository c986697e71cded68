// Load shedding, what groups of the recognizer are worth.  A class of groups is a state, a bucket of values and an age.
// Groups of each class are counted; what their steps came to, by how long so many have lived, is what a group brings in
// an age, and what it brings until its window is over follows from that and from the class of the next age.  Nothing of
// it depends on where groups lie in their lists, which snapshots and closing up change.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/allowance.hpp"
#include "nfa_native/core/utility.hpp"

namespace spaseq::events {

using shedding::AGES;
using shedding::BUCKETS;

constexpr double KEEPING = 0.99;           // of what was learned, from one lesson to the next
constexpr size_t MOST_TELLING = 2;         // numbers of a group that make its class
constexpr float MOST_LOAD = 1e30f;         // partial matches of a set

// Of a class: sums over its groups, of late, and what follows from them.
struct GroupClass {
    double looks = 0;                      // ages that one of its groups has lived
    double matches = 0;                    // what its groups' steps came to, or are expected to come to,
    double work = 0;                       // and units: of looks at its groups, of these steps and what they made
    double asked = 0;                      // of these, the looks
    double again = 0;                      // steps into the same state,
    double matches_again = 0;              // what they are expected to come to,
    double work_again = 0;                 // and their work
    double utility = 0;                    // matches that a group comes to in all that is left of its window
    double cost = 0;                       // units, the same,
    double looked = 0;                     // of which looks at the group itself
};

// Of the groups of a state.
struct GroupWorth {
    shedding::Classes<GroupClass> known;
    std::vector<std::array<double, AGES + 1>> living;  // of each bucket how many began in age n, at n % (AGES + 1)
    std::array<bool, MOST_TELLING> overdue{};  // edges of the value are made anew before the next event
    double load = 1;                       // partial matches of a group, on an average
    bool judged = false;                   // groups are looked at one by one, so that each makes work
    uint64_t unworthy = 0;                 // groups that were left out, for they would bring too little for their work
    uint64_t cut = 0;                      // and for their event had taken too much
};

// What is expected of beginnings bounds what is expected of any group.
struct MostExpected {
    double utility = shedding::MOST_EXPECTED;
    double cost = shedding::MOST_EXPECTED;
};

static inline size_t slot_of_age(int64_t number) noexcept {
    return size_t((number % int64_t(AGES + 1) + int64_t(AGES + 1)) % int64_t(AGES + 1));
}

// Groups of a bucket that have that age in the age of number `newest`; the oldest may have begun one age before.
static inline double living_in(const GroupWorth& worth, uint32_t bucket, uint32_t age, int64_t newest) noexcept {
    const std::array<double, AGES + 1>& living = worth.living[bucket];
    double count = living[slot_of_age(newest - int64_t(age))];
    return age + 1 < AGES ? count : count + living[slot_of_age(newest - int64_t(AGES))];
}

// The present goes on to another age: those that began long ago are over.
static inline void pass_ages(GroupWorth* worth, int64_t from, int64_t to) noexcept {
    for (int64_t number = std::max(from, to - int64_t(AGES) - 1) + 1; number <= to; ++number)
        for (std::array<double, AGES + 1>& living : worth->living) living[slot_of_age(number)] = 0;
}

// ── lessons ──

static inline void add_sums(GroupClass* sum, const GroupClass& more) noexcept {
    sum->looks += more.looks;
    sum->matches += more.matches;
    sum->work += more.work;
    sum->asked += more.asked;
    sum->again += more.again;
    sum->matches_again += more.matches_again;
    sum->work_again += more.work_again;
}

static inline void fade_sums(GroupClass* c) noexcept {
    for (double* one : {&c->looks, &c->matches, &c->work, &c->asked, &c->again, &c->matches_again, &c->work_again})
        *one *= KEEPING;
}

// What follows from the sums of a class, and from what is expected when it is older.
static inline void expect_of(GroupClass* c, const GroupClass& older, const MostExpected& most) noexcept {
    double each = c->looks > 0 ? 1 / c->looks : 0;
    double part = std::min(1.0, shedding::MOST_GROWTH / (c->again * each + 1e-9));
    c->utility = std::min(most.utility, (c->matches + part * c->matches_again) * each + older.utility);
    c->looked = std::min(most.cost, c->asked * each + older.looked);
    c->cost = std::min(most.cost, (c->work + part * c->work_again) * each + older.cost);
}

// So much of an age has passed since the last lesson.
static inline void learn_of_age(
    GroupWorth* worth, uint32_t age, double passed, int64_t newest, const MostExpected& most
) {
    GroupClass none;
    GroupClass* all = &worth->known.at(BUCKETS, age);
    *all = {};
    for (uint32_t bucket = 0; bucket < worth->known.buckets(); ++bucket) {
        GroupClass* c = &worth->known.at(bucket, age);
        fade_sums(c);
        c->looks += passed * living_in(*worth, bucket, age, newest);
        add_sums(all, *c);
        expect_of(c, age + 1 < AGES ? worth->known.at(bucket, age + 1) : none, most);
    }
    expect_of(all, age + 1 < AGES ? worth->known.at(BUCKETS, age + 1) : none, most);
}

static inline void learn_of_state(GroupWorth* worth, double passed, int64_t newest, const MostExpected& most) {
    for (uint32_t age = AGES; age-- > 0;) learn_of_age(worth, age, passed, newest, most);
}

}  // namespace spaseq::events
