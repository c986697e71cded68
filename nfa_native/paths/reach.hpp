// What walks are led by that are not kept: an automaton for several queries with the same starts.
//
// Its states are in parts that are strongly connected, each behind all that lead to it.  State 0 is where walks begin; no
// move leads there.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/graph.hpp"

namespace spaseq::paths {

// An edge of one of some symbols.
struct ReachStep {
    std::vector<symbol_t> symbols;
    std::vector<Adjacency> rows;            // of each of them, or one for all of them: `offsets` and `targets`
    std::vector<uint32_t> offsets;
    std::vector<vertex_t> targets;

    bool is_sparse() const noexcept { return rows.size() == 1 && rows[0].vertices != nullptr; }
    bool is_plain() const noexcept { return rows.size() == 1 && rows[0].vertices == nullptr; }
};

struct ReachMove {
    uint32_t from;
    uint32_t to;
    uint32_t step;                          // NO_PLACE: none, the walk stays where it is
    guard_t guard;                          // on the vertex where the step begins
};

struct ReachQuery {
    uint32_t number;
    const uint8_t* ends;                    // by vertex: whether a walk may end there; NULL: anywhere
};

struct ReachState {
    std::vector<ReachMove> moves;           // to states of its part
    std::vector<ReachQuery> queries;        // whose walks end here
    uint32_t last_part = 0;                 // the last one that has a feed from here, or its own
    bool is_entered = false;                // by edges
    bool is_begun = false;                  // walks may be here before their first edge
};

struct ReachPart {
    uint32_t first;                         // its states are those from here
    uint32_t end;                           // to before here
    std::vector<ReachMove> feeds;           // from earlier parts
    std::vector<uint32_t> spent;            // states that no later part needs
};

// Frozen while somebody searches.
struct ReachPlan {
    static constexpr size_t MOST_MERGED = 32;   // steps that get rows of their own: each takes memory for all vertices

    const PathGraph* graph = nullptr;
    std::vector<const uint8_t*> conditions; // of each by vertex: whether it holds
    bool not_back = false;                  // the start does not come again
    std::vector<ReachStep> steps;
    std::vector<ReachState> states;
    std::vector<ReachPart> parts;
    size_t widest = 0;                      // states of a part

    // Methods of its maker: steps, parts, then moves, then queries, then the end.  std::bad_alloc.
    void add_reach_step() { steps.emplace_back(); }
    void add_reach_symbol(symbol_t symbol) {
        steps.back().symbols.push_back(symbol);
        steps.back().rows.push_back(graph->symbols[symbol]);
    }
    void add_reach_part(uint32_t size) {
        uint32_t first = static_cast<uint32_t>(states.size());
        states.resize(first + size);
        for (uint32_t state = first; state < first + size; ++state)
            states[state].last_part = static_cast<uint32_t>(parts.size());
        parts.push_back(ReachPart{first, first + size, {}, {}});
        widest = std::max<size_t>(widest, size);
    }
    void add_reach_move(const ReachMove& move) {
        uint32_t part = states[move.to].last_part;      // its own: feeds of later parts come later
        states[move.to].is_entered |= move.step != NO_PLACE;
        states[move.to].is_begun |= move.step == NO_PLACE;
        if (move.from >= parts[part].first) {
            states[move.from].moves.push_back(move);
        } else {
            parts[part].feeds.push_back(move);
        }
    }
    void add_reach_query(uint32_t state, uint32_t number, const uint8_t* ends) {
        states[state].queries.push_back(ReachQuery{number, ends});
    }
    void end_reach_plan() {
        for (uint32_t part = 0; part < parts.size(); ++part) {
            std::vector<ReachMove>& feeds = parts[part].feeds;  // starts first: they are known when edges lead there
            std::stable_partition(feeds.begin(), feeds.end(), [](const ReachMove& feed) { return feed.step == NO_PLACE; });
            for (const ReachMove& feed : feeds) states[feed.from].last_part = part;
        }
        for (uint32_t state = 0; state < states.size(); ++state) parts[states[state].last_part].spent.push_back(state);
    }

    // Steps whose rows are many, or are looked for, get rows of their own, in the same order; those in loops first.  std::bad_alloc.
    void merge_reach_rows() {
        std::vector<bool> loops(steps.size());
        for (const ReachState& state : states)
            for (const ReachMove& move : state.moves) loops[move.step] = true;
        size_t left = MOST_MERGED;
        for (bool in_loop : {true, false})
            for (size_t step = 0; step < steps.size() && left; ++step)
                if (loops[step] == in_loop && (in_loop || steps[step].is_sparse()) && !steps[step].is_plain()) {
                    merge_rows_of(&steps[step]);
                    --left;
                }
    }

    bool may_go(const ReachMove& move, vertex_t vertex) const noexcept {
        for (guard_t left = move.guard; left; left &= left - 1)
            if (!conditions[static_cast<size_t>(__builtin_ctzll(left))][vertex]) return false;
        return true;
    }

  private:
    void merge_rows_of(ReachStep* step) {
        size_t edges = 0;
        for (const Adjacency& rows : step->rows) edges += rows.offsets[rows.rows];
        if (edges > UINT32_MAX) return;
        step->offsets.assign(graph->vertices + 1, 0);
        step->targets.resize(edges);
        for_each_row(*step, [&](vertex_t vertex, Neighbours row) {
            step->offsets[vertex + 1] += static_cast<uint32_t>(row.end - row.begin);
        });
        for (size_t vertex = 0; vertex < graph->vertices; ++vertex) step->offsets[vertex + 1] += step->offsets[vertex];
        std::vector<uint32_t> next(step->offsets);
        for_each_row(*step, [&](vertex_t vertex, Neighbours row) {
            std::copy(row.begin, row.end, step->targets.begin() + next[vertex]);
            next[vertex] += static_cast<uint32_t>(row.end - row.begin);
        });
        step->rows.assign(1, Adjacency{nullptr, step->offsets.data(), step->targets.data(), graph->vertices});
    }

    template <class Function> static void for_each_row(const ReachStep& step, Function&& function) {
        for (const Adjacency& rows : step.rows)
            for (size_t row = 0; row < rows.rows; ++row) {
                vertex_t vertex = rows.vertices == nullptr ? static_cast<vertex_t>(row) : rows.vertices[row];
                function(vertex, Neighbours{rows.targets + rows.offsets[row], rows.targets + rows.offsets[row + 1]});
            }
    }
};

}  // namespace spaseq::paths
