// What steps weigh, and what the ways on from a subset of states can weigh at most.
//
// Weights are multiples of one unit, and few enough of them are added that sums are exact in whatever order: so a bound is never
// below what it bounds, not by a rounding error either.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "nfa_native/paths/automaton.hpp"
#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/pinned.hpp"

namespace spaseq::paths {

constexpr double NOTHING = -std::numeric_limits<double>::infinity();    // what cannot be weighs that much

// A step weighs what its label does and what the vertex does to which it leads.
struct StepWeights {
    const double* labels = nullptr;
    const double* vertices = nullptr;

    double of(symbol_t symbol, vertex_t to) const noexcept { return labels[symbol >> 1] + vertices[to]; }
};

// Ways on that end after so many steps, and what these weigh together at most.
struct WaysOn {
    uint32_t steps;
    double most;
};

struct Outlook {
    static constexpr uint32_t AHEAD = 32;   // ways of so many steps are told apart

    std::vector<WaysOn> ways;               // rising by steps
    double beyond = NOTHING;                // the heaviest step, if there may be longer ways

    // What paths score at most that begin with `length` steps, of this sum, and go on by one step or more.
    double bound_behind(double sum, uint32_t length) const noexcept {
        double bound = NOTHING;
        for (const WaysOn& on : ways)
            if (on.steps) bound = std::max(bound, (sum + on.most) / (length + on.steps));
        return std::max(bound, bound_beyond(sum, length));
    }

    // The same of those that may also end here; `length` is not 0.
    double bound_from(double sum, uint32_t length) const noexcept {
        double bound = bound_behind(sum, length);
        return may_end() ? std::max(bound, sum / length) : bound;
    }

    uint32_t fewest_behind() const noexcept { return fewest(may_end()); }
    uint32_t fewest_from() const noexcept { return fewest(0); }

  private:
    bool may_end() const noexcept { return ways.size() && ways.front().steps == 0; }

    uint32_t fewest(size_t first) const noexcept { return first < ways.size() ? ways[first].steps : AHEAD + 1; }

    // The longer the way, the nearer the mean is to that of what is added.
    double bound_beyond(double sum, uint32_t length) const noexcept {
        if (beyond == NOTHING) return NOTHING;
        return std::max(beyond, (sum + (AHEAD + 1) * beyond) / (length + AHEAD + 1));
    }
};

// The outlooks of the subsets that a search has met, by the weights of a question.
struct Outlooks {
    std::vector<double> heaviest;               // by symbol: a step along it, if the automaton has it
    double heaviest_of_all = NOTHING;
    std::vector<std::vector<double>> most;      // by number of steps, by state: the ways on that end then
    std::vector<uint8_t> goes_beyond;           // by state: there are longer ways
    Pinned<Outlook> known;                      // by subset

    // std::bad_alloc
    void look_ahead(const PathGraph& graph, const PathAutomaton& automaton, const StepWeights& weights) {
        std::vector<double> step = weigh_steps(graph, automaton, weights);
        std::vector<double> now(automaton.states.size(), NOTHING);
        for (size_t state = 0; state < now.size(); ++state)
            if (automaton.states[state].accepting.size()) now[state] = 0;
        goes_beyond.assign(automaton.states.size(), 1);
        for (uint32_t steps = 0; steps <= Outlook::AHEAD; ++steps) {
            most.push_back(now);
            if (!go_a_step_back(automaton, step, &now)) break;
        }
    }

    // That of a subset.  std::bad_alloc
    const Outlook& combined_outlook(const Subsets& subsets, uint32_t number) {
        while (known.size() <= number) known.push_back(combined(subsets.subsets[known.size()].states));
        return known[number];
    }

  private:
    // The heaviest step into each state.
    std::vector<double> weigh_steps(const PathGraph& graph, const PathAutomaton& automaton, const StepWeights& weights) {
        std::vector<double> step(automaton.states.size(), NOTHING);
        weigh_symbols(graph, symbols_with_edges(graph, automaton), weights);
        for (size_t state = 0; state < step.size(); ++state)
            for (symbol_t symbol : automaton.states[state].symbols) step[state] = std::max(step[state], heaviest[symbol]);
        for (double one : step) heaviest_of_all = std::max(heaviest_of_all, one);
        return step;
    }

    static std::vector<symbol_t> symbols_with_edges(const PathGraph& graph, const PathAutomaton& automaton) {
        std::vector<uint8_t> is_used(graph.symbols.size());
        for (const PathState& state : automaton.states)
            for (symbol_t symbol : state.symbols) is_used[symbol] = 1;
        std::vector<symbol_t> used;
        for (symbol_t symbol = 0; symbol < is_used.size(); ++symbol)
            if (is_used[symbol] && graph.symbols[symbol].size()) used.push_back(symbol);
        return used;
    }

    // Of each symbol one vertex is taken first, to which it leads: then few others are heavier than those of all symbols.
    void weigh_symbols(const PathGraph& graph, const std::vector<symbol_t>& used, const StepWeights& weights) {
        heaviest.assign(graph.symbols.size(), NOTHING);
        for (symbol_t symbol : used) heaviest[symbol] = weights.vertices[graph.symbols[symbol].targets[0]];
        double least = lightest(used);
        for (vertex_t vertex = 0; vertex < graph.vertices; ++vertex) {
            double weight = weights.vertices[vertex];
            if (weight <= least) continue;
            for (symbol_t symbol : used)
                if (weight > heaviest[symbol] && graph.symbols[symbol ^ 1].has(vertex)) heaviest[symbol] = weight;
            least = lightest(used);
        }
        for (symbol_t symbol : used) heaviest[symbol] += weights.labels[symbol >> 1];
    }

    double lightest(const std::vector<symbol_t>& used) const noexcept {
        double least = -NOTHING;
        for (symbol_t symbol : used) least = std::min(least, heaviest[symbol]);
        return least;
    }

    // From ways of some steps to those of one step more; false: there are none.
    bool go_a_step_back(const PathAutomaton& automaton, const std::vector<double>& step, std::vector<double>* now) {
        std::vector<double> next(now->size(), NOTHING);
        std::vector<uint8_t> goes_on(now->size());
        bool any = false;
        for (size_t state = 0; state < next.size(); ++state) {
            for (const PathTransition& way : automaton.states[state].transitions) {
                if (step[way.state] == NOTHING) continue;
                next[state] = std::max(next[state], step[way.state] + (*now)[way.state]);
                goes_on[state] |= goes_beyond[way.state];
            }
            any |= goes_on[state];
        }
        now->swap(next);
        goes_beyond.swap(goes_on);
        return any;
    }

    Outlook combined(const std::vector<uint32_t>& states) const {
        Outlook found;
        for (uint32_t steps = 0; steps < most.size(); ++steps) {
            double here = NOTHING;
            for (uint32_t state : states) here = std::max(here, most[steps][state]);
            if (here != NOTHING) found.ways.push_back(WaysOn{steps, here});
        }
        for (uint32_t state : states)
            if (goes_beyond[state]) found.beyond = heaviest_of_all;
        return found;
    }
};

}  // namespace spaseq::paths
