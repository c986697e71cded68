"""Which kind of cells a state has: the cheapest row of the table in docs/how-it-works.md that its steps allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
    if all(_columns_of(value, state.width, formulas) <= joined for value in values):
        return ""
    return "a value is kept for steps after the next"


def _columns_of(value: ComputedColumn, width: int, formulas: Sequence[Formula]) -> set[int]:
    """The columns of the partial match that a value is computed from."""
    match value.kind:
        case ColumnSource.CELL | ColumnSource.EITHER:
            return {value.cell}
        case ColumnSource.PROGRAM:
            return {register for register in formulas[value.program].reads if register < width}
        case _:
            return set()
