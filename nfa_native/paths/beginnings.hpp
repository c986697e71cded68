// Beginnings of paths, which share what they have in common: each is one step more than another one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/path_columns.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/path_so_far.hpp"

namespace spaseq::paths {

struct Beginning {
    double sum;                     // what its steps weigh
    uint32_t before;                // one step less; NO_PLACE: it has no step
    uint32_t length;
    vertex_t vertex;                // where it ends
    symbol_t symbol;                // of its last step; 0: it has none
    uint32_t subset;                // of the states of its query's automaton
    uint32_t route;                 // whose it is
};

struct Beginnings {
    std::vector<Beginning> all;

    const Beginning& operator[](uint32_t place) const noexcept { return all[place]; }
    size_t size() const noexcept { return all.size(); }

    // The mean weight of its steps, 0 if it has none.
    double score_of(uint32_t place) const noexcept {
        const Beginning& one = all[place];
        return one.length ? one.sum / one.length : 0;
    }

    // Step by step by symbol and vertex, of two of the same length: below 0 if the first one comes first, 0 if they are the same.
    // Steps that are compared are added to `effort`.
    int order_of_steps(uint32_t one, uint32_t other, size_t* effort) const noexcept {
        int order = 0;
        for (; one != other; one = all[one].before, other = all[other].before) {
            const Beginning &here = all[one], &there = all[other];
            if (here.vertex != there.vertex) order = here.vertex < there.vertex ? -1 : 1;
            if (here.symbol != there.symbol) order = here.symbol < there.symbol ? -1 : 1;
            ++*effort;
        }
        return order;
    }

    // The first `length` steps of one that is not shorter.
    uint32_t first_steps(uint32_t place, uint32_t length, size_t* effort) const noexcept {
        *effort += all[place].length - length;
        while (all[place].length > length) place = all[place].before;
        return place;
    }

    bool has_vertex(uint32_t place, vertex_t vertex, size_t* effort) const noexcept {
        *effort += all[place].length;
        for (; place != NO_PLACE; place = all[place].before)
            if (all[place].vertex == vertex) return true;
        return false;
    }

    bool has_edge(uint32_t place, const Edge& edge, size_t* effort) const noexcept {
        *effort += all[place].length;
        for (; all[place].before != NO_PLACE; place = all[place].before)
            if (edge_of(all[all[place].before].vertex, all[place].symbol, all[place].vertex) == edge) return true;
        return false;
    }

    // Whether a path that begins so may go on along this edge.
    bool admits(const PathRules& rules, vertex_t start, uint32_t place, symbol_t symbol, vertex_t to, size_t* effort) const noexcept {
        if (rules.not_back && to == start) return false;
        switch (rules.restrictor) {
        case PathRestrictor::TRAIL: return !has_edge(place, edge_of(all[place].vertex, symbol, to), effort);
        case PathRestrictor::ACYCLIC: return !has_vertex(place, to, effort);
        case PathRestrictor::SIMPLE: return to == start || !has_vertex(place, to, effort);
        default: return true;
        }
    }

    // The path that it is.  std::bad_alloc
    void write_beginning(uint32_t place, FoundPaths* found) const {
        size_t first = found->symbols.size(), first_vertex = found->vertices.size();
        for (; place != NO_PLACE; place = all[place].before) {
            found->vertices.push_back(all[place].vertex);
            if (all[place].before != NO_PLACE) found->symbols.push_back(all[place].symbol);
        }
        std::reverse(found->vertices.begin() + static_cast<ptrdiff_t>(first_vertex), found->vertices.end());
        std::reverse(found->symbols.begin() + static_cast<ptrdiff_t>(first), found->symbols.end());
        found->complete_path();
    }
};

}  // namespace spaseq::paths
