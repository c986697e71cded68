# distutils: language = c++
# cython: language_level=3
"""The rows that one event has for one pattern: what goes from the solver into the matcher without arrays."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

import numpy as np


cdef class EventRows:
    """See the stub."""

    def __init__(self, const uint64_t[:, :] columns not None):
        cdef size_t i, j
        self.width, self.count = columns.shape[0], columns.shape[1]
        self.words.resize(self.width * self.count)
        for j in range(self.width):
            for i in range(self.count):
                self.words[j * self.count + i] = columns[j, i]

    def __len__(self):
        return self.count

    @property
    def row_event(self):
        return np.zeros(self.count, np.uint32)

    @property
    def columns(self):
        found = np.empty((self.width, self.count), np.uint64)
        cdef uint64_t[:, ::1] view = found
        if self.words.size():
            memcpy(&view[0, 0], self.words.data(), self.words.size() * sizeof(word_t))
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
                chosen.words.resize(chosen.words.size() + self.count)
            else:
                start = self.words.data() + column * self.count
                chosen.words.insert(chosen.words.end(), start, start + self.count)
        return chosen


cdef EventRows rows_of_event(const word_t* rows, size_t count, size_t width):
    cdef EventRows found = EventRows.__new__(EventRows)
    cdef size_t i, j
    found.count, found.width = count, width
    found.words.resize(count * width)
    for j in range(width):
        for i in range(count):
            found.words[j * count + i] = rows[i * width + j]
    return found
