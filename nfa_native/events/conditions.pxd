# cython: language_level=3
"""Conditions about several events (`conditions.hpp`)."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from nfa_native.automata.kinds cimport Opcode
from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport raise_cpp_error

cdef extern from "nfa_native/events/conditions.hpp" namespace "spaseq::events::conditions" nogil:
    # Answers of a condition.
    const uint8_t NO
    const uint8_t YES
    const uint8_t UNDECIDED

    cdef cppclass Number:
        pass

    Number integer(int64_t value)
    Number real(double value)
    Number unknown()

    cdef cppclass Condition:
        vector[uint8_t] held       # by variable: the event that asks holds it
        bint is_real               # of a number: how it is compared
        bint turned
        void safe_append_step "append_step"(Opcode operation, uint8_t variable, uint32_t argument) except +raise_cpp_error
