# distutils: language = c++
# cython: language_level=3
"""What is read of the rows of matches, in one sweep: running aggregates, and where navigations lead."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t

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


cdef int64_t single(
    const uint16_t[::1] labels, const uint8_t[::1] members, int64_t begin, int64_t until, int64_t offset, bint first,
    bint* is_wrong,
) noexcept nogil:
    """The label that is ``offset`` from the first, or the last, member from ``begin`` up to ``until``; -1: there is none."""
    cdef int64_t at = begin if first else until, step = 1 if first else -1
    while begin <= at <= until:
        if labels[at] >= members.shape[0]:
            is_wrong[0] = True
            return -1
        if members[labels[at]]:
            if offset == 0:
                return at
            offset -= 1
        at += step
    return -1


def navigated(
    const uint16_t[::1] labels not None, const uint8_t[::1] members not None, const int64_t[::1] begins not None,
    const int64_t[::1] until not None, int64_t offset, bint first,
):
    """Of each row the label that is ``offset`` from the first, or the last, one of ``members``; -1: there is none.

    Those count from ``begins`` up to ``until``.  Rows of one match come together, in the order of ``until``.
    """
    cdef Py_ssize_t row, rows = begins.shape[0]
    cdef int64_t at = 0, count = 0, place
    cdef bint is_alone
    if until.shape[0] != rows or offset < 0:
        raise ValueError("the ends are not those of the rows, or the offset is negative")
    longest = int((np.asarray(until) - np.asarray(begins)).max(initial=-1)) + 1
    found = np.empty(rows, np.int64)
    cdef int64_t[::1] places = found, hits = np.empty(max(longest, 0), np.int64)
    cdef bint is_wrong = False
    with nogil:
        for row in range(rows):
            if begins[row] < 0 or until[row] >= labels.shape[0]:
                is_wrong = True
                break
            is_alone = row == 0 or begins[row] != begins[row - 1]
            if is_alone and (row + 1 == rows or begins[row + 1] != begins[row]):  # the only row of its match
                places[row] = single(labels, members, begins[row], until[row], offset, first, &is_wrong)
                if is_wrong:
                    break
                continue
            if is_alone or until[row] < until[row - 1]:
                at, count = begins[row], 0
            while at <= until[row]:
                if labels[at] >= members.shape[0]:
                    is_wrong = True
                    break
                if members[labels[at]]:
                    hits[count] = at
                    count += 1
                at += 1
            if is_wrong:
                break
            place = offset if first else count - 1 - offset
            places[row] = hits[place] if 0 <= place < count else -1
    if is_wrong:
        raise ValueError("a label is not there, or of no position")
    return found
