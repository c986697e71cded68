// Expression programs: an expression in postfix form over registers of words.  `program.pyx` makes and runs them.
#pragma once

#include <cstdint>
#include <vector>

#include "nfa_native/terms/encoding.hpp"
#include "nfa_native/terms/operations.hpp"

namespace spaseq {

struct Instruction {
    operations::Op op;
    int32_t argument;
    int32_t operands;                     // values that it takes from the stack
};

struct Code {
    std::vector<Instruction> instructions;
    std::vector<word_t> constants;
    int32_t registers;                    // that the code reads: 0 … registers - 1
};

constexpr int DEEPEST = 64;                // values on the stack

}  // namespace spaseq
