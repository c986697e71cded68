// What archives have of load shedding, whatever the kernel: lists of numbers, of which each part takes its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/allowance.hpp"
#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/core/utility.hpp"

namespace spaseq::shedding {

// ── there ──

template <class T> void append(std::vector<T>* to, const std::vector<T>& more) {
    to->insert(to->end(), more.begin(), more.end());
}

inline void put_allowance(const Allowance& a, std::vector<double>* to) {
    append(to, {a.rate, a.most, a.debt, a.level, a.spent, a.recent, a.room, a.done});
}

inline void put_offered(const Allowance& a, std::vector<double>* to) {
    to->insert(to->end(), a.offered.begin(), a.offered.end());
}

inline void put_quantiles(const Quantiles& one, std::vector<uint64_t>* counts, std::vector<double>* values) {
    append(counts, {one.entered.seen, one.useful.seen, one.due, uint64_t(one.edges.size())});
    append(values, one.entered.values);
    append(values, one.useful.values);
    append(values, one.edges);
}

// ── and back ──

// Takes numbers from the front of a list.
template <class T> struct NumberReader {
    const std::vector<T>& numbers;
    size_t at = 0;

    T next() {
        require(at < numbers.size(), "what is known of load shedding lacks numbers");
        return numbers[at++];
    }

    void end() const { require(at == numbers.size(), "there is more about load shedding than there are states"); }
};

inline double take_amount(NumberReader<double>* numbers) {
    double number = numbers->next();
    require(std::isfinite(number) && number >= 0, "an amount of load shedding is none");
    return number;
}

inline double take_number(NumberReader<double>* numbers) {
    double number = numbers->next();
    require(std::isfinite(number), "a number of load shedding is none");
    return number;
}

inline void take_allowance(NumberReader<double>* from, Allowance* a) {
    a->rate = take_amount(from);
    a->most = take_amount(from);
    a->debt = take_number(from);
    for (double* one : {&a->level, &a->spent, &a->recent, &a->room, &a->done}) *one = take_amount(from);
    require(a->rate > 0 && a->most > 0 && a->room > 0, "an allowance is none");
}

inline void take_offered(NumberReader<double>* from, Allowance* a) {
    for (double& one : a->offered) one = take_amount(from);
}

inline void take_values(uint64_t seen, NumberReader<double>* values, LastValues* to) {
    require(seen <= uint64_t(FARTHEST), "load shedding has seen too many values");
    to->seen = seen;
    for (uint64_t i = 0; i < std::min<uint64_t>(seen, RECENT); ++i) to->values.push_back(take_number(values));
}

inline void take_quantiles(NumberReader<uint64_t>* counts, NumberReader<double>* values, Quantiles* to) {
    uint64_t entered = counts->next(), useful = counts->next();
    to->due = counts->next();
    uint64_t edges = counts->next();
    require(entered < to->due && to->due <= uint64_t(FARTHEST), "edges are overdue");
    require(edges == 0 || edges + 1 == to->parts, "there are other edges than buckets");
    take_values(entered, values, &to->entered);
    take_values(useful, values, &to->useful);
    for (uint64_t i = 0; i < edges; ++i) to->edges.push_back(take_number(values));
    require(std::is_sorted(to->edges.begin(), to->edges.end()), "edges do not ascend");
}

}  // namespace spaseq::shedding
