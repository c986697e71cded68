# distutils: language = c++
# cython: language_level=3
"""One encoded event by itself, as it goes the short way; see the stub."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

import numpy as np


cdef class SingleEvent:
    """See the stub."""

    @property
    def triples(self):
        found = np.empty((3, self.size), np.uint64)
        cdef uint64_t[:, ::1] view = found
        if self.size:
            memcpy(&view[0, 0], self.words.data(), self.words.size() * sizeof(word_t))
        return found
