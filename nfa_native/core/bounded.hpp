// Totals that know when they are too large, as a semiring.
//
// Counts stop at the greatest one: min(n, TOO_MANY) is compatible with sums and products, so that what is below is exact.  A
// number of 128 bits that does not fit becomes UNKNOWN, and stays it.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "archive.hpp"
#include "wide.hpp"

namespace spaseq::semirings {

constexpr uint64_t TOO_MANY = UINT64_MAX;
constexpr wide UNKNOWN = static_cast<wide>(static_cast<unsigned __int128>(1) << 127);
constexpr wide NO_VALUE = static_cast<wide>(1) << 100;       // the least of no values: above all of 64 bits

inline uint64_t add_counts(uint64_t a, uint64_t b) noexcept {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? TOO_MANY : sum;
}
inline uint64_t multiply_counts(uint64_t a, uint64_t b) noexcept {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? TOO_MANY : product;
}
inline wide add_wide(wide a, wide b) noexcept {
    wide sum;
    return a == UNKNOWN || b == UNKNOWN || __builtin_add_overflow(a, b, &sum) ? UNKNOWN : sum;
}
inline wide multiply_wide(wide a, wide b) noexcept {
    wide product;
    if (a == 0 || b == 0) return 0;
    return a == UNKNOWN || b == UNKNOWN || __builtin_mul_overflow(a, b, &product) ? UNKNOWN : product;
}
inline wide lesser(wide a, wide b) noexcept { return b < a ? b : a; }
inline int64_t high_half(wide a) noexcept { return static_cast<int64_t>(a >> 64); }
inline uint64_t low_half(wide a) noexcept { return static_cast<uint64_t>(a); }

// What is known of sets of paths, side by side: how many there are, sums and least values over their events, and sums in
// doubles, of which the first one is the number of paths again, without an end.
struct BoundedTotals {
    size_t size = 0;
    std::vector<uint64_t> counts;       // [size]
    std::vector<wide> wides;            // [quantity][size]
    std::vector<double> reals;          // [quantity][size]
};

struct BoundedSpan {
    uint64_t* counts;
    wide* wides;                        // `stride` from one quantity to the next
    double* reals;
    size_t stride;
};

struct BoundedForm;

struct Bounded {
    typedef BoundedTotals Totals;
    typedef BoundedSpan Span;
    typedef BoundedForm Form;

    size_t wides = 0;                   // quantities of integers
    bool counts_on = false;             // the first of them is the number of paths again, in 128 bits
    size_t reals = 0;                   // those of doubles, and one for the number of paths; or none
    std::vector<uint8_t> is_least;      // by quantity of integers: it is the least of values, not their sum

    void resize(Totals& totals, size_t size) const {
        totals.size = size;
        totals.counts.resize(size);
        totals.wides.resize(size * wides);
        totals.reals.resize(size * reals);
    }
    Span span(Totals& totals, size_t first) const noexcept {
        assert(first <= totals.size);
        return {totals.counts.data() + first, totals.wides.data() + first, totals.reals.data() + first, totals.size};
    }
    Span part(const Span& whole, size_t first) const noexcept {
        return {whole.counts + first, whole.wides + first, whole.reals + first, whole.stride};
    }
    // What changes nothing.
    wide no_value(size_t quantity) const noexcept { return is_least.data()[quantity] ? NO_VALUE : static_cast<wide>(0); }

    void clear_totals(const Span& out, size_t count) const noexcept {
        for (size_t i = 0; i < count; ++i) out.counts[i] = 0;
        for (size_t q = 0; q < wides; ++q)
            for (size_t i = 0; i < count; ++i) out.wides[q * out.stride + i] = no_value(q);
        for (size_t q = 0; q < reals; ++q)
            for (size_t i = 0; i < count; ++i) out.reals[q * out.stride + i] = 0.0;
    }
    // One path without events, of what was cleared.
    void set_unit(const Span& out) const noexcept {
        out.counts[0] = 1;
        if (counts_on) out.wides[0] = 1;
        if (reals) out.reals[0] = 1.0;
    }
    // One path more, without events.
    void add_unit(const Span& out) const noexcept {
        out.counts[0] = add_counts(out.counts[0], 1);
        if (counts_on) out.wides[0] = add_wide(out.wides[0], 1);
        if (reals) out.reals[0] += 1.0;
    }
    void copy_totals(const Span& out, const Span& from, size_t count) const noexcept {
        for (size_t i = 0; i < count; ++i) out.counts[i] = from.counts[i];
        for (size_t q = 0; q < wides; ++q)
            for (size_t i = 0; i < count; ++i) out.wides[q * out.stride + i] = from.wides[q * from.stride + i];
        for (size_t q = 0; q < reals; ++q)
            for (size_t i = 0; i < count; ++i) out.reals[q * out.stride + i] = from.reals[q * from.stride + i];
    }
    void add_totals(const Span& out, const Span& more, size_t count) const noexcept {
        for (size_t i = 0; i < count; ++i) out.counts[i] = add_counts(out.counts[i], more.counts[i]);
        for (size_t q = 0; q < wides; ++q)
            for (size_t i = 0; i < count; ++i) {
                wide& sum = out.wides[q * out.stride + i];
                const wide other = more.wides[q * more.stride + i];
                sum = is_least.data()[q] ? lesser(sum, other) : add_wide(sum, other);
            }
        for (size_t q = 0; q < reals; ++q)
            for (size_t i = 0; i < count; ++i) out.reals[q * out.stride + i] += more.reals[q * more.stride + i];
    }
    void add_product(const Span& out, const Span& one, const Span& other) const noexcept {
        if (one.counts[0] == 0 || other.counts[0] == 0) return;
        out.counts[0] = add_counts(out.counts[0], multiply_counts(one.counts[0], other.counts[0]));
        if (wides) add_wide_product(out, one, other);
        if (reals) out.reals[0] += one.reals[0] * other.reals[0];
        for (size_t q = 1; q < reals; ++q)
            out.reals[q * out.stride] +=
                one.reals[q * one.stride] * other.reals[0] + one.reals[0] * other.reals[q * other.stride];
    }
    // Each path with an event more: which quantities its values change, and those.
    void append_event(
        const Span& out, size_t count, const uint8_t* holds_wide, const wide* event_wides, const uint8_t* holds_real,
        const double* event_reals
    ) const noexcept {
        for (size_t q = 0; q < wides; ++q)
            if (holds_wide[q] && event_wides[q] != no_value(q)) append_wide(out, count, q, event_wides[q]);
        for (size_t q = 1; q < reals; ++q) {
            if (!holds_real[q] || event_reals[q] == 0.0) continue;
            for (size_t i = 0; i < count; ++i)
                if (out.reals[i] != 0.0) out.reals[q * out.stride + i] += out.reals[i] * event_reals[q];
        }
    }

  private:
    // How many paths there are, as exactly as is known.
    wide number_of(const Span& totals, size_t at) const noexcept {
        if (counts_on) return totals.wides[at];
        return totals.counts[at] == TOO_MANY ? UNKNOWN : static_cast<wide>(totals.counts[at]);
    }
    void add_wide_product(const Span& out, const Span& one, const Span& other) const noexcept {
        const wide ones = number_of(one, 0), others = number_of(other, 0);
        if (counts_on) out.wides[0] = add_wide(out.wides[0], multiply_wide(ones, others));
        for (size_t q = counts_on; q < wides; ++q) {
            wide& sum = out.wides[q * out.stride];
            const wide left = one.wides[q * one.stride], right = other.wides[q * other.stride];
            if (is_least.data()[q]) sum = lesser(sum, lesser(left, right));
            else sum = add_wide(sum, add_wide(multiply_wide(others, left), multiply_wide(ones, right)));
        }
    }
    void append_wide(const Span& out, size_t count, size_t q, wide value) const noexcept {
        wide* line = out.wides + q * out.stride;
        for (size_t i = 0; i < count; ++i) {
            if (!is_least.data()[q]) line[i] = add_wide(line[i], multiply_wide(number_of(out, i), value));
            else if (out.counts[i]) line[i] = lesser(line[i], value);
        }
    }
};

// Totals one after the other, as they are written.
struct BoundedForm {
    std::vector<uint64_t> counts;
    std::vector<wide> wides;            // [total][quantity]
    std::vector<double> reals;
    size_t at = 0;                      // so many are taken

    void append(const Bounded& semiring, const BoundedTotals& totals, size_t first, size_t count) {
        for (size_t i = first; i < first + count; ++i) {
            counts.push_back(totals.counts[i]);
            for (size_t q = 0; q < semiring.wides; ++q) wides.push_back(totals.wides[q * totals.size + i]);
            for (size_t q = 0; q < semiring.reals; ++q) reals.push_back(totals.reals[q * totals.size + i]);
        }
    }
    void fields(Archive& archive) {
        archive.numbers("counts", counts);
        archive.wides("exact", wides);
        archive.doubles("doubles", reals);
    }
    void check(const Bounded& semiring) const {
        require(wides.size() == counts.size() * semiring.wides, "totals lack some quantity");
        require(reals.size() == counts.size() * semiring.reals, "totals lack some quantity");
        for (size_t i = 0; i < wides.size(); ++i)      // least values are of 64 bits, or there is none
            require(
                !semiring.is_least[i % semiring.wides] || wides[i] == NO_VALUE
                    || high_half(wides[i]) == static_cast<int64_t>(low_half(wides[i])) >> 63,
                "a least value is of no event");
    }
    size_t left(const Bounded&) const noexcept { return counts.size() - at; }
    void take_totals(const Bounded& semiring, BoundedTotals& out, size_t first, size_t count) {
        require(count <= left(semiring), "totals are missing");
        for (size_t i = first; i < first + count; ++i, ++at) {
            out.counts[i] = counts[at];
            for (size_t q = 0; q < semiring.wides; ++q) out.wides[q * out.size + i] = wides[at * semiring.wides + q];
            for (size_t q = 0; q < semiring.reals; ++q) out.reals[q * out.size + i] = reals[at * semiring.reals + q];
        }
    }
};

}  // namespace spaseq::semirings
