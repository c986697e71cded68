// Kinds of things in automata that C++ headers know, too; `kinds.pxd` tells them to Cython and Python.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kinds {

// How a register is compared with an event's value; one that is not set passes.
enum class RegisterTest : uint32_t { LESS, EQUAL, DIFFERENT };

// A step of a condition about several events.
enum class Operation : uint8_t {
    LOAD_INTEGER,  // of the event of `variable`: its value number `argument`
    LOAD_REAL,
    LOAD_TRUTH,    // of that kind, too, but onto the stack of truths
    CONSTANT,      // number `argument` of the constants
    ADD,           // from two numbers to one
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    EQUAL,         // from two numbers to a truth
    DIFFERENT,
    LESS,
    LESS_EQUAL,
    IS_NULL,       // from a number to a truth
    NOT,
    AND,           // of two truths
    OR
};

constexpr size_t DEEPEST = 64;      // numbers, and truths, that a condition may have at once
constexpr size_t VIEW_BOUNDS = 2;   // of a view: conditions besides the one by which lists are found

}  // namespace kinds
