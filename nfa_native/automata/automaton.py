"""The automaton that a matcher runs: frozen, shareable, free of any language.

A *state* is a place where partial matches wait, together with the operator that governs the step out of it; its
*columns* are the live values, the cell's key.  A *transition* picks an event for each of its atoms at one timestamp.
A step is described twice: over the cell's columns, to decide, and over the columns of whole matches, to rebuild the
rows of a match when it is output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nfa_native.automata.kinds import Cells, ColumnSource, Govern, RuleTestKind, Sign, View

if TYPE_CHECKING:
    from nfa_native.terms.dictionary import Terms


@dataclass(frozen=True, slots=True)
class ComputedColumn:
    """How one column is computed."""

    kind: ColumnSource
    cell: int = 0
    row: int = 0
    program: int = 0


@dataclass(frozen=True, slots=True)
class CellComparison:
    """A filter that compares cell column ``column`` with a value that the event's row alone decides."""

    column: int
    sign: Sign
    event: ComputedColumn


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression over registers: the cell side's columns, the row's columns, one register that is never bound.

    ``program`` is a native program or None; ``ask`` evaluates what the program does not know: it takes the registers as
    ``uint64[n, registers]``, times ``int64[n]`` and the table of their words, and returns ``int8[n]`` (1, 0, −1) for a
    filter, words otherwise.
    """

    program: Any
    ask: Callable[[Any, Any, Terms], Any]
    reads: tuple[int, ...] = ()  # registers that it reads


@dataclass(frozen=True, slots=True)
class RuleTest:
    """What a step asks of rules (semantics.md 3.7): how ``parameter`` stands to ``value``, by ``kind`` and ``sign``.

    ``formula`` is the number of the same as a filter, whose registers are followed by those of the parameters.
    """

    kind: RuleTestKind
    formula: int
    parameter: int = 0
    sign: Sign = Sign.LESS
    value: ComputedColumn = field(default=ComputedColumn(ColumnSource.UNBOUND))


@dataclass(frozen=True, slots=True)
class JoinStep:
    """A join: pairs (cell column, row column) that must be compatible, then filters (formula numbers).

    ``compared`` says again what those of the filters ask that compare one column with the event.  Rules that pass all
    ``tests`` take the step.
    """

    joins: tuple[tuple[int, int], ...]
    filters: tuple[int, ...]
    compared: tuple[CellComparison, ...] = ()
    tests: tuple[RuleTest, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One event for each of ``atoms``; ``slots[i][j]`` is the row column of slot j of atom i, of ``width`` columns."""

    atoms: tuple[int, ...]
    slots: tuple[tuple[int, ...], ...]
    width: int


@dataclass(frozen=True, slots=True)
class Target:
    """A state entered by a transition, and how its columns are computed.

    If a side of a junction is complete there: ``whole`` are the columns of the whole match then, and ``ends`` the
    Kleenes (bits) whose iteration ends between the step and that.
    """

    state: int
    values: tuple[ComputedColumn, ...]
    whole: tuple[ComputedColumn, ...] = ()
    ends: int = 0


@dataclass(frozen=True, slots=True)
class Chance:
    """A guard of a step's source that is judged when the step is made.

    ``sights`` are the columns of whole matches that it reads, as the step has them; ``later`` those of them that a step
    after it may still bind.
    """

    guard: int
    sights: tuple[tuple[int, ComputedColumn], ...]
    later: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Transition:
    """``source`` --choice--> ``targets``.  ``index`` is the source's cell index to probe.

    ``whole`` and ``columns`` are the step over whole matches; ``ends`` the Kleenes (bits) whose iteration ends on the
    way from the step before to this one.  ``opens`` are the junctions of which a side begins with it, outermost first,
    ``sides`` which one that is; of the branches that begin in the source it is on number ``branch``.  ``chances`` are
    guards of the source that are judged with it.
    """

    source: int
    choice: Choice
    step: JoinStep
    targets: tuple[Target, ...]
    index: int
    whole: JoinStep
    columns: tuple[ComputedColumn, ...]
    ends: int = 0
    opens: tuple[int, ...] = ()
    sides: tuple[int, ...] = ()
    branch: int = 0
    chances: tuple[Chance, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """One column that a guard reads: ``column`` of the whole match, and from where."""

    column: int
    view: View
    kleene: int = 0
    value: ComputedColumn = field(default=ComputedColumn(ColumnSource.UNBOUND))


@dataclass(frozen=True, slots=True)
class Guard:
    """A negated or absent choice at a state.

    If ``early`` it can be decided on the cell alone as long as no column in ``later`` (cell columns that a later step
    may still bind) is unbound; if it has its ``first_chance`` when the next step is made, every transition out of the
    state has a ``Chance`` for it.  ``begun`` are the Kleenes (bits) whose iteration begins between the step before and
    it.
    """

    choice: Choice
    early: bool
    step: JoinStep
    later: tuple[int, ...]
    index: int
    whole: JoinStep
    looks: tuple[Look, ...]
    begun: int = 0
    first_chance: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """A place of partial matches; ``final`` ones wait for their window's upper edge, or are output at once."""

    govern: Govern
    width: int
    indexes: tuple[tuple[int, ...], ...]  # column sets by which cells are found; () is all of them
    cells: Cells = Cells.HASH
    guards: tuple[Guard, ...] = ()
    final: bool = False
    twins: tuple[int, ...] = ()  # states of equal columns that a partial match leaves together with this one
    closing: tuple[
        ComputedColumn, ...
    ] = ()  # of a final state: the finished match's columns from those after its last step
    output: tuple[ComputedColumn, ...] = ()  # and the result's columns from the finished match's
    rules: int | None = None  # the column with the set of rules, where there are rules
    fork: int | None = None  # its number among the states from which sides of junctions go on
    branches: tuple[int, ...] = ()  # if it has a fork under skip-till-next: for each branch those (bits) that it beats
    arrives: tuple[int, int] | None = None  # the junction and its side that is complete here
    margins: tuple[tuple[tuple[int, float], ...], ...] = ()  # what comparisons to come have of it: columns and weights


@dataclass(frozen=True, slots=True)
class CompleteSide:
    """A side of a junction: the state where it is complete, and where each of its columns goes in those of a union.

    None: the union has the column from another side.
    """

    state: int
    columns: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class FilterAcross:
    """A filter on rows of a union, for each step that one of ``transitions`` made in it (semantics.md 3.6).

    It reads columns of whole matches; ``looks`` are those that are as of the step, or of its iteration.
    """

    formula: int
    transitions: tuple[int, ...]
    looks: tuple[Look, ...]
    repeated: bool  # only finished matches tell


@dataclass(frozen=True, slots=True)
class Junction:
    """Where the sides of ``X && Y`` meet: unions of one way for each side enter ``targets``.

    A union has ``width`` columns, and passes ``filters`` (formula numbers); ``shown`` are the columns of whole matches
    that are the same, None: there is none.  ``owners`` is the side that each column of
    whole matches is taken from, None: it is what any side has.  ``anchored``: something may come before it.
    """

    sides: tuple[CompleteSide, ...]
    width: int
    shown: tuple[int | None, ...]
    filters: tuple[int, ...]
    targets: tuple[Target, ...]
    owners: tuple[int | None, ...]
    anchored: bool
    across: tuple[FilterAcross, ...] = ()


@dataclass(frozen=True, slots=True)
class LazySegment:
    """Two steps, of which the first one may wait for the second.

    Sets that enter ``source`` and events that ``transition`` picks, which leads from there to ``state``, can be kept as
    they come, and be put together when an event comes for a transition out of ``state``.  All join on ``key``: columns
    of ``source``, of the rows of ``transition``, and of those of each transition in ``closing``.
    """

    source: int
    transition: int
    state: int
    key: tuple[tuple[int, int], ...]
    closing: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """``length`` microseconds or events; 0: unbounded."""

    length: int = 0
    sliding: bool = False
    events: bool = False
    origin: int = 0


@dataclass(frozen=True, slots=True)
class Merging:
    """When states with views merge sets of equal values instead (how-it-works.md): it is chosen anew whenever ``after``
    sets have entered, and more where more live; there must be ``ratio`` sets for each value.

    For tests: with 0 it changes whenever a set has entered; None: never.
    """

    after: int | None = 1024
    ratio: int = 2


@dataclass(frozen=True, slots=True)
class Automaton:
    """Everything that a matcher needs.

    ``slots[a]`` is the number of row columns of atom a, ``whole`` the number of columns of a whole match, ``results``
    that of result columns.  ``ambiguous``: equal results may come about along several paths.  ``keys[a]`` are the
    row columns of atom a with the key of the event's substream; without substreams there are none.  A transition
    without targets takes partial matches away.
    """

    slots: tuple[int, ...]
    states: tuple[State, ...]
    transitions: tuple[Transition, ...]
    formulas: tuple[Formula, ...]
    whole: int
    start: tuple[int, ...]  # words of a whole match before its first step
    results: int  # result columns
    window: WindowSpec
    ambiguous: bool
    keys: tuple[tuple[int, ...], ...] = ()
    parameters: int = 0  # of rules
    rules: int | None = None  # the column of whole matches with their set; it is the last one of results
    junctions: tuple[Junction, ...] = ()
    lazy: tuple[LazySegment, ...] = ()
    merging: Merging = Merging()
    kept: object = field(default=None, repr=False, compare=False)  # has the constants, as long as it lives
    programs: list[Any] = field(
        default_factory=list, init=False, repr=False, compare=False
    )  # what the kernel makes of it
