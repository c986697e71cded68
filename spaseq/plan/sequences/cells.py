"""What the automaton's steps allow: the cheapest kind of cells for each state, and the atoms that can wait.

Kinds of cells are rows of the table in docs/how-it-works.md.  An atom that is dear to evaluate waits: an event that no
partial match waits for, or that comes without the rest of its conjunction, makes no difference, and its rows are never
looked at.  This holds for steps.  A negation or an absence looks at all events: its atoms are not lazy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nfa_native.automata.automaton import Automaton, ComputedColumn, Formula, State, Transition
from nfa_native.automata.kinds import Cells, ColumnSource, Govern

MOST_COLUMNS = 2  # that a zone map knows
MOST_COMPARISONS = 4  # of one step that it looks at
MOST_INDEXES = 32


def with_cells(automaton: Automaton, forced: Cells | None = None) -> Automaton:
    """The automaton with a kind of cells for each state; ``forced`` is taken wherever it can be (for tests)."""
    able = [_able(automaton, number, steps) for number, steps in enumerate(steps_from(automaton))]
    kinds = [forced if forced in kinds else kinds[0] for kinds in able]
    states = (replace(state, cells=kind) for state, kind in zip(automaton.states, kinds, strict=True))
    return replace(automaton, states=tuple(states))


def steps_from(automaton: Automaton) -> list[list[Transition]]:
    """The transitions out of each state."""
    found: list[list[Transition]] = [[] for _ in automaton.states]
    for one in automaton.transitions:
        found[one.source].append(one)
    return found


def _able(automaton: Automaton, number: int, steps: Sequence[Transition]) -> list[Cells]:
    """The kinds that a state with these steps can have, the best one first."""
    state = automaton.states[number]
    kinds = [Cells.HASH]
    if state.arrives is not None or state.branches:
        return kinds  # sets are found by what they hold, and partial matches by the branch that they have not begun
    if any(one.step.compared for one in steps) and state.govern is not Govern.STRICT:
        kinds.insert(0, Cells.ORDERED)
        if not why_no_views(automaton, number, steps):
            kinds.insert(0, Cells.VIEWS)
    if not state.twins:
        kinds.append(Cells.FLAT)
    return kinds


def why_no_views(automaton: Automaton, number: int, steps: Sequence[Transition]) -> str:
    """Why events cannot take along views of what is in a state with these steps; empty: they can.

    Partial matches must leave the state with the window only, and a step must make the same of all that it takes along.
    """
    state = automaton.states[number]
    if automaton.rules is not None:
        return "each rule takes others along"
    if automaton.junctions:
        return "sides of && meet"
    if state.govern is not Govern.ANY or state.twins:
        return "partial matches leave with their step"
    if any(guard.early for guard in state.guards):
        return "negated events drop partial matches"
    if any(one.final and one.guards for one in automaton.states):
        return "matches wait for their own window's edge"
    if len(state.indexes) > MOST_INDEXES or _most_columns(state, steps) > MOST_COLUMNS:
        return "too many values are compared"
    return next((why for one in steps if (why := _why_apart(state, one, automaton.formulas))), "")


def _most_columns(state: State, steps: Sequence[Transition]) -> int:
    """How many columns are compared under one index."""
    columns: list[set[int]] = [set() for _ in state.indexes]
    for one in steps:
        columns[one.index].update(comparison.column for comparison in one.step.compared)
    return max(map(len, columns), default=0)


def _why_apart(state: State, transition: Transition, formulas: Sequence[Formula]) -> str:
    """Why a step cannot take along all that its equalities and comparisons accept as one; empty: it can."""
    step, joined = transition.step, set(state.indexes[transition.index])
    if len(transition.choice.atoms) > 1:
        return "a step picks several events"
    if len(step.joins) != len(joined):
        return "one value is joined twice"
    if len(step.compared) != len(step.filters) or len(step.compared) > MOST_COMPARISONS:
        return "a filter is more than the comparison of one value with the event's"
    values = (value for target in transition.targets for value in target.values)
    if all(columns_of(value, state.width, formulas) <= joined for value in values):
        return ""
    return "a value is kept for steps after the next"


def columns_of(value: ComputedColumn, width: int, formulas: Sequence[Formula]) -> set[int]:
    """The columns of the partial match that a value is computed from."""
    match value.kind:
        case ColumnSource.CELL | ColumnSource.EITHER:
            return {value.cell}
        case ColumnSource.PROGRAM:
            return {register for register in formulas[value.program].reads if register < width}
        case _:
            return set()


# ── lazy atoms ───────────────────────────────────────────────────────────────────────────────────────────
MOST_TRANSITIONS = 256  # of an automaton that is looked through with every batch


@dataclass(frozen=True, slots=True)
class LazyUse:
    """A transition that picks an event for a lazy atom.

    ``partners`` are the other atoms of its conjunction; ``key`` are pairs (column of the source's cells, slot of the
    atom) of words that are equal in what joins, if both are bound.
    """

    transition: int
    partners: frozenset[int]
    key: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class LazyAtom:
    """An atom all of whose uses wait for something; ``depth``: at least so many steps come before one of them."""

    number: int
    depth: int
    uses: tuple[LazyUse, ...]


def lazy_atoms(automaton: Automaton, dear: Mapping[int, Iterable[int]]) -> tuple[LazyAtom, ...]:
    """The lazy ones of the atoms ``dear``, each of which has the slots whose words are known before it is evaluated."""
    if not dear or automaton.junctions or len(automaton.transitions) > MOST_TRANSITIONS:
        return ()
    watched = {atom for state in automaton.states for guard in state.guards for atom in guard.choice.atoms}
    depths = _depths(automaton)
    found = []
    for atom, known in dear.items():
        uses = [_use(number, one, atom, frozenset(known)) for number, one in enumerate(automaton.transitions)
                if atom in one.choice.atoms]  # fmt: skip
        if uses and atom not in watched and all(_waits(automaton, use) for use in uses):
            depth = min(depths[automaton.transitions[use.transition].source] for use in uses)
            found.append(LazyAtom(atom, depth, tuple(uses)))
    return tuple(found)


def is_initial(automaton: Automaton, state: int) -> bool:
    """Whether every match begins in the state."""
    return automaton.states[state].govern is Govern.FREE


def _waits(automaton: Automaton, use: LazyUse) -> bool:
    return bool(use.partners) or not is_initial(automaton, automaton.transitions[use.transition].source)


def _use(number: int, transition: Transition, atom: int, known: frozenset[int]) -> LazyUse:
    choice = transition.choice
    slots = {column: slot for slot, column in enumerate(choice.slots[choice.atoms.index(atom)]) if slot in known}
    key = {held: slots[column] for held, column in transition.step.joins if column in slots}
    return LazyUse(number, frozenset(choice.atoms) - {atom}, tuple(sorted(key.items())))


def _depths(automaton: Automaton) -> dict[int, int]:
    """The least number of steps to each state."""
    depths = {state: 0 for state in range(len(automaton.states)) if is_initial(automaton, state)}
    waiting = deque(depths)
    steps = steps_from(automaton)
    while waiting:
        source = waiting.popleft()
        for transition in steps[source]:
            for target in transition.targets:
                if target.state not in depths:
                    depths[target.state] = depths[source] + 1
                    waiting.append(target.state)
    return depths
