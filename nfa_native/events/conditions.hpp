// Conditions about several events: predicates in postfix form over the values that each event is remembered with.
//
// Arithmetic is CEQL's: integers are exact, `/` gives a double, what divides by zero or is no number is NULL, and no
// comparison with NULL holds.  What 128 bits cannot hold, and quotients of integers beyond 2^53, are UNDECIDED: the owner
// judges them with numbers of any size.  Nothing here allocates but the builders (`Condition::add`, `Conditions::add`).
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "nfa_native/automata/kinds.hpp"

namespace spaseq::events::conditions {

constexpr int64_t NULL_VALUE = INT64_MIN;      // of a column of integers: NULL
constexpr int64_t HUGE_VALUE_ = INT64_MIN + 1; // of a column of integers: no room for it in 64 bits
constexpr int64_t EXACT = int64_t(1) << 53;    // all integers up to it are doubles

// What a truth is; UNDECIDED also is an answer of `Condition::test`.
enum Truth : uint8_t { NO = 0, YES = 1, UNDECIDED = 2 };

enum Kind : uint8_t { NOTHING, INTEGER, REAL, UNKNOWN };

// A number on the stack: NULL, an integer, a double, or one that only the owner can tell.
struct Number {
    Kind kind;
    union {
        __int128 integer;
        double real;
    };
};

using kinds::DEEPEST;
using kinds::Opcode;

struct Step {
    Opcode operation;
    uint8_t variable;
    uint32_t argument;
};

inline double as_real(const Number& one) {
    return one.kind == REAL ? one.real : static_cast<double>(one.integer);
}

inline Number nothing() {
    Number found;
    found.kind = NOTHING;
    found.integer = 0;
    return found;
}

inline Number unknown() {
    Number found = nothing();
    found.kind = UNKNOWN;
    return found;
}

inline Number integer(__int128 value) {
    Number found;
    found.kind = INTEGER;
    found.integer = value;
    return found;
}

inline Number real(double value) {
    Number found = nothing();
    if (std::isnan(value)) return found;
    found.kind = REAL;
    found.real = value;
    return found;
}

inline bool is_small(__int128 value) noexcept { return -EXACT <= value && value <= EXACT; }

inline Number calculated_integers(Opcode operation, __int128 left, __int128 right) {
    __int128 found = 0;
    bool overflows = false;
    switch (operation) {
    case Opcode::ADD: overflows = __builtin_add_overflow(left, right, &found); break;
    case Opcode::SUBTRACT: overflows = __builtin_sub_overflow(left, right, &found); break;
    case Opcode::MULTIPLY: overflows = __builtin_mul_overflow(left, right, &found); break;
    case Opcode::REMAINDER: found = right == -1 ? 0 : left % right; break;
    default:
        if (!is_small(left) || !is_small(right)) return unknown();
        return real(static_cast<double>(left) / static_cast<double>(right));
    }
    return overflows ? unknown() : integer(found);
}

inline Number calculated(Opcode operation, const Number& left, const Number& right) {
    if (left.kind == INTEGER && right.kind == INTEGER && operation < Opcode::DIVIDE)
        return calculated_integers(operation, left.integer, right.integer);
    if (left.kind == NOTHING || right.kind == NOTHING) return nothing();
    if (left.kind == UNKNOWN || right.kind == UNKNOWN) return unknown();
    if (operation == Opcode::DIVIDE || operation == Opcode::REMAINDER) {
        if (right.kind == REAL ? right.real == 0 : right.integer == 0) return nothing();
    }
    if (left.kind == INTEGER && right.kind == INTEGER)
        return calculated_integers(operation, left.integer, right.integer);
    const double a = as_real(left), b = as_real(right);
    switch (operation) {
    case Opcode::ADD: return real(a + b);
    case Opcode::SUBTRACT: return real(a - b);
    case Opcode::MULTIPLY: return real(a * b);
    case Opcode::DIVIDE: return real(a / b);
    default: return real(std::fmod(a, b));
    }
}

// The sign of left - right, exactly.
inline int compared(__int128 left, double right) noexcept {
    constexpr double BEYOND = 170141183460469231731687303715884105728.0; // 2^127
    if (right >= BEYOND) return -1;
    if (right < -BEYOND) return 1;
    const __int128 whole = static_cast<__int128>(right);
    if (left != whole) return left < whole ? -1 : 1;
    const double rest = right - static_cast<double>(whole);
    return rest > 0 ? -1 : rest < 0;
}

inline int compared(const Number& left, const Number& right) noexcept {
    if (left.kind == REAL) {
        if (right.kind == INTEGER) return -compared(right.integer, left.real);
        return left.real < right.real ? -1 : left.real > right.real;
    }
    if (right.kind == REAL) return compared(left.integer, right.real);
    return left.integer < right.integer ? -1 : left.integer > right.integer;
}

inline Truth holds(Opcode operation, const Number& left, const Number& right) {
    if (left.kind == NOTHING || right.kind == NOTHING) return NO;
    if (left.kind == UNKNOWN || right.kind == UNKNOWN) return UNDECIDED;
    const int sign = compared(left, right);
    switch (operation) {
    case Opcode::EQUAL: return sign == 0 ? YES : NO;
    case Opcode::DIFFERENT: return sign != 0 ? YES : NO;
    case Opcode::LESS: return sign < 0 ? YES : NO;
    default: return sign <= 0 ? YES : NO;
    }
}

inline Truth both(uint8_t left, uint8_t right) {
    if (left == NO || right == NO) return NO;
    return left == YES && right == YES ? YES : UNDECIDED;
}

inline Truth either(uint8_t left, uint8_t right) {
    if (left == YES || right == YES) return YES;
    return left == NO && right == NO ? NO : UNDECIDED;
}

inline Number loaded(Opcode operation, int64_t value) {
    if (operation == Opcode::LOAD_REAL) {
        double found;
        std::memcpy(&found, &value, sizeof found);
        return real(found);
    }
    if (value == NULL_VALUE) return nothing();
    return value == HUGE_VALUE_ ? unknown() : integer(value);
}


// Values of registers (`groups.hpp`) that no number has.
constexpr int64_t PASSES_ALL = INT64_MIN;
constexpr int64_t PASSES_NONE = INT64_MAX;
constexpr int64_t LEAST = INT64_MIN + 4; // of all others
constexpr int64_t GREATEST = INT64_MAX - 3;

// Integers in the order of doubles, 0.0 and -0.0 the same.
inline int64_t ordered(double value) noexcept {
    int64_t bits;
    value += 0.0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

inline int64_t clamped(__int128 value) noexcept {
    return value < LEAST ? LEAST : value > GREATEST ? GREATEST : static_cast<int64_t>(value);
}

// A register's value by which numbers keep their order, or turn it; those that are close may become equal.
inline int64_t comparable(const Number& number, bool is_real, bool turned) noexcept {
    if (number.kind == NOTHING) return PASSES_NONE;
    if (number.kind == UNKNOWN) return PASSES_ALL;
    const int64_t found = is_real ? ordered(as_real(number)) : clamped(number.integer);
    return turned ? ~found : found;
}

// A predicate on one event of each of some variables, or a number of them.
class Condition {
public:
    // Whether `variable` is held by the event that asks.
    std::vector<uint8_t> held;
    // Of a number: how it is compared.
    bool is_real = false;
    bool turned = false;

    void append_step(Opcode operation, uint8_t variable, uint32_t argument) {
        steps_.push_back(Step{operation, variable, argument});
        is_whole_ = is_whole_ && (operation == Opcode::LOAD_INTEGER
            || (operation >= Opcode::CONSTANT && operation <= Opcode::MULTIPLY));
    }

    const std::vector<Step>& steps() const noexcept { return steps_; }

    // rows[v] are the values of the event of variable v.
    Truth test(const int64_t* const* rows, const std::vector<Number>& constants) const noexcept {
        Number numbers[DEEPEST];
        uint8_t truths[DEEPEST];
        run(rows, constants, numbers, truths);
        return static_cast<Truth>(truths[0]);
    }

    // The number, as a register has it.
    int64_t compute(const int64_t* const* rows, const std::vector<Number>& constants) const noexcept {
        int64_t whole;
        if (is_whole_ && run_whole(rows, constants, &whole)) return comparable(integer(whole), is_real, turned);
        Number numbers[DEEPEST];
        uint8_t truths[DEEPEST];
        run(rows, constants, numbers, truths);
        return comparable(numbers[0], is_real, turned);
    }

private:
    std::vector<Step> steps_;
    bool is_whole_ = true;  // nothing but sums, differences and products of integers

    // The same in 64 bits, which is enough; false: it is not, or some value is none.
    bool run_whole(const int64_t* const* rows, const std::vector<Number>& constants, int64_t* out) const noexcept {
        int64_t numbers[DEEPEST];
        int64_t* top = numbers; // one beyond the last number
        *top = 0;
        bool fails = false;
        for (const Step& step : steps_) {
            switch (step.operation) {
            case Opcode::LOAD_INTEGER:
                *top = rows[step.variable][step.argument];
                fails |= *top++ <= HUGE_VALUE_;
                break;
            case Opcode::CONSTANT:
                if (constants[step.argument].kind != INTEGER) return false;
                *top++ = static_cast<int64_t>(constants[step.argument].integer); // of 64 bits
                break;
            case Opcode::ADD: --top; fails |= __builtin_add_overflow(top[-1], *top, top - 1); break;
            case Opcode::SUBTRACT: --top; fails |= __builtin_sub_overflow(top[-1], *top, top - 1); break;
            default: --top; fails |= __builtin_mul_overflow(top[-1], *top, top - 1); break;
            }
        }
        *out = *numbers;
        return !fails;
    }

    // Leave the result at the bottom of one of the stacks.
    void run(
        const int64_t* const* rows, const std::vector<Number>& constants, Number* numbers, uint8_t* truths
    ) const noexcept {
        Number* top = numbers; // one beyond the last number
        uint8_t* truth = truths;
        for (const Step& step : steps_) {
            switch (step.operation) {
            case Opcode::LOAD_INTEGER:
            case Opcode::LOAD_REAL: *top++ = loaded(step.operation, rows[step.variable][step.argument]); break;
            case Opcode::LOAD_TRUTH: *truth++ = static_cast<uint8_t>(rows[step.variable][step.argument]); break;
            case Opcode::CONSTANT: *top++ = constants[step.argument]; break;
            case Opcode::EQUAL:
            case Opcode::DIFFERENT:
            case Opcode::LESS:
            case Opcode::LESS_EQUAL: top -= 2; *truth++ = holds(step.operation, top[0], top[1]); break;
            case Opcode::IS_NULL: --top; *truth++ = top->kind == UNKNOWN ? UNDECIDED : top->kind == NOTHING ? YES : NO; break;
            case Opcode::NOT: truth[-1] = truth[-1] == UNDECIDED ? UNDECIDED : truth[-1] == NO ? YES : NO; break;
            case Opcode::AND: --truth; truth[-1] = both(truth[-1], *truth); break;
            case Opcode::OR: --truth; truth[-1] = either(truth[-1], *truth); break;
            default: --top; top[-1] = calculated(step.operation, top[-1], *top); break;
            }
            assert(top >= numbers && top <= numbers + DEEPEST && truth >= truths && truth <= truths + DEEPEST);
        }
    }
};

// The values of events of which some choice has to be made: for each variable those that it holds.
class Choices {
public:
    void renew(size_t variables) {
        rows_.clear();
        ends_.clear();
        chosen_.resize(variables);
        places_.resize(variables);
    }

    void offer(const int64_t* row) { rows_.push_back(row); }
    void end_variable() { ends_.push_back(rows_.size()); }

    // Whether the condition holds for all choices with the event `own` among them.
    Truth all(const Condition& condition, const std::vector<Number>& constants, const int64_t* own) {
        const size_t count = ends_.size();
        for (size_t i = 0; i < count; ++i) {
            places_[i] = first(i);
            if (first(i) == ends_[i]) return YES;
        }
        Truth found = YES;
        do {
            if (!choose(own)) continue;
            const Truth one = condition.test(chosen_.data(), constants);
            if (one == NO) return NO;
            if (one == UNDECIDED) found = UNDECIDED;
        } while (next());
        return found;
    }

private:
    std::vector<const int64_t*> rows_; // of all variables, one after the other
    std::vector<size_t> ends_;         // by variable
    std::vector<size_t> places_;       // by variable: the row that is chosen
    std::vector<const int64_t*> chosen_;

    size_t first(size_t variable) const noexcept { return variable ? ends_[variable - 1] : 0; }

    // Into `chosen_`; whether the event is among them.
    bool choose(const int64_t* own) noexcept {
        bool has_own = false;
        for (size_t i = 0; i < ends_.size(); ++i) {
            chosen_[i] = rows_[places_[i]];
            has_own |= chosen_[i] == own;
        }
        return has_own;
    }

    bool next() noexcept {
        for (size_t i = ends_.size(); i-- > 0;) {
            if (++places_[i] < ends_[i]) return true;
            places_[i] = first(i);
        }
        return false;
    }
};

}  // namespace spaseq::events::conditions
