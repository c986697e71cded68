// Rules: rows of a query with parameters, all of which one recognizer runs.  Each of them has partitions of its own, in
// which its partial matches wait, so that rules never meet; an event comes to those rules alone whose conditions it
// satisfies, which are told by sets of rules as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/automata/kinds.hpp"
#include "nfa_native/core/flat_table.hpp"
#include "nfa_native/core/mixing.hpp"

namespace spaseq::events {

using kinds::BOTH;
using kinds::EITHER;
using kinds::MOST_ATOMS;

constexpr uint32_t FEW_OWNED = 64;

// Whose a partition is: a rule's, of the events of a partition of the stream.
struct Owned {
    uint32_t partition;
    uint32_t rule;
};

struct OwnedSlot {
    uint64_t hash = 0;
    uint32_t number = 0;                  // that of the rule's partition

    bool is_free() const noexcept { return hash == 0; }
};

struct Rules {
    size_t count = 0;
    size_t words = 0;                     // of a set of rules
    std::vector<int64_t> windows;         // by rule: how long its window is; none: it is the same for all
    std::vector<std::vector<uint32_t>> conditions;  // by atom: numbers of tests, BOTH and EITHER, in postfix; none: all pass
    std::vector<uint32_t> symbols;        // by set of atoms
    std::vector<uint8_t> asked;           // by what is known of an event: the atoms that it may match
    std::vector<uint32_t> met;            // by rule: the atoms that some event matched
    // of the batch under way
    std::vector<const uint32_t*> places;  // by test: which of its sets an event passes
    std::vector<const uint64_t*> sets;    // by test: these, of `words` words each
    uint64_t* counts = nullptr;           // by rule: results are counted there, and not made
    // partitions of rules
    std::vector<Owned> owned;             // by number
    FlatTable<OwnedSlot> numbers;         // where the stream has partitions
    // the event under way
    bool is_under_way = false;
    uint8_t atoms = 0;                    // that it may match
    size_t word = 0;
    uint64_t left = 0;                    // rules of the word to which it has still to come
    std::vector<uint64_t> passing;        // by atom: the rules for which it matches
    std::vector<uint64_t> stack;          // sets of a condition
};

// The partition of the stream that one of a rule is of.
inline uint32_t partition_of(const Rules* rules, size_t owned) noexcept {
    return rules == nullptr ? uint32_t(owned) : rules->owned[owned].partition;
}

static inline uint64_t hash_of_owned(const Owned& one) noexcept {
    return mix_on(mix_on(one.partition, 3), one.rule) | 1;
}

static inline void enter_owned(Rules* rules, uint32_t number) {
    if (rules->numbers.slots.empty() || rules->numbers.is_full()) rules->numbers.spread(FEW_OWNED);
    rules->numbers.put({hash_of_owned(rules->owned[number]), number});
}

// The number of a rule's partition; how many there are: there is none.
static inline uint32_t find_owned(const Rules* rules, const Owned& one) noexcept {
    if (rules->numbers.slots.empty()) return uint32_t(rules->owned.size());
    uint64_t hash = hash_of_owned(one);
    for (size_t at = rules->numbers.home(hash); !rules->numbers.slots[at].is_free(); at = rules->numbers.next(at)) {
        const OwnedSlot& slot = rules->numbers.slots[at];
        const Owned& known = rules->owned[slot.number];
        if (slot.hash == hash && known.partition == one.partition && known.rule == one.rule) return slot.number;
    }
    return uint32_t(rules->owned.size());
}

// The partitions of rules got other numbers.
inline void number_again(Rules* rules, bool are_hashed) {
    rules->numbers.clear();
    for (uint32_t i = 0; are_hashed && i < rules->owned.size(); ++i) enter_owned(rules, i);
}

}  // namespace spaseq::events
