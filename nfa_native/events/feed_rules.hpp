// The same events to the rules of one recognizer: each of them to those rules alone that have a step for it.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "nfa_native/events/chain_counts.hpp"
#include "nfa_native/events/feed.hpp"
#include "nfa_native/events/gather.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/step.hpp"

namespace spaseq::events {

// There are so many rules from now on; those that are new have nothing.
inline void know_rules(Recognition* r, size_t count) {
    Rules* rules = r->rules;
    assert(count >= rules->count);
    for (size_t i = rules->count; !r->program.partitioned && i < count; ++i) {
        know_waiting(r, uint32_t(i));
        rules->owned.push_back({0, uint32_t(i)});
    }
    rules->met.resize(count, 0);
    rules->count = count;
    rules->words = (count + 63) / 64;
}

// The number of a rule's partition, a new one if it has none.
static inline uint32_t owned_by(Recognition* r, uint32_t partition, uint32_t rule) {
    Rules* rules = r->rules;
    if (!r->program.partitioned) return rule;
    uint32_t number = find_owned(rules, {partition, rule});
    if (number < rules->owned.size()) return number;
    rules->owned.push_back({partition, rule});
    know_waiting(r, number);
    enter_owned(rules, number);
    return number;
}

// The last two sets become one.
static inline void join_sets(uint64_t* last, const uint64_t* other, size_t words, uint32_t how) noexcept {
    if (how == BOTH) for (size_t i = 0; i < words; ++i) last[i] &= other[i];
    else for (size_t i = 0; i < words; ++i) last[i] |= other[i];
}

// The rules whose condition of an atom holds for event number `at`.
static void pass_atom(Rules* rules, size_t atom, size_t at) {
    size_t words = rules->words;
    size_t depth = 0;
    const std::vector<uint32_t>& steps = rules->conditions.data()[atom];
    uint64_t* out = rules->passing.data() + atom * words;
    if (steps.empty()) {
        std::fill_n(out, words, ~uint64_t(0));
        if (rules->count & 63) out[words - 1] = (uint64_t(1) << (rules->count & 63)) - 1;
        return;
    }
    rules->stack.resize(steps.size() * words);
    uint64_t* stack = rules->stack.data();
    for (uint32_t step : steps) {
        if (step < BOTH) {
            const uint64_t* set = rules->sets.data()[step] + size_t(rules->places.data()[step][at]) * words;
            std::memcpy(stack + depth++ * words, set, words * sizeof(uint64_t));
        } else {
            --depth;
            join_sets(stack + (depth - 1) * words, stack + depth * words, words, step);
        }
    }
    std::memcpy(out, stack, words * sizeof(uint64_t));
}

// Event number `at` may match these atoms: to which rules it comes.
static void begin_event(Rules* rules, uint8_t atoms, size_t at) {
    rules->passing.resize(MOST_ATOMS * rules->words);
    for (size_t atom = 0; atom < rules->conditions.size(); ++atom)
        if (atoms >> atom & 1) pass_atom(rules, atom, at);
    rules->atoms = atoms;
    rules->is_under_way = true;
    rules->word = size_t(0) - 1;
    rules->left = 0;
}

// Whether there is a rule to which the event has still to come: the lowest one that is left of the word.
static inline bool find_rule(Rules* rules) noexcept {
    const uint64_t* passing = rules->passing.data();
    while (rules->left == 0) {
        if (++rules->word >= rules->words) return false;
        for (size_t atom = 0; rules->atoms >> atom; ++atom)
            if (rules->atoms >> atom & 1) rules->left |= passing[atom * rules->words + rules->word];
    }
    return true;
}

// The atoms that the event matches for the rule at this place of the word.
static inline uint8_t atoms_for(const Rules* rules, int bit) noexcept {
    uint32_t found = 0;
    for (uint32_t atom = 0; rules->atoms >> atom; ++atom) {
        if (rules->atoms >> atom & 1)
            found |= uint32_t(rules->passing.data()[atom * rules->words + rules->word] >> bit & 1) << atom;
    }
    return uint8_t(found);
}

// The least start in the window of a rule, which measures `start` of the event.
static inline int64_t least_for(const Rules* rules, uint32_t rule, int64_t start, int64_t least) noexcept {
    if (rules->windows.empty()) return least;
    int64_t window = rules->windows.data()[rule];
    return start < NEVER + 1 + window ? NEVER + 1 : start - window;
}

// Event number `at` of the batch comes to a rule; whether matches end with it.  `least` is that of the longest window.
static inline bool enter_rule(
    Recognition* r, uint32_t symbol, size_t at, uint32_t owned, uint32_t rule, int64_t local, int64_t start,
    int64_t least
) {
    if (r->correlating != nullptr) {
        r->correlating->at = at;
        r->correlating->start = start;
        return take_correlated(r, symbol, owned, local, start, least);
    }
    make_room(r, start, least, r->program.most_nodes);
    if (r->scratch.is_full) return false;
    return enter_symbol(r, symbol, owned, local, start, least_for(r->rules, rule, start, least));
}

// The event's matches for a rule are counted, or made; False: there are `most` of them before that is done.
static inline bool give_rule(Recognition* r, uint32_t owned, uint32_t rule, size_t most) {
    Rules* rules = r->rules;
    if (rules->counts != nullptr) {
        uint64_t found = count_rows(r);
        r->scratch.given = found != 0;
        rules->counts[rule] = add_counts(rules->counts[rule], found);
        finish_event(r, owned);
        return true;
    }
    bool is_done = give(r, owned, most);
    r->scratch.found.rules.resize(r->scratch.found.count, rule);
    return is_done;
}

// The event under way comes to all rules that are left; False: there are `most` results before that is done.
static bool take_rules(
    Recognition* r, size_t at, uint32_t partition, int64_t local, int64_t start, int64_t least, size_t most
) {
    Rules* rules = r->rules;
    while (find_rule(rules)) {
        int bit = __builtin_ctzll(rules->left);
        uint32_t rule = uint32_t(rules->word * 64) + uint32_t(bit);
        assert(rule < rules->count);
        uint8_t atoms = atoms_for(rules, bit);
        uint32_t symbol = rules->symbols.data()[atoms];
        if (r->program.enters.data()[symbol]) {
            uint32_t owned = owned_by(r, partition, rule);
            rules->met.data()[rule] |= atoms;
            if (r->scratch.enumerating || enter_rule(r, symbol, at, owned, rule, local, start, least)) {
                if (!give_rule(r, owned, rule, most)) return false;
            }
            if (r->scratch.is_full || r->scratch.is_stopped) break;
        }
        rules->left &= rules->left - 1;
    }
    rules->is_under_way = false;
    return true;
}

// An event came in a partition: its number there is remembered.
static inline void note_in_partition(Recognition* r, uint32_t partition) {
    if (partition >= r->state.locals.size()) r->state.locals.resize(partition + 1, 0);
    ++r->state.locals[partition];
    if (r->program.numbered) r->state.local_numbers.push_back(r->state.locals[partition] - 1);
}

// As `feed_partitions`; NULL as `partitions`: there is one stream.
inline size_t feed_rules(
    Recognition* r, const uint32_t* symbols, const uint32_t* partitions, const int64_t* starts, const int64_t* least,
    size_t at, size_t count, size_t most, int64_t events
) {
    Rules* rules = r->rules;
    int64_t first = r->state.position - int64_t(at);
    for (; at < count && !r->scratch.is_full && !r->scratch.is_stopped; ++at) {
        uint32_t partition = partitions != nullptr ? partitions[at] : 0;
        r->state.position = first + int64_t(at);
        if (partition == NO_PARTITION) {
            if (r->program.numbered) r->state.local_numbers.push_back(-1);
            continue;
        }
        if (!rules->is_under_way) {
            if (partitions != nullptr) note_in_partition(r, partition);
            if (!rules->asked.data()[symbols[at]] || !rules->count) continue;
            begin_event(rules, rules->asked.data()[symbols[at]], at);
        }
        int64_t local = partitions != nullptr ? r->state.locals[partition] - 1 : r->state.position;
        bool counts = events >= 0;
        if (!take_rules(r, at, partition, local, counts ? local : starts[at], counts ? local - events : least[at], most))
            return at;
    }
    r->state.position = first + int64_t(count);
    return count;
}

}  // namespace spaseq::events
