// Rules: the rows of a query with parameters, which run as one.  Each has a rank, and a set of rules is an interval of
// ranks: a live column of every cell, as a word.  A step takes the part of the set whose parameters pass its tests;
// what ranks are ordered by makes that a binary search.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

// The interval as an integer, which renumbering leaves alone.
static inline word_t rules_word(RuleRange rules) noexcept {
    return (word_t(rules.low) << 24 | rules.high) << 4 | TAG_INTEGER;
}

static inline RuleRange rules_in(word_t word) noexcept {
    return {uint32_t(word >> 28) & MOST_RULES, uint32_t(word >> 4) & MOST_RULES};
}

static inline word_t all_rules(const KernelState* now) noexcept { return rules_word({0, now->rules.count}); }

// What the columns of the rules say, from their words by rank.

static void find_runs(RuleColumn* column) {
    for (uint32_t low = 0, end = uint32_t(column->words.size()), high; low < end; low = high) {
        for (high = low + 1; high < end && column->words[high] == column->words[low];) ++high;
        column->runs.push_back({column->words[low], low, high});
    }
    std::sort(column->runs.begin(), column->runs.end(), [](const RuleRun& a, const RuleRun& b) {
        return a.word != b.word ? a.word < b.word : a.low < b.low;
    });
}

static void find_rises(RuleColumn* column) {
    const std::vector<word_t>& words = column->words;
    for (uint32_t rank = 0; rank < words.size(); ++rank) {
        uint32_t kind = kind_of_order(words[rank]);
        if (rank == 0 || kind == 0 || kind != kind_of_order(words[rank - 1]) || is_less(words[rank], words[rank - 1]))
            column->rises.push_back(rank);
    }
}

// Make the rules of a kernel that has seen nothing: `words` are those of each parameter, one after the other.
inline void build_rules(KernelState* now, const word_t* words, uint32_t count, size_t parameters) {
    now->rules.count = count;
    now->rules.found.assign(count, 0);
    now->rules.columns.resize(parameters);
    for (RuleColumn& column : now->rules.columns) {
        column.words.assign(words, words + count);
        find_runs(&column);
        find_rises(&column);
        words += count;
    }
}

// A row of a partial match and one of an event.
struct Sides {
    const word_t* cell;
    uint32_t cell_width;
    const word_t* row;
    uint32_t row_width;
    int64_t now;
};

// Add rules that are behind all that are there.
static inline void add_range(std::vector<RuleRange>* out, uint32_t low, uint32_t high) {
    if (low >= high) return;
    if (!out->empty() && out->back().high == low) out->back().high = high;
    else out->push_back({low, high});
}

// The rules in `from` whose parameter has this word.
static void pass_same(const RuleColumn* column, word_t value, RuleRange from, std::vector<RuleRange>* out) {
    auto is_before = [value](const RuleRun& run, uint32_t low) {
        return run.word != value ? run.word < value : run.high <= low;
    };
    auto run = std::lower_bound(column->runs.begin(), column->runs.end(), from.low, is_before);
    for (; run != column->runs.end() && run->word == value && run->low < from.high; ++run)
        add_range(out, std::max(run->low, from.low), std::min(run->high, from.high));
}

// Whether the rule passes the test's formula; `base` is the register of the first parameter.
static bool passes_formula(Kernel* k, const RuleTest* test, uint32_t rule, uint32_t base, int64_t now) {
    const void* code = k->program->formulas[test->formula].code;
    uint32_t width = base;
    int8_t answer = 0;
    for (const RuleColumn& column : k->now.rules.columns) k->scratch.registers[width++] = column.words[rule];
    int verdict = code == nullptr ? 2 : k->evaluation->test(code, k->scratch.registers.data(), now, k->store);
    if (verdict != 2) return verdict == 1;
    k->evaluation->ask_filter(k, test->formula, k->scratch.registers.data(), 1, width, now, &answer);
    return answer == 1;
}

// The rules in `from` that pass, asked one by one.
static void pass_formula(
    Kernel* k, const RuleTest* test, const Sides* sides, RuleRange from, std::vector<RuleRange>* out
) {
    load_registers(&k->scratch, sides->cell, sides->cell_width, sides->row, sides->row_width);
    k->scratch.scanned += from.high - from.low;
    for (uint32_t rule = from.low; rule < from.high; ++rule) {
        if (passes_formula(k, test, rule, sides->cell_width + sides->row_width + 1, sides->now))
            add_range(out, rule, rule + 1);
    }
}

// Whether nothing equals the word but itself: it is no number or time, and no literal of an unknown type.
static inline bool is_distinct(word_t word) noexcept {
    constexpr uint32_t LAST_KIND = 4;  // of IRIs, blank nodes, and texts without and with a language
    return tag_of(word) == TAG_BOOLEAN || (tag_of(word) == TAG_TERM && (uint32_t(word >> 4) & 15) <= LAST_KIND);
}

// The first of some rules, whose parameters rise, that is behind the value.
static uint32_t first_behind(const RuleColumn* column, RuleRange from, word_t value, bool limit) noexcept {
    const word_t* words = column->words.data();
    auto is_before = [limit](word_t mine, word_t yours) {
        return limit ? is_less(mine, yours) == 1 : is_less(yours, mine) != 1;
    };
    return uint32_t(std::lower_bound(words + from.low, words + from.high, value, is_before) - words);
}

// Of rules whose parameters rise, and compare with the value, those that pass.
static void pass_rising(
    const RuleColumn* column, const RuleTest* test, word_t value, RuleRange from, std::vector<RuleRange>* out
) {
    if (test->kind == RuleTestKind::EQUAL) {
        add_range(out, first_behind(column, from, value, true), first_behind(column, from, value, false));
        return;
    }
    uint32_t border = first_behind(column, from, value, test->limit);
    bool in_front = test->limit != test->inverted;
    add_range(out, in_front ? from.low : border, in_front ? border : from.high);
}

// The rules in `from` whose parameter compares with the value as is asked.
static void pass_compared(
    Kernel* k, const RuleTest* test, word_t value, const Sides* sides, RuleRange from, std::vector<RuleRange>* out
) {
    const RuleColumn* column = &k->now.rules.columns[test->parameter];
    const std::vector<uint32_t>& rises = column->rises;
    size_t next = size_t(std::upper_bound(rises.begin(), rises.end(), from.low) - rises.begin());
    uint32_t kind = kind_of_order(value);
    for (RuleRange part{from.low, 0}; part.low < from.high; part.low = part.high, ++next) {
        part.high = next < rises.size() ? std::min(rises[next], from.high) : from.high;
        if (kind != 0 && kind == kind_of_order(column->words[part.low])) {
            pass_rising(column, test, value, part, out);
        } else {
            pass_formula(k, test, sides, part, out);
        }
    }
}

// Let `rules` be those of them that pass a test.
static void pass(Kernel* k, const RuleTest* test, const Sides* sides, std::vector<RuleRange>* rules) {
    std::vector<RuleRange>& out = k->scratch.passed;
    word_t value = UNBOUND;
    out.clear();
    if (test->kind != RuleTestKind::FORMULA)
        value = read_value(k, &test->value, sides->cell, sides->cell_width, sides->row, sides->row_width, sides->now);
    if (test->kind == RuleTestKind::FORMULA || value != UNBOUND) {
        for (RuleRange from : *rules) {
            if (test->kind == RuleTestKind::SAME || (test->kind == RuleTestKind::EQUAL && is_distinct(value)))
                pass_same(&k->now.rules.columns[test->parameter], value, from, &out);
            else if (test->kind != RuleTestKind::FORMULA)
                pass_compared(k, test, value, sides, from, &out);
            else
                pass_formula(k, test, sides, from, &out);
        }
    }
    rules->swap(out);
}

// Let `rules` be those of `from` that pass the step's tests.
static void narrow(
    Kernel* k, const StepSpec* step, const Sides* sides, RuleRange from, std::vector<RuleRange>* rules
) {
    rules->assign(from.low < from.high, from);
    for (const RuleTest& test : step->tests)
        if (!rules->empty()) pass(k, &test, sides, rules);
}

// Every interval between two borders of the parts.
static void find_borders(const RulePart* parts, size_t count, std::vector<uint32_t>* borders) {
    borders->clear();
    for (size_t i = 0; i < count; ++i) {
        borders->push_back(parts[i].rules.low);
        borders->push_back(parts[i].rules.high);
    }
    std::sort(borders->begin(), borders->end());
    borders->erase(std::unique(borders->begin(), borders->end()), borders->end());
}

// The window of a rule is long enough for a match.
static inline bool has_window(const RuleTable* rules, uint32_t rule, int64_t span) noexcept {
    return rules->windows.empty() || span <= rules->windows[rule];
}

// Count a result of each of the rules whose window it is in; how many these are.
static uint32_t count_found(RuleTable* rules, RuleRange range, int64_t span) noexcept {
    uint32_t count = 0;
    for (uint32_t rule = range.low; rule < range.high; ++rule) {
        bool one = has_window(rules, rule, span);
        rules->found[rule] += one;
        count += one;
    }
    return count;
}

}  // namespace spaseq::joins
