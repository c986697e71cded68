# cython: language_level=3
"""The kinds of things in automata: the only place that says which number is which, for Python and C++.

Python has them as IntEnums.
"""

from libc.stdint cimport uint8_t, uint32_t


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


cpdef enum class Change(uint32_t):
    """What a register becomes: what it was; the greater of that and the event's value; the value if it was that or nothing,
    else one that passes no test; the list of the events so far and this one; what a computation gives of one event of each
    of its variables."""
    KEEP = 0
    GREATER = 1
    SAME = 2
    LIST = 3
    COMPUTED = 4


cpdef enum class RegisterCells(uint32_t):
    """How a state of an automaton with registers keeps its partial matches (KERNEL 1).

    HEAD: in one set.  GROUPS: those that entered with one event are a group with their registers, in the order of events.
    MERGED: those with the same registers are a group, which grows."""
    HEAD = 0
    GROUPS = 1
    MERGED = 2


cdef extern from "nfa_native/automata/kinds.hpp" namespace "kinds":
    cpdef enum class RegisterTest(uint32_t):
        """How a register is compared with an event's value; one that is not set passes."""
        LESS
        EQUAL
        DIFFERENT

    cpdef enum class Operation(uint8_t):
        """A step of a condition about several events.

        Loads have a variable and a value of its event; a truth among the values is 0 or 1.  Those in the second line take
        two numbers, or one (IS_NULL), and leave a truth."""
        LOAD_INTEGER, LOAD_REAL, LOAD_TRUTH, CONSTANT, ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER
        EQUAL, DIFFERENT, LESS, LESS_EQUAL, IS_NULL
        NOT, AND, OR

    const size_t DEEPEST
    const size_t VIEW_BOUNDS
