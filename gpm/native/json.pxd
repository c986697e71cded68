# cython: language_level=3
"""What other formats of terms need as well."""

from libc.stdint cimport uint64_t

from nfa_native.core.containers cimport string
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
# Characters in quotes, with the escapes of JSON and N-Triples for quotes, backslashes and control characters.
cdef void append_quoted(string& text, const char* at, size_t size, const char* digits) noexcept nogil
# A character below U+0100 by its number, in such digits.
cdef void append_code(string& text, char letter, const char* digits) noexcept nogil
