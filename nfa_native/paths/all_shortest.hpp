// All shortest walks from a vertex to each other one: from the ends back over what precedes each pair of a vertex and a subset.
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

// One step by which a pair is reached on a shortest walk.
struct Approach {
    uint32_t pair;                  // where it begins
    symbol_t symbol;
    uint32_t other;                 // another approach to the same pair; NO_PLACE: there is none
};

struct ReachedPair {
    vertex_t vertex;
    uint32_t subset;
    uint32_t length;                // of the shortest walks to it
    uint32_t approach;              // the latest one; NO_PLACE: walks begin here
};

struct AllShortest {
    const PathGraph* graph = nullptr;
    Subsets* subsets = nullptr;
    PathRules rules;                        // WALK
    std::vector<ReachedPair> pairs;         // by length
    std::vector<Approach> approaches;
    ProductTable places;                    // of a pair in `pairs`, from 1 on
    ProductTable least;                     // with subset 0, of a vertex: 1 + the length of the shortest results that end there
    size_t next_pair = 0;                   // the first one that was not gone on from
    size_t next_end = 0;                    // the first one whose walks were not given; then all pairs are known
    std::vector<uint32_t> back;             // from the end of a walk on: the approaches of the one that was given last
    bool is_open = false;                   // there may be more walks of the pair before `next_end`

    void search_from(vertex_t start) {
        places.cover(graph->vertices);
        least.cover(graph->vertices);
        places.clear();
        least.clear();
        pairs.clear();
        approaches.clear();
        next_pair = next_end = 0;
        is_open = false;
        pairs.push_back(ReachedPair{start, 0, 0, NO_PLACE});
        places.put_number(0, start, 1);
    }

    bool is_done() const noexcept { return !is_open && next_pair == pairs.size() && next_end == pairs.size(); }

    // Go on from one pair, or give one walk.  std::bad_alloc, std::domain_error.
    void look_at_pair(uint64_t* edges, FoundPaths* found) {
        if (next_pair < pairs.size()) return reach_neighbours(edges);
        *edges -= *edges > 0;
        if (is_open) {
            is_open = turn_back();
        } else {
            is_open = is_result(pairs[next_end]);
            back.clear();
            if (is_open) descend_from(static_cast<uint32_t>(next_end));
            ++next_end;
        }
        if (is_open) write_walk(found);
    }

  private:
    void reach_neighbours(uint64_t* edges) {
        uint32_t place = static_cast<uint32_t>(next_pair++);
        ReachedPair pair = pairs[place];
        const SubsetMoves& moves = subsets->moves_at(pair.subset, pair.vertex);
        if (moves.accepting && rules.may_end(pair.vertex) && least.at(0, pair.vertex) == 0)
            least.put_number(0, pair.vertex, pair.length + 1);
        for (const SubsetMove& move : moves.moves) {
            Neighbours next = graph->symbols[move.symbol].of(pair.vertex);
            *edges -= std::min(*edges, static_cast<uint64_t>(next.end - next.begin));
            for (const vertex_t* to = next.begin; to != next.end; ++to)
                if (!rules.not_back || *to != pairs.front().vertex) approach_pair(place, pair.length + 1, move, *to);
        }
    }

    void approach_pair(uint32_t from, uint32_t length, const SubsetMove& move, vertex_t to) {
        uint32_t known = places.at(move.subset, to);
        if (known && pairs[known - 1].length < length) return;
        if (pairs.size() >= NO_PLACE - 1 || approaches.size() >= NO_PLACE)
            throw std::domain_error("a search has too many walks");
        if (!known) {
            pairs.push_back(ReachedPair{to, move.subset, length, NO_PLACE});
            known = static_cast<uint32_t>(pairs.size());
            places.put_number(move.subset, to, known);
        }
        approaches.push_back(Approach{from, move.symbol, pairs[known - 1].approach});
        pairs[known - 1].approach = static_cast<uint32_t>(approaches.size() - 1);
    }

    bool is_result(const ReachedPair& pair) {
        return subsets->moves_at(pair.subset, pair.vertex).accepting && least.at(0, pair.vertex) == pair.length + 1;
    }

    // The first way from a pair back to the start.
    void descend_from(uint32_t pair) {
        for (uint32_t at = pairs[pair].approach; at != NO_PLACE; at = pairs[approaches[at].pair].approach)
            back.push_back(at);
    }

    // The next way back; false: that was the last one.
    bool turn_back() {
        while (back.size()) {
            uint32_t other = approaches[back.back()].other;
            back.pop_back();
            if (other == NO_PLACE) continue;
            back.push_back(other);
            descend_from(approaches[other].pair);
            return true;
        }
        return false;
    }

    void write_walk(FoundPaths* found) {
        vertex_t end = pairs[next_end - 1].vertex;
        for (size_t i = back.size(); i--;) {
            found->vertices.push_back(pairs[approaches[back[i]].pair].vertex);
            found->symbols.push_back(approaches[back[i]].symbol);
        }
        found->vertices.push_back(end);
        found->complete_path();
    }
};

}  // namespace spaseq::paths
