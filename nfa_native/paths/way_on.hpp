// A shortest way on from a path to the end that keeps clear of the path: best first (A*), led by distances to the end.
//
// The way may break the restrictor by itself, so its length is a bound for what the path can become.  The two sides keep pace:
// while more edges were looked at from here than from the end, distances are measured on; bounds only rise by that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/product_table.hpp"
#include "nfa_native/paths/to_end.hpp"

namespace spaseq::paths {

// A step of a way: the `child`-th edge of those that go on from where it begins.
struct WayStep {
    uint32_t before;                // NO_PLACE: it is the first one
    uint32_t subset;
    vertex_t vertex;
    symbol_t symbol;
    uint32_t child;
    uint32_t length;                // of the path with it
};

struct WayOn {
    static constexpr size_t ANY_LENGTH = DistancesToEnd::NEVER;

    const PathGraph* graph = nullptr;
    Subsets* subsets = nullptr;
    PathRules rules;
    DistancesToEnd to_end;
    PathSoFar path;                 // from which ways go on
    std::vector<WayStep> steps;
    std::vector<uint64_t> open;     // a heap of the steps that were not gone on from: those that may end soonest, of them the newest
    ProductTable lengths;           // of the shortest ways to a pair
    size_t most = ANY_LENGTH;       // longer ways are left out
    size_t left_out = ANY_LENGTH;   // no way that was left out is shorter
    uint64_t spent = 0;             // edges that were looked at
    bool is_looking = false;
    uint32_t found = NO_PLACE;      // the last step of the way

    void open_ways(const PathGraph* in, const PathAutomaton* automaton, Subsets* of, const PathRules& with) noexcept {
        graph = to_end.graph = in;
        subsets = to_end.subsets = of;
        to_end.automaton = automaton;
        rules = to_end.rules = with;
    }

    // Whether no way goes on behind this vertex.
    bool closes(vertex_t vertex) const noexcept { return rules.restrictor != PathRestrictor::TRAIL && to_end.is_met_once(vertex); }

    // std::bad_alloc
    void search_between(vertex_t from, vertex_t to) {
        to_end.measure_between(from, to);
        lengths.cover(graph->vertices);
        spent = 0;
        is_looking = false;
    }

    // Ways on from the path, whose end is in `subset`, of no more steps in all; none begins with these children, which rise.
    // std::bad_alloc, std::domain_error
    void search_on(uint32_t subset, size_t longest, const uint32_t* tried, const uint32_t* end, uint64_t* edges) {
        most = longest;
        left_out = ANY_LENGTH;
        steps.clear();
        open.clear();
        lengths.clear();
        found = NO_PLACE;
        is_looking = true;
        go_on(NO_PLACE, subset, path.vertices.back(), tried, end, edges);
    }

    // Whether a path that ends here is one to the end.  std::bad_alloc, std::domain_error
    bool is_end(uint32_t subset, vertex_t vertex) {
        return vertex == to_end.end && subsets->moves_at(subset, vertex).accepting;
    }

    // No path that goes on by this step is shorter; ANY_LENGTH: there is none.  std::bad_alloc, std::domain_error
    size_t bound_by(vertex_t from, const WayStep& step) {
        if (!path.admits_from(from, rules, step.symbol, step.vertex) || is_dead_end(from, step)) return ANY_LENGTH;
        return bound_of(step);
    }

    // Look at one pair; at the end of it `is_looking` is false.  std::bad_alloc, std::domain_error
    void look_on(uint64_t* edges) {
        *edges -= *edges > 0;
        if (open.empty()) is_looking = false;
        else if (!to_end.is_done() && to_end.spent <= spent) to_end.go_back(edges);
        else look_at_step(edges);
    }

  private:
    void look_at_step(uint64_t* edges) {
        uint32_t place = UINT32_MAX - static_cast<uint32_t>(open.front());
        size_t bound = static_cast<size_t>(open.front() >> 32);
        std::pop_heap(open.begin(), open.end(), std::greater<>());
        open.pop_back();
        WayStep step = steps[place];
        if (step.length != lengths.at(step.subset, step.vertex)) return;
        if (is_end(step.subset, step.vertex)) {
            found = place;
            is_looking = false;
        } else if (size_t risen = bound_of(step); risen != bound) {
            if (is_short(risen)) wait(place, risen);
        } else if (!closes(step.vertex)) {
            go_on(place, step.subset, step.vertex, nullptr, nullptr, edges);
        }
    }

    size_t bound_of(const WayStep& step) const noexcept {
        size_t rest = to_end.least_from(step.subset, step.vertex);
        return rest == DistancesToEnd::NEVER ? ANY_LENGTH : step.length + rest;
    }

    void go_on(uint32_t before, uint32_t subset, vertex_t vertex, const uint32_t* tried, const uint32_t* end, uint64_t* edges) {
        uint32_t child = 0, length = 1 + static_cast<uint32_t>(before == NO_PLACE ? path.length() : steps[before].length);
        for (const SubsetMove& move : subsets->moves_at(subset, vertex).moves) {
            Neighbours next = graph->symbols[move.symbol].of(vertex);
            uint64_t number = static_cast<uint64_t>(next.end - next.begin);
            spent += number;
            *edges -= std::min(*edges, number);
            for (const vertex_t* to = next.begin; to != next.end; ++to, ++child) {
                if (tried != end && *tried == child) ++tried;
                else reach(vertex, WayStep{before, move.subset, *to, move.symbol, child, length});
            }
        }
    }

    // Whether a trail can only go back where it came from.
    bool is_dead_end(vertex_t from, const WayStep& step) {
        if (rules.restrictor != PathRestrictor::TRAIL || is_end(step.subset, step.vertex)) return false;
        Edge edge = edge_of(from, step.symbol, step.vertex);
        for (const SubsetMove& move : subsets->moves_at(step.subset, step.vertex).moves) {
            Neighbours next = graph->symbols[move.symbol].of(step.vertex);
            for (const vertex_t* to = next.begin; to != next.end; ++to)
                if (edge_of(step.vertex, move.symbol, *to) != edge) return false;
        }
        return true;
    }

    // Take a step, if no shorter way leads there and the path before lets it.
    void reach(vertex_t from, const WayStep& step) {
        uint32_t known = lengths.at(step.subset, step.vertex);
        if (known && known <= step.length) return;
        size_t bound = bound_by(from, step);
        if (!is_short(bound)) return;
        if (steps.size() >= NO_PLACE - 1) throw std::domain_error("a search has too many walks");
        lengths.put_number(step.subset, step.vertex, step.length);
        steps.push_back(step);
        wait(static_cast<uint32_t>(steps.size() - 1), bound);
    }

    bool is_short(size_t bound) noexcept {
        if (bound > most) left_out = std::min(left_out, bound);
        return bound <= most;
    }

    void wait(uint32_t place, size_t bound) {
        open.push_back(uint64_t(bound) << 32 | (UINT32_MAX - place));
        std::push_heap(open.begin(), open.end(), std::greater<>());
    }
};

}  // namespace spaseq::paths
