"""The kinds of things in automata: the only place that says which number is which, for Python and C++.

``setup.py`` writes a header and Cython declarations of it.
"""

from __future__ import annotations

from enum import IntEnum

DEEPEST = 64  # numbers, and truths, that a condition may have at once
MOST_ATOMS = 8  # of an automaton that rules have together
BOTH = 1 << 30  # in their conditions: the last two sets of rules become what is in both
EITHER = BOTH + 1  # … or what is in either of them
VIEW_BOUNDS = 2  # of a view: conditions besides the one by which lists are found


class Govern(IntEnum):
    """The operator that governs the steps out of a state (semantics.md 3); FREE: they are the first of a match."""

    ANY = 0
    NEXT = 1
    STRICT = 2
    FREE = 3


class Cells(IntEnum):
    """How a state keeps its groups of partial matches, and how an event finds those that it may join (how-it-works.md).

    HASH: one group for all that is alike; under the event's join key one after the other.  ORDERED: the same, by a
    compared value: in its order as long as there is one, then by a zone map.  VIEWS: a zone-mapped list of all sets
    that entered; an event takes along a view of it.  FLAT: a group for each set that entered, one after the other.
    """

    HASH = 0
    ORDERED = 1
    VIEWS = 2
    FLAT = 3


class ColumnSource(IntEnum):
    """Where a value comes from: nowhere; column ``cell`` of the partial match; column ``row`` of the event's row; the
    cell's if bound, else the row's; expression ``program``; the set of rules that take the step; which partial match
    the step goes on from.
    """

    UNBOUND = 0
    CELL = 1
    ROW = 2
    EITHER = 3
    PROGRAM = 4
    RULES = 5
    ANCHOR = 6


class RuleTestKind(IntEnum):
    """What a step asks of a rule's parameter: to be the same term as a value, or equal to it; how it compares with one.
    Or it asks a formula.
    """

    SAME = 0
    EQUAL = 1
    COMPARED = 2
    FORMULA = 3


class Sign(IntEnum):
    """How a kept value compares with an event's."""

    LESS = 0
    LESS_EQUAL = 1
    GREATER = 2
    GREATER_EQUAL = 3


class View(IntEnum):
    """What a guard of a finished match sees of a column: the finished match; the last step of the iteration of Kleene
    ``kleene`` that the guard lies in; what is computed from the step before the guard."""

    FINAL = 0
    ITERATION = 1
    POINT = 2


class Change(IntEnum):
    """What a register becomes: what it was; the greater of that and the event's value; the value if it was that or
    nothing, else one that passes no test; the list of the events so far and this one; what a computation gives of one
    event of each of its variables.
    """

    KEEP = 0
    GREATER = 1
    SAME = 2
    LIST = 3
    COMPUTED = 4


class RegisterCells(IntEnum):
    """How a state of an automaton with registers keeps its partial matches (how-it-works.md).

    HEAD: in one set.  GROUPS: those that entered with one event are a group with their registers, in the order of
    events. MERGED: those with the same registers are a group, which grows.  APART: each set that enters is a group, for
    no two have the same registers.
    """

    HEAD = 0
    GROUPS = 1
    MERGED = 2
    APART = 3


class StrategyKind(IntEnum):
    """Which results of an end are kept (CEL's selection strategies)."""

    ALL = 0
    ANY = 1
    NEXT = 2
    LAST = 3
    MAX = 4
    STRICT = 5


class StepKind(IntEnum):
    """How an event enters a state (`nfa_native/automata/operators.py`).

    GENERAL: from whatever may come before it.  PLAIN: from sets, written without asking what the window still holds.
    SWIFT: from views of lists of groups, and it settles at once."""

    GENERAL = 0
    PLAIN = 1
    SWIFT = 2


class EnumerationKind(IntEnum):
    """How the results of an end are found in its set of partial matches (`nfa_native/automata/operators.py`).

    EACH: one walk for each match.  ROWS: tables of rows, whose first columns are copied.  DISTINCT: all walks that
    pick the same positions together.  MAXIMAL: the same, with those that pick more beside them.  BEST: from the best
    match of each set.
    """

    EACH = 0
    ROWS = 1
    DISTINCT = 2
    MAXIMAL = 3
    BEST = 4


class RegisterTest(IntEnum):
    """How a register is compared with an event's value; one that is not set passes."""

    LESS = 0
    EQUAL = 1
    DIFFERENT = 2


class Opcode(IntEnum):
    """A step of a condition about several events.

    Loads have a variable and a value of its event; a truth among the values is 0 or 1.  Those in the second line take
    two numbers, or one (IS_NULL), and leave a truth."""

    LOAD_INTEGER = 0
    LOAD_REAL = 1
    LOAD_TRUTH = 2
    CONSTANT = 3
    ADD = 4
    SUBTRACT = 5
    MULTIPLY = 6
    DIVIDE = 7
    REMAINDER = 8
    EQUAL = 9
    DIFFERENT = 10
    LESS = 11
    LESS_EQUAL = 12
    IS_NULL = 13
    NOT = 14
    AND = 15
    OR = 16


class Evaluating(IntEnum):
    """When steps of lazy segments are made: as it is chosen while a matcher runs; at once; when the last one asks for
    them; or, for tests, so and so from tick to tick."""

    AUTO = 0
    EAGER = 1
    LAZY = 2
    ALTERNATING = 3


class MatchQuantity(IntEnum):
    """What the aggregation knows of all matches: the least time of a first event; how many values there are, and how
    many of them are decimals; the sum of the integers above 0, and of those below without their sign; likewise of
    decimals, in units of 10**-18; the least and the greatest value.
    """

    STARTS = 0
    BOUND = 1
    DECIMALS = 2
    POSITIVE = 3
    NEGATIVE = 4
    POSITIVE_DECIMALS = 5
    NEGATIVE_DECIMALS = 6
    LEAST = 7
    GREATEST = 8


class PathQuantity(IntEnum):
    """What the aggregator knows of all matches: the sum of integers; the least one; the sum of doubles; how many
    matches there are, in 128 bits.
    """

    SUM = 0
    LEAST = 1
    SUM_OF_DOUBLES = 2
    MATCHES = 3


class Consumed(IntEnum):
    """What an event with matches uses up: nothing; all paths; those of its partition."""

    NONE = 0
    ANY = 1
    PARTITION = 2


class PathRestrictor(IntEnum):
    """Which paths count (GQL's path modes): all walks, or those without a repeated edge, without a repeated vertex, and
    without one but that the last may be the first."""

    WALK = 0
    TRAIL = 1
    ACYCLIC = 2
    SIMPLE = 3


class PathSelection(IntEnum):
    """Which of the paths between two vertices are given (GQL's path search prefixes)."""

    ALL = 0
    ALL_SHORTEST = 1
    SHORTEST = 2
