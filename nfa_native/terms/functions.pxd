# cython: language_level=3
"""SPARQL's operators and functions on decoded operands.  Results replace the first operand."""

from nfa_native.terms.values cimport Value
from nfa_native.terms.dictionary cimport TermStore

cdef void add(Value* a, const Value* b) noexcept nogil
cdef void subtract(Value* a, const Value* b) noexcept nogil
cdef void multiply(Value* a, const Value* b) noexcept nogil
cdef void divide(Value* a, const Value* b) noexcept nogil
cdef void negate(Value* a) noexcept nogil
cdef void plus(Value* a) noexcept nogil
cdef void absolute(Value* a) noexcept nogil
cdef void ceiling(Value* a) noexcept nogil
cdef void floor_number(Value* a) noexcept nogil
cdef void round_number(Value* a) noexcept nogil

# `part` is 0 year, 1 month, 2 day, 3 hours, 4 minutes, 5 seconds.
cdef void date_part(Value* a, int part) noexcept nogil
cdef void zone_text(Value* a, TermStore* store) noexcept nogil

cdef void string_of(Value* a, TermStore* store) noexcept nogil
cdef void language_of(Value* a, TermStore* store) noexcept nogil
cdef void datatype_of(Value* a, TermStore* store) noexcept nogil
cdef void string_length(Value* a, const TermStore* store) noexcept nogil
cdef void contains(Value* a, Value* b, const TermStore* store) noexcept nogil
cdef void starts_with(Value* a, Value* b, const TermStore* store) noexcept nogil
cdef void ends_with(Value* a, Value* b, const TermStore* store) noexcept nogil
cdef void change_case(Value* a, TermStore* store, bint upper) noexcept nogil
cdef void concatenate(Value* a, int count, TermStore* store) noexcept nogil
