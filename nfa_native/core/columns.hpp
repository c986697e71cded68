// Arithmetic and comparisons on blocks of numbers, in doubles that know how far off they may be.  What a comparison says is
// certain; where it is unsure, the exact numbers must be asked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace spaseq::columns {

constexpr size_t BLOCK = 128;              // places; loops of a fixed length are compiled to vector instructions
constexpr double NO = -1, UNSURE = 0, YES = 1;  // of a verdict
constexpr double LARGEST_WHOLE = 9007199254740992.0;  // 2 ** 53: below that integers are doubles
constexpr double TOO_LARGE = 4611686018427387904.0;  // 2 ** 62: exact arithmetic may end in an error
constexpr double STEP = 2.220446049250313e-16;  // rounding changes a number by less than this part of it
constexpr double LAST_DIGIT = 1e-17;       // and a product of decimals by less than this
constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();
constexpr double ANYTHING = std::numeric_limits<double>::infinity();

// A number for each place of a block, or one for all; UNKNOWN: exact numbers must be asked.
struct Column {
    const double* each;    // NULL: `one` at all places
    double one;
    double most;           // none is farther from 0
    double error;          // the exact number is no farther off
    bool whole;            // they are integers
};

inline Column constant(double value, double error, bool whole) noexcept {
    return {nullptr, value, value == value ? std::fabs(value) : 0, error, whole};
}

inline Column unknown() noexcept { return constant(UNKNOWN, 0, false); }

// Two numbers at once, as each processor can.
typedef double Pair __attribute__((vector_size(16), may_alias));
typedef int64_t Flags __attribute__((vector_size(16), may_alias));

inline Pair twice(double value) noexcept { return Pair{value, value}; }

inline Pair pair_at(const double* numbers, size_t place) noexcept {
    Pair two;
    std::memcpy(&two, numbers + place, sizeof(two));
    return two;
}

// What `compute` gives for the pairs of a block; `out`, which has room for one, may be where operands are.
template <class Compute>
inline void fill(double* out, Compute compute) noexcept {
    for (size_t i = 0; i < BLOCK; i += 2) {
        Pair two = compute(i);
        std::memcpy(out + i, &two, sizeof(two));
    }
}

template <class Compute>
Column of_each(const Column& a, double* out, Compute compute) noexcept {
    const double* each = a.each;
    if (each == nullptr) return {nullptr, compute(twice(a.one))[0], 0, 0, false};
    fill(out, [=](size_t i) { return compute(pair_at(each, i)); });
    return {out, 0, 0, 0, false};
}

template <class Compute>
Column of_both(const Column& a, const Column& b, double* out, Compute compute) noexcept {
    const double *left = a.each, *right = b.each;
    Pair x = twice(a.one), y = twice(b.one);
    if (left == nullptr && right == nullptr) return {nullptr, compute(x, y)[0], 0, 0, false};
    if (left == nullptr) fill(out, [=](size_t i) { return compute(x, pair_at(right, i)); });
    else if (right == nullptr) fill(out, [=](size_t i) { return compute(pair_at(left, i), y); });
    else fill(out, [=](size_t i) { return compute(pair_at(left, i), pair_at(right, i)); });
    return {out, 0, 0, 0, false};
}

// 1 where there are flags, else 0.
inline Pair ones(Flags flags) noexcept {
    Pair one = twice(1);
    return reinterpret_cast<Pair>(flags & reinterpret_cast<Flags>(one));
}

inline Pair chosen(Flags flags, Pair a, Pair b) noexcept {
    return reinterpret_cast<Pair>((flags & reinterpret_cast<Flags>(a)) | (~flags & reinterpret_cast<Flags>(b)));
}

inline Pair without_sign(Pair two) noexcept {
    return reinterpret_cast<Pair>(reinterpret_cast<Flags>(two) & Flags{INT64_MAX, INT64_MAX});
}

// What is known of a result none of which is farther from 0 than `most`, when its operands were off by `error`.
inline Column known(Column result, double most, double error, bool whole) noexcept {
    result.most = most;
    result.whole = whole && most < LARGEST_WHOLE;  // a sum may have been rounded to that
    result.error = result.whole ? error : error + most * STEP;
    if (!(most < TOO_LARGE)) result.error = ANYTHING;
    return result;
}

inline Column sum(const Column& a, const Column& b, double* out) noexcept {
    return known(of_both(a, b, out, [](Pair x, Pair y) { return x + y; }), a.most + b.most, a.error + b.error,
        a.whole && b.whole);
}

inline Column difference(const Column& a, const Column& b, double* out) noexcept {
    return known(of_both(a, b, out, [](Pair x, Pair y) { return x - y; }), a.most + b.most, a.error + b.error,
        a.whole && b.whole);
}

// How far off a product is, for what its operands are.
template <class Value>
double product_error(const Value& a, const Value& b) noexcept {
    return a.most * b.error + b.most * a.error + a.error * b.error + (a.whole && b.whole ? 0 : LAST_DIGIT);
}

inline Column product(const Column& a, const Column& b, double* out) noexcept {
    return known(of_both(a, b, out, [](Pair x, Pair y) { return x * y; }), a.most * b.most, product_error(a, b),
        a.whole && b.whole);
}

inline Column square(const Column& a, double* out) noexcept {
    return known(of_each(a, out, [](Pair x) { return x * x; }), a.most * a.most, product_error(a, a), a.whole);
}

inline Column negative(const Column& a, double* out) noexcept {
    return known(of_each(a, out, [](Pair x) { return -x; }), a.most, a.error, a.whole);
}

inline Column magnitude(const Column& a, double* out) noexcept {
    return known(of_each(a, out, without_sign), a.most, a.error, a.whole);
}

// How far apart numbers must be to be told apart; that sum is rounded, too.  UNKNOWN: they cannot be.
template <class Value>
double margin(const Value& a, const Value& b) noexcept {
    double error = a.error + b.error;
    return error < ANYTHING ? error * (1 + 1e-9) : UNKNOWN;
}

// Verdicts, as numbers: so `and` is the least of two, `or` the greatest, `not` the negative.
inline Column is_less(const Column& a, const Column& b, double* out) noexcept {
    Pair apart = twice(margin(a, b));
    return of_both(a, b, out, [apart](Pair x, Pair y) {
        Pair more = y - x;
        return ones(more > apart) - ones(more <= -apart);
    });
}

// The same of two numbers.
inline double verdict_of_less(double x, double y, double apart) noexcept {
    return y - x > apart ? YES : y - x <= -apart ? NO : UNSURE;
}

inline Column is_equal(const Column& a, const Column& b, double* out) noexcept {
    Pair apart = twice(margin(a, b)), none = twice(0);
    return of_both(a, b, out, [apart, none](Pair x, Pair y) {
        Pair more = without_sign(y - x);
        return ones((more == none) & (apart == none)) - ones(more > apart);
    });
}

inline Column all_of(const Column& a, const Column& b, double* out) noexcept {
    return of_both(a, b, out, [](Pair x, Pair y) { return chosen(x < y, x, y); });
}

inline Column some_of(const Column& a, const Column& b, double* out) noexcept {
    return of_both(a, b, out, [](Pair x, Pair y) { return chosen(x < y, y, x); });
}

inline Column opposite(const Column& a, double* out) noexcept {
    return of_each(a, out, [](Pair x) { return -x; });
}

inline bool is_refused(const Column& verdict) noexcept { return verdict.each == nullptr && verdict.one == NO; }

inline bool is_certain(const Column& verdict) noexcept { return verdict.each == nullptr && verdict.one == YES; }

// Whether a verdict is NO at FEW places from `place` on, a multiple of FEW.
constexpr size_t FEW = 16;

inline bool are_refused(const double* verdict, size_t place) noexcept {
    Flags passes = {0, 0};
    for (size_t i = place; i < place + FEW; i += 2) passes |= pair_at(verdict, i) != twice(NO);
    return (passes[0] | passes[1]) == 0;
}

// The first place from `place` to before `end` where a verdict is not NO, or `end`.
inline size_t next_passing(const Column& verdict, size_t place, size_t end) noexcept {
    if (verdict.each == nullptr) return verdict.one == NO ? end : place;
    while (place < end && verdict.each[place] == NO) place += place % FEW == 0 && are_refused(verdict.each, place) ? FEW : 1;
    return std::min(place, end);
}

inline double verdict_at(const Column& verdict, size_t place) noexcept {
    return verdict.each == nullptr ? verdict.one : verdict.each[place];
}

}  // namespace spaseq::columns
