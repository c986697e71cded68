// The k shortest walks from a vertex to each other one: breadth first over pairs of a vertex and a subset of states.
//
// A pair is gone on from k times at most: of the k shortest walks to a vertex there are some whose beginnings are each among
// the k shortest ones to their pair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/path_columns.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/product_table.hpp"

namespace spaseq::paths {

// A walk: one step more than that of `before`.
struct WalkNode {
    uint32_t before;                // NO_PLACE: it has no step
    vertex_t vertex;
    symbol_t symbol;
    uint32_t subset;
};

struct BreadthFirst {
    const PathGraph* graph = nullptr;
    Subsets* subsets = nullptr;
    PathRules rules;                        // WALK
    uint32_t count = 1;                     // walks for each pair of vertices
    std::vector<WalkNode> walks;            // by length
    size_t next_walk = 0;                   // the first one that was not looked at
    ProductTable visits;                    // how many walks lead to a pair
    ProductTable answers;                   // how many were given that end at a vertex, with subset 0

    void search_from(vertex_t start) {
        visits.cover(graph->vertices);
        answers.cover(graph->vertices);
        visits.clear();
        answers.clear();
        walks.clear();
        next_walk = 0;
        walks.push_back(WalkNode{NO_PLACE, start, 0, 0});
        visits.put_number(0, start, 1);
    }

    bool is_done() const noexcept { return next_walk == walks.size(); }

    // Look at the next walk, and give it if it is a result.  std::bad_alloc, std::domain_error.
    bool look_at_walk(uint64_t* edges, FoundPaths* found) {
        uint32_t place = static_cast<uint32_t>(next_walk++);
        WalkNode walk = walks[place];
        const SubsetMoves& moves = subsets->moves_at(walk.subset, walk.vertex);
        for (const SubsetMove& move : moves.moves) go_along(place, walk.vertex, move, edges);
        if (!moves.accepting || !rules.may_end(walk.vertex)) return false;
        uint32_t given = answers.at(0, walk.vertex);
        if (given >= count) return false;
        answers.put_number(0, walk.vertex, given + 1);
        if (found != nullptr) write_walk(place, found);
        return true;
    }

  private:
    void go_along(uint32_t place, vertex_t vertex, const SubsetMove& move, uint64_t* edges) {
        Neighbours next = graph->symbols[move.symbol].of(vertex);
        uint64_t number = static_cast<uint64_t>(next.end - next.begin);
        *edges -= std::min(*edges, number);
        for (const vertex_t* to = next.begin; to != next.end; ++to) {
            if (rules.not_back && *to == walks.front().vertex) continue;
            uint32_t visited = visits.at(move.subset, *to);
            if (visited >= count) continue;
            if (walks.size() >= NO_PLACE) throw std::domain_error("a search has too many walks");
            visits.put_number(move.subset, *to, visited + 1);
            walks.push_back(WalkNode{place, *to, move.symbol, move.subset});
        }
    }

    void write_walk(uint32_t place, FoundPaths* found) {
        size_t first = found->symbols.size(), first_vertex = found->vertices.size();
        for (uint32_t at = place; at != NO_PLACE; at = walks[at].before) {
            found->vertices.push_back(walks[at].vertex);
            if (walks[at].before != NO_PLACE) found->symbols.push_back(walks[at].symbol);
        }
        std::reverse(found->vertices.begin() + static_cast<ptrdiff_t>(first_vertex), found->vertices.end());
        std::reverse(found->symbols.begin() + static_cast<ptrdiff_t>(first), found->symbols.end());
        found->complete_path();
    }
};

}  // namespace spaseq::paths
