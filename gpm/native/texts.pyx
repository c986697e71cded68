# distutils: language = c++
# cython: language_level=3, cdivision=True
"""Columns of texts: their choice, times as texts, and lines made of several columns."""

import numpy

from cpython.buffer cimport Py_buffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_GET_BUFFER
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from nfa_native.core.containers cimport string, vector
from nfa_native.core.guard cimport attempted
from nfa_native.terms.literals cimport DECIMAL_ONE, EPOCH, DateFields, date_fields, int128
from nfa_native.terms.dictionary cimport MICROSECOND

# What a line has: a text of its own, or (no ends) the same one as all lines.
cdef struct Piece:
    TextColumn texts
    size_t size   # of the same one


cdef TextColumn opened(tuple column, Py_ssize_t count) except *:
    cdef const int64_t[::1] ends = column[0]
    cdef bytes text = column[1]
    cdef TextColumn texts
    cdef Py_ssize_t i
    cdef bint bad = ends.shape[0] != count + 1 or ends[0] < 0 or ends[count] > len(text)
    for i in range(0 if bad else count):
        bad |= ends[i] > ends[i + 1]
    if bad:
        raise ValueError(f"no column of {count} texts")
    texts.text = text
    texts.ends = &ends[0]
    return texts


def taken(tuple column not None, const int64_t[:] chosen not None):
    """offsets, text: the texts with these numbers, in their order.  ValueError: there is no such text."""
    cdef const int64_t[::1] ends = column[0]
    cdef bytes text = column[1]
    cdef Py_ssize_t count = chosen.shape[0], i
    cdef int64_t place, total = 0
    offsets = numpy.zeros(count + 1, numpy.int64)
    cdef int64_t[::1] out = offsets
    for i in range(count):
        place = chosen[i]
        if not 0 <= place < ends.shape[0] - 1 or not 0 <= ends[place] <= ends[place + 1] <= len(text):
            raise ValueError(f"no text {place} among {ends.shape[0] - 1}")
        total += ends[place + 1] - ends[place]
        out[i + 1] = total
    return offsets, copied(text, ends, chosen, out)


cdef bytes copied(const char* text, const int64_t[::1] ends, const int64_t[:] chosen, const int64_t[::1] offsets):
    """The chosen texts, one after the other, which lie at these offsets."""
    cdef Py_ssize_t i, count = chosen.shape[0]
    cdef bytes copy = PyBytes_FromStringAndSize(NULL, offsets[count])
    cdef char* to = copy
    for i in range(count):
        memcpy(to + offsets[i], text + ends[chosen[i]], offsets[i + 1] - offsets[i])
    return copy


cdef TextBlock opened_block(block) except *:
    """A block of texts, bytes or a view of them; TypeError: it is something else."""
    cdef TextBlock opened
    cdef Py_buffer* buffer
    if isinstance(block, bytes):
        opened.text = PyBytes_AS_STRING(block)
        opened.size = PyBytes_GET_SIZE(block)
    elif isinstance(block, memoryview):
        buffer = PyMemoryView_GET_BUFFER(block)
        opened.text = <const char*>buffer.buf
        opened.size = buffer.len
    else:
        raise TypeError(f"a block of texts is bytes, not {type(block).__name__}")
    return opened


cdef TextBlock block_of(tuple blocks, int64_t number, int64_t start, int64_t stop) except *:
    """The block with that number, which has bytes start … stop − 1."""
    cdef TextBlock one
    if not 0 <= number < len(blocks):
        raise ValueError(f"there is no block {number} of {len(blocks)}")
    one = opened_block(blocks[number])
    if not 0 <= start <= stop <= one.size:
        raise ValueError(f"a block of {one.size} bytes does not have {start}:{stop}")
    return one


def pieced(
    tuple blocks not None, const int64_t[:] block not None, const int64_t[:] starts not None,
    const int64_t[:] stops not None,
):
    """Bytes ``starts[i]:stops[i]`` of ``blocks[block[i]]`` for each i, one after the other.  ValueError: a block has no such."""
    cdef Py_ssize_t count = block.shape[0], i
    cdef int64_t total = 0
    if starts.shape[0] != count or stops.shape[0] != count:
        raise ValueError(f"{count} blocks came with {starts.shape[0]} starts and {stops.shape[0]} stops")
    for i in range(count):
        block_of(blocks, block[i], starts[i], stops[i])
        total += stops[i] - starts[i]
    cdef bytes copy = PyBytes_FromStringAndSize(NULL, total)
    cdef char* to = copy
    for i in range(count):
        memcpy(to, opened_block(blocks[block[i]]).text + starts[i], stops[i] - starts[i])
        to += stops[i] - starts[i]
    return copy


def times(const int64_t[:] microseconds not None):
    """offsets, text: times in ISO 8601."""
    cdef Py_ssize_t i, count = microseconds.shape[0]
    offsets = numpy.zeros(count + 1, numpy.int64)
    cdef int64_t[::1] ends = offsets
    cdef string text
    with nogil:
        for i in range(count):
            attempted(append_time, text, microseconds[i])
            ends[i + 1] = <int64_t>text.size()
    return offsets, <bytes>text


cdef void append_digits(string& text, int64_t number, int least) noexcept nogil:
    """A number ≥ 0, with zeros before it until it has that many digits."""
    cdef char digits[20]
    cdef int at = 20
    while number or 20 - at < least:
        at -= 1
        digits[at] = <char>(c'0' + number % 10)
        number = number // 10
    text.append(digits + at, 20 - at)


cdef void append_time(string& text, int64_t microseconds) noexcept nogil:
    cdef DateFields fields
    cdef int64_t fraction
    date_fields(EPOCH + <int128>microseconds * MICROSECOND, 0, &fields)
    if fields.year < 0:
        text.push_back(c'-')
    append_digits(text, fields.year if fields.year >= 0 else -fields.year, 4)
    append_pair(text, c'-', fields.month)
    append_pair(text, c'-', fields.day)
    append_pair(text, c'T', fields.hour)
    append_pair(text, c':', fields.minute)
    append_pair(text, c':', <int64_t>(fields.second // DECIMAL_ONE))
    fraction = <int64_t>(fields.second % DECIMAL_ONE) // MICROSECOND
    if fraction:
        text.push_back(c'.')
        append_digits(text, fraction, 6)
    text.push_back(c'Z')


cdef inline void append_pair(string& text, char before, int64_t number) noexcept nogil:
    text.push_back(before)
    append_digits(text, number, 2)


def woven(Py_ssize_t count, pieces not None):
    """``count`` lines, one after the other: each has all pieces, its own text of a column."""
    cdef vector[Piece] parts
    cdef list kept = list(pieces)
    for piece in kept:
        parts.safe_push_back(opened_piece(piece, count))
    cdef size_t total = 0, p
    cdef Py_ssize_t line
    for p in range(parts.size()):
        total += length_of(&parts[p], 0, count)
    cdef bytes lines = PyBytes_FromStringAndSize(NULL, total)
    cdef char* out = lines
    with nogil:
        for line in range(count):
            for p in range(parts.size()):
                out += write_piece(&parts[p], line, out)
    return lines


cdef Piece opened_piece(piece, Py_ssize_t count) except *:
    cdef Piece part
    if isinstance(piece, bytes):
        part.texts.text = <bytes>piece
        part.texts.ends = NULL
        part.size = len(piece)
    else:
        part.texts = opened(piece, count)
        part.size = 0
    return part


cdef inline size_t length_of(const Piece* piece, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """What the piece takes in lines start … stop − 1."""
    if piece.texts.ends == NULL:
        return piece.size * (stop - start)
    return piece.texts.ends[stop] - piece.texts.ends[start]


cdef inline size_t write_piece(const Piece* piece, Py_ssize_t line, char* out) noexcept nogil:
    cdef size_t size = length_of(piece, line, line + 1)
    memcpy(out, piece.texts.text if piece.texts.ends == NULL else piece.texts.text + piece.texts.ends[line], size)
    return size
