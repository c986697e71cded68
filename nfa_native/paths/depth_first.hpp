// All paths from a vertex, one after the other: depth first, so that memory follows their length alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/path_columns.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/path_so_far.hpp"

namespace spaseq::paths {

// Where a search stands at one vertex of its path.
struct Crossing {
    const SubsetMoves* moves;
    size_t move;                    // the next one
    const vertex_t* at;             // the next neighbour of the one before
    const vertex_t* end;
    uint32_t subset;                // behind that move
    symbol_t symbol;                // of that move
};

struct DepthFirst {
    static constexpr size_t ANY_LENGTH = SIZE_MAX;

    const PathGraph* graph = nullptr;
    Subsets* subsets = nullptr;
    PathRules rules;
    PathSoFar path;
    std::vector<Crossing> crossings;        // one for each vertex of the path
    size_t length = ANY_LENGTH;             // paths of this length alone are given
    bool was_cut = false;                   // some path could be longer than `length`
    bool is_fresh = false;                  // the path was not looked at yet

    // Paths from this vertex.  std::bad_alloc, std::domain_error.
    void search_from(vertex_t start, size_t with_length) {
        length = with_length;
        was_cut = false;
        path.start_at(start, rules.restrictor);
        crossings.clear();
        enter_vertex(0);
    }

    bool is_done() const noexcept { return crossings.empty(); }

    // The next path into `path`; false: there is none, or `edges` are used up.  std::bad_alloc, std::domain_error.
    bool find_path(uint64_t* edges) {
        while (!crossings.empty()) {
            Crossing& here = crossings.back();
            if (is_fresh) {
                is_fresh = false;
                bool ends = here.moves->accepting && (length == ANY_LENGTH || path.length() == length);
                close_if_complete();
                if (ends && rules.may_end(path.vertices.back())) return true;
            }
            if (!cross_edge(&crossings.back(), edges)) return false;
        }
        return false;
    }

  private:
    void enter_vertex(uint32_t subset) {
        crossings.push_back(Crossing{&subsets->moves_at(subset, path.vertices.back()), 0, nullptr, nullptr, 0, 0});
        is_fresh = true;
    }

    // Nothing goes on behind the end of the path if it is closed, or long enough.
    void close_if_complete() noexcept {
        Crossing& here = crossings.back();
        bool is_long = path.length() == length;
        if (!is_long && !path.is_closed()) return;
        was_cut |= is_long && here.moves->moves.size();
        here.move = here.moves->moves.size();
    }

    // Go on from a crossing by one edge, or back; false: `edges` are used up.
    bool cross_edge(Crossing* here, uint64_t* edges) {
        while (here->at == here->end) {
            if (here->move == here->moves->moves.size()) {
                crossings.pop_back();
                if (crossings.size()) path.remove_edge();
                return true;
            }
            const SubsetMove& move = here->moves->moves[here->move++];
            Neighbours next = graph->symbols[move.symbol].of(path.vertices.back());
            here->at = next.begin;
            here->end = next.end;
            here->subset = move.subset;
            here->symbol = move.symbol;
        }
        if (*edges == 0) return false;
        --*edges;
        vertex_t to = *here->at++;
        if (path.admits(rules, here->symbol, to)) {
            path.append_edge(here->symbol, to);
            enter_vertex(here->subset);
        }
        return true;
    }
};

}  // namespace spaseq::paths
