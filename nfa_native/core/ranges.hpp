// The arithmetic and comparisons of `columns.hpp` on the bounds of many numbers: what is certain of all of them at once.
// Each function has the name and the parameters of that on columns, and needs no room.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "nfa_native/core/columns.hpp"

namespace spaseq::ranges {

using columns::Column;
using columns::ANYTHING;
using columns::NO;
using columns::UNKNOWN;
using columns::YES;
using columns::margin;
using columns::product_error;

// The least and the greatest of some numbers; UNKNOWN if one of them is.
struct Bounds {
    double least = ANYTHING;
    double greatest = -ANYTHING;

    void take(double number) noexcept {
        if (number != number) least = greatest = UNKNOWN;
        if (number < least) least = number;
        if (number > greatest) greatest = number;
    }
};

// Numbers between two bounds, of which is known what a column knows.  Of verdicts: these are, too.
struct Range {
    double least;
    double greatest;
    double most;
    double error;
    bool whole;
};

inline Range range_of(const Column& constant) noexcept {
    return {constant.one, constant.one, constant.most, constant.error, constant.whole};
}

inline Range known(Range result, double most, double error, bool whole) noexcept {
    Column bounds = columns::known(columns::constant(0, 0, false), most, error, whole);
    return {result.least, result.greatest, bounds.most, bounds.error, bounds.whole};
}

inline Range verdict_range(double least, double greatest) noexcept { return {least, greatest, 1, 0, true}; }

inline Range sum(const Range& a, const Range& b, double*) noexcept {
    return known({a.least + b.least, a.greatest + b.greatest, 0, 0, false}, a.most + b.most, a.error + b.error,
        a.whole && b.whole);
}

inline Range difference(const Range& a, const Range& b, double*) noexcept {
    return known({a.least - b.greatest, a.greatest - b.least, 0, 0, false}, a.most + b.most, a.error + b.error,
        a.whole && b.whole);
}

// The range of some numbers; UNKNOWN if one of them is.
inline Range around(std::initializer_list<double> numbers) noexcept {
    Bounds bounds;
    for (double one : numbers) bounds.take(one);
    return {bounds.least, bounds.greatest, 0, 0, false};
}

inline Range product(const Range& a, const Range& b, double*) noexcept {
    Range result = around({a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest});
    return known(result, a.most * b.most, product_error(a, b), a.whole && b.whole);
}

inline Range negative(const Range& a, double*) noexcept {
    return known({-a.greatest, -a.least, 0, 0, false}, a.most, a.error, a.whole);
}

inline Range magnitude(const Range& a, double*) noexcept {
    Range result = around({std::fabs(a.least), std::fabs(a.greatest)});
    if (a.least < 0 && 0 < a.greatest) result.least = 0;
    return known(result, a.most, a.error, a.whole);
}

inline Range square(const Range& a, double*) noexcept {
    Range size = magnitude(a, nullptr);
    Range result = {size.least * size.least, size.greatest * size.greatest, 0, 0, false};
    return known(result, a.most * a.most, product_error(a, a), a.whole);
}

inline Range is_less(const Range& a, const Range& b, double*) noexcept {
    auto compared = [apart = margin(a, b)](double x, double y) { return columns::verdict_of_less(x, y, apart); };
    return verdict_range(compared(a.greatest, b.least), compared(a.least, b.greatest));
}

// Equal numbers are found one by one; here is told that there are none.
inline Range is_equal(const Range& a, const Range& b, double*) noexcept {
    double apart = margin(a, b);
    bool differ = b.least - a.greatest > apart || a.least - b.greatest > apart;
    return verdict_range(NO, differ ? NO : YES);
}

inline Range all_of(const Range& a, const Range& b, double*) noexcept {
    return verdict_range(std::min(a.least, b.least), std::min(a.greatest, b.greatest));
}

inline Range some_of(const Range& a, const Range& b, double*) noexcept {
    return verdict_range(std::max(a.least, b.least), std::max(a.greatest, b.greatest));
}

inline Range opposite(const Range& a, double*) noexcept { return verdict_range(-a.greatest, -a.least); }

inline bool is_refused(const Range& verdict) noexcept { return verdict.greatest == NO; }

}  // namespace spaseq::ranges
