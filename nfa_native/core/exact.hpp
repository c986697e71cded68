// Totals of any size, as a semiring: numbers, of which the first one is how many partial matches there are, and least values.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "archive.hpp"
#include "natural.hpp"
#include "wide.hpp"

namespace spaseq::semirings {

constexpr wide NO_LEAST = static_cast<wide>(~static_cast<unsigned __int128>(0) >> 1);       // of no values

struct ExactTotals {
    std::vector<Natural> numbers;       // [total][number]
    std::vector<wide> leasts;           // [total][least]
};

struct ExactSpan {
    Natural* numbers;
    wide* leasts;

    bool is_nothing() const noexcept { return numbers[0].is_zero(); }
};

struct ExactForm;

struct Exact {
    typedef ExactTotals Totals;
    typedef ExactSpan Span;
    typedef ExactForm Form;

    size_t numbers = 1;                 // of a total
    size_t leasts = 0;

    void resize(Totals& totals, size_t size) const {
        totals.numbers.resize(size * numbers);
        totals.leasts.resize(size * leasts, NO_LEAST);
    }
    Span span(Totals& totals, size_t first) const noexcept {
        assert(first * numbers <= totals.numbers.size());
        return {totals.numbers.data() + first * numbers, totals.leasts.data() + first * leasts};
    }
    Span part(const Span& whole, size_t first) const noexcept {
        return {whole.numbers + first * numbers, whole.leasts + first * leasts};
    }
    void clear_totals(const Span& out, size_t count) const noexcept {
        for (size_t i = 0; i < count * numbers; ++i) out.numbers[i].clear();
        for (size_t i = 0; i < count * leasts; ++i) out.leasts[i] = NO_LEAST;
    }
    // One partial match without events, of what was cleared.
    void set_unit(const Span& out) const { out.numbers[0].set(1); }
    void copy_totals(const Span& out, const Span& from, size_t count) const {
        for (size_t i = 0; i < count * numbers; ++i) out.numbers[i] = from.numbers[i];
        for (size_t i = 0; i < count * leasts; ++i) out.leasts[i] = from.leasts[i];
    }
    void add_totals(const Span& out, const Span& more, size_t count) const {
        for (size_t i = 0; i < count * numbers; ++i) out.numbers[i].add(more.numbers[i]);
        for (size_t i = 0; i < count * leasts; ++i) take_least(out.leasts[i], more.leasts[i]);
    }
    void add_product(const Span& out, const Span& one, const Span& other) const {
        if (one.is_nothing() || other.is_nothing()) return;
        out.numbers[0].add_product(one.numbers[0], other.numbers[0]);
        for (size_t i = 1; i < numbers; ++i) {
            out.numbers[i].add_product(one.numbers[i], other.numbers[0]);
            out.numbers[i].add_product(one.numbers[0], other.numbers[i]);
        }
        for (size_t i = 0; i < leasts; ++i) {
            take_least(out.leasts[i], one.leasts[i]);
            take_least(out.leasts[i], other.leasts[i]);
        }
    }
    // Add the product of each of some totals and one that is not nothing; whether some of them is anything.
    bool add_products(const Span& out, const Span& some, size_t count, const Span& one) const {
        bool any = false;
        for (size_t i = 0; i < count; ++i) {
            const Span each = part(some, i);
            any = any || !each.is_nothing();
            add_product(part(out, i), each, one);
        }
        return any;
    }

  private:
    static void take_least(wide& out, wide other) noexcept { out = other < out ? other : out; }
};

// Totals one after the other, as they are written.
struct ExactForm {
    std::vector<uint32_t> sizes;        // [total][number]: how many limbs
    std::vector<uint64_t> limbs;
    std::vector<wide> leasts;           // [total][least]
    size_t at = 0, limb_at = 0;         // so many numbers are taken

    void append(const Exact& semiring, const ExactTotals& totals, size_t first, size_t count) {
        for (size_t i = first * semiring.numbers; i < (first + count) * semiring.numbers; ++i) {
            const Natural& number = totals.numbers[i];
            sizes.push_back(static_cast<uint32_t>(number.size()));
            for (size_t j = 0; j < number.size(); ++j) limbs.push_back(number.limb(j));
        }
        const auto begin = totals.leasts.begin() + first * semiring.leasts;
        leasts.insert(leasts.end(), begin, begin + count * semiring.leasts);
    }
    void fields(Archive& archive) {
        archive.numbers("sizes", sizes);
        archive.numbers("limbs", limbs);
        archive.wides("least values", leasts);
    }
    void check(const Exact& semiring) const {
        require(sizes.size() % semiring.numbers == 0, "a total lacks some number");
        require(leasts.size() == sizes.size() / semiring.numbers * semiring.leasts, "a total lacks some least value");
        size_t needed = 0;
        for (const uint32_t size : sizes) needed += size;
        require(needed == limbs.size(), "a number has other limbs");
    }
    size_t left(const Exact& semiring) const noexcept { return (sizes.size() - at) / semiring.numbers; }
    void take_totals(const Exact& semiring, ExactTotals& out, size_t first, size_t count) {
        const auto begin = leasts.begin() + at / semiring.numbers * semiring.leasts;
        require(count <= left(semiring), "totals are missing");
        for (size_t i = first * semiring.numbers; i < (first + count) * semiring.numbers; ++i, ++at) {
            out.numbers[i].assign(limbs.data() + limb_at, sizes[at]);
            limb_at += sizes[at];
        }
        std::copy(begin, begin + count * semiring.leasts, out.leasts.begin() + first * semiring.leasts);
    }
};

}  // namespace spaseq::semirings
