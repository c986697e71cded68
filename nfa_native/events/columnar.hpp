// Conditions on columns of numbers (`core/columns.hpp`): sums, differences, products, comparisons, AND and OR.  What is NULL
// or too large is unknown there, and all other operations are left to `conditions.hpp`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/core/columns.hpp"
#include "nfa_native/events/conditions.hpp"
#include "nfa_native/events/lazy_steps.hpp"

namespace spaseq::events {

constexpr size_t MOST_COLUMNS = 8;         // on the stack: what needs more does not run on columns

inline bool is_load(kinds::Opcode one) noexcept { return one <= kinds::Opcode::LOAD_TRUTH; }

// How many operands are taken; -1: it does not run on columns.
inline int operands_of(kinds::Opcode one) noexcept {
    using kinds::Opcode;
    if (is_load(one) || one == Opcode::CONSTANT) return 0;
    bool is_known = one <= Opcode::MULTIPLY || (one >= Opcode::EQUAL && one <= Opcode::LESS_EQUAL)
        || one == Opcode::AND || one == Opcode::OR;
    return is_known ? 2 : -1;
}

// Whether the program runs on columns, with no more than there is room for.
inline bool runs_on_columns(const conditions::Condition& condition) noexcept {
    size_t depth = 0;
    for (const conditions::Step& step : condition.steps()) {
        int operands = operands_of(step.operation);
        if (operands < 0) return false;
        depth = depth - size_t(operands) + 1;
        if (depth > MOST_COLUMNS) return false;
    }
    return true;
}

inline Column verdict_of(int64_t truth) noexcept {
    double verdict = truth == conditions::YES ? columns::YES : truth == conditions::NO ? columns::NO : columns::UNSURE;
    return columns::constant(verdict, 0, true);
}

inline Column operated(kinds::Opcode operation, const Column& a, const Column& b, double* out) noexcept {
    using kinds::Opcode;
    switch (operation) {
        case Opcode::ADD: return columns::sum(a, b, out);
        case Opcode::SUBTRACT: return columns::difference(a, b, out);
        case Opcode::MULTIPLY: return columns::product(a, b, out);
        case Opcode::EQUAL: return columns::is_equal(a, b, out);
        case Opcode::DIFFERENT: return columns::opposite(columns::is_equal(a, b, out), out);
        case Opcode::LESS: return columns::is_less(a, b, out);
        case Opcode::LESS_EQUAL: return columns::opposite(columns::is_less(b, a, out), out);
        case Opcode::AND: return columns::all_of(a, b, out);
        default: return columns::some_of(a, b, out);
    }
}

// The verdict of a program that runs on columns; `load` gives that of a step's number, `room` is as many blocks.
template <class Load>
Column run_columns(
    const conditions::Condition& condition, const std::vector<Number>& constants, Load load, double* room
) noexcept {
    Column stack[MOST_COLUMNS];
    size_t depth = 0, number = 0;
    for (const conditions::Step& step : condition.steps()) {
        if (is_load(step.operation)) {
            stack[depth++] = load(number);
        } else if (step.operation == kinds::Opcode::CONSTANT) {
            stack[depth++] = number_column(constants[step.argument]);
        } else {
            --depth;
            stack[depth - 1] = operated(step.operation, stack[depth - 1], stack[depth],
                room + (depth - 1) * columns::BLOCK);
        }
        ++number;
    }
    return stack[0];
}

}  // namespace spaseq::events
