"""Complex event automata (Grez, Riveros, Ugarte: CEA): what the recognizer runs.

An automaton with a ``Correlation`` has registers (64-bit integers) in its states, which later events are compared with.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class PickState:
    """Being here means: the last event picked is one that matched one of ``atoms``.

    ``after`` are the states from which any later event enters it, ``directly_after`` those from which only the very
    next event of the substream does.  Positions of ``marked`` states belong to the result.
    """

    atoms: tuple[int, ...]
    initial: bool = False
    final: bool = False
    after: tuple[int, ...] = ()
    directly_after: tuple[int, ...] = ()
    marked: bool = True


# ── correlation ──────────────────────────────────────────────────────────────────────────────────────────
class Test(Enum):
    """How a register is compared with an event's value; one that is not set passes."""

    LESS = 0
    EQUAL = 1
    DIFFERENT = 2


class Change(Enum):
    """What a register becomes: what it was, the greater of that and the event's value, the value if it was that or
    nothing (else one that passes no test), or the list of the positions so far and the event's."""

    KEEP = 0
    GREATER = 1
    SAME = 2
    LIST = 3


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition on a transition: a register of its source against a column's value of the event."""

    register: int
    test: Test
    column: int


@dataclass(frozen=True, slots=True)
class Question:
    """A condition that the owner of the recognizer answers, from lists of positions.

    ``registers`` of the source have the lists; -1: there is none.
    """

    number: int
    registers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Update:
    """What a register of the target becomes; ``register`` of the source (-1: not set) and the event's ``column``."""

    change: Change
    register: int = -1
    column: int = -1


@dataclass(frozen=True, slots=True)
class Transition:
    """A way from ``source`` to ``target``, with an update for each register of the target."""

    source: int
    target: int
    contiguous: bool = False
    guards: tuple[Guard, ...] = ()
    questions: tuple[Question, ...] = ()
    updates: tuple[Update, ...] = ()


class Cell(Enum):
    """How the partial matches in a state are kept (KERNEL 1).

    HEAD: in one set.  GROUPS: those that entered with one event are a group with their registers, in the order of
    events.  MERGED: those with the same registers are a group, which grows.
    """

    HEAD = "head"
    GROUPS = "groups"
    MERGED = "merged"


MOST_BOUNDS = 2  # of a view: conditions besides the one by which lists are found


@dataclass(frozen=True, slots=True)
class Correlation:
    """What registers do in an automaton.

    By state: how many ``registers`` there are, what they become in a match that ``begins`` there, how its ``cells``
    are kept, and the register by which they are looked up (``keys``; -1: none).  ``columns`` is how many values an
    event has.
    """

    registers: tuple[int, ...]
    begins: tuple[tuple[Update, ...], ...]
    transitions: tuple[Transition, ...]
    cells: tuple[Cell, ...]
    keys: tuple[int, ...]
    columns: int

    def is_viewed(self, transition: Transition) -> bool:
        """Whether an event takes all groups that pass at once, as a view (``follow_list``), and not one by one."""
        cells = {self.cells[transition.source], self.cells[transition.target]}
        found = self.keys[transition.source] >= 0 and not transition.contiguous
        few = len(transition.guards) - found <= MOST_BOUNDS
        return Cell.MERGED not in cells and few and not (transition.questions or transition.contiguous)


# ── the automaton ────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class ComplexEventAutomaton:
    """States by number; a match is a path from an initial to a final one.

    ``ambiguous``: several paths may mark the same positions, so results have to be made distinct.
    """

    states: tuple[PickState, ...]
    ambiguous: bool = False
    correlation: Correlation | None = None

    def __post_init__(self) -> None:
        """ValueError: a state without atoms, or a predecessor that is none."""
        numbers = range(len(self.states))
        for state in self.states:
            if not state.atoms or any(one not in numbers for one in (*state.after, *state.directly_after)):
                raise ValueError(f"{state} is not one of an automaton of {len(self.states)} states")

    @property
    def is_strict(self) -> bool:
        """Whether the positions of every result follow each other directly."""
        return all(state.marked and not state.after for state in self.states)

    @property
    def is_chain(self) -> bool:
        """Whether every result has one pick of each state, in the order of their numbers."""
        return all(
            state.marked
            and state.initial == (number == 0)
            and state.final == (number == len(self.states) - 1)
            and (*state.after, *state.directly_after) == ((number - 1,) if number else ())
            for number, state in enumerate(self.states)
        )
