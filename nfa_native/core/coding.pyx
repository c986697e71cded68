# distutils: language = c++
# cython: language_level=3, cdivision=True
"""Columns of numbers by their distinct ones, in one pass."""

import numpy

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy

from nfa_native.core.containers cimport vector
from nfa_native.core.flat_table cimport FlatTable
from nfa_native.core.guard cimport attempted
from nfa_native.core.mixing cimport mix

cdef extern from *:
    """
    // A number, and where it stands among the distinct ones, from 1; 0: free.
    struct CodeSlot {
        uint64_t number;
        uint32_t hash;   // part of it
        uint32_t place;
        bool is_free() const noexcept { return place == 0; }
    };
    """
    cdef struct CodeSlot:
        uint64_t number
        uint32_t hash
        uint32_t place

cdef enum:
    FEW = 64          # slots of a new table: as many, and at least half as many as there are numbers, up to
    MANY = 1 << 14


def coded(const uint64_t[:] numbers not None):
    """uint64[d], int32[n]: the distinct numbers in the order in which they first come, and which of them each is."""
    cdef vector[uint64_t] found
    codes = numpy.empty(numbers.shape[0], numpy.int32)
    cdef int32_t[::1] out = codes
    if numbers.shape[0] > 0x7FFFFFFF:
        raise ValueError(f"{numbers.shape[0]} numbers are more than codes have bits for")
    with nogil:
        attempted(find_codes, numbers, &found, out)
    distinct = numpy.empty(found.size(), numpy.uint64)
    cdef uint64_t[::1] to = distinct
    if found.size():
        memcpy(&to[0], found.data(), found.size() * sizeof(uint64_t))
    return distinct, codes


cdef void find_codes(const uint64_t[:] numbers, vector[uint64_t]* found, int32_t[::1] codes) noexcept nogil:
    cdef FlatTable[CodeSlot] table
    cdef Py_ssize_t i
    cdef size_t size = FEW
    while size < MANY and size < <size_t>numbers.shape[0] // 2:
        size *= 2
    table.open(size)
    for i in range(numbers.shape[0]):
        if i and numbers[i] == numbers[i - 1]:     # as often
            codes[i] = codes[i - 1]
        else:
            codes[i] = code_of(&table, found, numbers[i])


cdef inline int32_t code_of(FlatTable[CodeSlot]* table, vector[uint64_t]* found, uint64_t number) noexcept nogil:
    """Its place among those found; it is there from now on."""
    cdef CodeSlot slot
    cdef size_t at
    slot.hash = <uint32_t>mix(number)
    at = table.home(slot.hash)
    while table.slots.data()[at].place:
        if table.slots.data()[at].number == number:
            return <int32_t>(table.slots.data()[at].place - 1)
        at = table.next(at)
    found.push_back(number)
    slot.number = number
    slot.place = <uint32_t>found.size()
    table.put(slot)
    if table.is_full():
        table.spread(FEW)
    return <int32_t>(slot.place - 1)
