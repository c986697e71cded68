// A query on a graph: its paths from each of some starts, as its selector wants them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/all_shortest.hpp"
#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/between_ends.hpp"
#include "nfa_native/paths/both_ends.hpp"
#include "nfa_native/paths/breadth_first.hpp"
#include "nfa_native/paths/by_length.hpp"
#include "nfa_native/paths/depth_first.hpp"
#include "nfa_native/paths/path_columns.hpp"
#include "nfa_native/paths/graph.hpp"

namespace spaseq::paths {

using kinds::PathSelection;

struct PathSearch {
    const PathGraph* graph = nullptr;
    const PathAutomaton* automaton = nullptr;
    Subsets subsets;
    PathRules rules;
    PathSelection selector = PathSelection::ALL;
    uint32_t count = 1;                     // of SHORTEST
    std::vector<vertex_t> starts;
    std::vector<vertex_t> targets;          // the shortest paths to each of them are searched for from both ends; empty: in another way
    size_t next_start = 0;
    size_t next_target = 0;
    bool is_begun = false;                  // the search from the start before `next_start` is not over
    FoundPaths found;
    uint64_t edges = 0;                     // that were looked at, and those of the paths that were found
    int broken = 0;

    DepthFirst depth;                       // the search that is in use, of these six
    BreadthFirst breadth;
    AllShortest all_shortest;
    ByLength by_length;
    BothEnds both;                          // for a walk
    BetweenEnds between;                    // for other paths

    // All is set but `starts`.  std::bad_alloc
    void open_search() {
        subsets.is_merged = true;
        subsets.begin_with(automaton);
        PathRules walk = rules;
        walk.restrictor = PathRestrictor::WALK;
        depth.graph = breadth.graph = all_shortest.graph = by_length.depth.graph = by_length.walks.graph = both.graph = graph;
        both.automaton = automaton;
        both.subsets = &subsets;
        both.not_back = rules.not_back;
        between.way.open_ways(graph, automaton, &subsets, rules);
        depth.subsets = breadth.subsets = all_shortest.subsets = &subsets;
        by_length.depth.subsets = by_length.walks.subsets = &subsets;
        depth.rules = by_length.depth.rules = rules;
        breadth.rules = all_shortest.rules = by_length.walks.rules = walk;
        breadth.count = count;
        by_length.count = between.count = selector == PathSelection::ALL_SHORTEST ? 0 : count;
    }

    bool is_done() const noexcept { return !is_begun && next_start == starts.size(); }

    // Search until all is found, or so many edges were looked at, or that many paths found.  std::bad_alloc, std::domain_error.
    void advance_search(uint64_t most_edges, size_t most_paths) {
        uint64_t left = most_edges;
        while (left && found.size() < most_paths && !is_done()) {
            size_t written = found.symbols.size();
            if (!is_begun) search_from(starts[next_start++]);
            go_along(&left);
            left -= std::min<uint64_t>(left, found.symbols.size() - written);
        }
        edges += most_edges - left;
    }

  private:
    bool is_walk() const noexcept { return rules.restrictor == PathRestrictor::WALK; }

    void search_from(vertex_t start) {
        is_begun = true;
        if (selector == PathSelection::ALL) depth.search_from(start, DepthFirst::ANY_LENGTH);
        else if (targets.size()) search_to(start, 0);
        else if (!is_walk()) by_length.search_from(start);
        else if (selector == PathSelection::ALL_SHORTEST) all_shortest.search_from(start);
        else breadth.search_from(start);
    }

    void search_to(vertex_t start, size_t target) {
        next_target = target + 1;
        if (is_walk()) both.search_between(start, targets[target]);
        else between.search_between(start, targets[target]);
    }

    void go_along(uint64_t* left) {
        if (selector == PathSelection::ALL) {
            if (depth.find_path(left)) found.add_path(depth.path.vertices.data(), depth.path.symbols.data(), depth.path.length());
            is_begun = !depth.is_done();
        } else if (targets.size()) {
            go_between(left);
        } else if (!is_walk()) {
            by_length.look_at_length(left, &found);
            is_begun = !by_length.is_done();
        } else if (selector == PathSelection::ALL_SHORTEST) {
            all_shortest.look_at_pair(left, &found);
            is_begun = !all_shortest.is_done();
        } else {
            *left -= *left > 0;
            breadth.look_at_walk(left, &found);
            is_begun = !breadth.is_done();
        }
    }

    void go_between(uint64_t* left) {
        if (is_walk()) both.look_from_both(left, &found);
        else between.look_between(left, &found);
        while (is_at_end() && next_target < targets.size()) search_to(starts[next_start - 1], next_target);
        is_begun = !is_at_end();
    }

    bool is_at_end() const noexcept { return is_walk() ? both.is_done() : between.is_done(); }
};

}  // namespace spaseq::paths
