# distutils: language = c++
# cython: language_level=3
"""Names in edge tables as words of terms, many at once."""

import numpy

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memchr, memcmp

from nfa_native.core.containers cimport string
from nfa_native.core.guard cimport guarded
from nfa_native.terms.dictionary cimport Lookup, TermStore, Terms, begin_lookup, finish_lookups

cdef enum:
    AT_ONCE = 64                 # names that are looked up together


def name_words(Terms terms not None, const int32_t[::1] offsets not None, const uint8_t[::1] text not None):
    """uint64[n]: the words of n names, which are not pinned; see the stub."""
    cdef Py_ssize_t count = offsets.shape[0] - 1, i
    cdef const char* characters = NULL
    terms.check_open()
    if count < 0 or offsets[0] < 0 or offsets[count] > text.shape[0]:
        raise ValueError("offsets do not fit the text")
    for i in range(count):
        if offsets[i] > offsets[i + 1]:
            raise ValueError("offsets fall")
    words = numpy.zeros(count, numpy.uint64)
    cdef uint64_t[::1] out = words
    if text.shape[0]:
        characters = <const char*>&text[0]
    if count:
        # With the GIL: whoever else has a word of the table may look at it meanwhile.
        guarded(&terms.store.broken, intern_names, terms.store, &offsets[0], characters, <size_t>count, &out[0])
    return words


cdef void intern_names(
    TermStore* store, const int32_t* offsets, const char* text, size_t count, uint64_t* words
) noexcept nogil:
    cdef Lookup lookups[AT_ONCE]
    cdef string terms
    cdef size_t first = 0, size, i
    while first < count:
        size = min(count - first, <size_t>AT_ONCE)
        terms.clear()
        for i in range(size):
            lookups[i].start = terms.size()
            append_term(&terms, text + offsets[first + i], offsets[first + i + 1] - offsets[first + i])
            lookups[i].size = terms.size() - lookups[i].start
        for i in range(size):
            begin_lookup(store, terms.data(), &lookups[i])
        finish_lookups(store, terms.data(), &lookups[0], size)
        for i in range(size):
            words[first + i] = lookups[i].word if lookups[i].size > 1 else 0
        first += size


cdef void append_term(string* terms, const char* name, size_t size) noexcept nogil:
    """The canonical bytes of the node of that name."""
    terms.push_back(c'I' if is_iri_name(name, size) else c'S')
    if size:
        terms.append(name, size)


cdef bint is_iri_name(const char* name, size_t size) noexcept nogil:
    """Whether a name is an IRI itself (`spaseq.paths.terms`)."""
    cdef size_t first = iri_start(name, size), i
    if first == 0 or first == size:
        return False
    for i in range(first, size):
        if <uint8_t>name[i] <= 0x20 or memchr(b'<>"{}|\\^`', name[i], 9) != NULL:
            return False
    return True


cdef size_t iri_start(const char* name, size_t size) noexcept nogil:
    """The length of what IRIs begin with, if the name does."""
    if size >= 4 and memcmp(name, b"urn:", 4) == 0:
        return 4
    if size >= 7 and memcmp(name, b"http://", 7) == 0:
        return 7
    return 8 if size >= 8 and memcmp(name, b"https://", 8) == 0 else 0
