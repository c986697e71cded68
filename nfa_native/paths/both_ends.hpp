// A shortest walk from one vertex to another: breadth first from both over pairs of a vertex and a state, until they meet.
//
// Always the side goes on, by a step, that has come to fewer pairs by its last one.  When it first comes to a pair that the other
// side knows, the walk is a shortest one: on a shorter one the sides would have met before.
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

struct StatePair {
    vertex_t vertex;
    uint32_t state;
    uint32_t before;                // the pair from which it was reached; NO_PLACE: the side begins here
    symbol_t symbol;                // of the step between them, as the walk takes it
};

// What one end has reached.
struct WalkSide {
    std::vector<StatePair> pairs;   // by distance
    ProductTable places;            // of a pair in `pairs`, from 1 on, by state
    size_t next = 0;                // the first one that was not gone on from
    size_t level = 0;               // the end of those at its distance

    void forget() noexcept {
        pairs.clear();
        places.clear();
        next = level = 0;
    }

    size_t frontier() const noexcept { return pairs.size() - level; }
};

struct BothEnds {
    const PathGraph* graph = nullptr;
    const PathAutomaton* automaton = nullptr;
    const Subsets* subsets = nullptr;                       // whose conditions hold or not
    bool not_back = false;
    std::vector<std::vector<PathTransition>> entries;       // by state: those that lead to it, with the state they come from
    WalkSide ahead;                                         // from the start
    WalkSide back;                                          // from the end
    WalkSide* moving = nullptr;                             // the side that goes on
    vertex_t start = 0;
    uint32_t met[2] = {NO_PLACE, NO_PLACE};                 // the pair where the sides meet, in each
    bool is_over = true;

    // std::bad_alloc
    void search_between(vertex_t from, vertex_t to) {
        if (entries.empty()) turn_automaton();
        for (WalkSide* side : {&ahead, &back}) {
            side->places.cover(graph->vertices);
            side->forget();
        }
        start = from;
        met[0] = met[1] = NO_PLACE;
        moving = nullptr;
        is_over = false;
        add_pair(&ahead, StatePair{from, 0, NO_PLACE, 0});
        for (uint32_t state = 0; state < automaton->states.size(); ++state)
            if (may_end(state, to)) add_pair(&back, StatePair{to, state, NO_PLACE, 0});
        choose_side();
    }

    bool is_done() const noexcept { return is_over; }

    // Go on from one pair, and give the walk when the sides meet.  std::bad_alloc, std::domain_error.
    void look_from_both(uint64_t* edges, FoundPaths* found) {
        *edges -= *edges > 0;
        if (met[0] == NO_PLACE && moving->next < moving->level) {
            if (moving == &ahead) go_ahead(static_cast<uint32_t>(ahead.next++), edges);
            else go_back(static_cast<uint32_t>(back.next++), edges);
        }
        if (met[0] != NO_PLACE) {
            write_meeting(found);
            is_over = true;
        } else if (moving->next == moving->level) {
            choose_side();
        }
    }

  private:
    void turn_automaton() {
        entries.resize(automaton->states.size());
        for (uint32_t state = 0; state < automaton->states.size(); ++state)
            for (const PathTransition& way : automaton->states[state].transitions)
                entries[way.state].push_back(PathTransition{state, way.guard});
    }

    bool holds_at(guard_t guard, vertex_t vertex) const noexcept { return holds(guard, subsets->holding_at(vertex, guard)); }

    // Only a walk without steps ends in state 0, and if it is not to come back, only that one ends at its start.
    bool may_end(uint32_t state, vertex_t vertex) const noexcept {
        if (state == 0 ? vertex != start : not_back && vertex == start) return false;
        for (guard_t guard : automaton->states[state].accepting)
            if (holds_at(guard, vertex)) return true;
        return false;
    }

    // The side that has fewer pairs to go on from, of equal ones in turn; if it has none, there is no walk.
    void choose_side() noexcept {
        if (met[0] != NO_PLACE) return;
        bool is_ahead = ahead.frontier() == back.frontier() ? moving == &back : ahead.frontier() < back.frontier();
        moving = is_ahead ? &ahead : &back;
        is_over = moving->frontier() == 0;
        moving->level = moving->pairs.size();
    }

    void go_ahead(uint32_t place, uint64_t* edges) {
        StatePair here = ahead.pairs[place];
        for (const PathTransition& way : automaton->states[here.state].transitions) {
            if (!holds_at(way.guard, here.vertex)) continue;
            for (symbol_t symbol : automaton->states[way.state].symbols)
                for (vertex_t to : neighbours(here.vertex, symbol, edges))
                    if (!not_back || to != start) add_pair(&ahead, StatePair{to, way.state, place, symbol});
        }
    }

    void go_back(uint32_t place, uint64_t* edges) {
        StatePair here = back.pairs[place];
        for (symbol_t symbol : automaton->states[here.state].symbols)
            for (vertex_t from : neighbours(here.vertex, symbol ^ 1, edges))
                for (const PathTransition& way : entries[here.state])
                    if (may_be_at(way.state, from) && holds_at(way.guard, from))
                        add_pair(&back, StatePair{from, way.state, place, symbol});
    }

    bool may_be_at(uint32_t state, vertex_t vertex) const noexcept {
        return state == 0 ? vertex == start : !not_back || vertex != start;
    }

    struct Range {
        const vertex_t* first;
        const vertex_t* last;
        const vertex_t* begin() const noexcept { return first; }
        const vertex_t* end() const noexcept { return last; }
    };

    Range neighbours(vertex_t vertex, symbol_t symbol, uint64_t* edges) const noexcept {
        Neighbours next = graph->symbols[symbol].of(vertex);
        *edges -= std::min(*edges, static_cast<uint64_t>(next.end - next.begin));
        return Range{next.begin, next.end};
    }

    // Unless the side knows it, or the sides have met.
    void add_pair(WalkSide* side, const StatePair& one) {
        if (met[0] != NO_PLACE || side->places.at(one.state, one.vertex)) return;
        if (side->pairs.size() >= NO_PLACE - 1) throw std::domain_error("a search has too many walks");
        side->pairs.push_back(one);
        side->places.put_number(one.state, one.vertex, static_cast<uint32_t>(side->pairs.size()));
        uint32_t known[] = {ahead.places.at(one.state, one.vertex), back.places.at(one.state, one.vertex)};
        if (!known[0] || !known[1]) return;
        met[0] = known[0] - 1;
        met[1] = known[1] - 1;
    }

    void write_meeting(FoundPaths* found) {
        size_t first = found->symbols.size(), first_vertex = found->vertices.size();
        for (uint32_t at = met[0]; ahead.pairs[at].before != NO_PLACE; at = ahead.pairs[at].before) {
            found->vertices.push_back(ahead.pairs[at].vertex);
            found->symbols.push_back(ahead.pairs[at].symbol);
        }
        found->vertices.push_back(start);
        std::reverse(found->vertices.begin() + first_vertex, found->vertices.end());
        std::reverse(found->symbols.begin() + first, found->symbols.end());
        for (uint32_t at = met[1]; back.pairs[at].before != NO_PLACE; at = back.pairs[at].before) {
            found->symbols.push_back(back.pairs[at].symbol);
            found->vertices.push_back(back.pairs[back.pairs[at].before].vertex);
        }
        found->complete_path();
    }
};

}  // namespace spaseq::paths
