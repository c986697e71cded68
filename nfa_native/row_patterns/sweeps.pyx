# distutils: language = c++
# cython: language_level=3
"""Running aggregates over the rows of matches, each match by itself, in one sweep."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

import numpy as np


cdef extern from *:
    """
    static inline bool spaseq_added(int64_t one, int64_t other, int64_t* sum) {
        return !__builtin_add_overflow(one, other, sum);
    }
    """
    bint added "spaseq_added"(int64_t one, int64_t other, int64_t* sum) noexcept nogil


def running_sums(const int64_t[::1] values not None, const uint8_t[::1] begins not None):
    """The sum up to each value, from where the last match ``begins``; OverflowError has the place of one too large."""
    if begins.shape[0] != values.shape[0]:
        raise ValueError("the values are not those of the matches")
    found = np.empty(values.shape[0], np.int64)
    cdef int64_t[::1] sums = found
    cdef Py_ssize_t at, wrong = -1
    cdef int64_t total = 0
    with nogil:
        for at in range(values.shape[0]):
            if begins[at]:
                total = 0
            if not added(total, values[at], &total):
                wrong = at
                break
            sums[at] = total
    if wrong >= 0:
        raise OverflowError(wrong)
    return found


def running_real_sums(const double[::1] values not None, const uint8_t[::1] begins not None):
    """The same of real numbers, added in their order."""
    if begins.shape[0] != values.shape[0]:
        raise ValueError("the values are not those of the matches")
    found = np.empty(values.shape[0], np.float64)
    cdef double[::1] sums = found
    cdef Py_ssize_t at
    cdef double total = 0
    with nogil:
        for at in range(values.shape[0]):
            total = values[at] if begins[at] else total + values[at]
            sums[at] = total
    return found


def running_least(const uint64_t[::1] ranks not None, const uint8_t[::1] begins not None):
    """The place of the least rank up to each, from where the last match ``begins``; the first of those that are equal."""
    if begins.shape[0] != ranks.shape[0]:
        raise ValueError("the ranks are not those of the matches")
    found = np.empty(ranks.shape[0], np.int64)
    cdef int64_t[::1] places = found
    cdef Py_ssize_t at, least = 0
    with nogil:
        for at in range(ranks.shape[0]):
            if begins[at] or ranks[at] < ranks[least]:
                least = at
            places[at] = least
    return found
