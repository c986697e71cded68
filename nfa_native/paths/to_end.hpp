// How far it is from a vertex and a state to the end of a walk: breadth first from the end, as far as somebody asks.
//
// What was not come to yet is further away than all that was gone on from, so there is a bound for every pair at any time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/product_table.hpp"

namespace spaseq::paths {

struct DistantPair {
    vertex_t vertex;
    uint32_t state;
    uint32_t distance;
};

struct DistancesToEnd {
    static constexpr size_t NEVER = SIZE_MAX;

    const PathGraph* graph = nullptr;
    const PathAutomaton* automaton = nullptr;
    Subsets* subsets = nullptr;                             // merged
    PathRules rules;
    vertex_t start = 0;
    vertex_t end = 0;
    uint64_t spent = 0;                                     // edges that were looked at
    std::vector<DistantPair> pairs;                         // by distance
    ProductTable distances;                                 // 1 + that of a pair, by state
    size_t next = 0;                                        // the first one that was not gone on from
    std::vector<std::vector<uint32_t>> members;             // by state: those that go on as it does
    std::vector<std::vector<PathTransition>> entries;       // by state: those that lead to it, with the state they come from

    // std::bad_alloc
    void measure_between(vertex_t from, vertex_t to) {
        if (entries.empty()) turn_states();
        start = from;
        end = to;
        spent = next = 0;
        pairs.clear();
        distances.cover(graph->vertices);
        distances.clear();
        for (uint32_t state = 0; state < members.size(); ++state)
            if (members[state].size() && is_end(state)) add_distance(to, state, 0);
    }

    bool is_done() const noexcept { return next == pairs.size(); }

    // No walk from here to the end has fewer steps; NEVER: there is none.
    size_t least_from(uint32_t subset, vertex_t vertex) const noexcept {
        size_t unknown = is_done() ? NEVER : size_t(pairs[next].distance) + 1, least = unknown;
        for (uint32_t state : subsets->subsets[subset].states)
            if (uint32_t known = distances.at(state, vertex)) least = std::min(least, size_t(known) - 1);
        return least;
    }

    // Go on from one pair.  std::bad_alloc, std::domain_error.
    void go_back(uint64_t* edges) {
        DistantPair here = pairs[next++];
        for (uint32_t member : members[here.state])
            for (symbol_t symbol : automaton->states[member].symbols) {
                Neighbours from = graph->symbols[symbol ^ 1].of(here.vertex);
                uint64_t number = static_cast<uint64_t>(from.end - from.begin);
                spent += number;
                *edges -= std::min(*edges, number);
                for (const vertex_t* at = from.begin; at != from.end; ++at) leave_by(member, *at, here.distance + 1);
            }
    }

    // Whether a path that goes on to other vertices is never at this one again.
    bool is_met_once(vertex_t vertex) const noexcept {
        return is_without_loops() ? vertex == start || vertex == end : rules.not_back && vertex == start;
    }

  private:
    bool is_without_loops() const noexcept { return rules.restrictor == PathRestrictor::ACYCLIC || rules.restrictor == PathRestrictor::SIMPLE; }

    void turn_states() {
        members.resize(automaton->states.size());
        entries.resize(automaton->states.size());
        for (uint32_t state = 0; state < automaton->states.size(); ++state) {
            members[automaton->states[state].alike].push_back(state);
            if (automaton->states[state].alike != state) continue;
            for (const PathTransition& way : automaton->states[state].transitions)
                entries[way.state].push_back(PathTransition{state, way.guard});
        }
    }

    bool holds_at(guard_t guard, vertex_t vertex) const noexcept { return holds(guard, subsets->holding_at(vertex, guard)); }

    bool is_end(uint32_t state) const noexcept {
        if (state == 0 ? end != start : end == start && (rules.not_back || rules.restrictor == PathRestrictor::ACYCLIC)) return false;
        for (guard_t guard : automaton->states[state].accepting)
            if (holds_at(guard, end)) return true;
        return false;
    }

    void leave_by(uint32_t member, vertex_t vertex, uint32_t distance) {
        for (const PathTransition& way : entries[member]) {
            bool may_be = way.state == 0 ? vertex == start : !is_met_once(vertex);
            if (may_be && holds_at(way.guard, vertex)) add_distance(vertex, way.state, distance);
        }
    }

    void add_distance(vertex_t vertex, uint32_t state, uint32_t distance) {
        if (distances.at(state, vertex)) return;
        if (pairs.size() >= NO_PLACE - 1) throw std::domain_error("a search has too many walks");
        pairs.push_back(DistantPair{vertex, state, distance});
        distances.put_number(state, vertex, distance + 1);
    }
};

}  // namespace spaseq::paths
