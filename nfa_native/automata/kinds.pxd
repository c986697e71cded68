# cython: language_level=3
"""The kinds of things in automata: the only place that says which number is which, for Python and C++.

Python has them as IntEnums.
"""

from libc.stdint cimport uint32_t


cpdef enum class Govern(uint32_t):
    """The operator that governs the steps out of a state (SEMANTICS 3); FREE: they are the first of a match."""
    ANY = 0
    NEXT = 1
    STRICT = 2
    FREE = 3


cpdef enum class Cells(uint32_t):
    """How a state keeps its groups of partial matches, and how an event finds those that it may join (KERNEL 1).

    HASH: one group for all that is alike; under the event's join key one after the other.  ORDERED: the same, by a compared
    value: in its order as long as there is one, then by a zone map.  VIEWS: a zone-mapped list of all sets that entered; an
    event takes along a view of it.  FLAT: a group for each set that entered, one after the other."""
    HASH = 0
    ORDERED = 1
    VIEWS = 2
    FLAT = 3


cpdef enum class ColumnSource(uint32_t):
    """Where a value comes from: nowhere; column ``cell`` of the partial match; column ``row`` of the event's row; the cell's
    if bound, else the row's; expression ``program``."""
    UNBOUND = 0
    CELL = 1
    ROW = 2
    EITHER = 3
    PROGRAM = 4


cpdef enum class Sign(uint32_t):
    """How a kept value compares with an event's."""
    LESS = 0
    LESS_EQUAL = 1
    GREATER = 2
    GREATER_EQUAL = 3


cpdef enum class View(uint32_t):
    """What a guard of a finished match sees of a column: the finished match; the last step of the iteration of Kleene
    ``kleene`` that the guard lies in; what is computed from the step before the guard."""
    FINAL = 0
    ITERATION = 1
    POINT = 2
