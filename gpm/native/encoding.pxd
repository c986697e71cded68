# cython: language_level=3
"""Terms as N-Quads writes them → words.  The text is valid: the tokenizer has read it."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from nfa_native.terms.dictionary cimport Terms, TermStore, word_t

# The word of a term; a blank node `_:x` has the label prefix + x.  The word is collectable.  UNBOUND: `encode_hard` can tell.
cdef word_t encode_term(
    TermStore* store, const uint8_t* text, uint32_t size, const char* prefix, size_t prefix_size
) noexcept nogil
# The same of any term, triple terms (RDF 1.2) and literals that only a Store canonicalises included.
cdef word_t encode_hard(Terms terms, bytes text, bytes prefix) except? 0
# As `encode_term`, but adds nothing: UNBOUND if no word stands for the term, UNDECIDED (nfa_native.terms.dictionary) if only Python
# could tell, so that the term may equal any literal, or any triple term, that has a word.
cdef word_t find_term(
    const TermStore* store, const uint8_t* text, uint32_t size, const char* prefix, size_t prefix_size
) noexcept nogil
# The microseconds since 1970 of a literal that is a time: an xsd:dateTime, or an integer of units of so many microseconds.
# False if it is neither or beyond 64 bits.
cdef bint parse_time(const uint8_t* text, uint32_t size, int64_t unit, int64_t* microseconds) noexcept nogil
