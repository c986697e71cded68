// The best paths of some queries, by the mean weight of their steps: best first, led by bounds of what paths can become.
//
// What waits is the beginning of paths, alone or with the symbol along which it goes on.  The one with the highest bound is looked
// at next, and of equal ones the longest.  So that paths come early, a search often *dives*: it goes on with the best of what it has
// just found, until nothing goes on.  What cannot be among the best any more is dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/beginnings.hpp"
#include "nfa_native/paths/best_paths.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/outlook.hpp"
#include "nfa_native/paths/path_so_far.hpp"
#include "nfa_native/paths/pinned.hpp"

namespace spaseq::paths {

// A query, and what steps weigh for whoever asks.
struct RankedQuery {
    uint32_t number = 0;            // as whoever asks counts
    Subsets subsets;
    PathRules rules;
    StepWeights weights;
    Outlooks outlooks;
};

// A query from one start.
struct RankedRoute {
    uint32_t query;
    vertex_t start;
};

// What is to be looked at: the ways on from a beginning.
struct Waiting {
    double bound;                   // what paths score at most that take them
    uint32_t length;                // of the beginning
    uint32_t place;                 // of the beginning
    uint32_t move;                  // along this one of its subset's moves; NO_PLACE: along all of them
    uint32_t first;                 // from this one of the neighbours on
};

static inline bool waits_longer(const Waiting& one, const Waiting& other) noexcept {
    if (one.bound != other.bound) return one.bound < other.bound;
    if (one.length != other.length) return one.length < other.length;
    if (one.place != other.place) return one.place > other.place;
    return one.move != other.move ? one.move > other.move : one.first > other.first;
}

struct BestFirst {
    static constexpr size_t AT_ONCE = size_t(1) << 20;      // steps that are compared before the caller is asked again
    static constexpr uint32_t TOGETHER = 64;                // neighbours that are looked at before anything else
    static constexpr uint64_t DIVES = 4;                    // one edge in so many is that of a dive, when there are `top` paths

    const PathGraph* graph = nullptr;
    size_t most_kept = size_t(1) << 24;         // beginnings, and ways on that wait
    Pinned<RankedQuery> queries;
    std::vector<RankedRoute> routes;
    size_t next_route = 0;
    Beginnings beginnings;
    BestPaths best{beginnings};
    std::vector<Waiting> waiting;               // a heap
    Waiting ahead{0, 0, 0, 0, 0};               // the best of what was found since the last look, if `has_ahead`
    bool has_ahead = false;
    bool may_dive = true;                       // what is found goes ahead
    bool is_diving = false;
    uint64_t dive_edges = 0;                    // of `edges`
    uint32_t from = 0;                          // the beginning that goes on now, by
    SubsetMove along{0, 0};                     // to
    Neighbours next{nullptr, nullptr};
    uint64_t edges = 0;                         // that were looked at
    bool is_full = false;                       // there was too much to keep, so not all was looked at
    std::vector<uint32_t> numbers;              // what `write_best` writes
    std::vector<double> scores;
    FoundPaths found;
    int broken = 0;

    // Methods of its maker: a query, then its starts, each once.  std::bad_alloc.
    void add_ranked_query(uint32_t number, const PathAutomaton* automaton, const std::vector<const uint8_t*>& conditions,
                          const PathRules& rules, const StepWeights& weights) {
        RankedQuery& query = queries.emplace_back();
        query.number = number;
        query.subsets.conditions = conditions;
        query.subsets.begin_with(automaton);
        query.rules = rules;
        query.weights = weights;
        query.outlooks.look_ahead(*graph, *automaton, weights);
        best.are_distinct &= queries.front().number == number;
    }
    void add_ranked_start(vertex_t start) {
        routes.push_back(RankedRoute{static_cast<uint32_t>(queries.size() - 1), start});
    }

    bool is_done() const noexcept {
        return next.begin == next.end && waiting.empty() && !has_ahead && next_route == routes.size();
    }

    // Search until all is looked at that may be among the best, or so many edges, or for a moment.
    // std::bad_alloc, std::domain_error.
    void advance_best(uint64_t most_edges) {
        const uint64_t last = edges + std::min(most_edges, UINT64_MAX - edges);
        best.effort = 0;
        while (edges < last && best.effort < AT_ONCE && !is_done()) {
            if (next_route < routes.size()) begin_route(static_cast<uint32_t>(next_route++));
            else if (next.begin == next.end) look_at_waiting();
            else follow_edge();
            if (beginnings.size() + waiting.size() >= most_kept) give_up();
        }
    }

    // The best paths so far, in order: of each its query, its score and itself.  std::bad_alloc
    void write_best() {
        numbers.clear();
        scores.clear();
        found.clear();
        for (uint32_t place : best.ranked) {
            numbers.push_back(query_of(beginnings[place].route).number);
            scores.push_back(beginnings.score_of(place));
            beginnings.write_beginning(place, &found);
        }
    }

  private:
    RankedQuery& query_of(uint32_t route) noexcept { return queries[routes[route].query]; }

    void give_up() noexcept {
        is_full = true;
        waiting.clear();
        has_ahead = false;
        next = Neighbours{nullptr, nullptr};
        next_route = routes.size();
    }

    void begin_route(uint32_t route) {
        ++best.effort;
        add_beginning(Beginning{0, NO_PLACE, 0, routes[route].start, 0, 0, route});
    }

    // What is looked at next.
    Waiting take_waiting() noexcept {
        is_diving = has_ahead;
        if (has_ahead) {
            has_ahead = false;
            return ahead;
        }
        may_dive = !best.is_full() || dive_edges * DIVES <= edges;
        std::pop_heap(waiting.begin(), waiting.end(), waits_longer);
        Waiting here = waiting.back();
        waiting.pop_back();
        return here;
    }

    void look_at_waiting() {
        Waiting here = take_waiting();
        if (here.bound < best.least()) {
            if (!is_diving) waiting.clear();        // nothing there has a higher bound
            return;
        }
        const Beginning& beginning = beginnings[here.place];
        const SubsetMoves& moves = query_of(beginning.route).subsets.moves_at(beginning.subset, beginning.vertex);
        if (here.move == NO_PLACE) return open_moves(here.place, moves);
        along = moves.moves[here.move];
        if (best.is_hopeless(here.place, here.bound, here.length + 1 + outlook_of(beginning.route, along.subset).fewest_from())) return;
        from = here.place;
        follow_some(here, graph->symbols[along.symbol].of(beginning.vertex));
    }

    // Some neighbours are next, so that a dive does not wait for all those of a hub.
    void follow_some(Waiting here, Neighbours all) {
        next = Neighbours{all.begin + here.first, all.end};
        if (next.end - next.begin <= TOGETHER) return;
        next.end = next.begin + TOGETHER;
        here.first += TOGETHER;
        push_waiting(here);
    }

    const Outlook& outlook_of(uint32_t route, uint32_t subset) {
        RankedQuery& query = query_of(route);
        return query.outlooks.combined_outlook(query.subsets, subset);
    }

    // The ways on along each symbol that the vertex has.
    void open_moves(uint32_t place, const SubsetMoves& moves) {
        const Beginning& here = beginnings[place];
        best.effort += moves.moves.size();
        for (uint32_t move = 0; move < moves.moves.size(); ++move) {
            const SubsetMove& one = moves.moves[move];
            Neighbours neighbours = graph->symbols[one.symbol].of(here.vertex);
            if (neighbours.begin == neighbours.end) continue;
            const Outlook& outlook = outlook_of(here.route, one.subset);
            double sum = here.sum + query_of(here.route).outlooks.heaviest[one.symbol];
            let_wait(Waiting{outlook.bound_from(sum, here.length + 1), here.length, place, move, 0}, here.length + 1 + outlook.fewest_from());
        }
    }

    // False: nothing becomes of it.
    bool let_wait(Waiting one, uint32_t shortest) {
        if (best.is_hopeless(one.place, one.bound, shortest)) return false;
        if (may_dive && has_ahead && waits_longer(ahead, one)) std::swap(ahead, one);
        if (may_dive && !has_ahead) {
            ahead = one;
            has_ahead = true;
            return true;
        }
        push_waiting(one);
        return true;
    }

    void push_waiting(const Waiting& one) {
        waiting.push_back(one);
        std::push_heap(waiting.begin(), waiting.end(), waits_longer);
    }

    void follow_edge() {
        vertex_t to = *next.begin++;
        ++edges;
        dive_edges += is_diving;
        const Beginning& here = beginnings[from];
        const RankedQuery& query = query_of(here.route);
        if (!beginnings.admits(query.rules, routes[here.route].start, from, along.symbol, to, &best.effort)) return;
        double sum = here.sum + query.weights.of(along.symbol, to);
        add_beginning(Beginning{sum, from, here.length + 1, to, along.symbol, along.subset, here.route});
    }

    // Keep it if it is one of the best paths, or may become one.
    void add_beginning(const Beginning& one) {
        uint32_t place = static_cast<uint32_t>(beginnings.size());
        beginnings.all.push_back(one);
        RankedQuery& query = query_of(one.route);
        const SubsetMoves& moves = query.subsets.moves_at(one.subset, one.vertex);
        bool is_kept = moves.accepting && query.rules.may_end(one.vertex) && best.rank_path(place);
        if (moves.moves.size() && !is_closed(query.rules, one)) {
            const Outlook& outlook = outlook_of(one.route, one.subset);
            double bound = outlook.bound_behind(one.sum, one.length);
            is_kept |= let_wait(Waiting{bound, one.length, place, NO_PLACE, 0}, one.length + outlook.fewest_behind());
        }
        if (!is_kept) beginnings.all.pop_back();
    }

    bool is_closed(const PathRules& rules, const Beginning& here) const noexcept {
        return rules.restrictor == PathRestrictor::SIMPLE && here.length && here.vertex == routes[here.route].start;
    }
};

}  // namespace spaseq::paths
