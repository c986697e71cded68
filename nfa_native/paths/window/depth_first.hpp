// All paths in a window that go on from one that is there already: depth first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/window/edges.hpp"

namespace spaseq::paths {

// Where a search stands at one vertex of its path.
struct Branching {
    const SubsetMoves* moves;
    size_t move;                    // the next one
    const HalfEdge* at;             // the next edge of the one before
    const HalfEdge* end;
    uint32_t subset;                // behind that move
    symbol_t inverse;               // of that move
};

struct WindowDepthFirst {
    static constexpr size_t ANY_LENGTH = SIZE_MAX;

    const WindowGraph* graph = nullptr;
    Subsets* subsets = nullptr;
    PathRules rules;
    bool only_old = false;                  // edges that have just come are not taken
    PathSoFar path;                         // its symbols are steps
    std::vector<Branching> branchings;      // one for each vertex of the path, from the one where the search began
    size_t length = ANY_LENGTH;             // paths of this length alone are given
    bool was_cut = false;                   // some path could be longer than `length`
    bool is_unseen = false;                 // the path was not looked at yet

    // Paths from a vertex, of this length.  std::bad_alloc, std::domain_error.
    void search_from(vertex_t start, size_t with_length) {
        path.start_at(start, rules.restrictor);
        length = with_length;
        was_cut = false;
        go_on_with(0);
    }

    // Paths that begin with `path`, which leads to this subset.  std::bad_alloc, std::domain_error.
    void go_on_with(uint32_t subset) {
        branchings.clear();
        enter_vertex(subset);
    }

    // The next path into `path`; false: there is none.  std::bad_alloc, std::domain_error.
    bool find_path() {
        while (!branchings.empty()) {
            if (is_unseen) {
                is_unseen = false;
                bool ends = branchings.back().moves->accepting && (length == ANY_LENGTH || path.length() == length);
                close_if_complete();
                if (ends && rules.may_end(path.vertices.back())) return true;
            }
            cross_edge(&branchings.back());
        }
        return false;
    }

  private:
    void enter_vertex(uint32_t subset) {
        branchings.push_back(Branching{&subsets->moves_at(subset, path.vertices.back()), 0, nullptr, nullptr, 0, 0});
        is_unseen = true;
    }

    // Nothing goes on behind the end of the path if it is closed, or long enough.
    void close_if_complete() noexcept {
        Branching& here = branchings.back();
        bool is_long = path.length() == length;
        if (!is_long && !path.is_closed()) return;
        was_cut |= is_long && here.moves->moves.size();
        here.move = here.moves->moves.size();
    }

    // Go on by one edge, or back.
    void cross_edge(Branching* here) {
        while (here->at == here->end) {
            if (here->move == here->moves->moves.size()) {
                branchings.pop_back();
                if (branchings.size()) path.remove_edge();
                return;
            }
            const SubsetMove& move = here->moves->moves[here->move++];
            const EdgeRow* row = graph->row(path.vertices.back(), move.symbol);
            here->at = row == nullptr ? nullptr : row->begin();
            here->end = row == nullptr ? nullptr : row->end();
            here->subset = move.subset;
            here->inverse = move.symbol & 1;
        }
        graph->pacer.count_work();
        HalfEdge half = *here->at++;
        step_t step = 2 * half.edge + here->inverse;
        if ((only_old && graph->is_fresh(half.edge)) || !path.admits(rules, step, half.to)) return;
        uint32_t subset = here->subset;
        path.append_edge(step, half.to);
        enter_vertex(subset);
    }
};

}  // namespace spaseq::paths
