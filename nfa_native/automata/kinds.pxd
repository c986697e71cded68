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


cpdef enum class MatchQuantity(uint32_t):
    """What the totaller knows of all matches: the least time of a first event; how many values there are, and how many of
    them are decimals; the sum of the integers above 0, and of those below without their sign; likewise of decimals, in units
    of 10**-18; the least and the greatest value."""
    STARTS = 0
    BOUND = 1
    DECIMALS = 2
    POSITIVE = 3
    NEGATIVE = 4
    POSITIVE_DECIMALS = 5
    NEGATIVE_DECIMALS = 6
    LEAST = 7
    GREATEST = 8


cpdef enum class PathQuantity(uint32_t):
    """What the aggregator knows of all matches: the sum of integers; the least one; the sum of doubles; how many matches
    there are, in 128 bits."""
    SUM = 0
    LEAST = 1
    SUM_OF_DOUBLES = 2
    MATCHES = 3


cpdef enum class Consumed(uint32_t):
    """What an event with matches uses up: nothing; all paths; those of its partition."""
    NONE = 0
    ANY = 1
    PARTITION = 2
