// The best paths that were found, in order.
//
// One comes before another if it scores more; of equal scores the shorter one; then in the order in which depth-first searches
// find them: by route, then step by step by symbol and vertex.  A path of two queries is that of the first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "nfa_native/paths/beginnings.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/outlook.hpp"

namespace spaseq::paths {

struct ByRank {
    const Beginnings* beginnings;
    size_t* effort;                 // steps that are compared are added to it

    bool operator()(uint32_t one, uint32_t other) const noexcept {
        const Beginning &here = (*beginnings)[one], &there = (*beginnings)[other];
        double score = beginnings->score_of(one), than = beginnings->score_of(other);
        if (score != than) return score > than;
        if (here.length != there.length) return here.length < there.length;
        if (here.route != there.route) return here.route < there.route;
        return beginnings->order_of_steps(one, other, effort) < 0;
    }
};

struct ByContent {
    const Beginnings* beginnings;
    size_t* effort;

    bool operator()(uint32_t one, uint32_t other) const noexcept {
        uint32_t length = (*beginnings)[one].length, than = (*beginnings)[other].length;
        return length != than ? length < than : beginnings->order_of_steps(one, other, effort) < 0;
    }
};

struct BestPaths {
    const Beginnings& beginnings;
    size_t top = 1;                             // so many paths at most
    bool are_distinct = true;                   // no path can be found twice
    size_t effort = 0;                          // steps that were compared
    std::set<uint32_t, ByRank> ranked;
    std::set<uint32_t, ByContent> contents;     // the same ones, unless `are_distinct`

    explicit BestPaths(const Beginnings& of)
        : beginnings(of), ranked(ByRank{&of, &effort}), contents(ByContent{&of, &effort}) {}

    // What a path must score to be one of them.
    double least() const noexcept { return is_full() ? beginnings.score_of(last()) : NOTHING; }
    bool is_full() const noexcept { return ranked.size() == top; }

    // Whether a path is one of them now.  std::bad_alloc
    bool rank_path(uint32_t place) {
        if (is_full() && !comes_before(place, last())) return false;
        if (!are_distinct && !replaces_equal(place)) return false;
        if (!are_distinct) contents.insert(place);
        ranked.insert(place);
        if (ranked.size() > top) forget(last());
        return true;
    }

    // Whether none of the paths that begin so can be one of them: they score `bound` at most, and have `shortest` steps at least.
    bool is_hopeless(uint32_t place, double bound, uint32_t shortest) noexcept {
        if (bound == NOTHING || !is_full()) return bound == NOTHING;
        if (bound != least()) return bound < least();
        const Beginning &here = beginnings[place], &there = beginnings[last()];
        if (shortest != there.length) return shortest > there.length;
        if (here.route != there.route) return here.route > there.route;
        return beginnings.order_of_steps(place, beginnings.first_steps(last(), here.length, &effort), &effort) > 0;
    }

  private:
    uint32_t last() const noexcept { return *ranked.rbegin(); }

    bool comes_before(uint32_t one, uint32_t other) const noexcept { return ranked.key_comp()(one, other); }

    // Forget the same path of a later query; false: an earlier one has it.
    bool replaces_equal(uint32_t place) noexcept {
        auto same = contents.find(place);
        if (same == contents.end()) return true;
        if (comes_before(*same, place)) return false;
        forget(*same);
        return true;
    }

    void forget(uint32_t place) noexcept {
        if (!are_distinct) contents.erase(place);
        ranked.erase(place);
    }
};

}  // namespace spaseq::paths
