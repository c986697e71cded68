// Expression programs on columns of numbers (`core/columns.hpp`) and on their bounds (`core/ranges.hpp`): arithmetic,
// comparisons and logic of inline numbers.  All other terms are unknown there, and all other operations are left to
// `program.pyx`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "nfa_native/core/columns.hpp"
#include "nfa_native/core/ranges.hpp"
#include "nfa_native/terms/code.hpp"
#include "nfa_native/terms/encoding.hpp"

namespace spaseq {

using columns::Column;
using ranges::Range;
using operations::Op;

constexpr size_t MOST_COLUMNS = 8;         // on the stack: what needs more does not run on columns

// What a program gives on columns.
enum class Columnar : uint8_t { NOTHING, NUMBER, VERDICT };

// The bits of an inline double (`terms/dictionary.pxd`).
inline double inline_double(word_t word) noexcept {
    constexpr uint64_t SIGN = uint64_t(1) << 63, MAGNITUDE = (uint64_t(1) << 59) - 1, BASE = uint64_t(960) << 52;
    uint64_t bits = word >> 4 & MAGNITUDE;
    double value;
    if (bits) bits += BASE;
    bits |= word & SIGN;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

// A word as a number.
inline Column number_of(word_t word) noexcept {
    if (tag_of(word) == TAG_INTEGER) {
        double value = double(int64_t(word) >> 4);
        bool whole = std::fabs(value) < columns::LARGEST_WHOLE;  // it may have been rounded to that
        return columns::constant(value, whole ? 0 : std::fabs(value) * columns::STEP, whole);
    }
    if (tag_of(word) == TAG_DECIMAL) {
        double value = double(int64_t(word) >> 9) / double(POWERS_OF_TEN[word >> 4 & 31]);
        return columns::constant(value, std::fabs(value) * 2 * columns::STEP, false);
    }
    return tag_of(word) == TAG_DOUBLE ? columns::constant(inline_double(word), 0, false) : columns::unknown();
}

inline bool is_comparison(Op op) noexcept { return Op::EQUAL <= op && op <= Op::GREATER_EQUAL; }
inline bool is_arithmetic(Op op) noexcept { return op == Op::ADD || op == Op::SUBTRACT || op == Op::MULTIPLY; }
inline bool is_sign(Op op) noexcept { return op == Op::NEGATE || op == Op::PLUS || op == Op::ABS; }

// What an operation makes of operands of one kind each.
inline Columnar made_by(Op op, Columnar operand) noexcept {
    bool of_numbers = operand == Columnar::NUMBER;
    if (op == Op::LOAD || op == Op::CONSTANT) return Columnar::NUMBER;
    if (is_comparison(op)) return of_numbers ? Columnar::VERDICT : Columnar::NOTHING;
    if (is_arithmetic(op) || is_sign(op)) return of_numbers ? Columnar::NUMBER : Columnar::NOTHING;
    if (op == Op::NOT || op == Op::AND || op == Op::OR)
        return operand == Columnar::VERDICT ? Columnar::VERDICT : Columnar::NOTHING;
    return Columnar::NOTHING;
}

// What a program gives; NOTHING: it does not run on columns.
inline Columnar columnar_kind(const Code& code) noexcept {
    Columnar stack[MOST_COLUMNS];
    size_t depth = 0;
    for (const Instruction& one : code.instructions) {
        depth -= size_t(one.operands);
        if (depth == MOST_COLUMNS) return Columnar::NOTHING;
        Columnar operand = one.operands ? stack[depth] : Columnar::NOTHING;
        for (int32_t i = 1; i < one.operands; ++i)
            if (stack[depth + size_t(i)] != operand) return Columnar::NOTHING;
        stack[depth] = made_by(one.op, operand);
        if (stack[depth++] == Columnar::NOTHING) return Columnar::NOTHING;
    }
    return stack[0];
}

// A program as it runs on columns.
struct ColumnCode {
    Columnar gives = Columnar::NOTHING;
    std::vector<Instruction> instructions;  // MULTIPLY of one operand is its square
    std::vector<word_t> constants;
};

inline bool are_same(const Instruction& a, const Instruction& b) noexcept {
    return a.op == b.op && a.argument == b.argument && a.operands == b.operands;
}

// Where the instructions of the operand begin that ends before `end`.
inline size_t operand_start(const std::vector<Instruction>& instructions, size_t end) noexcept {
    for (int32_t missing = 1; missing > 0;) missing += instructions[--end].operands - 1;
    return end;
}

// If the last instruction multiplies a value with itself, that is computed once.
inline void fold_square(std::vector<Instruction>* instructions) {
    size_t last = instructions->size() - 1;
    size_t right = operand_start(*instructions, last), left = operand_start(*instructions, right);
    auto begin = instructions->begin();
    if (!std::equal(begin + ptrdiff_t(left), begin + ptrdiff_t(right), begin + ptrdiff_t(right),
            begin + ptrdiff_t(last), are_same)) return;
    instructions->resize(right);
    instructions->push_back({Op::MULTIPLY, 0, 1});
}

// The program on columns; `code` is a Code, or NULL for what there is none of.
inline ColumnCode column_code(const void* code) {
    ColumnCode result;
    if (code == nullptr) return result;
    const Code& given = *static_cast<const Code*>(code);
    result.gives = columnar_kind(given);
    if (result.gives == Columnar::NOTHING) return result;
    result.constants = given.constants;
    for (const Instruction& one : given.instructions) {
        result.instructions.push_back(one);
        if (one.op == Op::MULTIPLY) fold_square(&result.instructions);
    }
    return result;
}

template <class Value>
Value compared(Op op, const Value& a, const Value& b, double* out) noexcept {
    switch (op) {
        case Op::EQUAL: return is_equal(a, b, out);
        case Op::NOT_EQUAL: return opposite(is_equal(a, b, out), out);
        case Op::LESS: return is_less(a, b, out);
        case Op::GREATER: return is_less(b, a, out);
        case Op::LESS_EQUAL: return opposite(is_less(b, a, out), out);
        default: return opposite(is_less(a, b, out), out);
    }
}

template <class Value>
Value computed(Op op, const Value& a, const Value& b, double* out) noexcept {
    if (op == Op::ADD) return sum(a, b, out);
    return op == Op::SUBTRACT ? difference(a, b, out) : product(a, b, out);
}

// The result of an operation on operands that lie one behind the other: columns, or their bounds.
template <class Value>
Value operated(const Instruction& one, const Value* operands, double* out) noexcept {
    if (is_comparison(one.op)) return compared(one.op, operands[0], operands[1], out);
    if (one.op == Op::MULTIPLY && one.operands == 1) return square(operands[0], out);
    if (is_arithmetic(one.op)) return computed(one.op, operands[0], operands[1], out);
    if (one.op == Op::NEGATE) return negative(operands[0], out);
    if (one.op == Op::ABS) return magnitude(operands[0], out);
    if (one.op == Op::NOT) return opposite(operands[0], out);
    Value result = operands[0];
    for (int32_t i = 1; i < one.operands; ++i)
        result = one.op == Op::AND ? all_of(result, operands[i], out)
                                   : some_of(result, operands[i], out);
    return result;
}

// A number that is the same at all places, as a column or as bounds.
template <class Value>
Value same_everywhere(const Column& constant) noexcept {
    if constexpr (std::is_same_v<Value, Range>) return ranges::range_of(constant);
    else return constant;
}

// The value of a program that is columnar, with the columns, or bounds, that `load` gives for registers; `room` has as
// many blocks.
template <class Value, class Load>
Value run_columns(const ColumnCode& code, Load load, double* room) noexcept {
    Value stack[MOST_COLUMNS];
    size_t depth = 0;
    for (const Instruction& one : code.instructions) {
        depth -= size_t(one.operands);
        size_t at = size_t(one.argument);
        if (one.op == Op::LOAD) stack[depth] = load(uint32_t(at));
        else if (one.op == Op::CONSTANT) stack[depth] = same_everywhere<Value>(number_of(code.constants[at]));
        else stack[depth] = operated(one, stack + depth, room + depth * columns::BLOCK);
        ++depth;
    }
    return stack[0];
}

}  // namespace spaseq
