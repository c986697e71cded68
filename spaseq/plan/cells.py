"""Which kind of cells a state has: the cheapest row of KERNEL 1's table that its steps allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nfa_native.automaton import Cells, Formula, Govern, Kind, State, Transition, Value

MOST_COLUMNS = 2  # that a zone map knows
MOST_COMPARISONS = 4  # of one step that it looks at
MOST_INDEXES = 32


def with_cells(
    states: Sequence[State], transitions: Sequence[Transition], formulas: Sequence[Formula], forced: Cells | None = None
) -> tuple[State, ...]:
    """The states, each with its kind of cells; ``forced`` is taken wherever it can be (for tests)."""
    waits = any(state.final and state.guards for state in states)
    found = []
    for number, state in enumerate(states):
        steps = [one for one in transitions if one.source == number]
        able = _able(state, steps, formulas, waits)
        found.append(replace(state, cells=forced if forced in able else able[0]))
    return tuple(found)


def _able(state: State, steps: Sequence[Transition], formulas: Sequence[Formula], waits: bool) -> tuple[Cells, ...]:
    """The kinds that a state can have, the best one first."""
    compares = any(one.step.compared for one in steps) and state.govern is not Govern.STRICT
    kinds = [Cells.HASH]
    if compares:
        kinds.insert(0, Cells.ORDERED)
    if compares and not waits and has_views(state, steps, formulas):
        kinds.insert(0, Cells.VIEWS)
    if not state.twins:
        kinds.append(Cells.FLAT)
    return tuple(kinds)


def has_views(state: State, steps: Sequence[Transition], formulas: Sequence[Formula]) -> bool:
    """Whether each step takes all partial matches along that its comparisons accept, and makes the same of all of them.

    Partial matches must never leave the state but with the window.
    """
    if state.govern is not Govern.ANY or state.final or state.twins or any(guard.early for guard in state.guards):
        return False
    columns: Mapping[int, set[int]] = {index: set() for index in range(len(state.indexes))}
    for one in steps:
        columns[one.index].update(comparison.column for comparison in one.step.compared)
    few = len(state.indexes) <= MOST_INDEXES and all(len(compared) <= MOST_COLUMNS for compared in columns.values())
    return few and all(_takes_alike(state, one, formulas) for one in steps)


def _takes_alike(state: State, transition: Transition, formulas: Sequence[Formula]) -> bool:
    """Whether a step has nothing but equalities and comparisons, and the matches that it makes of equal keys are equal."""
    step, joined = transition.step, set(state.indexes[transition.index])
    if len(transition.choice.atoms) > 1 or len(step.joins) != len(joined):
        return False
    if len(step.compared) != len(step.filters) or len(step.compared) > MOST_COMPARISONS:
        return False
    values = (value for target in transition.targets for value in target.values)
    return all(_columns_of(value, state.width, formulas) <= joined for value in values)


def _columns_of(value: Value, width: int, formulas: Sequence[Formula]) -> set[int]:
    """The columns of the partial match that a value is computed from."""
    match value.kind:
        case Kind.CELL | Kind.EITHER:
            return {value.cell}
        case Kind.PROGRAM:
            return {register for register in formulas[value.program].reads if register < width}
        case _:
            return set()
