# cython: language_level=3
"""What other formats of terms need as well."""

from libc.stdint cimport uint64_t

from nfa_native.terms.values cimport Value
from nfa_native.terms.dictionary cimport Terms

# ValueError: a word is not of the table.
cdef int check_words(Terms terms, const uint64_t[:, :] words) except -1
# Of a spelled term: whether it is a triple term, whose text is N-Triples.
cdef bint is_triple(const Value* value) noexcept nogil
# The local name of the datatype of a value, which is one of XML Schema.
cdef const char* type_name(int kind) noexcept nogil
# Of a spelled literal: whether it is a plain string, without language and other datatype.
cdef bint is_string(const Value* value) noexcept nogil
# The escape of a character in JSON and N-Triples; NULL if it has none but its number.
cdef const char* short_escape(char letter) noexcept nogil
