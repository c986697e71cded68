# distutils: language = c++
# cython: language_level=3, cdivision=True
"""Columns of texts with offsets of 32 bits, as Arrow has them, made of texts that come again and again."""

import numpy

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint16_t
from libc.string cimport memcpy

from gpm.native.texts cimport TextColumn, opened
from nfa_native.core.containers cimport vector


def taken_columns(tuple column not None, const int32_t[:, :] chosen not None):
    """For each of k columns of ``chosen``, n numbers: int32[n + 1], bytes: as ``taken``.  ValueError, OverflowError."""
    cdef Py_ssize_t count = len(column[0]) - 1, of
    cdef TextColumn texts = opened(column, count)
    cdef int64_t total
    found = []
    for of in range(chosen.shape[1]):
        offsets = numpy.empty(chosen.shape[0] + 1, numpy.int32)
        total = measured(&texts, count, chosen[:, of], offsets)
        found.append((offsets, gathered(&texts, chosen[:, of], total)))
    return found


cdef int64_t measured(const TextColumn* texts, Py_ssize_t count, const int32_t[:] chosen, int32_t[::1] offsets) except -1:
    """Where each of the chosen texts, of ``count``, is to begin; how many bytes they have."""
    cdef int64_t total = 0
    cdef Py_ssize_t i
    offsets[0] = 0
    for i in range(chosen.shape[0]):
        if not 0 <= chosen[i] < count:
            raise ValueError(f"no text {chosen[i]} among {count}")
        total += texts.ends[chosen[i] + 1] - texts.ends[chosen[i]]
        if total > INT32_MAX:
            raise OverflowError("more than 2 GiB of texts are too many for a column")
        offsets[i + 1] = <int32_t>total
    return total


cdef bytes gathered(const TextColumn* texts, const int32_t[:] chosen, int64_t total):
    """The chosen texts, which have so many bytes together, one after the other."""
    cdef bytes copy = PyBytes_FromStringAndSize(NULL, total)
    cdef char* to = copy
    cdef int64_t start, size
    cdef Py_ssize_t i
    for i in range(chosen.shape[0]):
        start = texts.ends[chosen[i]]
        size = texts.ends[chosen[i] + 1] - start
        memcpy(to, texts.text + start, size)
        to += size
    return copy


def listed(
    tuple column not None, const int32_t[:] chosen not None, const uint16_t[:] kinds not None,
    const int64_t[:] offsets not None, Py_ssize_t count,
):
    """For each of ``count`` kinds: int32[m + 1], where each of its m lists begins, and their texts as of ``taken_columns``.

    List j has the texts ``chosen[i]`` for i from ``offsets[j]`` to ``offsets[j + 1]`` with ``kinds[i]`` as their kind.
    ValueError, OverflowError.
    """
    cdef vector[int64_t] ends   # of each kind in `own`
    check_listed(offsets, kinds, chosen.shape[0], count)
    ends.safe_assign(count + 1, 0)
    begins = numpy.zeros((count, offsets.shape[0]), numpy.int32)
    own = numpy.empty(chosen.shape[0], numpy.int32)
    sort_by_kind(chosen, kinds, offsets, &ends, begins, own)
    parts = [own[ends[kind] - begins[kind, -1] : ends[kind], None] for kind in range(count)]
    return [(each, *taken_columns(column, part)[0]) for each, part in zip(begins, parts, strict=True)]


cdef int check_listed(const int64_t[:] offsets, const uint16_t[:] kinds, Py_ssize_t size, Py_ssize_t count) except -1:
    """ValueError: they are no lists of so many texts, all of which are of a kind."""
    cdef Py_ssize_t lists = offsets.shape[0] - 1, i
    cdef bint bad = lists < 0 or kinds.shape[0] != size or offsets[0] != 0 or offsets[lists] != size
    for i in range(0 if bad else lists):
        bad |= offsets[i] > offsets[i + 1]
    for i in range(0 if bad else size):
        bad |= kinds[i] >= count
    if bad:
        raise ValueError(f"no lists of {size} texts of {count} kinds")
    return 0


cdef void sort_by_kind(
    const int32_t[:] chosen, const uint16_t[:] kinds, const int64_t[:] offsets, vector[int64_t]* ends,
    int32_t[:, ::1] begins, int32_t[::1] own
) noexcept nogil:
    """``chosen`` by kind, where each kind ends, and where each of its lists begins behind its own beginning."""
    cdef Py_ssize_t kind, i, j
    cdef int64_t* end = ends.data()
    for i in range(kinds.shape[0]):
        end[kinds[i] + 1] += 1
    for kind in range(begins.shape[0]):     # where the next one begins, and this one will end
        end[kind + 1] += end[kind]
    for j in range(offsets.shape[0] - 1):
        for i in range(offsets[j], offsets[j + 1]):
            own[end[kinds[i]]] = chosen[i]
            end[kinds[i]] += 1
            begins[kinds[i], j + 1] += 1
        for kind in range(begins.shape[0]):
            begins[kind, j + 1] += begins[kind, j]
