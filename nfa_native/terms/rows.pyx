# distutils: language = c++
# cython: language_level=3
"""The rows that one event has for one pattern: what goes from the solver into the matcher without arrays."""

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_WRITABLE
from libc.stdint cimport int64_t, uint64_t

import numpy as np

from nfa_native.terms.dictionary cimport UNBOUND


cdef char* WORD_FORMAT = b"Q"


cdef class EventRows:
    """See the stub."""

    def __init__(self, const uint64_t[:, :] columns not None):
        cdef size_t i, j
        self.width, self.count = columns.shape[0], columns.shape[1]
        self.words.safe_resize(self.width * self.count)
        for j in range(self.width):
            for i in range(self.count):
                self.words[j * self.count + i] = columns[j, i]

    def __len__(self):
        return self.count

    @property
    def row_event(self):
        return np.zeros(self.count, np.uint32)

    def __getbuffer__(self, Py_buffer* view, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("the rows of an event cannot be changed")
        self.shape[0], self.shape[1] = self.width, self.count
        self.strides[0], self.strides[1] = self.count * sizeof(word_t), sizeof(word_t)
        view.buf = <void*>self.shape  # somewhere, if there are no words
        if self.words.size():
            view.buf = self.words.data()
        view.obj = self
        view.len = self.words.size() * sizeof(word_t)
        view.itemsize = sizeof(word_t)
        view.readonly = True
        view.ndim = 2
        view.format = NULL
        if flags & PyBUF_FORMAT:
            view.format = WORD_FORMAT
        view.shape, view.strides = self.shape, self.strides
        view.suboffsets = NULL
        view.internal = NULL

    @property
    def columns(self):
        return np.asarray(self)

    @property
    def is_bound(self):
        cdef size_t i
        for i in range(self.words.size()):
            if self.words[i] == UNBOUND:
                return False
        return True

    def joined(self, const int64_t[:] rows, const uint64_t[:, :] columns, const int64_t[:] others, tuple added):
        cdef EventRows found = EventRows.__new__(EventRows)
        cdef Py_ssize_t i, number = rows.shape[0]
        cdef size_t column, at = 0
        if others.shape[0] != number:
            raise ValueError(f"{number} rows were to be joined with {others.shape[0]}")
        found.count, found.width = number, self.width + len(added)
        found.words.safe_resize(found.count * found.width)
        for column in range(self.width):
            for i in range(number):
                found.words[at] = self.words[column * self.count + rows[i]]
                at += 1
        for column in added:
            for i in range(number):
                found.words[at] = columns[column, others[i]]
                at += 1
        return found

    def select(self, tuple columns not None):
        cdef EventRows chosen = EventRows.__new__(EventRows)
        cdef Py_ssize_t column
        cdef const word_t* start
        chosen.count, chosen.width = self.count, len(columns)
        for column in columns:
            if column >= <Py_ssize_t>self.width:
                raise IndexError(f"column {column} of {self.width}")
            if column < 0:
                chosen.words.safe_resize(chosen.words.size() + self.count)
            else:
                start = self.words.data() + column * self.count
                chosen.words.safe_insert(chosen.words.end(), start, start + self.count)
        return chosen


cdef EventRows rows_of_event(const word_t* rows, size_t count, size_t width):
    cdef EventRows found = EventRows.__new__(EventRows)
    cdef size_t i, j
    found.count, found.width = count, width
    found.words.safe_resize(count * width)
    for j in range(width):
        for i in range(count):
            found.words[j * count + i] = rows[i * width + j]
    return found
