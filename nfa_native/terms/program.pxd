# cython: language_level=3
"""Expression programs over registers of words."""

from libc.stdint cimport int32_t, int64_t

from nfa_native.core.containers cimport vector
from nfa_native.terms.operations cimport Op
from nfa_native.terms.dictionary cimport Terms, TermStore, word_t

# What `test` and `compute` answer.
cdef enum:
    FALSE = 0
    TRUE = 1
    VALUE = 0
    ERROR = -1
    UNKNOWN = 2  # an operand that only the external evaluator can decide on

cdef extern from "nfa_native/terms/code.hpp" namespace "spaseq" nogil:
    enum: DEEPEST

    cdef struct Instruction:
        Op op
        int32_t argument
        int32_t operands

    cdef cppclass Code:
        vector[Instruction] instructions
        vector[word_t] constants
        int32_t registers

# The effective boolean value of the expression: TRUE, FALSE, ERROR or UNKNOWN.  `now` is in microseconds since 1970, UTC.
cdef int test(const Code* code, const word_t* registers, int64_t now, TermStore* store) noexcept nogil
# VALUE with the expression's value in `out`, or ERROR or UNKNOWN with UNBOUND in it.
cdef int compute(const Code* code, const word_t* registers, int64_t now, TermStore* store, word_t* out) noexcept nogil


cdef class Program:
    cdef Code* code
    cdef readonly Terms terms
