// Conditions that read the match: steps on a stack of values, each an integer or a real number, or unknown.
//
// Truth values are 0 and 1; times are microseconds, texts are ranks, decimals are integers of a scale that the program knows.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace spaseq::row_patterns {

struct Value {
    int64_t bits = 0;          // an integer, or the bits of a real number
    bool known = false;

    static Value integer(int64_t value) noexcept { return Value{value, true}; }
    static Value real(double value) noexcept {
        Value made{0, true};
        std::memcpy(&made.bits, &value, sizeof value);
        return made;
    }
    double as_real() const noexcept {
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
};

// What a step does with the values on top of the stack; `a` is its argument.
enum class MatchOp : uint32_t {
    CONSTANT,                                           // puts constant a
    READ, AGGREGATE, NUMBER,                            // puts what reading a, or aggregate a, finds; the match's number
    EQUAL, LESS, LESS_EQUAL, SAME,                      // of two integers; SAME is of unknown ones, too
    REAL_EQUAL, REAL_LESS, REAL_LESS_EQUAL, REAL_SAME,  // of two real numbers
    ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER,         // of integers
    REAL_ADD, REAL_SUBTRACT, REAL_MULTIPLY, REAL_DIVIDE, REAL_REMAINDER,
    DIVIDE_ROUNDED,                                     // a times the first by the second, halves away from zero
    NEGATE, ABSOLUTE, REAL_NEGATE, REAL_ABSOLUTE,
    TO_REAL,                                            // an integer by a
    SCALE,                                              // an integer times a
    NOT, IS_NULL, AND, OR,
    UNLESS_TRUE, UNLESS_FALSE, UNLESS_KNOWN,            // goes on at a, the value stays, if it is TRUE, FALSE, known; else the next step
    WHEN,                                               // takes a truth; goes on at a unless it is TRUE
    JUMP,                                               // goes on at a
    DROP,                                               // takes a value
    LEAST, GREATEST, REAL_LEAST, REAL_GREATEST,
};

struct Instruction {
    MatchOp op;
    int64_t a;
};

// Why a condition has no value.
enum class Wrong : uint32_t { NO, OVERFLOW_, DIVISION };

// -1, 0, 1; NaN is the greatest.
inline int compared(double one, double other) noexcept {
    if (std::isnan(one) || std::isnan(other)) return int(std::isnan(one)) - int(std::isnan(other));
    return one < other ? -1 : one > other;
}

// Runs a program; `reads` knows what is read: `read(a)`, `aggregate(a)`, `number()`.
struct Machine {
    std::vector<Value> stack;
    Wrong wrong = Wrong::NO;

    // Whether the condition is TRUE.  std::bad_alloc.
    template <class Reads>
    bool is_satisfied(const std::vector<Instruction>& program, const std::vector<Value>& constants, const Reads& reads) {
        stack.clear();
        for (size_t at = 0; at < program.size() && wrong == Wrong::NO;) {
            const Instruction& step = program[at++];
            switch (step.op) {
                case MatchOp::CONSTANT: stack.push_back(constants[step.a]); break;
                case MatchOp::READ: stack.push_back(reads.read(step.a)); break;
                case MatchOp::AGGREGATE: stack.push_back(reads.aggregate(step.a)); break;
                case MatchOp::NUMBER: stack.push_back(Value::integer(reads.number())); break;
                case MatchOp::UNLESS_TRUE: if (stack.back().known && stack.back().bits) at = static_cast<size_t>(step.a); break;
                case MatchOp::UNLESS_FALSE: if (stack.back().known && !stack.back().bits) at = static_cast<size_t>(step.a); break;
                case MatchOp::UNLESS_KNOWN: if (stack.back().known) at = static_cast<size_t>(step.a); break;
                case MatchOp::WHEN: if (Value truth = taken(); !truth.known || !truth.bits) at = static_cast<size_t>(step.a); break;
                case MatchOp::JUMP: at = static_cast<size_t>(step.a); break;
                case MatchOp::DROP: stack.pop_back(); break;
                default: apply(step);
            }
        }
        return wrong == Wrong::NO && stack.back().known && stack.back().bits;
    }

 private:
    Value taken() noexcept {
        Value value = stack.back();
        stack.pop_back();
        return value;
    }

    void apply(const Instruction& step) noexcept {
        switch (step.op) {
            case MatchOp::NEGATE: case MatchOp::ABSOLUTE: case MatchOp::REAL_NEGATE: case MatchOp::REAL_ABSOLUTE: case MatchOp::TO_REAL: case MatchOp::SCALE:
            case MatchOp::NOT: case MatchOp::IS_NULL:
                stack.back() = of_one(step, stack.back());
                return;
            default: {
                Value other = taken();
                stack.back() = of_two(step, stack.back(), other);
            }
        }
    }

    Value of_one(const Instruction& step, Value one) noexcept {
        if (step.op == MatchOp::IS_NULL) return Value::integer(!one.known);
        if (!one.known) return one;
        switch (step.op) {
            case MatchOp::NOT: return Value::integer(!one.bits);
            case MatchOp::REAL_NEGATE: return Value::real(-one.as_real());
            case MatchOp::REAL_ABSOLUTE: return Value::real(std::fabs(one.as_real()));
            case MatchOp::TO_REAL: return Value::real(static_cast<double>(one.bits) / static_cast<double>(step.a));
            case MatchOp::SCALE: return product(one.bits, step.a);
            default: return step.op == MatchOp::NEGATE || one.bits < 0 ? difference(0, one.bits) : one;
        }
    }

    Value of_two(const Instruction& step, Value one, Value other) noexcept {
        switch (step.op) {
            case MatchOp::AND: return both(one, other, 0);
            case MatchOp::OR: return both(one, other, 1);
            case MatchOp::SAME: return Value::integer(one.known == other.known && (!one.known || one.bits == other.bits));
            case MatchOp::REAL_SAME:
                return Value::integer(one.known == other.known && (!one.known || compared(one.as_real(), other.as_real()) == 0));
            default: return one.known && other.known ? of_known(step, one, other) : Value();
        }
    }

    // AND of truths if `decides` is 0, OR if it is 1.
    static Value both(Value one, Value other, int64_t decides) noexcept {
        if ((one.known && one.bits == decides) || (other.known && other.bits == decides)) return Value::integer(decides);
        return one.known && other.known ? Value::integer(!decides) : Value();
    }

    Value of_known(const Instruction& step, Value one, Value other) noexcept {
        const int64_t a = one.bits, b = other.bits;
        const double x = one.as_real(), y = other.as_real();
        switch (step.op) {
            case MatchOp::EQUAL: return Value::integer(a == b);
            case MatchOp::LESS: return Value::integer(a < b);
            case MatchOp::LESS_EQUAL: return Value::integer(a <= b);
            case MatchOp::REAL_EQUAL: return Value::integer(x == y);
            case MatchOp::REAL_LESS: return Value::integer(x < y);
            case MatchOp::REAL_LESS_EQUAL: return Value::integer(x <= y);
            case MatchOp::ADD: return sum(a, b);
            case MatchOp::SUBTRACT: return difference(a, b);
            case MatchOp::MULTIPLY: return product(a, b);
            case MatchOp::DIVIDE: return b == -1 ? difference(0, a) : b == 0 ? none(Wrong::DIVISION) : Value::integer(a / b);
            case MatchOp::REMAINDER: return b == -1 ? Value::integer(0) : b == 0 ? none(Wrong::DIVISION) : Value::integer(a % b);
            case MatchOp::DIVIDE_ROUNDED: return quotient(a, b, step.a);
            case MatchOp::REAL_ADD: return Value::real(x + y);
            case MatchOp::REAL_SUBTRACT: return Value::real(x - y);
            case MatchOp::REAL_MULTIPLY: return Value::real(x * y);
            case MatchOp::REAL_DIVIDE: return Value::real(x / y);
            case MatchOp::REAL_REMAINDER: return Value::real(std::fmod(x, y));
            case MatchOp::LEAST: return Value::integer(a < b ? a : b);
            case MatchOp::GREATEST: return Value::integer(a > b ? a : b);
            case MatchOp::REAL_LEAST: return Value::real(compared(x, y) <= 0 ? x : y);
            case MatchOp::REAL_GREATEST: return Value::real(compared(x, y) >= 0 ? x : y);
            default: assert(false); return Value();
        }
    }

    Value none(Wrong why) noexcept {
        wrong = why;
        return Value();
    }
    Value sum(int64_t a, int64_t b) noexcept {
        int64_t made;
        return __builtin_add_overflow(a, b, &made) ? none(Wrong::OVERFLOW_) : Value::integer(made);
    }
    Value difference(int64_t a, int64_t b) noexcept {
        int64_t made;
        return __builtin_sub_overflow(a, b, &made) ? none(Wrong::OVERFLOW_) : Value::integer(made);
    }
    Value product(int64_t a, int64_t b) noexcept {
        int64_t made;
        return __builtin_mul_overflow(a, b, &made) ? none(Wrong::OVERFLOW_) : Value::integer(made);
    }
    Value quotient(int64_t a, int64_t b, int64_t times) noexcept {
        if (b == 0) return none(Wrong::DIVISION);
        const __int128 over = static_cast<__int128>(a) * times, by = b;
        __int128 made = over / by, rest = over % by;
        if ((rest < 0 ? -rest : rest) * 2 >= (by < 0 ? -by : by)) made += (over < 0) == (by < 0) ? 1 : -1;
        return made > INT64_MAX || made < INT64_MIN ? none(Wrong::OVERFLOW_) : Value::integer(static_cast<int64_t>(made));
    }
};

}  // namespace spaseq::row_patterns
