// How many walks match a bounded expression: for each length, how many lead to each pair of a vertex and a subset of states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/product_table.hpp"

namespace spaseq::paths {

typedef unsigned __int128 walks_t;

// std::domain_error: it is more than there are numbers for.
static inline void count_up(walks_t* total, walks_t more) {
    if (__builtin_add_overflow(*total, more, total)) throw std::domain_error("there are more than 10^38 paths");
}

// A pair that walks of the length at work lead to.
struct CountedPair {
    vertex_t vertex;
    uint32_t subset;
    walks_t walks;
};

struct WalkCount {
    const PathGraph* graph = nullptr;
    const PathAutomaton* automaton = nullptr;
    Subsets subsets;
    PathRules rules;                        // WALK
    std::vector<vertex_t> starts;
    size_t next_start = 0;                  // walks from those before it are counted
    std::vector<CountedPair> pairs;
    size_t next_pair = 0;                   // the first one that was not gone on from
    std::vector<CountedPair> longer;        // those with one step more
    ProductTable places;                    // of a pair in `longer`, from 1 on
    walks_t total = 0;
    uint64_t edges = 0;                     // that were looked at
    int broken = 0;

    // All is set but `starts`.  std::bad_alloc
    void open_count() {
        subsets.is_merged = true;
        subsets.begin_with(automaton);
        places.cover(graph->vertices);
    }

    bool is_done() const noexcept { return pairs.empty() && next_start == starts.size(); }

    // Count until all is counted, or so many edges were looked at.  std::bad_alloc, std::domain_error.
    void advance_count(uint64_t most_edges) {
        uint64_t left = most_edges;
        while (left && !is_done()) {
            if (pairs.empty()) begin_count();
            while (left && next_pair < pairs.size()) go_on_from(pairs[next_pair++], &left);
            if (next_pair == pairs.size()) take_longer();
        }
        edges += most_edges - left;
    }

    uint64_t low_bits() const noexcept { return static_cast<uint64_t>(total); }
    uint64_t high_bits() const noexcept { return static_cast<uint64_t>(total >> 64); }

  private:
    // Walks from all starts are counted together, unless they must not come back to theirs.
    void begin_count() {
        size_t stop = rules.not_back ? next_start + 1 : starts.size();
        for (; next_start < stop; ++next_start) pairs.push_back(CountedPair{starts[next_start], 0, 1});
    }

    void go_on_from(const CountedPair& pair, uint64_t* left) {
        --*left;
        const SubsetMoves& moves = subsets.moves_at(pair.subset, pair.vertex);
        if (moves.accepting && rules.may_end(pair.vertex)) count_up(&total, pair.walks);
        for (const SubsetMove& move : moves.moves) {
            Neighbours next = graph->symbols[move.symbol].of(pair.vertex);
            *left -= std::min(*left, static_cast<uint64_t>(next.end - next.begin));
            for (const vertex_t* to = next.begin; to != next.end; ++to)
                if (!rules.not_back || *to != starts[next_start - 1]) lengthen_to(move.subset, *to, pair.walks);
        }
    }

    void lengthen_to(uint32_t subset, vertex_t vertex, walks_t walks) {
        uint32_t known = places.at(subset, vertex);
        if (known) return count_up(&longer[known - 1].walks, walks);
        if (longer.size() >= NO_PLACE - 1) throw std::domain_error("a search has too many walks");
        longer.push_back(CountedPair{vertex, subset, walks});
        places.put_number(subset, vertex, static_cast<uint32_t>(longer.size()));
    }

    void take_longer() noexcept {
        pairs.swap(longer);
        longer.clear();
        places.clear();
        next_pair = 0;
    }
};

}  // namespace spaseq::paths
