# cython: language_level=3
"""SPARQL's operators and functions on decoded operands.  Results replace the first operand."""

from nfa_native.terms.dictionary cimport TermStore
from nfa_native.terms.operations cimport Op
from nfa_native.terms.values cimport Value

cdef void add(Value* a, const Value* b) noexcept nogil
cdef void subtract(Value* a, const Value* b) noexcept nogil
cdef void multiply(Value* a, const Value* b) noexcept nogil
cdef void divide(Value* a, const Value* b) noexcept nogil
cdef void apply_function(Op op, Value* a, int argument, TermStore* store) noexcept nogil
