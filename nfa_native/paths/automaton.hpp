// The automaton of a path expression by Glushkov's construction, and its subsets as walks need them.
//
// A state is the step of the expression that was taken last; state 0 is that before the first.  Conditions on the node
// between two steps guard the transition.  Subsets of states are made when a walk first comes to them, so each path has one run
// and is found once, in however many ways the expression matches it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "nfa_native/paths/graph.hpp"
#include "nfa_native/paths/pinned.hpp"

namespace spaseq::paths {

typedef uint64_t guard_t;           // a set of conditions, by their bits: all of them must hold

struct PathTransition {
    uint32_t state;
    guard_t guard;                  // on the node where the step begins

    bool operator<(const PathTransition& other) const noexcept {
        return std::tie(state, guard) < std::tie(other.state, other.guard);
    }
};

struct PathState {
    std::vector<symbol_t> symbols;              // the step is an edge of one of them
    std::vector<PathTransition> transitions;
    std::vector<guard_t> accepting;             // on the last node; none: nothing ends here
    uint32_t alike = 0;                         // the first state from which the same may follow, often itself
};

struct PathAutomaton {
    std::vector<PathState> states;
    size_t conditions = 0;

    // Methods of its maker.  std::bad_alloc.
    void add_state() { states.emplace_back(); }
    void add_symbol(uint32_t state, symbol_t symbol) { states[state].symbols.push_back(symbol); }
    void add_way(uint32_t from, uint32_t to, guard_t guard) {
        states[from].transitions.push_back(PathTransition{to, guard});
    }
    void add_accepting(uint32_t state, guard_t guard) { states[state].accepting.push_back(guard); }

    // All is added: which states go on alike.  Walks begin in state 0 alone.
    void find_alike() {
        auto before = [this](uint32_t one, uint32_t other) {
            return std::tie(states[one].transitions, states[one].accepting) <
                   std::tie(states[other].transitions, states[other].accepting);
        };
        std::set<uint32_t, decltype(before)> known(before);
        for (uint32_t state = 1; state < states.size(); ++state) states[state].alike = *known.insert(state).first;
    }
};

struct SubsetMove {
    symbol_t symbol;
    uint32_t subset;
};

// What a subset can do at a node where certain conditions hold.
struct SubsetMoves {
    guard_t holding;                            // of those that the subset looks at
    bool accepting;
    std::vector<SubsetMove> moves;              // of each symbol one at most
};

struct Subset {
    std::vector<uint32_t> states;               // rising
    guard_t looked_at = 0;                      // the conditions that guard what it can do
    Pinned<SubsetMoves> known;
};

static inline bool holds(guard_t guard, guard_t holding) noexcept { return (guard & ~holding) == 0; }

// The subsets that were met so far; subset 0 is where walks begin.
struct Subsets {
    static constexpr size_t MOST = 1 << 20;

    const PathAutomaton* automaton = nullptr;
    bool is_merged = false;                     // of states that go on alike one is in a subset; else all have a symbol in common
    std::vector<const uint8_t*> conditions;     // of each by vertex: whether it holds
    Pinned<Subset> subsets;
    std::map<std::vector<uint32_t>, uint32_t> numbers;

    void begin_with(const PathAutomaton* of) {
        automaton = of;
        subset_of(std::vector<uint32_t>{0});
    }

    // The subset of these states, which rise.  std::bad_alloc; std::domain_error: there are too many.
    uint32_t subset_of(std::vector<uint32_t>&& states) {
        auto found = numbers.find(states);
        if (found != numbers.end()) return found->second;
        if (subsets.size() >= MOST) throw std::domain_error("the automaton of the expression has too many states");
        uint32_t number = static_cast<uint32_t>(subsets.size());
        Subset subset;
        for (uint32_t state : states) {
            for (const PathTransition& one : automaton->states[state].transitions) subset.looked_at |= one.guard;
            for (guard_t guard : automaton->states[state].accepting) subset.looked_at |= guard;
        }
        subset.states = states;
        subsets.push_back(std::move(subset));
        numbers.emplace(std::move(states), number);
        return number;
    }

    guard_t holding_at(vertex_t vertex, guard_t looked_at) const noexcept {
        guard_t holding = 0;
        for (guard_t left = looked_at; left; left &= left - 1) {
            int condition = __builtin_ctzll(left);
            if (conditions[condition][vertex]) holding |= guard_t(1) << condition;
        }
        return holding;
    }

    // What a subset can do at a vertex.  std::bad_alloc, std::domain_error.
    const SubsetMoves& moves_at(uint32_t number, vertex_t vertex) {
        const Subset& subset = subsets[number];
        guard_t holding = subset.looked_at ? holding_at(vertex, subset.looked_at) : 0;
        for (const SubsetMoves& one : subset.known)
            if (one.holding == holding) return one;
        return new_moves(number, holding);
    }

    const SubsetMoves& new_moves(uint32_t number, guard_t holding) {
        std::map<symbol_t, std::vector<uint32_t>> next;
        SubsetMoves moves{holding, false, {}};
        for (uint32_t state : subsets[number].states) {
            const PathState& one = automaton->states[state];
            for (guard_t guard : one.accepting) moves.accepting |= holds(guard, holding);
            for (const PathTransition& way : one.transitions)
                if (holds(way.guard, holding))
                    for (symbol_t symbol : automaton->states[way.state].symbols)
                        next[symbol].push_back(is_merged ? automaton->states[way.state].alike : way.state);
        }
        for (auto& [symbol, states] : next) {
            std::sort(states.begin(), states.end());
            states.erase(std::unique(states.begin(), states.end()), states.end());
            moves.moves.push_back(SubsetMove{symbol, subset_of(std::move(states))});
        }
        subsets[number].known.push_back(std::move(moves));
        return subsets[number].known.back();
    }
};

}  // namespace spaseq::paths
