# cython: language_level=3
"""Columns of texts."""

from libc.stdint cimport int64_t

# Text i is text[ends[i]] to text[ends[i + 1]].
cdef struct TextColumn:
    const char* text
    const int64_t* ends

# The texts of a column of that many, which must outlive them.  ValueError: it is no such column.
cdef TextColumn opened(tuple column, Py_ssize_t count) except *

# The bytes of a block that texts lie in.
cdef struct TextBlock:
    const char* text
    int64_t size

cdef TextBlock block_of(tuple blocks, int64_t number, int64_t start, int64_t stop) except *
