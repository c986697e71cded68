"""Complex event automata (Grez, Riveros, Ugarte: CEA): what the recognizer runs.

An automaton with a ``Correlation`` has registers (64-bit integers) in its states, which later events are compared with.
"""

from __future__ import annotations

from dataclasses import dataclass

from nfa_native.automata.kinds import VIEW_BOUNDS, Change, Opcode, RegisterCells, RegisterTest


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
@dataclass(frozen=True, slots=True)
class RegisterGuard:
    """A condition on a transition: a register of its source against a column's value of the event."""

    register: int
    test: RegisterTest
    column: int


@dataclass(frozen=True, slots=True)
class Question:
    """A condition that is asked, of the events in lists.

    ``registers`` of the source have the lists; -1: there is none.  What a guard lets pass satisfies it if
    ``register`` is below the event's column ``decided``, where both are known; -1: there is no such guard.
    """

    number: int
    registers: tuple[int, ...]
    register: int = -1
    decided: int = -1


@dataclass(frozen=True, slots=True)
class Instruction:
    """An operation, with what a load takes: value ``argument`` of the event of ``variable``.  CONSTANT has a number.

    ``constant``: an integer of 64 bits, a double, or None for one that the owner has to judge.
    """

    operation: Opcode
    variable: int = 0
    argument: int = 0
    constant: float | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A predicate on one event of each variable, in postfix form; the event that asks holds the variables ``held``."""

    held: tuple[bool, ...]
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class Computation:
    """A number of one event of each variable, in postfix form, as what a register is compared by.

    No number that is less, or equal, becomes a greater one: an integer of 64 bits, the nearest one; of ``is_real`` the
    nearest double.  ``turned``: the order is the opposite one.
    """

    held: tuple[bool, ...]
    instructions: tuple[Instruction, ...]
    is_real: bool
    turned: bool


@dataclass(frozen=True, slots=True)
class Programs:
    """What an automaton asks and computes, by number, about so many ``remembered`` values of each event."""

    conditions: tuple[Condition, ...] = ()
    computations: tuple[Computation, ...] = ()
    remembered: int = 0


@dataclass(frozen=True, slots=True)
class Update:
    """What a register of the target becomes; ``register`` of the source (-1: not set) and the event's ``column``.

    COMPUTED: ``column`` is the computation's number; the source's ``registers`` have the lists of its variables
    (-1: the event itself holds it).
    """

    change: Change
    register: int = -1
    column: int = -1
    registers: tuple[int, ...] = ()

    @property
    def is_fresh(self) -> bool:
        """Whether it depends on the event alone."""
        return self.register < 0 and all(register < 0 for register in self.registers)


@dataclass(frozen=True, slots=True)
class RegisterTransition:
    """A way from ``source`` to ``target``, with an update for each register of the target."""

    source: int
    target: int
    contiguous: bool = False
    guards: tuple[RegisterGuard, ...] = ()
    questions: tuple[Question, ...] = ()
    updates: tuple[Update, ...] = ()


@dataclass(frozen=True, slots=True)
class Correlation:
    """What registers do in an automaton.

    By state: how many ``registers`` there are, what they become in a match that ``begins`` there, how its ``cells``
    are kept, and the register by which they are looked up (``keys``; -1: none).  ``columns`` is how many values an
    event has.
    """

    registers: tuple[int, ...]
    begins: tuple[tuple[Update, ...], ...]
    transitions: tuple[RegisterTransition, ...]
    cells: tuple[RegisterCells, ...]
    keys: tuple[int, ...]
    columns: int

    def is_viewed(self, transition: RegisterTransition) -> bool:
        """Whether an event takes all groups that pass at once, as a view (``follow_list``), and not one by one."""
        one_by_one = {RegisterCells.MERGED, RegisterCells.APART}
        cells = {self.cells[transition.source], self.cells[transition.target]}
        found = self.keys[transition.source] >= 0 and not transition.contiguous
        few = len(transition.guards) - found <= VIEW_BOUNDS
        return not cells & one_by_one and few and not (transition.questions or transition.contiguous)


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
