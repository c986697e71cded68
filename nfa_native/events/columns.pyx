# distutils: language = c++
# cython: language_level=3
"""Columns of whole batches as small numbers: transitions of decision diagrams, look-ups, and numbers for values."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.core.guard cimport attempted_number
from nfa_native.core.invariant cimport invariant

from nfa_native.core.mixing cimport longest_run, mix

cdef enum:
    NO_NUMBER = 0xFFFFFFFF
    UNKNOWN = -1          # a transition that is not known, and
    ASKED = -2            # one that is already asked for
    FIRST_SLOTS = 64      # a power of two


def follow(
    const int32_t[::1] states, const int32_t[::1] codes not None, const int32_t[::1] digits not None,
    int32_t[:, ::1] table not None,
):
    """The states that ``table`` (state, digit) has behind those of n rows, and the transitions that it does not have.

    ``states`` (n) are those before, None: all are in state 0; the digit of a row is ``digits[codes[row]]``.  A missing
    transition is -1 in the table and becomes -2; they are given once each, as ``state * width + digit``, in order.
    IndexError for a code without a digit.
    """
    cdef size_t count = codes.shape[0]
    cdef size_t width = table.shape[1]
    cdef vector[int64_t] missing
    cdef const int32_t* before = NULL
    cdef size_t done
    if states is not None and <size_t>states.shape[0] != count:
        raise ValueError(f"{count} codes came with {states.shape[0]} states")
    found = np.empty(count, np.int32)
    cdef int32_t[::1] target = found
    if count == 0:
        return found, []
    if states is not None:
        before = &states[0]
    with nogil:
        done = attempted_number(
            follow_rows, before, &codes[0], count, &digits[0], <uint32_t>digits.shape[0],
            &table[0, 0], width, &target[0], &missing,
        )
    if done < count:
        raise IndexError(f"code {codes[done]} in a dictionary of {digits.shape[0] - 1} values")
    return found, sorted(missing)


cdef size_t follow_rows(
    const int32_t* states, const int32_t* codes, size_t count, const int32_t* digits, uint32_t values,
    int32_t* table, size_t width, int32_t* found, vector[int64_t]* missing,
) noexcept nogil:
    """As `follow`; gives the first row whose code has no digit."""
    cdef size_t row, key
    for row in range(count):
        if <uint32_t>codes[row] >= values:
            return row
        invariant(<size_t>digits[codes[row]] < width)
        key = <size_t>digits[codes[row]]
        if states != NULL:
            key += <size_t>states[row] * width
        found[row] = table[key]
        if found[row] == UNKNOWN:
            table[key] = ASKED
            missing.push_back(<int64_t>key)
    return count


def looked_up(const uint32_t[::1] values not None, const int32_t[::1] places not None):
    """The values (uint32) at n places; IndexError for one that is none."""
    cdef size_t count = places.shape[0]
    cdef uint32_t size = <uint32_t>values.shape[0]
    cdef size_t row = 0
    found = np.empty(count, np.uint32)
    cdef uint32_t[::1] target = found
    with nogil:
        while row < count and <uint32_t>places[row] < size:
            target[row] = values[places[row]]
            row += 1
    if row < count:
        raise IndexError(f"place {places[row]} among {size} values")
    return found


# A value and its number, in an open hash table.
cdef struct Slot:
    int64_t value
    uint32_t number       # NO_NUMBER: the slot is free


cdef class Numbering:
    """Numbers for integers, from 0 in the order in which they come; equal ones have the same number ever after."""

    cdef vector[Slot] slots       # a power of two of them, more than half of them free
    cdef vector[int64_t] known    # the integers by number

    def __cinit__(self):
        self.spread(FIRST_SLOTS)

    def __len__(self):
        return self.known.size()

    @property
    def values(self):
        """The integers by number (int64)."""
        found = np.empty(self.known.size(), np.int64)
        cdef int64_t[::1] target = found
        cdef size_t row
        for row in range(self.known.size()):
            target[row] = self.known[row]
        return found

    def at(self, const uint32_t[::1] numbers not None):
        """The integers (int64) with n numbers; IndexError for one that is none."""
        cdef size_t row
        found = np.empty(numbers.shape[0], np.int64)
        cdef int64_t[::1] target = found
        for row in range(<size_t>numbers.shape[0]):
            if numbers[row] >= self.known.size():
                raise IndexError(f"number {numbers[row]} among {self.known.size()} integers")
            target[row] = self.known[numbers[row]]
        return found

    def longest_run(self):
        """The most slots in a row that are taken."""
        cdef vector[uint8_t] taken
        cdef size_t i
        for i in range(self.slots.size()):
            taken.safe_push_back(self.slots[i].number != NO_NUMBER)
        return longest_run(taken)

    def keep(self, const int64_t[::1] values not None):
        """Know only these, which get the numbers from 0 on; they differ from each other."""
        cdef vector[int64_t] known
        cdef size_t row
        known.safe_resize(values.shape[0])
        for row in range(known.size()):
            known[row] = values[row]
        self.known.swap(known)
        try:
            self.shrink()
        except MemoryError:
            self.known.swap(known)
            raise

    cdef shrink(self):
        """As few slots as the values need."""
        cdef size_t size = FIRST_SLOTS
        while size < 2 * self.known.size():
            size *= 2
        self.spread(size)

    def number(self, const int64_t[::1] values not None, const uint8_t[::1] present=None):
        """The numbers (uint32) of n integers; NO_NUMBER, the greatest one, where ``present`` is 0."""
        cdef size_t count = values.shape[0]
        if present is not None and <size_t>present.shape[0] != count:
            raise ValueError(f"{count} values came with {present.shape[0]} marks")
        found = np.empty(count, np.uint32)
        cdef uint32_t[::1] target = found
        cdef size_t row
        with nogil:
            for row in range(count):
                target[row] = NO_NUMBER if present is not None and not present[row] else self.number_of(values[row])
        return found

    cdef inline uint32_t number_of(self, int64_t value) except? 0xFFFFFFFF nogil:
        cdef Slot* slot = self.slot_of(value)
        if slot.number == NO_NUMBER:
            return self.learn(value)
        return slot.number

    cdef inline Slot* slot_of(self, int64_t value) noexcept nogil:
        """Where the value is, or may be put."""
        cdef size_t last = self.slots.size() - 1
        cdef size_t place = mix(<uint64_t>value) & last
        cdef Slot* slots = self.slots.data()
        while slots[place].number != NO_NUMBER and slots[place].value != value:
            place = (place + 1) & last
        return slots + place

    cdef uint32_t learn(self, int64_t value) except? 0xFFFFFFFF nogil:
        """Gives a new value the next number; MemoryError if there is no room."""
        cdef uint32_t number = <uint32_t>self.known.size()
        cdef Slot* slot
        invariant(number < NO_NUMBER)
        if 2 * (self.known.size() + 1) > self.slots.size():
            self.spread(2 * self.slots.size())
        self.known.safe_push_back(value)
        slot = self.slot_of(value)
        slot.value = value
        slot.number = number
        return number

    cdef int spread(self, size_t size) except -1 nogil:
        """Put all values into as many slots, a power of two.  MemoryError: nothing has changed."""
        cdef vector[Slot] slots
        cdef Slot free
        cdef Slot* slot
        cdef uint32_t number
        free.value = 0
        free.number = NO_NUMBER
        slots.safe_assign(size, free)
        self.slots.swap(slots)
        for number in range(<uint32_t>self.known.size()):
            slot = self.slot_of(self.known[number])
            slot.value = self.known[number]
            slot.number = number
        return 0
